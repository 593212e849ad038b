// SPDX-License-Identifier: MIT
#include "src/collector/interval_estimator.h"

#include <algorithm>

namespace umbra::collector {

IntervalEstimator::Solution IntervalEstimator::solve(double total) const {
    if (variance_sum_ > 0) {
        const double scale = (total - mean_sum_) / variance_sum_;
        const auto factor = static_cast<float>(scale);
        bool negative = false;
        if (scale < 0) {
            for (size_t index = 0; index < count_; ++index) {
                negative |= means_[index] + factor * variances_[index] < 0;
            }
        }
        if (!negative) {
            return with_first(1, scale);
        }
    }
    return with_first(mean_sum_ > 0 ? total / mean_sum_ : 0, 0);
}

IntervalEstimator::Solution IntervalEstimator::solve_behind_stop(double total, double stop) const {
    const double others = mean_sum_ - (count_ == 0 ? 0.0 : static_cast<double>(means_[0]));
    const double room = std::max(total - stop, 0.0);
    const double scale = others > room ? room / others : 1;
    return {.mean_scale = scale, .variance_scale = 0, .first = total - others * scale};
}

IntervalEstimator::Solution IntervalEstimator::with_first(double mean_scale,
                                                          double variance_scale) const {
    Solution solution{.mean_scale = mean_scale, .variance_scale = variance_scale, .first = 0};
    solution.first = count_ == 0 ? 0 : estimate(solution, 0);
    return solution;
}

}  // namespace umbra::collector
