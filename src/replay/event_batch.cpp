// SPDX-License-Identifier: MIT
#include "src/replay/event_batch.h"

#include <algorithm>

#include "src/replay/record_decoder.h"

namespace umbra::replay {
namespace {

// Longer ones, and those that hardly vary, are left to IntervalEstimator::distribute.
constexpr double kLongest = 1e15;

}  // namespace

void EventBatch::begin(uint32_t code, uint64_t ticks) {
    events_[0] = {.slot = code | hotpath::kTimedBit, .ticks = ticks, .mean = 0, .variance = 0};
    size_ = 0;
    timed_ = 0;
    errors_ = 0;
}

void EventBatch::gather(std::span<const uint64_t> slots, IntervalModel& model) {
    const uint64_t* at = slots.data();
    const uint64_t* const end = at + slots.size();
    BatchEvent* event = events_.data();
    const BatchEvent* const last = event + kMost;
    uint32_t* reading = readings_.data();
    IntervalModel::Hot hot = model.hot();
    uint64_t pair = event_code(event->slot);
    // The kinds of all events are on their way before the first is needed.
    while (event != last && at != end) {
        __builtin_prefetch(at + RecordCursor::kPrefetchSlots);
        const uint64_t slot = __atomic_load_n(at, __ATOMIC_ACQUIRE);
        const size_t timed = hotpath::slot_timed(slot) ? 1 : 0;
        if (!hotpath::slot_written(slot) || hotpath::slot_kind(slot) == hotpath::Kind::kControl ||
            at + timed == end) [[unlikely]] {
            break;
        }
        pair = IntervalModel::pair(static_cast<uint32_t>(pair), event_code(slot));
        hot.prefetch(pair);
        ++event;
        event->slot = slot;
        event->ticks = __atomic_load_n(at + timed, __ATOMIC_RELAXED);
        *reading = static_cast<uint32_t>(event - events_.data());
        reading += timed;
        at += 1 + timed;
    }
    timed_ = static_cast<size_t>(reading - readings_.data());
    size_ = timed_ == 0 ? 0 : reading[-1];
    pair = event_code(events_[0].slot);
    Expectation sum;
    double mean = 0;
    double variance = 0;
    for (size_t index = 1; index <= size_; ++index) {
        BatchEvent& next = events_[index];
        pair = IntervalModel::pair(static_cast<uint32_t>(pair), event_code(next.slot));
        const Expectation* known = hot.find(pair);
        if (known == nullptr) [[unlikely]] {
            sum = model.expect(pair);
            hot = model.hot();
            known = &sum;
        }
        mean += double{known->mean};
        variance += double{known->variance};
        next.mean = mean;
        next.variance = variance;
    }
}

void EventBatch::set_times(uint64_t barrier, IntervalEstimator& estimator,
                           ResidualSums& residuals) {
    size_t before = 0;
    for (size_t index = 0; index < timed_; ++index) {
        const size_t reading = readings_[index];
        const BatchEvent& from = events_[before];
        BatchEvent& to = events_[reading];
        const uint64_t ticks = std::max(to.ticks, from.ticks);
        const bool alone = reading - before == 1;
        if (!alone && ticks > barrier) [[unlikely]] {
            timed_ = index;
            break;
        }
        errors_ += ticks != to.ticks ? 1U : 0U;
        to.ticks = ticks;
        if (!alone) {
            const double missed =
                static_cast<double>(to.ticks - from.ticks) - (to.mean - from.mean);
            residuals.squares += missed * missed;
            residuals.variances += to.variance - from.variance;
            estimate(before, reading, estimator);
        }
        before = reading;
    }
    size_ = before;
    events_[size_ + 1].slot = kEndsNoCall;
}

void EventBatch::estimate(size_t first, size_t last, IntervalEstimator& estimator) {
    const BatchEvent& from = events_[first];
    const BatchEvent& to = events_[last];
    const auto total = static_cast<double>(to.ticks - from.ticks);
    const double variance = to.variance - from.variance;
    if (!(variance > IntervalEstimator::kLeastVariance) || total > kLongest) [[unlikely]] {
        return distribute(first, last, estimator);
    }
    const double scale = (total - (to.mean - from.mean)) / variance;
    constexpr double kRounding = 0.5;
    const double begin = kRounding - from.mean - scale * from.variance;
    double latest = kRounding;
    bool backwards = false;
    for (size_t index = first + 1; index < last; ++index) {
        BatchEvent& event = events_[index];
        const double elapsed = event.mean + scale * event.variance + begin;
        backwards |= elapsed < latest;
        latest = elapsed;
        event.ticks = from.ticks + static_cast<uint64_t>(static_cast<int64_t>(elapsed));
    }
    // Some interval would be negative.
    if (backwards || latest > total + kRounding) {
        distribute(first, last, estimator);
    }
}

void EventBatch::distribute(size_t first, size_t last, IntervalEstimator& estimator) {
    for (size_t index = first + 1; index <= last; ++index) {
        const BatchEvent& before = events_[index - 1];
        const BatchEvent& event = events_[index];
        estimator.intervals()[index - first - 1] = {
            .mean = static_cast<float>(event.mean - before.mean),
            .variance = static_cast<float>(event.variance - before.variance)};
    }
    estimator.begin(last - first);
    const BatchEvent& to = events_[last];
    const uint64_t begin = events_[first].ticks;
    estimator.distribute(std::min(to.ticks - begin, IntervalEstimator::kLongestRun));
    uint64_t elapsed = 0;
    for (size_t index = first + 1; index < last; ++index) {
        elapsed += estimator.units(index - first - 1);
        events_[index].ticks = std::min(begin + estimator.ticks(elapsed), to.ticks);
    }
}

}  // namespace umbra::replay
