// SPDX-License-Identifier: MIT
// How long calls took, from the histograms: percentiles, and how much calls differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// Inclusive times of finished calls. 0 where there were none.
struct Percentiles {
    uint64_t p50_ns = 0;
    uint64_t p90_ns = 0;
    uint64_t p99_ns = 0;
};

/// Of the calls of `buckets`, which are in ascending order. Between the bounds of a bucket calls
/// are taken as evenly spread; with four buckets to a power of two, a percentile is at most 25 %
/// off. None lies outside the shortest and the longest call, `min_ns` and `max_ns`.
[[nodiscard]] Percentiles percentiles(const std::vector<HistogramBucket>& buckets, uint64_t min_ns,
                                      uint64_t max_ns);

/// Buckets of the histograms by row of functions, for looking up one function after another.
class HistogramIndex {
  public:
    explicit HistogramIndex(const Profile& profile);

    /// Of the calls of all `functions` together.
    [[nodiscard]] Percentiles percentiles(const std::vector<Row>& functions, uint64_t min_ns,
                                          uint64_t max_ns) const;

  private:
    [[nodiscard]] std::vector<HistogramBucket> buckets(const std::vector<Row>& functions) const;

    std::vector<HistogramBucket> sorted_;  ///< by function, then by lower bound
    std::vector<std::size_t> first_;       ///< by row of functions, and one more
};

}  // namespace umbra::profile
