// SPDX-License-Identifier: MIT
// The report as JSON, for scripts.
#include "src/cli/text/report_json.h"

#include <array>
#include <cstddef>
#include <utility>

#include <nlohmann/json.hpp>

#include "export/formats.h"
#include "src/cli/text/losses.h"
#include "src/profile/filter.h"
#include "src/profile/methods.h"
#include "src/profile/probe_doubt.h"

namespace umbra::cli {
namespace {

using Json = nlohmann::ordered_json;

Json runtimes_json(const profile::Profile& profile) {
    Json versions = Json::array();
    for (const profile::Runtime& runtime : profile.runtimes) {
        versions.push_back(runtime.version);
    }
    return versions;
}

Json pauses_json(const profile::Profile& profile) {
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

Json compilations_json(const profile::Profile& profile) {
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
        {"events", session.counts.events},
        {"wall_ns", session.wall_ns},
        {"clock", session.clock.source},
        {"mode", session.settings.mode},
        {"capture", session.capture},
        {"threads", profile::thread_count(profile)},
        {"waits", session.counts.waits},
        {"wait_ns", session.counts.wait_ns},
        {"inlining", session.settings.inlining},
        {"trivial", session.settings.trivial},
        {"trivial_methods", profile::trivial_methods(profile)},
        {"runtime", session.runtime},
        {"runtimes", runtimes_json(profile)},
        {"program", session.program},
        {"pid", session.pid},
        {"unfinished", sums.unfinished},
        {"repairs", sums.repairs},
        {"unmatched_leaves", sums.unmatched_leaves},
        {"decode_errors", sums.decode_errors},
        {"missed_hooks", session.probes.missed_hooks},
        {"probes", session.probes.kind},
        {"refused_methods", session.probes.refused_methods},
        {"runtime_async_methods", session.probes.runtime_async_methods},
        {"cpu_source", session.cpu.source},
        {"cpu_refusal", session.cpu.refusal},
        {"on_cpu_ns", session.cpu.on_ns},
        {"off_cpu_ns", session.cpu.off_ns},
        {"process_cpu_ns", session.cpu.process_ns},
        {"umbra_cpu_ns", session.cpu.collector_ns},
        {"umbra_delay_ns", session.cpu.collector_delay_ns},
        {"probe_inside_ns", session.probes.inside_ns},
        {"probe_outside_ns", session.probes.outside_ns},
        {"probe_cost_ns", sums.probe_cost_ns},
        {"clamped_functions", session.probes.clamped_functions},
        {"max_overhead_percent", session.settings.max_overhead_percent},
        {"deinstrumented_functions", session.probes.deinstrumented_functions},
        {"pauses", pauses_json(profile)},
        {"compilations", compilations_json(profile)},
    };
}

/// Times as the file has them, whatever is shown.
Json row(const profile::HotFunction& hot) {
    const profile::CallTimes& times = hot.stored;
    return {
        {"name", hot.name},
        {"module", hot.module},
        {"calls", times.calls},
        {"unfinished", times.unfinished},
        {"wall_total_ns", times.total_ns},
        {"wall_self_ns", times.self_ns},
        {"wall_mean_ns", hot.stored_mean_ns},
        {"wall_min_ns", times.min_ns},
        {"wall_max_ns", times.max_ns},
        {"wall_p50_ns", hot.percentiles.p50_ns},
        {"wall_p90_ns", hot.percentiles.p90_ns},
        {"wall_p99_ns", hot.percentiles.p99_ns},
        {"wall_total_raw_ns", times.raw.total_ns},
        {"wall_self_raw_ns", times.raw.self_ns},
        {"cpu_total_ns", times.cpu.total_ns},
        {"cpu_self_ns", times.cpu.self_ns},
        {"paused_total_ns", times.paused.total_ns},
        {"paused_self_ns", times.paused.self_ns},
        {"rough", profile::is_rough(times.self_ns, hot.self_doubt_ns)},
        {"deinstrumented", hot.deinstrumented},
        {"inlined_into", hot.inlined_into},
        {"runtime", hot.runtime},
        {"file", hot.function != nullptr ? hot.function->file : ""},
        {"line", hot.function != nullptr ? hot.function->line : 0},
    };
}

Json rows(const profile::HotList& list) {
    Json rows = Json::array();
    for (const profile::HotFunction& hot : list.functions) {
        rows.push_back(row(hot));
    }
    return rows;
}

Json rows(const std::vector<profile::TreeRow>& tree) {
    Json rows = Json::array();
    for (const profile::TreeRow& of_tree : tree) {
        Json one = {{"depth", of_tree.depth}};
        one.update(row(of_tree.hot));
        rows.push_back(std::move(one));
    }
    return rows;
}

/// What an argument is, and of which function.
Json argument(const profile::Profile& profile, const profile::Argument& of) {
    const bool known = of.function != profile::kNone;
    const profile::Function function = known ? profile.functions[of.function] : profile::Function();
    return {{"function", function.name},
            {"module", profile::module_name(profile, function)},
            {"argument", of.name},
            {"type", of.type}};
}

Json row(const profile::ArgumentValue& value) {
    return {
        {"value", value.value},
        {"rest", value.rest},
        {"calls", value.calls},
        {"unfinished", value.unfinished},
        {"wall_total_ns", value.total_ns},
        {"wall_mean_ns", profile::mean_ns(value)},
        {"wall_min_ns", value.min_ns},
        {"wall_max_ns", value.max_ns},
        {"wall_p50_ns", value.p50_ns},
        {"wall_p99_ns", value.p99_ns},
    };
}

Json row(const profile::AsyncRow& of) {
    const profile::AsyncMethod& method = *of.method;
    const profile::AsyncCounts& counts = method.counts;
    return {
        {"name", of.name},
        {"module", of.module},
        {"calls", counts.calls},
        {"results", counts.results},
        {"faults", counts.faults},
        {"cancelled", counts.cancelled},
        {"open", counts.open},
        {"unknown", counts.unknown},
        {"never_suspended", counts.never_suspended},
        {"before", counts.before},
        {"suspensions", counts.suspensions},
        {"wall_ns", counts.times.wall_ns},
        {"running_ns", counts.times.running_ns},
        {"children_ns", counts.times.children_ns},
        {"others_ns", counts.times.others_ns},
        {"outside_ns", counts.times.outside_ns},
        {"queued_ns", counts.times.queued_ns},
        {"wall_mean_ns", of.mean_ns},
        {"wall_min_ns", method.min_ns},
        {"wall_max_ns", method.max_ns},
        {"wall_p50_ns", method.p50_ns},
        {"wall_p90_ns", method.p90_ns},
        {"wall_p99_ns", method.p99_ns},
    };
}

/// One line of RFC 4180.
std::string csv_line(const Json& row) {
    std::string line;
    for (const Json& value : row) {
        line += line.empty() ? "" : ",";
        line += value.is_string()    ? formats::csv_text(value.get_ref<const std::string&>())
                : value.is_boolean() ? (value.get<bool>() ? "1" : "0")
                                     : value.dump();
    }
    return line + '\n';
}

/// `like`: a row with the columns of `rows`, which may be empty.
std::string csv(const Json& rows, const Json& like) {
    std::string out;
    for (const auto& column : like.items()) {
        out += (out.empty() ? "" : ",") + column.key();
    }
    out += '\n';
    for (const Json& row : rows) {
        out += csv_line(row);
    }
    return out;
}

std::string text(const Json& report) {
    return report.dump(2) + "\n";
}

}  // namespace

std::string report_json(const profile::Profile& profile, const profile::HotList& list) {
    constexpr std::array kRows = {"functions", "types", "namespaces", "modules",
                                  "threads"};  // as GroupBy has them
    return text({{"summary", summary(profile)},
                 {kRows.at(static_cast<std::size_t>(list.view.by)), rows(list)}});
}

std::string report_json(const profile::Profile& profile,
                        const std::vector<profile::Neighbours>& methods) {
    Json all = Json::array();
    for (const profile::Neighbours& one : methods) {
        const bool callers = one.direction == profile::Direction::kCallers;
        all.push_back(
            {{"method", row(one.method)}, {callers ? "callers" : "callees", rows(one.list)}});
    }
    return text({{"summary", summary(profile)}, {"methods", all}});
}

std::string report_json(const profile::Profile& profile,
                        const std::vector<profile::TreeRow>& tree) {
    return text({{"summary", summary(profile)}, {"tree", rows(tree)}});
}

std::string report_json(const profile::Profile& profile, const profile::ArgumentList& list) {
    Json arguments = Json::array();
    const auto add = [&](const profile::ArgumentCalls& calls) {
        const profile::Argument& of = *calls.argument;
        Json one = argument(profile, of);
        one["refusal"] = of.refusal.empty() ? Json() : Json(of.refusal);
        one["calls"] = of.calls;
        one["unfinished"] = calls.unfinished;
        one["values"] = of.values;
        one["wall_total_ns"] = calls.total_ns;
        one["by_value"] = Json::array();
        for (const profile::ArgumentValue& value : calls.values) {
            one["by_value"].push_back(row(value));
        }
        arguments.push_back(std::move(one));
    };
    for (const profile::ArgumentCalls& calls : list.told) {
        add(calls);
    }
    for (const profile::Argument* refused : list.refused) {
        add({.argument = refused, .values = {}});
    }
    return text({{"summary", summary(profile)}, {"arguments", arguments}});
}

std::string report_json(const profile::Profile& profile, const profile::EntryList& list) {
    const bool tests = list.label == profile::kTests;
    Json rows = Json::array();
    for (const profile::EntryRow& entry : list.rows) {
        Json one = row(entry.method);
        one[tests ? "framework" : "endpoint"] = entry.label;
        one["truncated_ns"] = entry.truncated_ns;
        one["below"] = Json::array();
        for (const profile::HotFunction& below : entry.below) {
            one["below"].push_back(row(below));
        }
        rows.push_back(std::move(one));
    }
    return text({{"summary", summary(profile)}, {tests ? "tests" : "endpoints", rows}});
}

std::string report_json(const profile::Profile& profile, const profile::AsyncList& list) {
    const profile::AsyncFacts& facts = profile.session.async;
    Json methods = Json::array();
    for (const profile::AsyncRow& of : list.rows) {
        Json one = row(of);
        one["awaits"] = Json::array();
        for (const profile::AsyncAwait& await : of.awaits) {
            one["awaits"].push_back({{"name", await.name},
                                     {"how", await.how},
                                     {"times", await.times},
                                     {"total_ns", await.total_ns}});
        }
        methods.push_back(std::move(one));
    }
    Json blocked = Json::array();
    for (const profile::BlockedRow& of : list.blocked) {
        blocked.push_back({{"name", of.name},
                           {"awaited", of.awaited},
                           {"times", of.times},
                           {"total_ns", of.total_ns}});
    }
    return text({{"summary", summary(profile)},
                 {"followed", facts.followed},
                 {"lost_calls", facts.lost_calls},
                 {"lost_facts", facts.lost_facts},
                 {"clashes", facts.clashes},
                 {"async", methods},
                 {"blocked", blocked}});
}

std::string report_csv(const profile::AsyncList& list) {
    Json rows = Json::array();
    for (const profile::AsyncRow& of : list.rows) {
        rows.push_back(row(of));
    }
    const profile::AsyncMethod none;
    return csv(rows, row({.method = &none, .name = {}, .module = {}}));
}

std::string report_csv(const profile::EntryList& list) {
    const bool tests = list.label == profile::kTests;
    const auto line = [&](const profile::EntryRow& entry, const profile::HotFunction& of) {
        Json one = tests ? Json{{"test", entry.method.name}} : Json{{"endpoint", entry.label}};
        one.update(row(of));
        return one;
    };
    Json rows = Json::array();
    for (const profile::EntryRow& entry : list.rows) {
        rows.push_back(line(entry, entry.method));
        for (const profile::HotFunction& below : entry.below) {
            rows.push_back(line(entry, below));
        }
    }
    return csv(rows, line({}, {}));
}

std::string report_json(const profile::Profile& profile,
                        const std::vector<profile::SlowMethodCalls>& methods) {
    const auto name_of = [&](profile::Row function) {
        return function == profile::kNone ? Json() : Json(profile.functions[function].name);
    };
    Json all = Json::array();
    for (const profile::SlowMethodCalls& method : methods) {
        Json calls = Json::array();
        for (const profile::SlowCallRows& rows : method.calls) {
            const profile::SlowCall& call = *rows.call;
            Json slices = Json::array();
            for (const profile::SlowRow& row : rows.rows) {
                slices.push_back({{"depth", row.depth},
                                  {"kind", row.slice->kind},
                                  {"name", row.name},
                                  {"function", name_of(row.slice->function)},
                                  {"start_ns", row.slice->start_ns},
                                  {"duration_ns", row.slice->duration_ns},
                                  {"self_ns", row.self_ns},
                                  {"usual_ns", row.usual_ns},
                                  {"calls", row.slice->calls}});
                if (row.slice->thread != profile::kNone) {
                    slices.back()["thread"] =
                        profile::thread_label(profile.threads[row.slice->thread]);
                }
            }
            calls.push_back({{"thread", profile::thread_label(profile.threads[call.thread])},
                             {"caller", rows.caller.empty() ? Json() : Json(rows.caller)},
                             {"unfinished", call.unfinished},
                             {"start_ns", call.start_ns},
                             {"duration_ns", call.duration_ns},
                             {"probes_ns", call.probes_ns},
                             {"waited_ns", call.waited_ns},
                             {"wall_ns", call.wall_ns},
                             {"off_cpu_ns", call.off_cpu_ns},
                             {"cpu_ns", call.cpu_ns},
                             {"paused_ns", call.paused_ns},
                             {"paused_for", profile::pauses_in(profile, call)},
                             {"compiling_ns", call.compiling_ns},
                             {"calls", call.calls},
                             {"merged_calls", call.merged_calls},
                             {"slices", std::move(slices)}});
            if (call.is_async()) {
                calls.back()["outcome"] = call.outcome;
                calls.back()["running_ns"] = call.running_ns;
                calls.back()["awaiting_ns"] = call.awaiting_ns;
                calls.back()["queued_ns"] = call.queued_ns;
            }
        }
        all.push_back({{"name", method.name.empty() ? Json() : Json(method.name)},
                       {"request", method.method->request},
                       {"by", profile.session.settings.slowest_by},
                       {"compared", method.method->calls},
                       {"kept", method.method->kept},
                       {"lost", method.method->lost},
                       {"mean_ns", method.mean_ns},
                       {"calls", std::move(calls)}});
    }
    return text({{"summary", summary(profile)}, {"slowest", all}});
}

std::string report_csv(const profile::Profile& profile, const profile::ArgumentList& list) {
    const auto line = [&](const profile::Argument& of, const profile::ArgumentValue& value) {
        Json one = argument(profile, of);
        one.update(row(value));
        return one;
    };
    Json rows = Json::array();
    for (const profile::ArgumentCalls& calls : list.told) {
        for (const profile::ArgumentValue& value : calls.values) {
            rows.push_back(line(*calls.argument, value));
        }
    }
    return csv(rows, line({}, {}));
}

std::string report_csv(const profile::HotList& list) {
    return csv(rows(list), row(profile::HotFunction()));
}

std::string report_csv(const std::vector<profile::Neighbours>& methods) {
    const auto line = [](const profile::HotFunction& method, const profile::HotFunction& of) {
        Json one = {{"method", method.name}};
        one.update(row(of));
        return one;
    };
    Json lines = Json::array();
    for (const profile::Neighbours& one : methods) {
        for (const profile::HotFunction& neighbour : one.list.functions) {
            lines.push_back(line(one.method, neighbour));
        }
    }
    return csv(lines, line({}, {}));
}

std::string report_csv(const std::vector<profile::TreeRow>& tree) {
    return csv(rows(tree), rows(std::vector<profile::TreeRow>(1))[0]);
}

}  // namespace umbra::cli
