// SPDX-License-Identifier: MIT
// Two passes: sums by function, then what each arc bears of them.
#include "src/collector/tables/compensation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace umbra::collector {
namespace {

/// What one function has before and after.
struct FunctionSum {
    double measured = 0;
    double cost = 0;
    double least = 0;   ///< sum of what its arcs have at least
    double beyond = 0;  ///< sum of what they have left beyond that
    double owed = 0;    ///< cost of arcs done with that was rounded off

    [[nodiscard]] double most_cost() const { return measured - least; }
};

double least(const MeasuredSelf& self) {
    return static_cast<double>(std::min(self.ticks, self.least_ticks));
}

double beyond(const MeasuredSelf& self) {
    return std::max(0.0, static_cast<double>(self.ticks) - self.cost_ticks - least(self));
}

uint64_t without_cost(const MeasuredSelf& self, FunctionSum& sum) {
    const double wanted = std::max(0.0, sum.most_cost() - sum.cost);
    const double part = sum.beyond > 0 ? std::min(1.0, wanted / sum.beyond) : 0;
    const double kept = least(self) + part * beyond(self);
    // Whole ticks are taken out, so that what costs nothing stays exact; what is rounded off is
    // left to the next arc, so that the sum does not depend on how many there are.
    constexpr double kMostTicks = 9.2e18;
    const double cost = std::max(0.0, static_cast<double>(self.ticks) - kept) + sum.owed;
    if (!(cost < kMostTicks)) {
        return 0;
    }
    const auto whole =
        std::min(self.ticks, static_cast<uint64_t>(std::llround(std::max(cost, 0.0))));
    sum.owed = cost - static_cast<double>(whole);
    return self.ticks - whole;
}

}  // namespace

Compensated compensate(std::span<const MeasuredSelf> measured) {
    std::vector<FunctionSum> sums;
    for (const MeasuredSelf& self : measured) {
        if (sums.size() <= self.function) {
            sums.resize(size_t{self.function} + 1);
        }
        FunctionSum& sum = sums[self.function];
        sum.measured += static_cast<double>(self.ticks);
        sum.cost += self.cost_ticks;
        sum.least += least(self);
        sum.beyond += beyond(self);
    }
    Compensated result;
    result.self_ticks.reserve(measured.size());
    for (const MeasuredSelf& self : measured) {
        result.self_ticks.push_back(without_cost(self, sums[self.function]));
    }
    for (size_t function = 0; function < sums.size(); ++function) {
        const FunctionSum& sum = sums[function];
        result.cost_ticks += std::min(sum.cost, sum.most_cost());
        if (sum.cost > sum.most_cost()) {
            result.clamped.push_back(static_cast<uint32_t>(function));
        }
    }
    return result;
}

}  // namespace umbra::collector
