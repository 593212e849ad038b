// SPDX-License-Identifier: MIT
// The stretches of a thread's records without clock readings: weighed, shared out, and replayed.
#include <algorithm>
#include <limits>

#include "hotpath/record.h"
#include "src/replay/thread_replay.h"

namespace umbra::replay {

using hotpath::Kind;

namespace {

constexpr uint64_t kLongestStretch = uint64_t{1} << 62;  // in ticks
constexpr size_t kLongestRun = IntervalEstimator::kMaxIntervals - 1;

/// The times of a stretch's events. kFine: its unit is 2^-IntervalEstimator::kFractionBits ticks,
/// as that of all but very long ones is, and the compiler is told.
template <bool kFine>
class StretchClock {
  public:
    /// Of a stretch of `count` events.
    StretchClock(const IntervalEstimator& estimator, size_t count, uint64_t begin)
        : units_end_(estimator.units() + count), estimator_(estimator), base_(begin) {}

    /// The time of event `index - count`; to be asked one after the other.
    uint64_t advance(ptrdiff_t index) {
        elapsed_ += units_end_[index];
        return time(elapsed_);
    }
    /// The same without going there.
    [[nodiscard]] uint64_t peek(ptrdiff_t index) const {
        return time(elapsed_ + units_end_[index]);
    }
    /// All that follows is later by `ticks`.
    void delay(uint64_t ticks) { base_ += ticks; }

  private:
    [[nodiscard]] uint64_t time(uint64_t elapsed) const {
        if constexpr (kFine) {
            return base_ + (elapsed >> IntervalEstimator::kFractionBits);
        } else {
            return base_ + estimator_.ticks(elapsed);
        }
    }

