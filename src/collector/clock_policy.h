// SPDX-License-Identifier: MIT
// ClockPolicy: decides at which functions' events the clock need not be read.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <vector>

#include "src/collector/interval_model.h"

namespace umbra::collector {

/// Where a function's events follow closely on each other, a clock reading costs more than it
/// tells: the collector knows the intervals around them well, and reads of neighbours bound their
/// sum. The mean of the intervals beside its events decides, recursion or not.
///
/// What can wait is not short: a function seen standing still has its clock back, for ever longer
/// each time. One thread.
class ClockPolicy {
  public:
    using Clock = std::chrono::steady_clock;

    struct Thresholds {
        double short_ns = 60;         ///< mean interval below which the clock is left out
        double long_ns = 120;         ///< ... and from which on it is read again
        uint64_t least_events = 500;  ///< timed events of a function before anything is decided
    };

    /// `controls`: the control bytes, by function index; shared with the target, which may write
    /// there whatever it likes.
    ClockPolicy(std::span<uint8_t> controls, const Thresholds& thresholds)
        : controls_(controls), thresholds_(thresholds) {}
    explicit ClockPolicy(std::span<uint8_t> controls) : ClockPolicy(controls, Thresholds()) {}

    /// Looks at what `model` has learned, when it is time: after a fiftieth of the time looking
    /// takes, and no more often than every 5 ms.
    void run(IntervalModel& model, double ticks_per_ns, Clock::time_point now);
    /// Looks now.
    void decide(IntervalModel& model, double ticks_per_ns, Clock::time_point now);

    /// A thread waits in this function.
    void waits(uint32_t function, Clock::time_point now);

    [[nodiscard]] bool leaves_clock_out(uint32_t function) const {
        return function < functions_.size() && functions_[function].left_out;
    }
    [[nodiscard]] uint32_t left_out() const { return left_out_; }  ///< functions without clock now

  private:
    struct Function {
        double ticks = 0;  ///< of the intervals beside its events, in sum
        uint64_t intervals = 0;
        bool left_out = false;
        uint32_t waits = 0;  ///< times it was seen waiting
        Clock::time_point not_before{};
    };

    Function* of(uint32_t code);
    void set(uint32_t index, bool left_out);

    std::span<uint8_t> controls_;
    Thresholds thresholds_;
    std::vector<Function> functions_;
    uint32_t left_out_ = 0;
    Clock::time_point next_{};
};

}  // namespace umbra::collector
