// SPDX-License-Identifier: MIT
// Sums by function, then what each arc bears of them.
#include "src/collector/tables/compensation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace umbra::collector {
namespace {

double least(const MeasuredSelf& self) {
    return static_cast<double>(std::min(self.ticks, self.least_ticks));
}

double beyond(const MeasuredSelf& self) {
    return std::max(0.0, static_cast<double>(self.ticks) - self.cost_ticks - least(self));
}

}  // namespace

void Compensation::add(const MeasuredSelf& self) {
    if (sums_.size() <= self.function) {
        sums_.resize(size_t{self.function} + 1);
    }
    FunctionSum& sum = sums_[self.function];
    sum.measured += static_cast<double>(self.ticks);
    sum.cost += self.cost_ticks;
    sum.least += least(self);
    sum.beyond += beyond(self);
}

uint64_t Compensation::take_out(const MeasuredSelf& self) {
    FunctionSum& sum = sums_[self.function];
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

void Compensation::begin_again() {
    for (FunctionSum& sum : sums_) {
        sum.owed = 0;
    }
}

std::vector<uint32_t> Compensation::clamped() const {
    std::vector<uint32_t> functions;
    for (uint32_t function = 0; function < sums_.size(); ++function) {
        if (sums_[function].cost > sums_[function].most_cost()) {
            functions.push_back(function);
        }
    }
    return functions;
}

}  // namespace umbra::collector
