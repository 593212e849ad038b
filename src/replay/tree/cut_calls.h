// SPDX-License-Identifier: MIT
// CutCalls: calls of which some have not ended, as long as these have lasted.
#pragma once

#include <cstdint>
#include <limits>

#include "src/replay/tree/lanes.h"
#include "src/replay/tree/shortest_call.h"

namespace umbra::replay {

/// Calls along one arc, some or all of them still open at their cut. How long those will have taken
/// is not known, but no less than that.
struct CutCalls {
    uint64_t calls = 0;
    uint64_t unfinished = 0;  ///< of these: still open
    float min_ticks = std::numeric_limits<float>::infinity();
    float max_ticks = 0;
    Lanes self{};
    Lanes total{};  ///< of calls inside no other along the same edge

    CutCalls& operator+=(const CutCalls& more) {
        add_counts(*this, more);
        self += more.self;
        total += more.total;
        return *this;
    }
};

}  // namespace umbra::replay
