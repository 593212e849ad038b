// SPDX-License-Identifier: MIT
// Compensation: takes what was umbra's, the probes' cost and waits, out of measured times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace umbra::collector {

/// The own time of the calls along one arc, as measured.
struct MeasuredSelf {
    uint32_t function;  ///< any number below the greatest row of a table one would make
    uint64_t ticks;
    double cost_ticks;  ///< of these, what is to be taken out
    /// What is left at least, be the cost what it may: the calls have run.
    uint64_t least_ticks = 0;
};

/// Own times without that.
struct Compensated {
    std::vector<uint64_t> self_ticks;  ///< in the order given
    /// Functions whose probes seem to have cost more than their whole self time: they have the
    /// least that can be.
    std::vector<uint32_t> clamped;
    double cost_ticks = 0;  ///< taken out in all
};

/// Where the cost is more than an arc's time, the arc gets the least that can be and the other arcs
/// of the same function bear the rest, in proportion to what they have beyond theirs: the sum over
/// a function stays right as long as it is above the least.
[[nodiscard]] Compensated compensate(std::span<const MeasuredSelf> measured);

}  // namespace umbra::collector
