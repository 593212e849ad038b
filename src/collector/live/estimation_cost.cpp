// SPDX-License-Identifier: MIT
#include "src/collector/live/estimation_cost.h"

#include <algorithm>
#include <utility>

namespace umbra::collector {

bool EstimationCost::end_window(Clock::time_point now, const Sums& sums) {
    const std::chrono::nanoseconds length = now - std::exchange(begin_, now);
    const std::chrono::nanoseconds rest = std::exchange(rest_, {});
    const Sums before = std::exchange(sums_, sums);
    const double replayed = sums.events - before.events;
    const double busy = 1 - static_cast<double>(rest.count()) / static_cast<double>(length.count());
    if (too_dear_) {
        rested_ = busy < kRestedShare ? rested_ + length : std::chrono::nanoseconds(0);
        if (rested_ < stay_) {
            return false;
        }
        too_dear_ = false;
        dear_windows_ = 0;
        stay_ = std::min<std::chrono::nanoseconds>(2 * stay_, kLongestStay);
        return true;
    }
    const double estimating_ns = kEstimatingShare * (sums.cpu_ns - before.cpu_ns);
    const double reading_ns = clock_ns_ * replayed - (sums.wait_ns - before.wait_ns);
    const bool dear = clock_ns_ > 0 && busy >= kBusyShare && replayed >= kLeastEvents &&
                      estimating_ns > reading_ns;
    dear_windows_ = dear ? dear_windows_ + 1 : 0;
    if (dear_windows_ < kWindowsBefore) {
        return false;
    }
    too_dear_ = true;
    rested_ = {};
    return true;
}

}  // namespace umbra::collector
