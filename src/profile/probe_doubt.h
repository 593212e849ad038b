// SPDX-License-Identifier: MIT
// How much of a time the probes' cost leaves in doubt.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/profile/profile.h"

namespace umbra::profile {

/// What a pair of probes costs is measured in a tight loop. Between other code it overlaps more, or
/// less, or misses a cache: fib(35) differs by 2 % of it, methods that wait for all instructions
/// before them to end (benchmarks/truth) by 40 to 80 %. So this part of it is in doubt. Not by
/// chance: calls of one kind are all too long, or all too short.
inline constexpr double kDoubtfulPart = 0.5;
/// A time is rough when a greater part of it than this is in doubt: it is less than ten times what
/// the probes took.
inline constexpr double kRoughPart = 0.05;

/// Of what has been taken out of the times, the part that the probes took; the rest are waits for
/// umbra. Both go by the number of events, so that it is about the same everywhere. 0: neither was
/// taken out.
[[nodiscard]] inline double probe_part(const Session& session) {
    const double probes_ns = static_cast<double>(session.counts.events) / 2 *
                             (session.probes.inside_ns + session.probes.outside_ns);
    const double all_ns = probes_ns + static_cast<double>(session.counts.wait_ns);
    return all_ns > 0 ? probes_ns / all_ns : 0;
}

/// Of a time that was `raw_ns` as measured and is `ns` without probes and waits.
[[nodiscard]] inline double doubt_ns(uint64_t raw_ns, uint64_t ns, double probe_part) {
    return kDoubtfulPart * probe_part * static_cast<double>(raw_ns - std::min(raw_ns, ns));
}

[[nodiscard]] inline bool is_rough(uint64_t ns, double doubt_ns) {
    return doubt_ns > kRoughPart * static_cast<double>(ns);
}

}  // namespace umbra::profile
