// SPDX-License-Identifier: MIT
// ClockPolicy: decides at which functions' events the clock need not be read.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/replay/estimate/interval_model.h"

namespace umbra::collector {

/// Where a function's events follow closely on each other, a clock reading costs more than it
/// tells: the collector knows the intervals around them well, and reads of neighbours bound their
/// sum. The mean of the intervals beside its events decides, recursion or not.
///
/// What waits often is not short: a function seen waiting has its clock back until it has shown
/// Thresholds::events_a_wait timed events for each time. (A thread stopped by a garbage collection
/// waits too, and may stand in any function: one time says little of one that is called often.)
/// One thread.
class ClockPolicy {
  public:
    using Clock = std::chrono::steady_clock;

    struct Thresholds {
        double short_ns = 60;         ///< mean interval below which the clock is left out
        double long_ns = 120;         ///< ... and from which on it is read again
        uint64_t least_events = 200;  ///< timed events of a function before anything is decided
        uint64_t events_a_wait = 20'000;
    };

    /// `controls`: the control bytes, by function index; shared with the target, which may write
    /// there whatever it likes.
    ClockPolicy(std::span<uint8_t> controls, const Thresholds& thresholds)
        : controls_(controls), thresholds_(thresholds) {}
    explicit ClockPolicy(std::span<uint8_t> controls) : ClockPolicy(controls, Thresholds()) {}

    /// Calls what it is given with each model of the session, one after the other. What the models
    /// of several workers have measured counts together: the program runs the same functions for
    /// all of them.
    using Models = std::function<void(const std::function<void(replay::IntervalModel&)>&)>;

    /// Looks at what the models have learned, when it is time: every 5 ms at what is new, and at
    /// everything so that it takes a fiftieth of the thread's time.
    void run(const Models& models, double ticks_per_ns, Clock::time_point now);
    [[nodiscard]] bool due(Clock::time_point now) const { return now >= next_; }
    /// Looks at everything now.
    void decide(const Models& models, double ticks_per_ns);
    /// Looks at the functions beside IntervalModel::doubled now, and clears that.
    void decide_new(const Models& models, double ticks_per_ns);

    /// True: the clock is read at all events, whatever was decided, until this is called with
    /// false. Nothing is decided meanwhile.
    void read_everywhere(bool everywhere);

    /// A thread waits in this function.
    void waits(uint32_t function);
    /// The clock is read at this function's events from now on, whatever is decided of others.
    void pin(uint32_t function);

    [[nodiscard]] bool leaves_clock_out(uint32_t function) const {
        return function < functions_.size() && functions_[function].left_out;
    }
    [[nodiscard]] uint32_t left_out() const { return left_out_; }  ///< functions without clock now

  private:
    struct Function {
        double ticks = 0;        ///< of the intervals beside its events, in sum
        uint64_t intervals = 0;  ///< since they were all looked at, some count twice
        bool left_out = false;
        bool pinned = false;
        uint32_t waits = 0;  ///< times it was seen waiting
    };

    Function* of(uint32_t code);
    void add(const replay::IntervalKind& kind, uint32_t intervals);
    void decide_one(uint32_t index, double ticks_per_ns);
    void set(uint32_t index, bool left_out);
    void tell(uint32_t index);

    std::span<uint8_t> controls_;
    Thresholds thresholds_;
    std::vector<Function> functions_;
    std::vector<uint32_t> doubled_;  ///< event codes; kept for its memory
    uint32_t left_out_ = 0;
    bool everywhere_ = false;
    Clock::time_point next_{};
    Clock::time_point next_whole_{};
};

}  // namespace umbra::collector
