// SPDX-License-Identifier: MIT
#include "src/collector/tables/row_times.h"

#include <algorithm>

#include "src/collector/tables/rounded_times.h"

namespace umbra::collector {

profile::CallTimes RowTimes::of(const Sum& sum) const {
    profile::CallTimes times;
    if (sum.calls != 0) {
        times.min_ns = ns(rounded_back(sum.min_ticks, sum.total.net));
        times.max_ns = ns(rounded_back(sum.max_ticks, sum.total.net));
    }
    times.calls = sum.calls;
    times.unfinished = sum.unfinished;
    times.total_ns = ns(sum.total.net);
    times.self_ns = ns(sum.self.net);
    times.raw = {.total_ns = ns(sum.total.raw), .self_ns = ns(sum.self.raw)};
    if (cpu_known_) {
        times.cpu = {.total_ns = ns(sum.total.cpu), .self_ns = ns(sum.self.cpu)};
    }
    times.paused = {.total_ns = ns(sum.total.paused), .self_ns = ns(sum.self.paused)};
    fit_extremes(times);
    return times;
}

profile::CallTimes RowTimes::of(const Sum& sum, RoundedSelf& rounded) const {
    profile::CallTimes times = of(sum);
    uint64_t most_ns = UINT64_MAX;
    const auto set = [&](uint64_t& total_ns, uint64_t& self_ns, RoundedSum& self_sum,
                         uint64_t total, uint64_t self) {
        self_ns = self_sum.add(self, clock_, most_ns);
        total_ns = total == self ? self_ns : std::max(total_ns, self_ns);
    };
    const Measure& total = sum.total;
    const Measure& self = sum.self;
    set(times.total_ns, times.self_ns, rounded.net, total.net, self.net);
    set(times.raw.total_ns, times.raw.self_ns, rounded.raw, total.raw, self.raw);
    most_ns = times.self_ns;
    set(times.paused.total_ns, times.paused.self_ns, rounded.paused, total.paused, self.paused);
    if (cpu_known_) {
        set(times.cpu.total_ns, times.cpu.self_ns, rounded.cpu, total.cpu, self.cpu);
    }
    fit_parts(times);
    fit_extremes(times);
    return times;
}

}  // namespace umbra::collector
