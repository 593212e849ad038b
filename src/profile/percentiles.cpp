// SPDX-License-Identifier: MIT
#include "src/profile/percentiles.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <tuple>

namespace umbra::profile {
namespace {

/// The time that a share of the calls does not exceed.
uint64_t percentile(const std::vector<HistogramBucket>& buckets, uint64_t calls, double share) {
    const double wanted = std::max(1.0, std::ceil(share * static_cast<double>(calls)));
    double before = 0;
    for (const HistogramBucket& bucket : buckets) {
        const auto in_bucket = static_cast<double>(bucket.calls);
        if (before + in_bucket >= wanted) {
            const auto lower = static_cast<double>(bucket.lower_ns);
            const double upper = std::max(lower, static_cast<double>(bucket.upper_ns));
            return static_cast<uint64_t>(lower +
                                         (upper - lower) * (wanted - before - 0.5) / in_bucket);
        }
        before += in_bucket;
    }
    return 0;
}

}  // namespace

Percentiles percentiles(const std::vector<HistogramBucket>& buckets, uint64_t min_ns,
                        uint64_t max_ns) {
    uint64_t calls = 0;
    for (const HistogramBucket& bucket : buckets) {
        calls += bucket.calls;
    }
    if (calls == 0) {
        return {};
    }
    const auto at = [&](double share) {
        return std::clamp(percentile(buckets, calls, share), std::min(min_ns, max_ns), max_ns);
    };
    return {at(0.5), at(0.9), at(0.99)};
}

HistogramIndex::HistogramIndex(const Profile& profile) : first_(profile.functions.size() + 1) {
    sorted_.reserve(profile.histograms.size());
    std::ranges::copy_if(profile.histograms, std::back_inserter(sorted_),
                         [](const HistogramBucket& bucket) { return bucket.calls != 0; });
    const auto place = [](const HistogramBucket& bucket) {
        return std::tuple(bucket.function, bucket.lower_ns);
    };
    if (!std::ranges::is_sorted(sorted_, {}, place)) {  // umbra writes them in this order
        std::ranges::sort(sorted_, {}, place);
    }
    for (const HistogramBucket& bucket : sorted_) {
        ++first_[bucket.function + 1];
    }
    for (std::size_t row = 1; row < first_.size(); ++row) {
        first_[row] += first_[row - 1];
    }
}

std::vector<HistogramBucket> HistogramIndex::buckets(const std::vector<Row>& functions) const {
    std::vector<HistogramBucket> all;
    for (const Row row : functions) {
        all.insert(all.end(), sorted_.begin() + static_cast<std::ptrdiff_t>(first_[row]),
                   sorted_.begin() + static_cast<std::ptrdiff_t>(first_[row + 1]));
    }
    if (functions.size() > 1) {
        std::ranges::stable_sort(all, {}, &HistogramBucket::lower_ns);
    }
    // One of each: within a bucket calls are taken as evenly spread.
    std::size_t kept = 0;
    for (const HistogramBucket& bucket : all) {
        if (kept != 0 && all[kept - 1].lower_ns == bucket.lower_ns) {
            all[kept - 1].calls += bucket.calls;
        } else {
            all[kept++] = bucket;
        }
    }
    all.resize(kept);
    return all;
}

Percentiles HistogramIndex::percentiles(const std::vector<Row>& functions, uint64_t min_ns,
                                        uint64_t max_ns) const {
    return profile::percentiles(buckets(functions), min_ns, max_ns);
}

}  // namespace umbra::profile
