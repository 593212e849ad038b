// SPDX-License-Identifier: MIT
#include "src/cli/text/report_text.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "src/cli/terminal/name_text.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/profile/methods.h"

namespace umbra::cli {
namespace {

using profile::HotFunction;
using profile::HotList;
using profile::Neighbours;
using profile::Profile;
using profile::Session;
using profile::TreeRow;

/// The times of the method whose callers or callees are shown.
std::string method_line(const Session& session, const Neighbours& neighbours,
                        const TextStyle& style) {
    const HotFunction& method = neighbours.method;
    std::string facts =
        fmt::format("{}, total {}, self {}",
                    profile::is_sampled(session) ? count(method.times.calls, "sample", "samples")
                                                 : count(method.times.calls, "call", "calls"),
                    duration(method.times.total_ns), duration(method.times.self_ns));
    if (profile::has_cpu_times(session)) {
        facts += ", cpu " + duration(method.times.cpu.self_ns);
    }
    const bool callers = neighbours.direction == profile::Direction::kCallers;
    const std::string name = one_line(method.name);
    const std::string place =
        method.function != nullptr && method.function->line != 0
            ? fmt::format("{}:{}\n", one_line(method.function->file), method.function->line)
            : "";
    return fmt::format("{} {}\n{}{}{}\n", callers ? "callers of" : "callees of",
                       coloured(name, kBold, style), place, facts,
                       callers ? "; below, its times by caller" : "");
}

}  // namespace

std::string trivial_text(const Profile& profile, const profile::Filter& filter) {
    const std::string text =
        profile::trivial_among(profile, profile::taken_functions(profile, filter));
    return text.empty() ? "" : one_line(text) + '\n';
}

std::string report_header(const Session& session, const TextStyle& style) {
    std::vector<std::string> facts;
    if (!session.runtime.empty()) {
        facts.push_back(one_line(session.runtime));
    }
    facts.push_back(fmt::format("pid {}", session.pid));
    const std::string program = session.program.empty() ? "(unnamed)" : one_line(session.program);
    return fmt::format("{}  {}\n", coloured(program, kBold, style), fmt::join(facts, ", "));
}

std::string nothing_called(const Profile& profile) {
    const Session& session = profile.session;
    if (profile::is_sampled(session)) {
        return "No sample met managed code.\n";
    }
    if (session.capture) {
        const auto inlined = std::ranges::find_if(
            profile.functions,
            [](const profile::Function& function) { return !function.inlined_into.empty(); });
        return "No call of a timed method was seen while the process was timed. Did it have work\n"
               "to do, do the patterns fit? " +
               (inlined == profile.functions.end()
                    ? std::string("Calls may have been inlined into code made at run time.\n")
                    : fmt::format("{} was inlined into {}.\n", one_line(inlined->name),
                                  one_line(inlined->inlined_into)));
    }
    const profile::Settings& settings = session.settings;
    if (settings.include.empty() && settings.exclude.empty()) {
        return "No method of the program's own was called. It has ended before, or has trivial\n"
               "methods alone: 'umbra run --trivial' times these, '--framework' those of the\n"
               "framework.\n";
    }
    return "No timed method was called. Do the patterns fit? 'umbra info' shows what was\n"
           "asked for.\n";
}

std::string report_text(const Profile& profile, const HotList& list, const TextStyle& style,
                        bool percentiles) {
    std::string out = report_header(profile.session, style) + '\n';
    if (!list.functions.empty()) {
        out += hot_table(profile.session, list, style, percentiles);
    } else if (list.view.filter.any_method() && list.view.filter.threads.empty()) {
        out += nothing_called(profile);
    } else {
        out += "No function that was called fits the filters.\n";
    }
    if (list.functions.empty() && !list.view.filter.include.empty()) {
        out += trivial_text(profile, list.view.filter);
    }
    return out + '\n' + report_footer(profile, list.view, style);
}

std::string report_text(const Profile& profile, const std::vector<Neighbours>& methods,
                        const profile::View& view, const TextStyle& style) {
    std::string out = report_header(profile.session, style) + '\n';
    for (const Neighbours& one : methods) {
        out += method_line(profile.session, one, style) + '\n';
        out += one.list.functions.empty() ? "None.\n"
                                          : hot_table(profile.session, one.list, style, false);
        out += '\n';
    }
    return out + report_footer(profile, view, style);
}

std::string report_text(const Profile& profile, const std::vector<TreeRow>& rows,
                        const profile::View& view, const profile::TreeLimits& limits,
                        const TextStyle& style) {
    std::string out = report_header(profile.session, style) + '\n';
    out += rows.empty() ? "No path of calls is within the limits.\n"
                        : tree_table(profile.session, rows, style);
    if (view.fold && !rows.empty() && !profile.async_methods.empty()) {
        out +=
            coloured("Async methods with their time on threads; --async has what they waited for\n",
                     kDim, style);
    }
    std::size_t left_out = 0;
    for (const TreeRow& row : rows) {
        left_out += row.left_out;
    }
    if (left_out > 0) {
        out +=
            coloured(fmt::format(
                         "{} below {:.3g}% or deeper than {} levels left out, with all below them; "
                         "--min and --depth show more",
                         count(left_out, "path", "paths"), limits.min_percent, limits.depth),
                     kDim, style) +
            '\n';
    }
    return out + '\n' + report_footer(profile, view, style);
}

}  // namespace umbra::cli
