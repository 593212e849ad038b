// SPDX-License-Identifier: MIT
// IntervalEstimator: shares the known length of a stretch out among its intervals.
#pragma once

#include <array>
#include <cstddef>

#include "hotpath/record.h"
#include "hotpath/segment.h"

namespace umbra::collector {

/// A stretch is a sequence of intervals of which only the sum D is known, and for each the mean w_i
/// and the variance v_i of its kind. For independent intervals the conditional mean given the sum,
/// which is the linear estimate of least variance, is
///
///     w_i + (D - W) * v_i / V,   W = sum of w, V = sum of v
///
/// (regression on the sum: C. R. Rao, Linear Statistical Inference and Its Applications, 2nd ed.,
/// section 4g; for normal intervals it is the conditional expectation). Its variance is
/// v_i * (1 - v_i / V). Where D < W makes one of them negative, all are scaled instead:
/// w_i * D / W. Both add up to D.
///
/// Any unit of time. One thread. Holds the intervals of one stretch, at most a chunk's.
class IntervalEstimator {
  public:
    static constexpr size_t kMaxIntervals = hotpath::kChunkBytes / hotpath::kSlotBytes + 1;

    /// The estimate of interval i > 0 is mean_scale * w_i + variance_scale * v_i.
    struct Solution {
        double mean_scale = 1;
        double variance_scale = 0;
        double first = 0;  ///< of interval 0
    };

    void clear() {
        count_ = 0;
        mean_sum_ = 0;
        variance_sum_ = 0;
    }
    /// Appends an interval; both values are finite and not negative. Beyond kMaxIntervals it is
    /// left out.
    void add(float mean, float variance) {
        if (count_ < kMaxIntervals) [[likely]] {
            means_[count_] = mean;
            variances_[count_] = variance;
            ++count_;
            mean_sum_ += mean;
            variance_sum_ += variance;
        }
    }

    /// `total`: D, not negative.
    [[nodiscard]] Solution solve(double total) const;
    /// The same when the thread stood still in interval 0, until `stop` at least: its variance is
    /// without bound, so the others last as long as they usually do, if there is room for that.
    [[nodiscard]] Solution solve_behind_stop(double total, double stop) const;

    [[nodiscard]] double estimate(const Solution& solution, size_t index) const {
        return solution.mean_scale * static_cast<double>(means_[index]) +
               solution.variance_scale * static_cast<double>(variances_[index]);
    }

    [[nodiscard]] size_t size() const { return count_; }
    [[nodiscard]] double mean_sum() const { return mean_sum_; }
    [[nodiscard]] double variance_sum() const { return variance_sum_; }
    [[nodiscard]] float mean(size_t index) const { return means_[index]; }
    [[nodiscard]] float variance(size_t index) const { return variances_[index]; }

  private:
    [[nodiscard]] Solution with_first(double mean_scale, double variance_scale) const;

    size_t count_ = 0;
    double mean_sum_ = 0;
    double variance_sum_ = 0;
    std::array<float, kMaxIntervals> means_{};
    std::array<float, kMaxIntervals> variances_{};
};

}  // namespace umbra::collector
