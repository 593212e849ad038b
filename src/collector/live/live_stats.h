// SPDX-License-Identifier: MIT
// LiveStatsTracker: the figures of the moment, for whoever looks at a running session.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "src/collector/live/live_names.h"
#include "src/collector/live/live_sums.h"
#include "src/collector/state/session_state.h"
#include "src/protocol/live_messages.h"

namespace umbra::collector {

/// Looks at most once a second. The work is bounded: a slice of the tables of threads
/// (LiveSums::kSlice) ten times a second until all were seen, then threads that have not ended and
/// at most kFrames of their frames. The time a thread sleeps in a call that goes on is no recent
/// time of it, for it tells where a program waits and not what it does. One thread: the drain's.
class LiveStatsTracker {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kPeriod = std::chrono::seconds(1);
    static constexpr auto kRest = std::chrono::milliseconds(100);
    static constexpr size_t kFrames = size_t{1} << 16;
    static constexpr size_t kFramesOfThread = 4096;  ///< the innermost
    static constexpr size_t kAsked = 256;            ///< threads that may be asked for, in one look
    static constexpr size_t kNamed = 1024;           ///< functions that are named in one look

    /// `sleeps` says of a thread (by its OS id) whether it waits for something other than a
    /// processor. `last_look_ticks`: where the first window begins, the begin of the session; none:
    /// it is over, and the first figures have no window. `state` must outlive the watch.
    LiveStatsTracker(const SessionState& state, std::optional<uint64_t> last_look_ticks,
                     std::function<bool(uint32_t)> sleeps);

    [[nodiscard]] bool due(Clock::time_point now) const { return now >= next_; }
    /// When due, or at any time to have the last figures. True: `figures` are new. `ticks_per_ns`:
    /// of the clock, above 0.
    bool step(Clock::time_point now, uint64_t now_ticks, double ticks_per_ns);
    /// A look has begun, and goes on: see LiveSums.
    [[nodiscard]] bool in_look() const { return all_.in_pass(); }
    /// Without what is not known from the state: process, times since the begin, live threads.
    [[nodiscard]] const protocol::LiveFigures& figures() const { return figures_; }

  private:
    /// A thread that had not ended when last looked at.
    struct Watched {
        uint32_t number;
        const ProfiledThread* thread;  ///< good while it is looked at
        uint64_t last_ticks;           ///< of its last record; 0: it has not been looked at before
    };
    /// One function, or the functions of one method, in ticks.
    struct Row {
        uint32_t function = 0;  ///< the first
        uint64_t calls = 0;
        uint64_t total = 0;
        uint64_t self = 0;
        uint64_t cpu = 0;
        uint64_t recent_calls = 0;
        uint64_t recent_busy = 0;

        Row& operator+=(const Row& other);
    };
    /// What the last look found of a function.
    struct Previous {
        uint64_t calls = 0;
        int64_t busy_ticks = 0;
    };
    /// Of a method: whether a function that is no piece of it was called, and whether a piece was.
    struct Parts {
        bool started = false;
        bool in_pieces = false;
        uint32_t row = UINT32_MAX;  ///< of rows_
    };

    void look_at_threads(uint64_t now_ticks);
    void add_open_calls(const Watched& watched, uint64_t now_ticks);
    void leave_out_sleep(Watched& watched, uint64_t now_ticks);
    LiveSum& sum(uint32_t function);
    [[nodiscard]] bool is_before_start(uint32_t function) const;
    [[nodiscard]] Row row_of(uint32_t function, int64_t most);
    void make_rows(uint64_t window_ticks);
    void add_to_method(const Row& row);
    void find_parts();
    void name_some();
    void fill_figures(double ticks_per_ns, uint64_t window_ticks);

    const SessionState& state_;
    const std::function<bool(uint32_t)> sleeps_;
    LiveSums all_;
    LiveNames names_;
    Clock::time_point begun_{};  ///< of this look
    Clock::time_point next_{};
    std::optional<uint64_t> last_look_ticks_;
    protocol::LiveFigures figures_;
    size_t frames_left_ = 0;
    size_t asked_ = 0;
    std::vector<Watched> watched_;    ///< by number
    std::vector<LiveSum> sums_;       ///< by function, open calls too
    std::vector<int64_t> slept_;      ///< by function, ticks since the session began
    std::vector<Previous> previous_;  ///< by function
    std::vector<Parts> parts_;        ///< by method
    std::vector<Row> rows_;           ///< of this look
};

}  // namespace umbra::collector
