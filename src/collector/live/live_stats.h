// SPDX-License-Identifier: MIT
// LiveStatsTracker: the figures of the moment, for whoever looks at a running session.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "src/collector/live/function_sums.h"
#include "src/collector/state/session_state.h"

namespace umbra::collector {

/// What a session has done so far, and where it spends its time just now.
struct LiveStats {
    uint64_t calls = 0;    ///< begun
    uint64_t waits = 0;    ///< for the collector
    uint64_t lost = 0;     ///< events, whatever the reason; those the segment's header counts apart
    uint32_t hottest = 0;  ///< function with the greatest self time since the last look; 0: none
    double share = 0;      ///< its part of the self time of all functions, 0 to 1
    double load = 0;       ///< threads that were in it, on the average
};

/// Looks at most once a second. The work is bounded: a slice of the call tree (kSlice nodes, about
/// 1 ms of a processor when none of them is in the cache) ten times a second until all nodes were
/// seen, then threads that have not ended and at most kFrames of their frames. Self times are as
/// measured, the probes included; the time a thread sleeps in a call that goes on is left out, for
/// it tells where a program waits and not what it does. One thread: the drain's.
class LiveStatsTracker {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kPeriod = std::chrono::seconds(1);
    static constexpr auto kRest = std::chrono::milliseconds(100);
    static constexpr size_t kSlice = size_t{1} << 16;
    static constexpr size_t kFrames = size_t{1} << 16;
    static constexpr size_t kFramesOfThread = 4096;  ///< the innermost
    static constexpr size_t kAsked = 256;            ///< threads that may be asked for, in one look

    /// `sleeps` says of a thread (by its OS id) whether it waits for something other than a
    /// processor. `state` must outlive the watch.
    LiveStatsTracker(const SessionState& state, uint64_t start_ticks,
                     std::function<bool(uint32_t)> sleeps);

    [[nodiscard]] bool due(Clock::time_point now) const { return now >= next_; }
    /// When due. True: `stats` is new.
    bool step(Clock::time_point now, uint64_t now_ticks);
    [[nodiscard]] const LiveStats& stats() const { return stats_; }

  private:
    /// A thread that had not ended when last looked at.
    struct Watched {
        const ProfiledThread* thread;
        uint64_t last_ticks = 0;  ///< of its last record
    };

    void look_at_threads(uint64_t now_ticks);
    void add_open_calls(const replay::ShadowStack& stack, uint64_t now_ticks);
    void leave_out_sleep(Watched& watched, uint64_t now_ticks);
    void find_hottest(uint64_t now_ticks);
    int64_t& self_at(uint32_t function);

    const SessionState& state_;
    const std::function<bool(uint32_t)> sleeps_;
    FunctionSums sums_;
    Clock::time_point begun_{};  ///< of this look
    Clock::time_point next_{};
    uint64_t last_look_ticks_;
    LiveStats stats_;
    size_t frames_left_ = 0;
    size_t asked_ = 0;
    size_t known_threads_ = 0;  ///< of the state's; those behind are new
    std::vector<Watched> watched_;
    uint64_t ended_waits_ = 0;       ///< of threads no longer watched
    uint64_t ended_lost_ = 0;        ///< likewise
    std::vector<int64_t> slept_;     ///< by function, ticks since the session began
    std::vector<int64_t> self_;      ///< likewise: without what was slept
    std::vector<int64_t> previous_;  ///< self_ of the last look
};

}  // namespace umbra::collector
