// SPDX-License-Identifier: MIT
#include "src/collector/tables/rounded_times.h"

#include <algorithm>

namespace umbra::collector {

uint64_t rounded_back(float extreme, uint64_t all) {
    constexpr double kRounding = 1e-7;
    constexpr double kTooMuch = 18446744073709551616.0;  // 2^64
    const double ticks{extreme};
    const auto most = static_cast<double>(all);
    if (!(ticks >= 0 && ticks < kTooMuch)) {
        return all;
    }
    return ticks > most && ticks <= most * (1 + kRounding) + 1 ? all : static_cast<uint64_t>(ticks);
}

void fit_extremes(profile::CallTimes& times) {
    if (times.calls == 0) {
        return;
    }
    const uint64_t mean = times.total_ns / times.calls;
    const uint64_t least = std::min<uint64_t>(mean, 1);  // 0: shorter than the clock's tick
    if (times.max_ns > times.total_ns && times.max_ns <= times.raw.total_ns + 1) {
        times.max_ns = times.total_ns;
    }
    const uint64_t mean_rounded_up = mean + (times.total_ns % times.calls != 0 ? 1 : 0);
    times.max_ns = std::max({times.max_ns, mean_rounded_up, least});
    if (times.min_ns > mean && times.min_ns <= times.raw.total_ns / times.calls + 1) {
        times.min_ns = mean;
    }
    times.min_ns = times.calls == 1 ? times.max_ns : std::clamp(times.min_ns, least, times.max_ns);
}

void fit_parts(profile::CallTimes& times) {
    for (profile::Span* part : {&times.cpu, &times.paused}) {
        part->self_ns = std::min(part->self_ns, times.self_ns);
        part->total_ns = std::clamp(part->total_ns, part->self_ns, times.total_ns);
    }
}

}  // namespace umbra::collector
