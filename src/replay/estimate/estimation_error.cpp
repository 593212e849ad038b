// SPDX-License-Identifier: MIT
#include "src/replay/estimate/estimation_error.h"

#include <algorithm>
#include <cstddef>

namespace umbra::replay {
namespace {

IntervalSpread mean_of(std::span<const IntervalSpread> spreads) {
    IntervalSpread all;
    for (const IntervalSpread& spread : spreads) {
        all.measured += spread.measured;
        all.variance += spread.variance * spread.measured;
    }
    all.variance /= std::max(all.measured, 1.0);
    return all;
}

}  // namespace

double ResidualSums::dispersion() const {
    return variances > 0 ? std::max(1.0, squares / variances) : 1;
}

std::vector<double> estimation_variances(std::span<const double> intervals,
                                         std::span<const IntervalSpread> spreads,
                                         double dispersion) {
    const IntervalSpread usual = mean_of(spreads);
    std::vector<double> variances(intervals.size());
    for (size_t function = 0; function < intervals.size(); ++function) {
        const bool known = function < spreads.size() && spreads[function].measured > 0;
        const IntervalSpread& spread = known ? spreads[function] : usual;
        const double measured = known ? spread.measured : 1;
        variances[function] =
            intervals[function] * spread.variance * (dispersion + intervals[function] / measured);
    }
    return variances;
}

double bridged_variance(double part, double whole) {
    return whole > 0 && part < whole ? part * (1 - part / whole) : 0;
}

}  // namespace umbra::replay
