// SPDX-License-Identifier: MIT
// Compensation: takes the probes' own cost out of measured times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace umbra::collector {

/// The own time of the calls along one arc, as measured.
struct MeasuredSelf {
    uint32_t function;  ///< any number below the greatest row of a table one would make
    uint64_t ticks;
    double cost_ticks;  ///< of these, what the probes took (replay::EventCosts)
};

/// Own times without probes.
struct Compensated {
    std::vector<uint64_t> self_ticks;  ///< in the order given
    /// Functions whose probes seem to have cost more than their whole self time: theirs is 0.
    std::vector<uint32_t> clamped;
    double cost_ticks = 0;  ///< taken out in all
};

/// Where the cost is more than an arc's time, the arc gets 0 and the other arcs of the same
/// function bear the rest, in proportion to what they have left: the sum over a function stays
/// right as long as it is above 0.
[[nodiscard]] Compensated compensate(std::span<const MeasuredSelf> measured);

}  // namespace umbra::collector
