// SPDX-License-Identifier: MIT
// LinearClock: from clock ticks to the nanoseconds of a profile.
#pragma once

#include <cstdint>

namespace umbra::replay {

/// Turns ticks into nanoseconds. Any values are allowed in; results saturate.
class LinearClock {
  public:
    /// `ticks0` is time 0 of the session. A rate that is not a positive number counts as 1 GHz.
    LinearClock(uint64_t ticks0, double hz);

    [[nodiscard]] uint64_t duration_ns(uint64_t ticks) const;
    [[nodiscard]] double exact_ns(double ticks) const;
    /// Since time 0; 0 before it.
    [[nodiscard]] uint64_t time_ns(uint64_t ticks) const {
        return ticks < ticks0_ ? 0 : duration_ns(ticks - ticks0_);
    }

  private:
    uint64_t ticks0_;
    double ns_per_tick_;
};

}  // namespace umbra::replay
