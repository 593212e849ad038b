// SPDX-License-Identifier: MIT
#include "src/collector/live/estimation_cost.h"

#include <algorithm>
#include <utility>

namespace umbra::collector {

bool EstimationCost::end_window(Clock::time_point now, uint64_t cpu_ns, uint64_t events) {
    const std::chrono::nanoseconds length = now - std::exchange(begin_, now);
    const std::chrono::nanoseconds rest = std::exchange(rest_, {});
    const auto used = static_cast<double>(cpu_ns - std::exchange(cpu_ns_, cpu_ns));
    const uint64_t replayed = events - std::exchange(events_, events);
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
    const bool dear = clock_ns_ > 0 && busy >= kBusyShare && replayed >= kLeastEvents &&
                      kEstimatingShare * used > clock_ns_ * static_cast<double>(replayed);
    dear_windows_ = dear ? dear_windows_ + 1 : 0;
    if (dear_windows_ < kWindowsBefore) {
        return false;
    }
    too_dear_ = true;
    rested_ = {};
    return true;
}

}  // namespace umbra::collector