    const uint32_t* units_end_;
    const IntervalEstimator& estimator_;
    uint64_t base_;
    uint64_t elapsed_ = 0;
};

}  // namespace

bool ThreadReplay::stretch(RecordCursor& cursor, uint64_t tail_before) {
    const std::span<const uint64_t> run = weigh(cursor.rest());
    const uint64_t begin = cursor.ticks();
    RecordCursor behind = cursor;
    behind.skip(run.size());
    behind.set_ticks(estimated_ ? reading_ : begin);
    const bool cut = run.size() == kLongestRun;
    const bool closed = !cut && behind.next();
    if (!closed && (run.empty() || (!cut && tail_before == 0))) {
        return false;
    }
    expect_end(run, closed ? event_code(behind.slot()) : 0);
    const uint64_t end = closed ? std::max(behind.ticks(), begin) : tail_end(begin, tail_before);
    const uint64_t counted_from = share_out(begin, end);
    const bool logs = shared_.log != nullptr;
    const auto walk =
        shared_.estimator.fine()
            ? (logs ? &ThreadReplay::walk<true, true> : &ThreadReplay::walk<true, false>)
            : (logs ? &ThreadReplay::walk<false, true> : &ThreadReplay::walk<false, false>);
    const uint64_t reached = (this->*walk)(run, begin, counted_from, end);
    counts_.events += run.size();
    if (closed) {
        behind.set_ticks(end);
        timed_event(behind, reached);
    } else {
        reading_ = estimated_ ? reading_ : begin;
        behind.set_ticks(reached);
    }
    estimated_ = !closed;
    cursor = behind;
    return true;
}

std::span<const uint64_t> ThreadReplay::weigh(std::span<const uint64_t> slots) {
    IntervalModel& model = shared_.intervals;
    IntervalModel::Hot hot = model.hot();
    const size_t most = std::min(slots.size(), kLongestRun);
    // Indexes that run up to 0 take one register for both arrays and the loop's end.
    const uint64_t* const slots_end = slots.data() + most;
    Expectation* const out_end = shared_.estimator.intervals() + most;
    uint64_t pair = before_;
    ptrdiff_t index = -static_cast<ptrdiff_t>(most);
    for (; index != 0; ++index) {
        const uint64_t slot = __atomic_load_n(&slots_end[index], __ATOMIC_ACQUIRE);
        pair = IntervalModel::pair(static_cast<uint32_t>(pair), static_cast<uint32_t>(slot));
        if (const Expectation* known = hot.find(pair)) [[likely]] {
            out_end[index] = *known;
        } else if (RecordCursor::is_untimed(slot)) {
            out_end[index] = model.expect(pair);
            hot = model.hot();
        } else {
            break;  // not written, or with ticks: no kind has such an event
        }
    }
    return {slots.data(), slots_end + index};
}

void ThreadReplay::expect_end(std::span<const uint64_t> run, uint32_t closing) {
    IntervalModel& model = shared_.intervals;
    IntervalEstimator& estimator = shared_.estimator;
    if (!run.empty()) {
        before_ = event_code(__atomic_load_n(&run.back(), __ATOMIC_RELAXED));
    }
    size_t intervals = run.size();
    if (closing != 0) {
        estimator.intervals()[intervals++] = model.expect(IntervalModel::pair(before_, closing));
        before_ = closing;
    }
    estimator.begin(intervals);
}

uint64_t ThreadReplay::tail_end(uint64_t begin, uint64_t tail_before) {
    const uint64_t room = tail_before > begin ? tail_before - begin : 0;
    const uint64_t expected = static_cast<uint64_t>(shared_.estimator.mean_sum()) +
                              overlays_.absences(begin, begin + room, absences_);
    return begin + std::min(expected, room);
}

uint64_t ThreadReplay::share_out(uint64_t begin, uint64_t end) {
    IntervalEstimator& estimator = shared_.estimator;
    const bool stood = stood_until_ > begin;
    absences_.clear();
    uint64_t absent = 0;
    if (end > overlays_.next_ticks()) [[unlikely]] {
        absent = overlays_.absences(begin, end, absences_);
    }
    if (stood && absent == 0) {
        estimator.share_out_behind_stop(std::min(end - begin, kLongestStretch),
                                        stood_until_ - begin);
        return begin;
    }
    if (stood) {
        // Until then it was in interval 0. Then that goes on as long as such an interval does: when
        // the thread came back is known.
        begin = std::min(stood_until_, end);
        absent = overlays_.absences(begin, end, absences_);
    }
    const uint64_t total = std::min(end - begin - absent, kLongestStretch);
    estimator.share_out(total);
    if (!stood) {
        const double missed = static_cast<double>(total) - estimator.mean_sum();
        shared_.surprise.squares += missed * missed;
        shared_.surprise.variances += estimator.variance_sum();
    }
    return begin;
}

template <bool kFine, bool kLogs>
uint64_t ThreadReplay::walk(std::span<const uint64_t> run, uint64_t begin, uint64_t counted_from,
                            uint64_t end) {
    StretchClock<kFine> clock(shared_.estimator, run.size(), counted_from);
    const ShadowStack::Hot hot = stack_.hot();
    auto absence = absences_.cbegin();
    Frame* top = stack_.top();
    uint64_t next_overlay = this->next_overlay();
    // One comparison for what seldom happens: an overlay is reached, or the end by rounding.
    uint64_t attention = std::min(next_overlay, end);
    uint64_t now = begin;
    // An event's probe costs a quarter of the pair before the moment and a quarter behind it.
    const uint64_t event_cost = 2 * shared_.costs.quarter_untimed;
    uint64_t cost = cost_ - shared_.costs.quarter_untimed;
    const uint64_t* const run_end = run.data() + run.size();
    for (ptrdiff_t index = -static_cast<ptrdiff_t>(run.size()); index != 0; ++index) {
        const uint64_t last = now;
        now = clock.advance(index);
        if (now > attention) [[unlikely]] {
            for (; absence != absences_.cend() && now > absence->begin; ++absence) {
                clock.delay(absence->ticks);
                now += absence->ticks;
            }
            now = std::min(now, end);
            if (now > next_overlay) {
                stack_.set_top(top);
                next_overlay = book_overlays(last, now);
            }
            attention = std::min(next_overlay, end);
        }
        const uint64_t slot = __atomic_load_n(&run_end[index], __ATOMIC_RELAXED);
        const Lanes here = lanes(now, cost += event_cost);
        if (hotpath::slot_kind(slot) == Kind::kEnter) {
            Arc* arc = stack_.callee(top, slot, here, hot);
            if (arc == nullptr) [[unlikely]] {
                continue;
            }
            // Most calls call nothing: they need no frame.
            const bool leaf = index != -1 &&
                              ShadowStack::ends<false>(
                                  slot, __atomic_load_n(&run_end[index + 1], __ATOMIC_RELAXED)) &&
                              clock.peek(index + 1) <= attention;
            if (leaf) {
                now = clock.advance(++index);
                stack_.book_leaf<kLogs>(*top, *arc, slot, here, lanes(now, cost += event_cost),
                                        hot);
            } else {
                top = stack_.push(top, *arc, slot, here);
            }
        } else if (ShadowStack::ends<false>(top->key, slot)) [[likely]] {
            top = stack_.close<kLogs>(top, here, hot);
        } else if (hotpath::slot_kind(slot) != Kind::kControl) {
            top = stack_.leave(top, slot, here);
        } else {
            ++counts_.decode_errors;  // control records are always timed
        }
    }
    stack_.set_top(top);
    cost_ += 2 * shared_.costs.quarter_untimed * run.size();
    return now;
}

}  // namespace umbra::replay
