// SPDX-License-Identifier: MIT
#include "src/replay/estimation_error.h"

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

double Surprise::dispersion() const {
    return variances > 0 ? std::max(1.0, squares / variances) : 1;
}

std::vector<double> estimation_variances(std::span<const CallTreeNode> nodes,
                                         std::span<const IntervalSpread> spreads,
                                         double dispersion) {
    // Every event without a reading lies between two intervals, one of its own function and one of
    // the caller, and makes half an estimated interval of either.
    std::vector<double> intervals(nodes.size());
    for (size_t index = 1; index < nodes.size(); ++index) {
        const double half = static_cast<double>(untimed_events(nodes[index], true)) / 2;
        intervals[index] += half;
        intervals[nodes[index].parent] += half;
    }
    std::vector<double> of_function(spreads.size());
    for (size_t index = 1; index < nodes.size(); ++index) {
        if (nodes[index].function < of_function.size()) {
            of_function[nodes[index].function] += intervals[index];
        }
    }
    const IntervalSpread usual = mean_of(spreads);
    for (size_t index = 0; index < nodes.size(); ++index) {
        const uint32_t function = nodes[index].function;
        const bool known = function < spreads.size() && spreads[function].measured > 0;
        const double variance = known ? spreads[function].variance : usual.variance;
        const double wanted = known ? of_function[function] : intervals[index];
        const double measured = known ? spreads[function].measured : 1;
        intervals[index] *= variance * (dispersion + wanted / measured);
    }
    return intervals;
}

double bridged_variance(double part, double whole) {
    return whole > 0 && part < whole ? part * (1 - part / whole) : 0;
}

}  // namespace umbra::replay
