// SPDX-License-Identifier: MIT
// The page of a comparison: that of a profile with the times of NEW, and those of OLD beside them.
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "export/html.h"
#include "export/page_writer.h"
#include "src/profile/diff/diff.h"
#include "src/profile/diff/paths.h"
#include "src/profile/prune.h"

namespace umbra::html {
namespace {

using profile::CallNode;
using profile::CallTimes;
using profile::FunctionChange;
using profile::TimeChange;

void put_change(PageWriter& writer, const std::vector<FunctionChange>& functions,
                const std::string& prefix, TimeChange FunctionChange::*change) {
    const auto column = [&](const char* name, auto value) {
        writer.put_array(prefix + name, functions.size(),
                         [&](std::size_t row) { return value(functions[row].*change); });
    };
    column("by",
           [](const TimeChange& one) { return PageWriter::text(profile::judged_by_name(one.by)); });
    column("relative", [](const TimeChange& one) { return PageWriter::number(one.relative); });
    column("error_ns", [](const TimeChange& one) { return PageWriter::number(one.error_ns); });
    column("chance", [](const TimeChange& one) { return PageWriter::number(one.chance); });
}

/// By row of functions, those beyond the comparison left out.
void put_functions(PageWriter& writer, const std::vector<FunctionChange>& functions) {
    writer.put_array("verdict", functions.size(), [&](std::size_t row) {
        return PageWriter::text(profile::verdict_name(functions[row].verdict));
    });
    put_change(writer, functions, "self_", &FunctionChange::self);
    put_change(writer, functions, "total_", &FunctionChange::total);
    const auto column = [&](const char* name, auto value) {
        writer.put_array(name, functions.size(), [&](std::size_t row) {
            return std::to_string(value(functions[row].before));
        });
    };
    column("calls", [](const CallTimes& times) { return times.calls; });
    column("wall_total_ns", [](const CallTimes& times) { return times.total_ns; });
    column("wall_self_ns", [](const CallTimes& times) { return times.self_ns; });
    column("cpu_total_ns", [](const CallTimes& times) { return times.cpu.total_ns; });
    column("cpu_self_ns", [](const CallTimes& times) { return times.cpu.self_ns; });
}

/// OLD's times of each row of the call tree, and puts NEW's in the place of the sum.
void put_paths(PageWriter& writer, const std::vector<CallNode>& old_paths) {
    const auto column = [&](const char* name, auto value) {
        writer.put_array(name, old_paths.size(), [&](std::size_t row) {
            return std::to_string(value(old_paths[row].times));
        });
    };
    column("calls", profile::old_calls);
    column("wall_self_ns", profile::old_wall_ns);
    column("cpu_self_ns", profile::old_cpu_ns);
}

std::string runs_json(const std::vector<ComparedRun>& runs) {
    std::string json = "[";
    for (const ComparedRun& run : runs) {
        json += json.size() > 1 ? "," : "";
        json += fmt::format(
            R"({{"file":{},"after":{},"program":{},"runtime":{},"pid":{},"created_utc":{},)"
            R"("host":{},"wall_ns":{},"complete":{},"facts":{}}})",
            PageWriter::text(run.file), run.after, PageWriter::text(run.session.program),
            PageWriter::text(run.session.runtime), run.session.pid,
            PageWriter::text(run.session.created_utc), PageWriter::text(run.session.host),
            run.session.wall_ns, run.session.complete, PageWriter::facts(run.facts));
    }
    return json + "]";
}

}  // namespace

Status write_diff_page(profile::Profile merged, const profile::Diff& diff, const DiffExtras& extras,
                       Sink& out) {
    const std::size_t paths = merged.calltree.size();
    profile::keep_largest(merged, kMaxPaths);
    const std::vector<CallNode> both = merged.calltree;
    for (CallNode& node : merged.calltree) {
        node.times.self_ns = profile::new_wall_ns(node.times);
    }
    for (const ComparedRun& run : extras.runs) {
        if (run.after) {
            merged.session = run.session;
        }
    }
    if (!diff.has_cpu) {
        merged.session.cpu.source = "none";
    }
    const std::vector<OneCall> calls(merged.functions.size());
    return put_page(merged, out, [&](PageWriter& writer) {
        writer.put_session();
        writer.put_facts(extras.facts);
        writer.put_editor("");
        writer.put_whole({{"calltree", paths}, {"pauses", 0}, {"compilations", 0}});
        writer.put_object("diff", [&] {
            writer.put_value("runs", runs_json(extras.runs));
            writer.put_value("changed", std::to_string(diff.changed));
            writer.put_object("functions", [&] { put_functions(writer, diff.functions); });
            writer.put_object("paths", [&] { put_paths(writer, both); });
        });
        writer.put_tables(calls);
        writer.end();
    });
}

}  // namespace umbra::html
