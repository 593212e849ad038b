// SPDX-License-Identifier: MIT
#include "src/replay/linear_clock.h"

#include <cmath>
#include <limits>

namespace umbra::replay {

LinearClock::LinearClock(uint64_t ticks0, double hz)
    : ticks0_(ticks0), ns_per_tick_(std::isfinite(hz) && hz > 0 ? 1e9 / hz : 1.0) {
}

double LinearClock::exact_ns(double ticks) const {
    return ticks * ns_per_tick_;
}

uint64_t LinearClock::duration_ns(uint64_t ticks) const {
    const double ns = static_cast<double>(ticks) * ns_per_tick_ + 0.5;
    constexpr double kTooMuch = 18446744073709549568.0;  // the last double below 2^64
    return ns < kTooMuch ? static_cast<uint64_t>(ns) : std::numeric_limits<uint64_t>::max();
}

}  // namespace umbra::replay
