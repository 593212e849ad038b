// SPDX-License-Identifier: MIT
// How many suspensions of a session are kept one by one; sums are kept of all.
#pragma once

#include <cstddef>

namespace umbra::replay {

struct PauseLimits {
    /// So many of the latest, up to twice as many at times: what an event is paused by that is
    /// replayed after more than these is known by slices of time alone.
    size_t latest = size_t{1} << 15;
    size_t longest = size_t{1} << 14;  ///< of all
};

}  // namespace umbra::replay
