// SPDX-License-Identifier: MIT
// Stretches of records without clock readings that something has to be taken out of, or that no
// reading closes: weighed, shared out, and replayed.
#include <algorithm>
#include <limits>

#include "hotpath/record.h"
#include "src/replay/thread_replay.h"

namespace umbra::replay {

using hotpath::Kind;

namespace {

constexpr size_t kLongestRun = IntervalEstimator::kMaxIntervals - 1;

}  // namespace

bool ThreadReplay::untimed_run(RecordCursor& cursor, uint64_t tail_before) {
    const std::span<const uint64_t> run = collect_expectations(cursor.rest());
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
    const uint64_t counted_from = distribute(begin, end);
    const uint64_t reached = replay_run(run, begin, counted_from, end);
    counts_.events += run.size();
    if (closed) {
        behind.set_ticks(end);
        shared_->estimated[stack_.top()->function()].ticks += end - reached;
        timed_event(behind, reached);
    } else {
        reading_ = estimated_ ? reading_ : begin;
        behind.set_ticks(reached);
    }
    estimated_ = !closed;
    cursor = behind;
    return true;
}

std::span<const uint64_t> ThreadReplay::collect_expectations(std::span<const uint64_t> slots) {
    IntervalModel& model = shared_->intervals;
    IntervalModel::Hot hot = model.hot();
    const size_t most = std::min(slots.size(), kLongestRun);
    // Indexes that run up to 0 take one register for both arrays and the loop's end.
    const uint64_t* const slots_end = slots.data() + most;
    Expectation* const out_end = shared_->estimator.intervals() + most;
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
    IntervalModel& model = shared_->intervals;
    IntervalEstimator& estimator = shared_->estimator;
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
    const uint64_t expected = static_cast<uint64_t>(shared_->estimator.mean_sum()) +
                              overlays_.off_cpu_intervals(begin, begin + room, off_cpu_intervals_);
    return begin + std::min(expected, room);
}

uint64_t ThreadReplay::distribute(uint64_t begin, uint64_t end) {
    IntervalEstimator& estimator = shared_->estimator;
    const bool stood = stalled_until_ > begin;
    off_cpu_intervals_.clear();
    uint64_t absent = 0;
    if (end > overlays_.next_ticks()) [[unlikely]] {
        absent = overlays_.off_cpu_intervals(begin, end, off_cpu_intervals_);
    }
    if (stood && absent == 0) {
        estimator.distribute_behind_stop(std::min(end - begin, IntervalEstimator::kLongestRun),
                                         stalled_until_ - begin);
        return begin;
    }
    if (stood) {
        // Until then it was in interval 0. Then that goes on as long as such an interval does: when
        // the thread came back is known.
        begin = std::min(stalled_until_, end);
        absent = overlays_.off_cpu_intervals(begin, end, off_cpu_intervals_);
    }
    const uint64_t total = std::min(end - begin - absent, IntervalEstimator::kLongestRun);
    estimator.distribute(total);
    if (!stood) {
        const double missed = static_cast<double>(total) - estimator.mean_sum();
        shared_->residuals.squares += missed * missed;
        shared_->residuals.variances += estimator.variance_sum();
    }
    return begin;
}

uint64_t ThreadReplay::replay_run(std::span<const uint64_t> run, uint64_t begin,
                                  uint64_t counted_from, uint64_t end) {
    const IntervalEstimator& estimator = shared_->estimator;
    EventBatch& batch = shared_->batch;
    auto absence = off_cpu_intervals_.cbegin();
    uint64_t elapsed = 0;
    uint64_t now = begin;
    batch.begin(0, begin);
    for (size_t index = 0; index < run.size(); ++index) {
        elapsed += estimator.units(index);
        now = counted_from + estimator.ticks(elapsed);
        for (; absence != off_cpu_intervals_.cend() && now > absence->begin; ++absence) {
            counted_from += absence->ticks;
            now += absence->ticks;
        }
        now = std::min(now, end);
        const uint64_t slot = __atomic_load_n(&run[index], __ATOMIC_RELAXED);
        if (hotpath::slot_kind(slot) == Kind::kControl) {
            ++counts_.decode_errors;  // they are always timed
            continue;
        }
        // It was untimed when it was weighed.
        batch.add(slot & ~uint64_t{hotpath::kTimedBit}, now);
        if (batch.full()) {
            walk();
            batch.begin(0, now);
        }
    }
    walk();
    return now;
}

}  // namespace umbra::replay
