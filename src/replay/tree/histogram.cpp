// SPDX-License-Identifier: MIT
// What counting the lengths of calls does seldom: making room, carrying over, and handing out.
#include "src/replay/tree/histogram.h"

#include <algorithm>
#include <new>

namespace umbra::replay {
namespace {

constexpr uint64_t kCarry = uint64_t{1} << 16;

uint64_t key(uint32_t function, size_t bucket) {
    return uint64_t{function} * HistogramBuckets::kBuckets + bucket;
}

}  // namespace

Histograms::Histograms(uint32_t max_function)
    : counters_((size_t{max_function} + 2) * kRowCounters) {
    if (!counters_.ensure(kRowCounters)) {
        throw std::bad_alloc();
    }
    pending_.fill(first(kNobody));
}

bool Histograms::ensure(uint32_t function) {
    if (function == kNobody) {
        return true;
    }
    if (!counters_.ensure((size_t{function} + 2) * kRowCounters)) {
        return false;
    }
    known_.resize(std::max(known_.size(), size_t{function} + 1));
    known_[function] = true;
    return true;
}

void Histograms::carry(ptrdiff_t position) {
    const ptrdiff_t from_first = position - first(kNobody);
    const auto function = static_cast<uint32_t>(from_first / ptrdiff_t{kRowCounters} - 1);
    const auto step = static_cast<size_t>(from_first % ptrdiff_t{kRowCounters});
    carried_[key(function, HistogramBuckets::bucket_of_step(step))] += kCarry;
}

std::vector<HistogramCount> Histograms::counts() const {
    std::vector<HistogramCount> counts;
    for (uint32_t function = 0; function < known_.size(); ++function) {
        if (known_[function]) {
            add_counts(function, counts);
        }
    }
    return counts;
}

void Histograms::add_counts(uint32_t function, std::vector<HistogramCount>& counts) const {
    std::array<uint64_t, HistogramBuckets::kBuckets> calls{};
    const Counter* row = base() + first(function);
    for (size_t step = HistogramBuckets::kFirstStep; step <= HistogramBuckets::kLastStep; ++step) {
        calls[HistogramBuckets::bucket_of_step(step)] += row[step];
    }
    for (const ptrdiff_t pending : pending_) {
        if (pending >= first(function) && pending < first(function + 1)) {
            const auto step = static_cast<size_t>(pending - first(function));
            ++calls[HistogramBuckets::bucket_of_step(step)];
        }
    }
    for (uint32_t bucket = 0; bucket < calls.size(); ++bucket) {
        const auto carried = carried_.find(key(function, bucket));
        calls[bucket] += carried == carried_.end() ? 0 : carried->second;
        if (calls[bucket] != 0) {
            counts.push_back({.function = function, .bucket = bucket, .calls = calls[bucket]});
        }
    }
}

}  // namespace umbra::replay
