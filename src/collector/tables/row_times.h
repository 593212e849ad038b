// SPDX-License-Identifier: MIT
// RowTimes: the times of a table's row, in nanoseconds, out of sums of ticks.
#pragma once

#include <cstdint>

#include "src/collector/tables/own_times.h"
#include "src/collector/tables/rounded_times.h"
#include "src/profile/profile.h"
#include "src/replay/linear_clock.h"

namespace umbra::collector {

/// Any thread. The clock has to outlive it.
class RowTimes {
  public:
    /// `cpu_known`: without, CPU times are 0.
    RowTimes(const replay::LinearClock& clock, bool cpu_known)
        : clock_(clock), cpu_known_(cpu_known) {}

    [[nodiscard]] profile::CallTimes of(const Sum& sum) const;
    /// Of one of a function's rows, of which there is one for each of its paths, millions together,
    /// and one for each thread: own times rounded apart would add up to microseconds more or less
    /// than the function has.
    [[nodiscard]] profile::CallTimes of(const Sum& sum, RoundedSelf& rounded) const;

  private:
    [[nodiscard]] uint64_t ns(uint64_t ticks) const {
        return shown_ns(ticks, clock_.duration_ns(ticks));
    }

    const replay::LinearClock& clock_;
    bool cpu_known_;
};

}  // namespace umbra::collector
