// SPDX-License-Identifier: MIT
#include "src/replay/cpu_windows.h"

#include <algorithm>

namespace umbra::replay {

CpuWindows::CpuWindows(uint64_t start_ticks, const Rates& rates)
    : long_ticks_(static_cast<uint64_t>(kLongNs * rates.ticks_per_ns)),
      timer_ticks_(static_cast<uint64_t>(rates.timer_ns * rates.ticks_per_ns)),
      booked_{.ticks = start_ticks, .off_ticks = 0},
      latest_ticks_(start_ticks),
      stood_since_(start_ticks),
      reached_ticks_(start_ticks) {
}

void CpuWindows::note(uint64_t ticks, uint64_t off_ticks, bool exact) {
    if (ticks <= latest_ticks_) {
        return;
    }
    if (off_ticks < latest_off_ + (ticks - latest_ticks_) - long_ticks_) {
        stood_since_ = ticks;
    }
    latest_off_ = off_ticks;
    const Point& before = points_.empty() ? booked_ : points_.back();
    // Off-CPU time cannot grow faster than time.
    off_ticks = std::min(off_ticks, before.off_ticks + (ticks - before.ticks));
    while (!points_.empty() && points_.back().off_ticks > off_ticks) {
        points_.pop_back();
    }
    latest_ticks_ = ticks;
    exact_ = exact;
    points_.push_back({.ticks = ticks, .off_ticks = std::max(off_ticks, booked_.off_ticks)});
    if (points_.size() > kMaxPoints) {
        thin_points();
    }
}

void CpuWindows::thin_points() {
    // Of a thread that stands: its windows are all of one piece. The last one may still fall.
    size_t kept = 0;
    for (size_t i = 1; i + 1 < points_.size(); i += 2) {
        points_[kept++] = points_[i];
    }
    points_[kept++] = points_.back();
    points_.resize(kept);
}

void CpuWindows::add_piece(uint32_t node, uint64_t from, uint64_t to, Deductions& deductions) {
    from = std::max(from, booked_.ticks);
    if (from < to) {
        if (pieces_.size() >= kMaxPieces) {
            const auto shortest = std::min_element(
                pieces_.begin(), pieces_.end(),
                [](const Piece& a, const Piece& b) { return a.end - a.begin < b.end - b.begin; });
            pieces_.erase(shortest);
        }
        pieces_.push_back({.begin = from, .end = to, .node = node});
    }
    advance(to, deductions);
}

void CpuWindows::advance(uint64_t to, Deductions& deductions) {
    reached_ticks_ = std::max(reached_ticks_, to);
    book_windows(deductions, false);
}

void CpuWindows::finish(uint32_t node, uint64_t to, Deductions& deductions) {
    if (points_.empty()) {
        return;
    }
    pieces_.push_back({.begin = reached_ticks_, .end = std::max(to, reached_ticks_), .node = node});
    extend_to_event();
    reached_ticks_ = UINT64_MAX;
    book_windows(deductions, true);
}

void CpuWindows::extend_to_event() {
    Point& last = points_.back();
    if (!exact_ && latest_ticks_ - stood_since_ <= timer_ticks_) {
        const uint64_t known =
            points_.size() > 1 ? points_[points_.size() - 2].off_ticks : booked_.off_ticks;
        const uint64_t late = std::min(timer_ticks_ / 2, last.off_ticks);
        last.off_ticks = std::max(known, last.off_ticks - late);
        return;
    }
    for (const Piece& piece : pieces_) {
        if (piece.begin <= last.ticks && piece.end > last.ticks) {
            points_.push_back(
                {.ticks = piece.end, .off_ticks = last.off_ticks + (piece.end - last.ticks)});
            return;
        }
    }
}

bool CpuWindows::settled(const Point& point) const {
    return latest_ticks_ - point.ticks > 2 * timer_ticks_;
}

void CpuWindows::book_windows(Deductions& deductions, bool all) {
    size_t booked = 0;
    while (booked < points_.size() && points_[booked].ticks <= reached_ticks_ &&
           (all || settled(points_[booked]))) {
        book(points_[booked++], deductions);
    }
    if (booked != 0) {
        points_.erase(points_.begin(), points_.begin() + static_cast<ptrdiff_t>(booked));
        std::erase_if(pieces_, [&](const Piece& piece) { return piece.end <= booked_.ticks; });
    }
}

void CpuWindows::book(const Point& end, Deductions& deductions) {
    uint64_t left = end.off_ticks - booked_.off_ticks + carried_ticks_;
    if (left != 0) {
        shares_.clear();
        for (const Piece& piece : pieces_) {
            const uint64_t from = std::max(piece.begin, booked_.ticks);
            const uint64_t to = std::min(piece.end, end.ticks);
            if (from < to) {
                shares_.push_back({.length = to - from, .node = piece.node});
            }
        }
        std::sort(shares_.begin(), shares_.end(),
                  [](const Share& a, const Share& b) { return a.length > b.length; });
        for (const Share& share : shares_) {
            const uint64_t part = std::min(left, share.length);
            deductions.add(share.node, {.off_cpu_ticks = part, .paused_ticks = 0});
            left -= part;
            if (left == 0) {
                break;
            }
        }
    }
    carried_ticks_ = left;
    booked_ = end;
}

}  // namespace umbra::replay
