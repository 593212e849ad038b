// SPDX-License-Identifier: MIT
// CpuWindows: finds out where a thread's off-CPU time lies when only its CPU time is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/replay/deductions.h"

namespace umbra::replay {

/// The kernel's figure of a thread's CPU time, read now and then, gives the off-CPU time between
/// two readings; the replay gives the long intervals between two events. What was off the
/// processors in a window is booked to the longest intervals of that window: a thread that waits
/// or loses its processor writes no events meanwhile.
///
/// The figure of a thread that runs is brought up to date by the kernel's timer only, 1 to 10 ms
/// apart, so wall time less the figure is an upper bound of the off-CPU time; as that never
/// shrinks, the least bound read later holds too. A reading counts once two ticks of the timer
/// have passed without a lower one. One thread of ours.
class CpuWindows {
  public:
    struct Rates {
        double ticks_per_ns;
        double timer_ns;  ///< between two ticks of the kernel's timer
    };

    /// The thread begins at `start_ticks`, on a processor.
    CpuWindows(uint64_t start_ticks, const Rates& rates);

    /// An interval between events at least this long is worth add_piece().
    [[nodiscard]] uint64_t long_ticks() const { return long_ticks_; }

    /// Up to `ticks`, the thread has been off the processors for at most `off_ticks` since its
    /// start; for just as long if `exact`. Readings come in order of time.
    void note(uint64_t ticks, uint64_t off_ticks, bool exact);
    /// The replay has gone through [from, to) without an event; `node` was on top.
    void add_piece(uint32_t node, uint64_t from, uint64_t to, Deductions& deductions);
    /// The replay has come to `to`, in short steps.
    void advance(uint64_t to, Deductions& deductions);
    /// No piece of a smaller number will be booked any more, if numbers ascend.
    [[nodiscard]] uint32_t oldest_node() const {
        return pieces_.empty() ? UINT32_MAX : pieces_.front().node;
    }
    /// No reading and no event will follow; `node` is on top until `to`. A thread that was off the
    /// processors at the last reading stays off until its next event; of one that may have run,
    /// half a tick of the timer was not yet in the kernel's figure.
    void finish(uint32_t node, uint64_t to, Deductions& deductions);

  private:
    struct Point {
        uint64_t ticks;
        uint64_t off_ticks;  ///< off the processors up to then
    };
    struct Piece {
        uint64_t begin;
        uint64_t end;
        uint32_t node;
    };
    /// A piece's part of a window.
    struct Share {
        uint64_t length;
        uint32_t node;
    };
    static constexpr double kLongNs = 10e3;
    static constexpr size_t kMaxPoints = 512;
    static constexpr size_t kMaxPieces = 4096;

    [[nodiscard]] bool settled(const Point& point) const;
    void book_windows(Deductions& deductions, bool all);
    void book(const Point& end, Deductions& deductions);
    void thin_points();
    void extend_to_event();

    uint64_t long_ticks_;
    uint64_t timer_ticks_;
    Point booked_;                ///< windows up to here are booked
    std::vector<Point> points_;   ///< later readings, off_ticks rising
    std::vector<Piece> pieces_;   ///< not wholly before booked_
    std::vector<Share> shares_;   ///< of one window; kept for its memory
    uint64_t latest_ticks_;       ///< of the last reading
    uint64_t latest_off_ = 0;     ///< ticks off the processors that the last reading told
    uint64_t stood_since_;        ///< off the processors all the time since then, it seems
    bool exact_ = true;           ///< the last reading was
    uint64_t reached_ticks_;      ///< the replay has come this far
    uint64_t carried_ticks_ = 0;  ///< off-CPU time that found no piece to be booked to
};

}  // namespace umbra::replay
