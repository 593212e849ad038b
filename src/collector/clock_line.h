// SPDX-License-Identifier: MIT
// ClockLine: ties ticks to CLOCK_MONOTONIC_RAW over the length of a session.
#pragma once

#include <cstdint>
#include <vector>

#include "hotpath/segment.h"

namespace umbra::collector {

/// Reads both clocks at moments spread over the run and draws the line through the first and the
/// last: hz = (ticks_n - ticks_0) / (raw_n - raw_0). The residual is the largest distance of a
/// sample between from that line. One thread.
class ClockLine {
  public:
    struct Sample {
        uint64_t ticks;
        int64_t raw_ns;
    };

    /// Takes the first sample. `source`: the clock whose ticks are tied; the system's own ticks are
    /// nanoseconds, and its line is exact.
    explicit ClockLine(hotpath::ClockSource source);
    explicit ClockLine(std::vector<Sample> samples);

    /// Both clocks now: the tightest of several brackets of one reading by the other.
    void sample();

    /// 0 before a second sample.
    [[nodiscard]] double ticks_hz() const;
    [[nodiscard]] double residual_ns() const;

  private:
    hotpath::ClockSource source_ = hotpath::ClockSource::kTsc;
    std::vector<Sample> samples_;
};

}  // namespace umbra::collector
