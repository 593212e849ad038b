// SPDX-License-Identifier: MIT
// Probes and waits first, then time off the processors, then pauses: each out of what is left.
#include "src/collector/tables/own_times.h"

namespace umbra::collector {
namespace {

using replay::Deduction;

MeasuredSelf probes(const Calls& row, uint64_t least) {
    return {.function = row.function,
            .ticks = replay::ticks_of(row.self),
            .cost_ticks = replay::cost_of(row.self),
            .least_ticks = least};
}

/// Of the `net` ticks of a row, some of them to be taken out.
MeasuredSelf part(const Calls& row, uint64_t net, uint64_t ticks, uint64_t least) {
    return {.function = row.function,
            .ticks = net,
            .cost_ticks = static_cast<double>(ticks),
            .least_ticks = least};
}

}  // namespace

void OwnTimes::measure(const Calls& row) {
    net_.add(probes(row, least_.ticks(row.calls)));
}

void OwnTimes::take_out_probes(const Calls& row) {
    // What has run was on a processor, and not stopped, for a moment.
    const uint64_t least = least_.ticks(row.calls);
    const uint64_t net = net_.take_out(probes(row, least));
    cpu_.add(part(row, net, row.deduction.off_cpu_ticks, least));
    not_paused_.add(part(row, net, row.deduction.paused_ticks, least));
}

Sum OwnTimes::own(const Calls& row) {
    const uint64_t least = least_.ticks(row.calls);
    const uint64_t net = net_.take_out(probes(row, least));
    const uint64_t not_paused =
        not_paused_.take_out(part(row, net, row.deduction.paused_ticks, least));
    return {.calls = row.calls,
            .unfinished = row.unfinished,
            .min_ticks = row.min_ticks,
            .max_ticks = row.max_ticks,
            .self = {.raw = replay::ticks_of(row.self),
                     .net = net,
                     .cpu = cpu_.take_out(part(row, net, row.deduction.off_cpu_ticks, least)),
                     .paused = net - not_paused},
            .total = {}};
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
