// SPDX-License-Identifier: MIT
#include "src/replay/overlays.h"

namespace umbra::replay {

uint64_t ThreadOverlays::Interval::before(uint64_t to) const {
    if (to >= end) {
        return off_ticks;
    }
    if (to <= begin) {
        return 0;
    }
    if (off_ticks == end - begin) {
        return to - begin;
    }
    const auto share = static_cast<double>(to - begin) / static_cast<double>(end - begin);
    return std::min(
        {static_cast<uint64_t>(static_cast<double>(off_ticks) * share), off_ticks, to - begin});
}

void ThreadOverlays::add_off_cpu(uint64_t begin, uint64_t end, uint64_t off_ticks) {
    const uint64_t earliest =
        next_off_ < off_.size() ? std::max(done_ticks_, off_.back().end) : done_ticks_;
    if (end <= begin || end <= earliest) {
        return;
    }
    Interval interval{.begin = begin, .end = end, .off_ticks = std::min(off_ticks, end - begin)};
    if (begin < earliest) {
        interval.off_ticks -= interval.before(earliest);
        interval.begin = earliest;
    }
    if (interval.off_ticks == 0) {
        return;
    }
    if (off_.size() - next_off_ >= kMaxIntervals) {
        off_.back().end = interval.end;
        off_.back().off_ticks += interval.off_ticks;
        return;
    }
    if (next_off_ == off_.size()) {
        off_.clear();
        next_off_ = 0;
    }
    off_.push_back(interval);
}

uint64_t ThreadOverlays::off_cpu_intervals(uint64_t from, uint64_t to,
                                           std::vector<OffCpuInterval>& out) const {
    out.clear();
    uint64_t sum = 0;
    for (size_t at = next_off_; at < off_.size() && off_[at].begin < to; ++at) {
        const Interval& interval = off_[at];
        const uint64_t begin = std::max(interval.begin, from);
        const uint64_t end = std::min(interval.end, to);
        if (interval.off_ticks == interval.end - interval.begin && begin < end) {
            out.push_back({.begin = begin, .ticks = end - begin});
            sum += end - begin;
        }
    }
    return sum;
}

uint64_t ThreadOverlays::take_off_cpu(uint64_t to) {
    uint64_t taken = 0;
    while (next_off_ < off_.size() && off_[next_off_].begin < to) {
        Interval& interval = off_[next_off_];
        const uint64_t part = interval.before(to);
        taken += part;
        if (interval.end > to) {
            interval.off_ticks -= part;
            interval.begin = to;
            return taken;
        }
        ++next_off_;
    }
    return taken;
}

Deduction ThreadOverlays::attribute(uint64_t to, bool in_call) {
    if (to <= done_ticks_) {
        return {};
    }
    const Deduction deduction{.off_cpu_ticks = take_off_cpu(to), .paused_ticks = paused_up_to(to)};
    if (next_off_ > kMaxIntervals / 2) {
        off_.erase(off_.begin(), off_.begin() + static_cast<ptrdiff_t>(next_off_));
        next_off_ = 0;
    }
    if (in_call) {
        counted_pauses_ = count_pauses(*pauses_, to);
    }
    next_pause_ = pauses_->first_ending_after(to, next_pause_);
    paused_before_ = pauses_->paused_before(to);
    done_ticks_ = to;
    return deduction;
}

uint64_t ThreadOverlays::paused_up_to(uint64_t to) const {
    // A pause that comes late may lie on both sides of what is done, so what is before that is
    // asked again, as long as it is known exactly.
    const uint64_t before =
        pauses_->knows(done_ticks_) ? pauses_->paused_before(done_ticks_) : paused_before_;
    const uint64_t paused = pauses_->paused_before(to);
    return std::min(paused - std::min(before, paused), to - done_ticks_);
}

Deduction ThreadOverlays::up_to(uint64_t to) const {
    if (to <= done_ticks_) {
        return {};
    }
    Deduction deduction{.off_cpu_ticks = 0, .paused_ticks = paused_up_to(to)};
    for (size_t index = next_off_; index < off_.size() && off_[index].begin < to; ++index) {
        deduction.off_cpu_ticks += off_[index].before(to);
    }
    if (off_since_ < to) {
        deduction.off_cpu_ticks += to - std::max(off_since_, done_ticks_);
    }
    return deduction;
}

size_t ThreadOverlays::count_pauses(PauseTimeline& pauses, uint64_t to) const {
    size_t last = pauses.first_ending_after(to, next_pause_);
    if (pauses.begin_ticks(last) < to) {
        ++last;  // it has begun
    }
    const size_t first = std::max(next_pause_, counted_pauses_);
    pauses.count_thread(first, last);
    return std::max(last, counted_pauses_);
}

}  // namespace umbra::replay
