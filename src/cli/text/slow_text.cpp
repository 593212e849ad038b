// SPDX-License-Identifier: MIT
#include "src/cli/text/slow_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "src/cli/terminal/name_text.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/cli/text/report_text.h"
#include "src/profile/filter.h"

namespace umbra::cli {
namespace {

using profile::Profile;
using profile::SlowCall;
using profile::SlowCallRows;
using profile::SlowMethodCalls;
using profile::SlowRow;
using profile::SlowSlice;

bool is_call(const SlowRow& row) {
    return row.slice->kind == SlowSlice::kCall;
}

std::vector<TextColumn> columns_of(const std::vector<SlowRow>& rows) {
    TableColumns<SlowRow> columns(rows);
    columns.add("wall ", true,
                [](const SlowRow& row) { return aligned_duration(row.slice->duration_ns); });
    columns.add("self ", true, [](const SlowRow& row) {
        return is_call(row) ? aligned_duration(row.self_ns) : "";
    });
    columns.add("usual ", true, [](const SlowRow& row) {
        return is_call(row) ? aligned_duration(row.usual_ns) : "";
    });
    if (std::ranges::any_of(rows, [](const SlowRow& row) { return row.slice->calls != 1; })) {
        columns.add("calls", true, [](const SlowRow& row) {
            return row.slice->calls == 1 ? "" : count(row.slice->calls);
        });
    }
    return columns.take();
}

/// Without the stretches on threads in which nothing else is known: they are in the self time.
std::vector<SlowRow> telling(const std::vector<SlowRow>& rows) {
    std::vector<SlowRow> out;
    for (std::size_t at = 0; at < rows.size(); ++at) {
        const bool holds_others = at + 1 < rows.size() && rows[at + 1].depth > rows[at].depth;
        if (rows[at].slice->kind != SlowSlice::kRunning || holds_others) {
            out.push_back(rows[at]);
        }
    }
    return out;
}

std::string table(const SlowCallRows& calls, const TextStyle& style) {
    constexpr std::array<std::string_view, 2> kLeastTelling = {"self ", "usual "};
    const std::vector<SlowRow> rows = telling(calls.rows);
    std::vector<TextColumn> columns = columns_of(rows);
    make_room(columns, kLeastTelling, style.columns);
    const std::size_t room = names_room(total_columns(columns), style);
    std::string out = coloured(headings_of(columns) + "name", kBold, style) + '\n';
    for (std::size_t number = 0; number < rows.size(); ++number) {
        const SlowRow& row = rows[number];
        out += cells_of(columns, number);
        const std::size_t indent = path_indent(row.depth, room, style);
        const std::string name = shortened_name(row.name, room - indent);
        out += std::string(indent, ' ') +
               coloured(name, is_call(row) ? std::string_view() : kDim, style) + '\n';
    }
    if (calls.left_out != 0) {
        out += coloured(fmt::format("and {}, the shortest; --json has them all\n",
                                    count(calls.left_out, "more slice", "more slices")),
                        kDim, style);
    }
    return out;
}

/// "compiling 3 methods"; without the number where not all have slices.
std::string compiling(const SlowCallRows& calls) {
    return calls.compiled < profile::kMostIntervals
               ? "compiling " + count(calls.compiled, "method", "methods")
               : "compiling";
}

/// "running on 2 threads"
std::string running(const SlowCallRows& calls) {
    std::set<profile::Row> threads;
    for (const SlowRow& row : calls.rows) {
        if (row.slice->kind == SlowSlice::kRunning && row.slice->thread != profile::kNone) {
            threads.insert(row.slice->thread);
        }
    }
    return threads.size() < 2 ? "running" : "running on " + count(threads.size()) + " threads";
}

/// What the thread did, and what of the record is missing.
std::vector<std::string> facts(const Profile& profile, const SlowCallRows& calls) {
    const SlowCall& call = *calls.call;
    std::vector<std::string> parts;
    const auto add = [&](uint64_t ns, std::string_view what) {
        if (ns != 0) {
            parts.push_back(duration(ns) + ' ' + std::string(what));
        }
    };
    if (call.is_async()) {
        add(call.running_ns, running(calls));
        add(call.awaiting_ns, "awaiting");
        add(call.queued_ns, "queued");
    } else if (profile.session.cpu.source == "perf") {
        add(call.cpu_ns, "on a processor");
        add(call.off_cpu_ns, "off");
    }
    std::string reasons;
    for (const std::string& reason : profile::pauses_in(profile, call)) {
        reasons += (reasons.empty() ? " (" : ", ") + one_line(reason);
    }
    add(call.paused_ns, "paused" + reasons + (reasons.empty() ? "" : ")"));
    add(call.compiling_ns, compiling(calls));
    add(call.waited_ns, "waiting for umbra");
    add(call.probes_ns, "of probes");
    parts.push_back(count(call.calls, "call in it", "calls in it"));
    if (call.merged_calls != 0) {
        parts.push_back(count(call.merged_calls) + " of them merged");
    }
    return parts;
}

std::string call_text(const Profile& profile, const SlowCallRows& calls, const TextStyle& style) {
    const SlowCall& call = *calls.call;
    std::string head =
        fmt::format("{}  at {} {} {}{}", duration(call.wall_ns), duration(call.start_ns),
                    call.is_async() ? "begun in" : "in",
                    one_line(profile::thread_label(profile.threads[call.thread])),
                    calls.caller.empty() ? "" : ", called by " + one_line(calls.caller));
    head += call.unfinished               ? "; still running at the end"
            : call.outcome == "exception" ? "; ended with an exception"
            : call.outcome == "cancelled" ? "; cancelled"
                                          : "";
    return fmt::format("{}\n{}\n", coloured(head, kBold, style),
                       fmt::join(wrapped(facts(profile, calls), style.columns), "\n")) +
           table(calls, style) + '\n';
}

std::string_view ranked_by(const Profile& profile, const SlowMethodCalls& method) {
    const std::string& by = profile.session.settings.slowest_by;
    const bool async = !method.calls.empty() && method.calls.front().call->is_async();
    return by == "wall"  ? "wall time"
           : async       ? "time on threads"
           : by == "cpu" ? "CPU time"
                         : "wall time";
}

std::string method_text(const Profile& profile, const SlowMethodCalls& method,
                        const TextStyle& style) {
    if (method.name.empty()) {
        return coloured(fmt::format("no method with probes was called that '{}' matches\n\n",
                                    one_line(method.method->request)),
                        kYellow, style);
    }
    std::string out =
        coloured(one_line(method.name), kBold, style) +
        fmt::format("  {} of {} by {}, mean {}\n",
                    method.calls.size() == 1 ? std::string("the slowest")
                                             : "the " + count(method.calls.size()) + " slowest",
                    count(method.method->calls, "call", "calls"), ranked_by(profile, method),
                    duration(method.mean_ns));
    if (method.method->lost != 0) {
        out += coloured(count(method.method->lost, "call was", "calls were") +
                            " not kept: there are too many methods\n",
                        kYellow, style);
    }
    out += '\n';
    for (const SlowCallRows& call : method.calls) {
        out += call_text(profile, call, style);
    }
    return out;
}

}  // namespace

std::string report_text(const Profile& profile, const std::vector<SlowMethodCalls>& methods,
                        const profile::View& view, const TextStyle& style) {
    std::string out = report_header(profile.session, style) + '\n';
    if (profile.slow_methods.empty()) {
        out +=
            "No slow calls were recorded. umbra run --slowest 'Type.Method=10' keeps the course "
            "of\n"
            "the slowest calls of a method.\n\n";
    } else if (methods.empty()) {
        out += "No method whose slowest calls were kept fits the filters.\n" +
               trivial_text(profile, view.filter) + '\n';
    }
    if (profile.session.settings.slowest_by == "wall for cpu") {
        out += coloured(
            "Slow by wall time: the CPU time of single calls is known from context switches alone\n"
            "(cpu_source perf).\n\n",
            kYellow, style);
    }
    for (const SlowMethodCalls& method : methods) {
        out += method_text(profile, method, style);
    }
    return out + report_footer(profile, view, style);
}

}  // namespace umbra::cli
