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
    hotpath::ClockSource source_ = hotpath::ClockSource::kCounter;
    std::vector<Sample> samples_;
};

/// Turns CLOCK_MONOTONIC_RAW into ticks while a session runs: along the line through its first
/// sample and its latest, from the latest. With samples 10 ms apart, each 30 ns wide, that is good
/// to 0.2 us after 2 ms, and better soon. One thread.
class RawToTicks {
  public:
    /// Takes the first sample. Where `source` is the system's clock, ticks are its nanoseconds.
    explicit RawToTicks(hotpath::ClockSource source);
    RawToTicks(ClockLine::Sample first, ClockLine::Sample latest);

    /// Takes a new sample when the latest is old. To be called before the clock is used; sleeps up
    /// to 2 ms when it is called for the first time at once.
    void refresh();
    [[nodiscard]] uint64_t ticks(uint64_t raw_ns) const;
    [[nodiscard]] double ticks_per_ns() const {
        return source_ == hotpath::ClockSource::kOs ? 1 : ticks_per_ns_;
    }

  private:
    void set_latest(ClockLine::Sample latest);

    hotpath::ClockSource source_ = hotpath::ClockSource::kCounter;
    ClockLine::Sample first_{};
    ClockLine::Sample latest_{};
    double ticks_per_ns_ = 0;  ///< 0: no second sample yet
};

}  // namespace umbra::collector
