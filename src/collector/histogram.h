// SPDX-License-Identifier: MIT
// How long the calls of each function took: counts in logarithmic buckets of clock ticks.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "src/collector/reserved_array.h"

namespace umbra::collector {

/// Buckets are in ticks, so that a better clock rate found later moves the bounds, not the counts.
/// Four buckets to a power of two: a bound lies at most 25 % above the one below it, so a time
/// read from the middle of a bucket is wrong by at most 12.5 %. Bucket 0 holds all below 32 ticks
/// (about 12 ns), the last all from 2^48.6 ticks up (about 40 hours).
struct HistogramBuckets {
    static constexpr size_t kCountersPerBlock = 16;
    static constexpr size_t kBlocks = 11;
    static constexpr size_t kBuckets = kCountersPerBlock * kBlocks;

    static constexpr size_t bucket(uint64_t ticks) {
        // 31 is the one value below 32 that the formula puts into bucket 0.
        const uint64_t value = std::max<uint64_t>(ticks, 31);
        const auto exponent = 63U ^ static_cast<unsigned>(std::countl_zero(value));
        const size_t index = size_t{4} * exponent + (value >> (exponent - 2)) - 23;
        return std::min(index, kBuckets - 1);
    }

    /// The smallest number of ticks in a bucket.
    static constexpr uint64_t lower_ticks(size_t index) {
        if (index == 0) {
            return 0;
        }
        const size_t exponent = (index - 1) / 4 + 5;
        return uint64_t{4 + (index - 1) % 4} << (exponent - 2);
    }
};

/// Counts of one function: most functions touch two or three of the eleven blocks.
struct FunctionHistogram {
    std::array<uint32_t, HistogramBuckets::kBlocks> blocks;  ///< block number; 0 = none yet
};

/// The histograms of all functions of a session. One thread.
class Histograms {
  public:
    using Block = std::array<uint64_t, HistogramBuckets::kCountersPerBlock>;

    /// Functions have indexes 0 .. max_function, and kNobody.
    static constexpr uint32_t kNobody = std::numeric_limits<uint32_t>::max();
    explicit Histograms(uint32_t max_function);

    /// Makes room for the counts of a function; false when memory is short.
    [[nodiscard]] bool ensure(uint32_t function);

    /// Counts one call. There must be room for its function.
    void add(uint32_t function, uint64_t ticks) {
        const size_t bucket = HistogramBuckets::bucket(ticks);
        uint32_t& block =
            functions_[place(function)].blocks[bucket / HistogramBuckets::kCountersPerBlock];
        if (block == 0) [[unlikely]] {
            block = new_block();
        }
        ++blocks_[block][bucket % HistogramBuckets::kCountersPerBlock];
    }

    /// By function index, up to the greatest there is room for.
    [[nodiscard]] std::span<const FunctionHistogram> functions() const {
        return {functions_.data() + 1, places_ - 1};
    }
    /// By block number; block 0 means nothing.
    [[nodiscard]] std::span<const Block> blocks() const { return {blocks_.data(), block_count_}; }

  private:
    /// kNobody stands first: one more than it is 0.
    static uint32_t place(uint32_t function) { return function + 1; }
    /// 0 when memory is short: block 0 takes what nobody will read.
    uint32_t new_block();

    ReservedArray<FunctionHistogram> functions_;
    ReservedArray<Block> blocks_;
    size_t places_ = 1;
    uint32_t block_count_ = 1;
};

}  // namespace umbra::collector
