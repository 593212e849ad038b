// SPDX-License-Identifier: MIT
// How long the calls of each function took: counts in logarithmic buckets of clock ticks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/replay/tree/reserved_array.h"

namespace umbra::replay {

/// Buckets are in ticks, so that a better clock rate found later moves the bounds, not the counts.
/// 2^kBits buckets to a power of two: a bound lies at most that part above the one below it.
/// Bucket 0 holds all below kFirstTicks.
template <size_t kBits>
struct LogarithmicBuckets {
    static constexpr size_t kParts = size_t{1} << kBits;
    static constexpr uint64_t kFirstTicks = uint64_t{2} << 2 * kBits;

    /// The step that `ticks` lie in, from kFirstStep to kLastStep: a bucket from kFirstTicks
    /// on, a part of bucket 0 below.
    static constexpr size_t step(uint64_t ticks) {
        // Less has no kBits behind its first, and from kFirstTicks on these lie above.
        const uint64_t value = ticks | (2 * kParts - 1);
        const uint64_t exponent = 63U ^ static_cast<unsigned>(std::countl_zero(value));
        return kParts * exponent + (value >> (exponent - kBits));
    }
    static constexpr size_t kFirstStep = (kBits + 2) * kParts - 1;
    static constexpr size_t kLastStep = 65 * kParts - 1;
    static constexpr size_t kStepOfBucket0 = 2 * (kBits + 1) * kParts - 1;
    static constexpr size_t kBuckets = kLastStep - kStepOfBucket0 + 1;
    static constexpr size_t bucket_of_step(size_t step) {
        return std::max(step, kStepOfBucket0) - kStepOfBucket0;
    }

    static constexpr size_t bucket(uint64_t ticks) { return bucket_of_step(step(ticks)); }

    /// The smallest number of ticks in a bucket.
    static constexpr uint64_t lower_ticks(size_t index) {
        if (index == 0) {
            return 0;
        }
        const size_t exponent = (index - 1) / kParts + 2 * kBits + 1;
        return uint64_t{kParts + (index - 1) % kParts} << (exponent - kBits);
    }
};

/// From 32 ticks on, about 12 ns; a percentile read from them is at most 25 % off.
using HistogramBuckets = LogarithmicBuckets<2>;
/// Of async calls, which are fewer, and which are told about by their percentiles: 12.5 %.
using AsyncBuckets = LogarithmicBuckets<3>;
static_assert(HistogramBuckets::step(0) == HistogramBuckets::kFirstStep);
static_assert(HistogramBuckets::step(~uint64_t{0}) == HistogramBuckets::kLastStep);
static_assert(HistogramBuckets::bucket(~uint64_t{0}) + 1 == HistogramBuckets::kBuckets);

/// Calls of one function that took a time in one bucket.
struct HistogramCount {
    uint32_t function;
    uint32_t bucket;
    uint64_t calls;
};

/// The histograms of all functions of a session: a row of counters for each, of which a function
/// touches one or two cache lines. One thread.
class Histograms {
  public:
    /// Small, so that the lengths a function usually takes lie in one cache line: 8 powers of two.
    using Counter = uint16_t;
    /// One for each step; 8.5 cache lines, so that equal steps do not meet in the same cache sets.
    static constexpr size_t kRowCounters = 272;
    static_assert(kRowCounters > HistogramBuckets::kLastStep);

    /// Functions have indexes 0 .. max_function, and kNobody.
    static constexpr uint32_t kNobody = std::numeric_limits<uint32_t>::max();
    explicit Histograms(uint32_t max_function);

    /// Makes room for the counts of a function; false when memory is short.
    [[nodiscard]] bool ensure(uint32_t function);

    /// Counts one call. There must be room for its function. `base` is base(), which loops keep in
    /// a register.
    ///
    /// Most counters lie outside the nearest caches, and nothing waits for a count: so the counter
    /// is asked for, and counted up when kDelay further calls have come.
    void add(Counter* base, uint32_t function, uint64_t ticks) {
        const ptrdiff_t counter = position(function, HistogramBuckets::step(ticks));
        __builtin_prefetch(base + counter, 1);
        const ptrdiff_t due = std::exchange(pending_[next_pending_++ % kDelay], counter);
        if (++base[due] == 0) [[unlikely]] {
            carry(due);
        }
    }
    /// Good for life.
    [[nodiscard]] Counter* base() const { return counters_.data() + kRowCounters; }

    /// All counts but kNobody's and those that are 0, by function, then by bucket.
    [[nodiscard]] std::vector<HistogramCount> counts() const;

    /// The counter that a call of `ticks` goes to, modulo 2^16.
    [[nodiscard]] Counter& counter(uint32_t function, uint64_t ticks) {
        return base()[position(function, HistogramBuckets::step(ticks))];
    }

  private:
    /// The row of a function begins there; kNobody, as a signed number -1, stands first.
    static ptrdiff_t first(uint32_t function) {
        return ptrdiff_t{static_cast<int32_t>(function)} * ptrdiff_t{kRowCounters};
    }
    static ptrdiff_t position(uint32_t function, size_t step) {
        return first(function) + static_cast<ptrdiff_t>(step);
    }
    void carry(ptrdiff_t position);
    void add_counts(uint32_t function, std::vector<HistogramCount>& counts) const;

    static constexpr size_t kDelay = 16;

    ReservedArray<Counter> counters_;
    std::array<ptrdiff_t, kDelay> pending_;  ///< counters not yet counted up
    size_t next_pending_ = 0;
    std::vector<bool> known_;                         ///< functions there is room for
    std::unordered_map<uint64_t, uint64_t> carried_;  ///< by function and bucket
};

}  // namespace umbra::replay
