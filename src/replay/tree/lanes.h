// SPDX-License-Identifier: MIT
// Lanes: a length of time, and what of it was umbra's, added up side by side.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "hotpath/record.h"
#include "hotpath/segment.h"

namespace umbra::replay {

/// Lane 0: ticks as measured. Lane 1: of these, what was umbra's: ticks that probes took and that
/// the thread waited for the collector, in units of 1 / kCostUnits. One addition of 128 bits for
/// both.
using Lanes [[gnu::vector_size(16)]] = uint64_t;
inline constexpr uint64_t kCostUnits = 256;

inline Lanes lanes(uint64_t ticks, uint64_t cost) {
    return Lanes{ticks, cost};
}
inline uint64_t ticks_of(Lanes lanes) {
    return lanes[0];
}
/// In ticks.
inline double cost_of(Lanes lanes) {
    return static_cast<double>(lanes[1]) / static_cast<double>(kCostUnits);
}

/// Ticks of one call without what was umbra's; 1 where the cost, which is that of the mean call,
/// was as much as was measured: it has run.
inline uint64_t net_ticks(Lanes length) {
    const auto left = static_cast<int64_t>(length[0] - length[1] / kCostUnits);
    return left > 0 ? static_cast<uint64_t>(left) : 1;
}

/// What one event's probe costs before and behind the moment it stands for, in units of
/// 1 / kCostUnits ticks, by the kind of its record. A pair of probes costs `inside` between its
/// clock readings, in the callee's time, and `outside` around them, in the caller's.
struct EventCosts {
    EventCosts() = default;
    /// Zeros where the costs cannot be true: they come from the target.
    explicit EventCosts(const hotpath::ProbeCosts& costs);

    [[nodiscard]] uint64_t before(uint64_t slot) const {
        return before_[slot & hotpath::kKindMask];
    }
    [[nodiscard]] uint64_t behind(uint64_t slot) const {
        return behind_[slot & hotpath::kKindMask];
    }

  private:
    static constexpr size_t kKinds = hotpath::kKindMask + 1;
    // Control records cost nothing.
    std::array<uint64_t, kKinds> before_{};
    std::array<uint64_t, kKinds> behind_{};
};

/// The costs if they can be true, else zeros: they come from the target.
[[nodiscard]] hotpath::ProbeCosts believable(const hotpath::ProbeCosts& costs);

}  // namespace umbra::replay
