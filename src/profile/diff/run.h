// SPDX-License-Identifier: MIT
// What a comparison takes of each run: its methods, and how it was measured.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/profile/filter.h"
#include "src/profile/profile.h"

namespace umbra::profile {

/// A method of a run: calls, times, and what of them the probes' cost leaves in doubt.
struct MethodTimes {
    std::string name;
    std::string module;
    CallTimes times;
    AsyncCounts async;  ///< its calls from begin to result; none: not async, or not followed
    double self_doubt_ns = 0;
    double total_doubt_ns = 0;
};

/// What was awaited or waited for beside the calls that it has made, in nanoseconds.
[[nodiscard]] inline uint64_t own_awaiting_ns(const AsyncTimes& times) {
    return times.others_ns + times.outside_ns + times.queued_ns;
}

/// A run of a program. It does not need its profile any longer.
struct Run {
    Session session;
    std::vector<MethodTimes> methods;  ///< called ones, by name, then module; each pair once
};

/// Which methods are compared, and by which times.
struct RunOptions {
    bool pauses = false;  ///< true: pauses and compilation are left in the times
    Filter filter = {};
};

[[nodiscard]] Run run_of(const Profile& profile, const RunOptions& options);

}  // namespace umbra::profile
