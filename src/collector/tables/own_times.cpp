// SPDX-License-Identifier: MIT
// Probes and waits first, then time off the processors, then pauses: each out of what is left.
#include "src/collector/tables/own_times.h"

#include "src/collector/tables/compensation.h"

namespace umbra::collector {
namespace {

using replay::Deduction;

/// Takes `cost(row)` ticks out of each of `ticks`, which goes with `calls`; see compensate().
Compensated take_out(const std::vector<Calls>& calls, const std::vector<uint64_t>& ticks,
                     const LeastTime& least, const auto& cost) {
    std::vector<MeasuredSelf> measured;
    measured.reserve(calls.size());
    for (size_t index = 0; index < calls.size(); ++index) {
        measured.push_back({.function = calls[index].function,
                            .ticks = ticks[index],
                            .cost_ticks = cost(calls[index]),
                            .least_ticks = least.ticks(calls[index].calls)});
    }
    return compensate(measured);
}

}  // namespace

Own::Own(const std::vector<Calls>& calls, const LeastTime& least) : rows(calls.size()) {
    std::vector<uint64_t> raw;
    raw.reserve(calls.size());
    for (const Calls& row : calls) {
        raw.push_back(replay::ticks_of(row.self));
    }
    const auto cost = [](const Calls& row) { return replay::cost_of(row.self); };
    const auto off_cpu = [](const Calls& row) {
        return static_cast<double>(row.deduction.off_cpu_ticks);
    };
    const auto paused = [](const Calls& row) {
        return static_cast<double>(row.deduction.paused_ticks);
    };
    // What has run was on a processor, and not stopped, for a moment.
    const Compensated net = take_out(calls, raw, least, cost);
    const Compensated cpu = take_out(calls, net.self_ticks, least, off_cpu);
    const Compensated not_paused = take_out(calls, net.self_ticks, least, paused);
    clamped_functions = net.clamped.size();
    for (size_t index = 0; index < calls.size(); ++index) {
        const uint64_t left = net.self_ticks[index];
        rows[index] = {.calls = calls[index].calls,
                       .unfinished = calls[index].unfinished,
                       .min_ticks = calls[index].min_ticks,
                       .max_ticks = calls[index].max_ticks,
                       .self = {.raw = raw[index],
                                .net = left,
                                .cpu = cpu.self_ticks[index],
                                .paused = left - not_paused.self_ticks[index]},
                       .total = {}};
    }
}

Calls calls_of(uint32_t function, const replay::GoneCalls& sum, const Deduction& deduction) {
    return {.function = function,
            .calls = sum.calls,
            .min_ticks = sum.min_ticks,
            .max_ticks = sum.max_ticks,
            .self = sum.self,
            .deduction = deduction};
}

Measure inclusive(replay::Lanes time, const Deduction& deduction, const Measure& self) {
    const uint64_t raw = replay::ticks_of(time);
    const auto cost = static_cast<uint64_t>(replay::cost_of(time));
    Measure left{.raw = raw, .net = raw - std::min(raw, cost)};
    left.net = std::max(left.net, self.net);
    left.cpu = std::max(left.net - std::min(left.net, deduction.off_cpu_ticks), self.cpu);
    const uint64_t most_paused = left.net - (self.net - self.paused);
    left.paused = std::clamp(deduction.paused_ticks, self.paused, most_paused);
    return left;
}

}  // namespace umbra::collector
