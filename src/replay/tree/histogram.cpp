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
    const Counter* row = base() + first(function);
    uint64_t calls = 0;
    for (size_t step = HistogramBuckets::kFirstStep; step <= HistogramBuckets::kLastStep; ++step) {
        const size_t bucket = HistogramBuckets::bucket_of_step(step);
        calls += row[step];
        calls += static_cast<uint64_t>(std::ranges::count(pending_, position(function, step)));
        if (bucket == HistogramBuckets::bucket_of_step(step + 1)) {
            continue;
        }
        const auto carried = carried_.find(key(function, bucket));
        calls += carried == carried_.end() ? 0 : carried->second;
        if (calls != 0) {
            counts.push_back(
                {.function = function, .bucket = static_cast<uint32_t>(bucket), .calls = calls});
        }
        calls = 0;
    }
}

}  // namespace umbra::replay
