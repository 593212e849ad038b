// SPDX-License-Identifier: MIT
// Finding kinds of intervals, and guessing at those that were never measured.
#include "src/replay/estimate/interval_model.h"

#include <algorithm>

#include "hotpath/segment.h"

namespace umbra::replay {
namespace {

constexpr size_t kFirstPlaces = 4096;

}  // namespace

IntervalModel::IntervalModel(size_t max_kinds) : places_(kFirstPlaces), max_kinds_(max_kinds) {
    for (size_t count = 1; count < reciprocals_.size(); ++count) {
        reciprocals_[count] = 1.0F / static_cast<float>(count);
    }
}

IntervalKind& IntervalModel::look_further(uint64_t events) {
    const size_t mask = places_.size() - 1;
    size_t at = place(events);
    for (; places_[at].used(); at = (at + 1) & mask) {
        if (places_[at].events == events) {
            return places_[at];
        }
    }
    if (used_ >= max_kinds_ || events == IntervalKind::kUnused) {
        ++lost_;
        shared_ = {};
        guess(shared_);
        return shared_;
    }
    if ((used_ + 1) * 2 > places_.size()) {
        grow();
        return look_further(events);
    }
    ++used_;
    places_[at].events = events;
    guess(places_[at]);
    return places_[at];
}

void IntervalModel::guess(IntervalKind& kind) const {
    // Most often the first event tells whose time it is: its function has begun, or one it called
    // has ended, which is likely to be about as long.
    const uint32_t function = kind.before() >> hotpath::kIndexShift;
    const float known = function < function_means_.size() ? function_means_[function] : 0;
    const float mean = known > 0 ? known : mean_;
    kind.mean = mean;
    kind.expected = {.mean = without_reading(mean), .variance = mean * mean};
}

void IntervalModel::set_timed_extra(float ticks) {
    timed_extra_ = ticks;
    for (IntervalKind& kind : places_) {
        kind.expected.mean = without_reading(kind.mean);
    }
}

void IntervalModel::refresh() {
    std::vector<Mean> means;
    Mean all;
    for (const IntervalKind& kind : places_) {
        const uint32_t function = kind.before() >> hotpath::kIndexShift;
        if (kind.measured == 0 || function >= hotpath::kMaxFunctions) {
            continue;
        }
        if (means.size() <= function) {
            means.resize(size_t{function} + 1);
        }
        const auto count = static_cast<double>(kind.measured);
        const double ticks = static_cast<double>(kind.mean) * count;
        means[function].ticks += ticks;
        means[function].count += count;
        all.ticks += ticks;
        all.count += count;
    }
    if (all.count > 0) {
        mean_ = static_cast<float>(all.ticks / all.count);
    }
    function_means_.assign(means.size(), 0);
    for (size_t function = 0; function < means.size(); ++function) {
        const Mean& mean = means[function];
        function_means_[function] =
            mean.count > 0 ? static_cast<float>(mean.ticks / mean.count) : 0;
    }
    for (IntervalKind& kind : places_) {
        if (kind.used() && kind.measured == 0) {
            guess(kind);
        }
    }
}

std::vector<IntervalSpread> IntervalModel::spreads() const {
    std::vector<IntervalSpread> spreads;
    for (const IntervalKind& kind : places_) {
        if (kind.measured == 0 || kind.function >= hotpath::kMaxFunctions) {
            continue;
        }
        if (spreads.size() <= kind.function) {
            spreads.resize(size_t{kind.function} + 1);
        }
        IntervalSpread& spread = spreads[kind.function];
        spread.measured += kind.measured;
        spread.variance += double{kind.expected.variance} * kind.measured;
    }
    for (IntervalSpread& spread : spreads) {
        spread.variance /= std::max(spread.measured, 1.0);
    }
    return spreads;
}

void IntervalModel::grow() {
    decltype(places_) larger(places_.size() * 2);
    larger.swap(places_);
    const size_t mask = places_.size() - 1;
    for (const IntervalKind& kind : larger) {
        if (!kind.used()) {
            continue;
        }
        size_t at = place(kind.events);
        while (places_[at].used()) {
            at = (at + 1) & mask;
        }
        places_[at] = kind;
    }
}

}  // namespace umbra::replay
