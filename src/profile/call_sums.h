// SPDX-License-Identifier: MIT
// Sums of the times of several rows.
#pragma once

#include <algorithm>

#include "src/profile/profile.h"

namespace umbra::profile {

/// Whether a row has anything to show: it was called, or samples saw it calling others.
[[nodiscard]] inline bool was_seen(const CallTimes& times) {
    return times.calls > 0 || times.total_ns > 0;
}

/// Adds all but inclusive times; `counts` says whether calls count as well.
inline void add_own(CallTimes& sum, const CallTimes& times, bool counts) {
    if (counts) {
        sum.calls += times.calls;
    }
    sum.unfinished += times.unfinished;
    sum.self_ns += times.self_ns;
    sum.raw.self_ns += times.raw.self_ns;
    sum.cpu.self_ns += times.cpu.self_ns;
    sum.paused.self_ns += times.paused.self_ns;
}

/// Adds inclusive times of all kinds, and nothing else.
inline void add_inclusive(CallTimes& sum, const CallTimes& times) {
    sum.total_ns += times.total_ns;
    sum.raw.total_ns += times.raw.total_ns;
    sum.cpu.total_ns += times.cpu.total_ns;
    sum.paused.total_ns += times.paused.total_ns;
}

/// Takes shortest and longest call of `times` into account. One that goes on is longer than it has
/// been, but as a shortest one it would say nothing.
inline void add_extremes(CallTimes& sum, const CallTimes& times) {
    if (times.calls > times.unfinished) {
        sum.min_ns = sum.min_ns == 0 ? times.min_ns : std::min(sum.min_ns, times.min_ns);
    }
    sum.max_ns = std::max(sum.max_ns, times.max_ns);
}

}  // namespace umbra::profile
