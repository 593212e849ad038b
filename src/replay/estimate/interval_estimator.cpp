// SPDX-License-Identifier: MIT
// The sums and products of an untimed run, four intervals at a time.
#include "src/replay/estimate/interval_estimator.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace umbra::replay {
namespace {

using Float4 [[gnu::vector_size(16)]] = float;
using Int4 [[gnu::vector_size(16)]] = int32_t;

constexpr int kUnitBits = 30;  // an untimed run is at most 2^30 units long
constexpr float kLeastShare = 0.125F;
constexpr int kRounds = 6;
constexpr double kCloseEnough = 1.01;

struct Pair {
    Float4 means;
    Float4 variances;
};

Pair load(const Expectation* at) {
    Float4 low;
    Float4 high;
    std::memcpy(&low, at, sizeof low);
    std::memcpy(&high, at + 2, sizeof high);
    return {__builtin_shufflevector(low, high, 0, 2, 4, 6),
            __builtin_shufflevector(low, high, 1, 3, 5, 7)};
}

Float4 smaller(Float4 a, Float4 b) {
    return a < b ? a : b;
}
Float4 larger(Float4 a, Float4 b) {
    return a > b ? a : b;
}

float least(Float4 values) {
    return std::min(std::min(values[0], values[1]), std::min(values[2], values[3]));
}

double sum(Float4 values) {
    return (static_cast<double>(values[0]) + static_cast<double>(values[1])) +
           (static_cast<double>(values[2]) + static_cast<double>(values[3]));
}

}  // namespace

void IntervalEstimator::begin(size_t count) {
    count_ = std::min(count, kMaxIntervals);
    std::fill_n(intervals_.begin() + static_cast<ptrdiff_t>(count_), kBlock, Expectation{});
    // Means and variances take turns; two intervals to a vector, two sums of vectors.
    Float4 sums{};
    Float4 other_sums{};
    for (size_t index = 0; index < count_; index += 4) {
        Float4 two;
        Float4 next_two;
        std::memcpy(&two, &intervals_[index], sizeof two);
        std::memcpy(&next_two, &intervals_[index + 2], sizeof next_two);
        sums += two;
        other_sums += next_two;
    }
    mean_sum_ =
        (double{sums[0]} + double{sums[2]}) + (double{other_sums[0]} + double{other_sums[2]});
    variance_sum_ =
        (double{sums[1]} + double{sums[3]}) + (double{other_sums[1]} + double{other_sums[3]});
}

template <bool kCut>
float IntervalEstimator::set_lengths(double total, double mean_scale, double variance_scale) {
    const int shift =
        std::min(kUnitBits - std::ilogb(total + 1) - 1, static_cast<int>(kFractionBits));
    down_ = shift > 0 ? static_cast<unsigned>(shift) : 0;
    up_ = shift < 0 ? static_cast<unsigned>(-shift) : 0;
    const double unit = std::ldexp(1.0, shift);
    const auto mean_factor = static_cast<float>(mean_scale * unit);
    const auto variance_factor = static_cast<float>(variance_scale * unit);
    Float4 least_lengths{};
    for (size_t index = 0; index < count_; index += kBlock) {
        const Pair pair = load(&intervals_[index]);
        Float4 lengths = pair.means * mean_factor + pair.variances * variance_factor;
        if constexpr (kCut) {
            lengths = larger(lengths, pair.means * (mean_factor * kLeastShare));
        }
        least_lengths = smaller(least_lengths, lengths);
        const Int4 whole = __builtin_convertvector(lengths, Int4);
        std::memcpy(&units_[index], &whole, sizeof whole);
    }
    return least(least_lengths);
}

void IntervalEstimator::distribute(uint64_t total) {
    const auto known = static_cast<double>(total);
    if (variance_sum_ > kLeastVariance &&
        set_lengths<false>(known, 1, (known - mean_sum_) / variance_sum_) > -1) {
        return;
    }
    if (variance_sum_ > kLeastVariance && known > mean_sum_ * (2.0 * double{kLeastShare})) {
        share_out_too_little(known);
    } else {
        set_lengths<false>(known, mean_sum_ > 0 ? known / mean_sum_ : 0, 0);
    }
}

void IntervalEstimator::share_out_too_little(double total) {
    double scale = (total - mean_sum_) / variance_sum_;
    double reached = total;
    for (int round = 0; round < kRounds; ++round) {
        const auto factor = static_cast<float>(scale);
        Float4 cut{};
        Float4 means{};
        Float4 variances{};
        for (size_t index = 0; index < count_; index += kBlock) {
            const Pair pair = load(&intervals_[index]);
            const Float4 least_lengths = pair.means * kLeastShare;
            const Int4 is_cut = pair.means + pair.variances * factor < least_lengths;
            cut += is_cut ? least_lengths : Float4{};
            means += is_cut ? Float4{} : pair.means;
            variances += is_cut ? Float4{} : pair.variances;
        }
        const double uncut = sum(cut) + sum(means);
        const double spread = sum(variances);
        reached = uncut + scale * spread;
        if (reached <= total * kCloseEnough || spread <= kLeastVariance) {
            break;
        }
        scale = (total - uncut) / spread;
    }
    const double all = reached > total ? total / reached : 1;
    set_lengths<true>(total, all, all * scale);
}

void IntervalEstimator::distribute_behind_stop(uint64_t total, uint64_t stop) {
    const auto known = static_cast<double>(total);
    const double others = std::max(mean_sum_ - static_cast<double>(intervals_[0].mean), 0.0);
    const double room = known - static_cast<double>(std::min(stop, total));
    const double scale = others > room ? room / others : 1;
    set_lengths<false>(known, scale, 0);
    units_[0] = static_cast<uint32_t>(
        std::ldexp(known - others * scale, static_cast<int>(down_) - static_cast<int>(up_)));
}

}  // namespace umbra::replay
