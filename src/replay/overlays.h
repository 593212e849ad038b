// SPDX-License-Identifier: MIT
// Overlays: the intervals of a thread's time in which it did not run its own code, booked to the
// call tree nodes they fall into.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/replay/deductions.h"
#include "src/replay/tree/pause_timeline.h"

namespace umbra::replay {

/// The overlays of one thread that lie ahead of its replay. They must be known before the events
/// behind them are replayed: what comes too late is cut off at what has been attributed.
///
/// Off-CPU time comes as intervals of this thread; pauses are the session's. One thread of ours.
class ThreadOverlays {
  public:
    /// No event of the thread is earlier than `start_ticks`. `pauses` must outlive it.
    ThreadOverlays(PauseTimeline& pauses, uint64_t start_ticks)
        : pauses_(&pauses),
          done_ticks_(start_ticks),
          next_pause_(pauses.first_ending_after(start_ticks)),
          counted_pauses_(next_pause_),
          paused_before_(pauses.paused_before(start_ticks)) {}

    /// Goes on with another list of the same pauses, which knows of as many.
    void move_to(PauseTimeline& pauses) { pauses_ = &pauses; }

    /// The thread was off the processors for `off_ticks` of [begin, end), spread evenly. Intervals
    /// come in order of time.
    void add_off_cpu(uint64_t begin, uint64_t end, uint64_t off_ticks);
    void add_off_cpu(uint64_t begin, uint64_t end) { add_off_cpu(begin, end, end - begin); }
    /// The thread is off the processors since then and has not come back; UINT64_MAX: it runs.
    void set_off_since(uint64_t ticks) { off_since_ = ticks; }
    [[nodiscard]] uint64_t off_since() const { return off_since_; }

    /// Begin of the earliest overlay not yet fully attributed; UINT64_MAX: there is none. An event
    /// later than that is worth an attribute().
    [[nodiscard]] uint64_t next_ticks() const {
        const uint64_t off = next_off_ < off_.size() ? off_[next_off_].begin : UINT64_MAX;
        return std::min(off, pauses_->begin_ticks(next_pause_));
    }

    /// An off-CPU interval known to the tick.
    struct OffCpuInterval {
        uint64_t begin;
        uint64_t ticks;
    };
    /// Those not yet attributed, cut to [from, to), go to `out`, which is emptied first. Returns
    /// the sum.
    uint64_t off_cpu_intervals(uint64_t from, uint64_t to, std::vector<OffCpuInterval>& out) const;

    /// Takes everything up to `to`, an event's time, that has not been taken yet: it began after
    /// the event before, or next_ticks() would have told. `in_call`: the thread was inside an
    /// instrumented call.
    Deduction attribute(uint64_t to, bool in_call);
    /// Everything before is attributed.
    [[nodiscard]] uint64_t done_ticks() const { return done_ticks_; }

    /// What attribute(to) would take, and the part of a standing off_since() before `to`.
    [[nodiscard]] Deduction up_to(uint64_t to) const;
    /// Counts this thread, being inside a call, for the pauses begun before `to`, in `pauses` (the
    /// session's, or a copy). Returns the first pause it would not be counted for again.
    size_t count_pauses(PauseTimeline& pauses, uint64_t to) const;

  private:
    struct Interval {
        uint64_t begin;
        uint64_t end;
        uint64_t off_ticks;  ///< at most end - begin

        /// Off-CPU ticks of [begin, to).
        [[nodiscard]] uint64_t before(uint64_t to) const;
    };
    /// Beyond this, the latest intervals are merged: a thread that switches without ever writing
    /// an event must not cost memory.
    static constexpr size_t kMaxIntervals = 4096;

    uint64_t take_off_cpu(uint64_t to);
    /// Paused ticks between what is attributed and `to`.
    [[nodiscard]] uint64_t paused_up_to(uint64_t to) const;

    PauseTimeline* pauses_;
    std::vector<Interval> off_;
    size_t next_off_ = 0;  ///< of off_: intervals before it are done
    uint64_t off_since_ = UINT64_MAX;
    uint64_t done_ticks_;  ///< everything before is attributed
    size_t next_pause_;
    size_t counted_pauses_;  ///< this thread is counted in those before
    /// Paused ticks before done_ticks_, as they were known then.
    uint64_t paused_before_;
};

}  // namespace umbra::replay
