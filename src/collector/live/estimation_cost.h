// SPDX-License-Identifier: MIT
// EstimationCost: decides when estimated times cost the collector more than they save the program.
#pragma once

#include <chrono>
#include <cstdint>

namespace umbra::collector {

/// An event without a clock reading costs the program less and the collector more: it looks up what
/// is known of the interval and shares the time between two readings out. That is a bargain as long
/// as the collector keeps up. Where it does not, the program waits for it, or has to share the
/// processors with it, and what the collector saves at an event counts as much as what the program
/// saves. So the clock is to be read at every event while the collector has no rest and estimating
/// takes more of its time than readings would take of the program's. What the threads wait anyway
/// is not counted for readings: they would wait less.
///
/// It is tried again when the collector has rested for a while, which is twice as long each time.
/// One thread.
class EstimationCost {
  public:
    using Clock = std::chrono::steady_clock;

    static constexpr auto kWindow = std::chrono::milliseconds(50);
    /// Of the processor time of an event without a reading, estimating takes this part: recorded
    /// streams of three compilers take 1.7 to 2.2 times as long without most of their readings
    /// (`bench_collector_replay`, benchmarks/RESULTS.md).
    static constexpr double kEstimatingShare = 0.4;
    static constexpr double kBusyShare = 0.9;       ///< of a window: no rest
    static constexpr double kRestedShare = 0.5;     ///< less than this: it keeps up with ease
    static constexpr double kLeastEvents = 20'000;  ///< in a window, to tell what one costs
    static constexpr int kWindowsBefore = 2;        ///< without rest, before anything is done
    static constexpr auto kFirstStay = std::chrono::seconds(1);
    static constexpr auto kLongestStay = std::chrono::seconds(64);

    explicit EstimationCost(Clock::time_point now) : begin_(now) {}

    /// What reading the clock adds to an event in the program, in nanoseconds. Until it is known
    /// every estimate is cheap enough.
    void set_clock_ns(double ns) { clock_ns_ = ns; }

    /// The collector had nothing to do for so long.
    void rested(std::chrono::nanoseconds time) { rest_ += time; }
    [[nodiscard]] bool due(Clock::time_point now) const { return now - begin_ >= kWindow; }
    /// Since the session's start.
    struct Sums {
        double cpu_ns = 0;   ///< processor time of the collector's threads
        double wait_ns = 0;  ///< how long the program's threads have waited for them
        double events = 0;   ///< replayed
    };
    /// A window ends. True: too_dear() says something else from now on.
    bool end_window(Clock::time_point now, const Sums& sums);

    /// The clock is to be read at every event.
    [[nodiscard]] bool too_dear() const { return too_dear_; }

  private:
    double clock_ns_ = 0;  ///< 0: not known
    bool too_dear_ = false;
    Clock::time_point begin_;  ///< of the window
    std::chrono::nanoseconds rest_{};
    Sums sums_;  ///< at its begin
    int dear_windows_ = 0;
    std::chrono::nanoseconds
        rested_{};  ///< length of the last windows, if it rested in all of them
    std::chrono::nanoseconds stay_ = kFirstStay;
};

}  // namespace umbra::collector
