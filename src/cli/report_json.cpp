// SPDX-License-Identifier: MIT
// The report as JSON, for scripts.
#include "src/cli/report_json.h"

#include <nlohmann/json.hpp>

#include "src/cli/losses.h"

namespace umbra::cli {
namespace {

using Json = nlohmann::ordered_json;

Json pauses(const profile::Profile& profile) {
    const profile::PauseSums all = profile::all_pauses(profile);
    Json reasons = Json::array();
    for (const profile::PauseSums& sums : profile::pauses_by_reason(profile)) {
        reasons.push_back({{"reason", sums.reason},
                           {"count", sums.count},
                           {"total_ns", sums.total_ns},
                           {"longest_ns", sums.longest_ns}});
    }
    return {{"count", all.count},
            {"total_ns", all.total_ns},
            {"longest_ns", all.longest_ns},
            {"by_reason", reasons}};
}

Json compilations(const profile::Profile& profile) {
    const profile::CompilationSums sums = profile::compilation_sums(profile);
    return {{"count", sums.count},
            {"total_ns", sums.total_ns},
            {"background_count", sums.background_count},
            {"background_ns", sums.background_ns}};
}

Json summary(const profile::Profile& profile) {
    const profile::Session& session = profile.session;
    const profile::Sums sums = profile::sums(profile);
    Json lost = Json::object();
    for (const Loss& loss : losses(session)) {
        lost[std::string(loss.reason)] = loss.count;
    }
    return {
        {"complete", session.complete},
        {"ended", session.ended},
        {"lost_events", session.losses.events()},
        {"lost", lost},
        {"events", session.events},
        {"wall_ns", session.wall_ns},
        {"clock", session.clock},
        {"clocking", session.clocking},
        {"timed_events", session.timed_events},
        {"mode", session.mode},
        {"threads", profile.threads.size()},
        {"waits", session.waits},
        {"wait_ns", session.wait_ns},
        {"inlining", session.inlining},
        {"runtime", session.runtime},
        {"program", session.program},
        {"pid", session.pid},
        {"unfinished", sums.unfinished},
        {"repairs", sums.repairs},
        {"unmatched_leaves", sums.unmatched_leaves},
        {"decode_errors", sums.decode_errors},
        {"missed_hooks", session.missed_hooks},
        {"cpu_source", session.cpu_source},
        {"cpu_refusal", session.cpu_refusal},
        {"on_cpu_ns", session.on_cpu_ns},
        {"off_cpu_ns", session.off_cpu_ns},
        {"process_cpu_ns", session.process_cpu_ns},
        {"probe_timed_inside_ns", session.probe_timed_inside_ns},
        {"probe_timed_outside_ns", session.probe_timed_outside_ns},
        {"probe_untimed_ns", session.probe_untimed_ns},
        {"probe_error_ns", session.probe_error_ns},
        {"probe_cost_ns", sums.probe_cost_ns},
        {"clamped_functions", session.clamped_functions},
        {"max_overhead_percent", session.max_overhead_percent},
        {"limited_functions", session.limited_functions},
        {"pauses", pauses(profile)},
        {"compilations", compilations(profile)},
    };
}

}  // namespace

std::string report_json(const profile::Profile& profile, const profile::HotList& list) {
    Json functions = Json::array();
    for (const profile::HotFunction& hot : list.functions) {
        const profile::Function& function = *hot.function;
        const profile::CallTimes& times = function.times;
        functions.push_back({
            {"name", hot.name},
            {"module", hot.module},
            {"calls", times.calls},
            {"unfinished", times.unfinished},
            {"wall_total_ns", times.total_ns},
            {"wall_self_ns", times.self_ns},
            {"wall_min_ns", times.min_ns},
            {"wall_max_ns", times.max_ns},
            {"wall_total_raw_ns", times.raw.total_ns},
            {"wall_self_raw_ns", times.raw.self_ns},
            {"cpu_total_ns", times.cpu.total_ns},
            {"cpu_self_ns", times.cpu.self_ns},
            {"paused_total_ns", times.paused.total_ns},
            {"paused_self_ns", times.paused.self_ns},
            {"wall_total_error_ns", function.total_error_ns},
            {"wall_self_error_ns", function.self_error_ns},
            {"clocked_share", function.clocked_share},
            {"limited", function.limited},
        });
    }
    const Json report = {{"summary", summary(profile)}, {"functions", functions}};
    return report.dump(2) + "\n";
}

}  // namespace umbra::cli
