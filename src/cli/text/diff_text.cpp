// SPDX-License-Identifier: MIT
#include "src/cli/text/diff_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/profile/call_sums.h"

namespace umbra::cli {
namespace {

using Json = nlohmann::ordered_json;
using profile::FunctionChange;
using profile::RunNoise;
using profile::Verdict;

std::string_view verdict_text(Verdict verdict) {
    switch (verdict) {
        case Verdict::kSame:
            return "same";
        case Verdict::kSlower:
            return "slower";
        case Verdict::kFaster:
            return "faster";
        case Verdict::kSlowerBelow:
            return "slower below";
        case Verdict::kFasterBelow:
            return "faster below";
        case Verdict::kMoreCalls:
            return "more calls";
        case Verdict::kFewerCalls:
            return "fewer calls";
        case Verdict::kNew:
            return "new";
        case Verdict::kGone:
            return "gone";
    }
    return "";
}

std::string_view verdict_colour(Verdict verdict) {
    switch (verdict) {
        case Verdict::kSlower:
            return kRed;
        case Verdict::kSlowerBelow:
        case Verdict::kMoreCalls:
        case Verdict::kNew:
            return kYellow;
        default:
            return {};
    }
}

bool one_sided(const FunctionChange& function) {
    return function.verdict == Verdict::kNew || function.verdict == Verdict::kGone;
}

/// "+10.2%", "=" for less than 0.05 %; "-" where it cannot be said.
std::string change(uint64_t before, uint64_t after) {
    if (before == 0) {
        return after == 0 ? "=" : "-";
    }
    const double percent = 100 * (static_cast<double>(after) / static_cast<double>(before) - 1);
    return std::abs(percent) < 0.05 ? "="
                                    : fmt::format("{:+.{}f}%", percent, percent < 1000 ? 1 : 0);
}

std::vector<TextColumn> columns_of(const std::vector<FunctionChange>& rows, bool cpu) {
    std::vector<TextColumn> columns;
    const auto add = [&](const char* heading, bool right, const auto& cell_of) {
        TextColumn column{heading, right};
        for (const FunctionChange& row : rows) {
            column.add(cell_of(row));
        }
        columns.push_back(std::move(column));
    };
    const auto add_number = [&](const char* heading, const char* change_heading,
                                const auto& number_of, const auto& text) {
        add(heading, true, [&](const FunctionChange& row) {
            return text(
                number_of(row.verdict == Verdict::kGone ? row.before.times : row.after.times));
        });
        add(change_heading, true, [&](const FunctionChange& row) {
            return one_sided(row) ? ""
                                  : change(number_of(row.before.times), number_of(row.after.times));
        });
    };
    const auto add_time = [&](const char* heading, const char* change_heading,
                              const auto& time_of) {
        add_number(heading, change_heading, time_of, aligned_duration);
    };
    using profile::CallTimes;
    add("verdict", false,
        [](const FunctionChange& row) { return std::string(verdict_text(row.verdict)); });
    add_time("self ", "+self", [](const CallTimes& times) { return times.self_ns; });
    if (cpu) {
        add_time("cpu ", "+cpu", [](const CallTimes& times) { return times.cpu.self_ns; });
    }
    add_time("total ", "+total", [](const CallTimes& times) { return times.total_ns; });
    add_number(
        "calls", "+calls", [](const CallTimes& times) { return times.calls; },
        [](uint64_t calls) { return count(calls); });
    return columns;
}

std::string table(const profile::Diff& diff, std::size_t top, const TextStyle& style) {
    constexpr std::array<std::string_view, 4> kLeastTelling = {"calls", "cpu ", "total ", "+total"};
    const std::size_t shown = std::min(diff.changed, top);
    const std::vector<FunctionChange> rows(
        diff.functions.begin(), diff.functions.begin() + static_cast<std::ptrdiff_t>(shown));
    std::vector<TextColumn> columns = columns_of(rows, diff.has_cpu);
    make_room(columns, kLeastTelling, style.columns);
    const std::size_t room =
        std::max(kLegibleName / 2, style.columns - std::min(style.columns, total_columns(columns)));
    std::string heading;
    for (const TextColumn& column : columns) {
        heading += column.padded(column.heading);
        heading += kColumnGap;
    }
    std::string out = coloured(heading + "name", kBold, style) + '\n';
    for (std::size_t row = 0; row < rows.size(); ++row) {
        for (const TextColumn& column : columns) {
            const bool verdict = column.heading == "verdict";
            out +=
                coloured(column.padded(column.cells[row]),
                         verdict ? verdict_colour(rows[row].verdict) : std::string_view(), style);
            out += kColumnGap;
        }
        const std::string& name =
            rows[row].after.name.empty() ? rows[row].before.name : rows[row].after.name;
        out += shortened(one_line(name), room) + '\n';
    }
    if (diff.changed > shown) {
        out += coloured(fmt::format("and {}; --top shows more",
                                    count(diff.changed - shown, "more change", "more changes")),
                        kDim, style) +
               '\n';
    }
    return out;
}

std::string profile_line(const char* which, const profile::Session& session,
                         const std::string& file, const TextStyle& style) {
    const std::string program = session.program.empty() ? "(unnamed)" : one_line(session.program);
    return fmt::format("{}  {}  {}, pid {}, {}  {}\n", coloured(which, kDim, style), program,
                       one_line(session.runtime), session.pid, duration(session.wall_ns),
                       one_line(file));
}

std::string noise_text(const profile::Diff& diff) {
    const RunNoise& noise = diff.noise;
    const std::string text =
        fmt::format("{:.1f}% of {} time, ", 100 * noise.often, diff.has_cpu ? "CPU" : "wall");
    return text +
           (noise.from == 0 ? "assumed: too few functions to measure it on"
                            : "measured on " + count(noise.from, "function", "functions")) +
           (diff.calls_judged ? "" : "; calls depend on chance: not judged");
}

std::string wait_text(const profile::WaitNoise& noise) {
    return fmt::format("{:.0f}% of waits, slices of {} lost to other threads", 100 * noise.relative,
                       duration(static_cast<uint64_t>(std::min(noise.slice_ns, 1e18))));
}

/// What stands against comparing these two at all.
std::vector<std::string> doubts(const Compared& compared) {
    const profile::Session& before = compared.before.session;
    const profile::Session& after = compared.after.session;
    std::vector<std::string> doubts;
    if (before.program != after.program) {
        doubts.emplace_back("different programs");
    }
    if (before.settings.include != after.settings.include ||
        before.settings.exclude != after.settings.exclude ||
        before.settings.mode != after.settings.mode) {
        doubts.emplace_back("different methods were timed");
    }
    if (before.settings.inlining != after.settings.inlining) {
        doubts.emplace_back("inlining was on in one only");
    }
    if (before.settings.clocking != after.settings.clocking) {
        doubts.emplace_back("the clock was read differently");
    }
    for (const auto& [session, which] : {std::pair(&before, "OLD"), std::pair(&after, "NEW")}) {
        if (profile::is_sampled(*session)) {
            doubts.push_back(fmt::format("{} is sampled: its times are estimates", which));
        }
        if (session->losses.events() > 0) {
            doubts.push_back(fmt::format("{} has lost events", which));
        }
        if (!session->complete) {
            doubts.push_back(fmt::format("{} is not complete", which));
        }
        if (session->probes.limited_functions > 0) {
            doubts.push_back(fmt::format("{} has limited functions", which));
        }
    }
    return doubts;
}

std::string footer(const Compared& compared, const profile::Diff& diff,
                   const profile::DiffOptions& options, const TextStyle& style) {
    std::size_t both = 0;
    for (const FunctionChange& function : diff.functions) {
        if (was_seen(function.before.times) && was_seen(function.after.times)) {
            ++both;
        }
    }
    std::vector<Fact> facts = {
        {"compared",
         {fmt::format("{} of both{}", count(both, "function", "functions"),
                      options.pauses ? "" : "; pauses and compilation are left out of the times")}},
        {"noise", {noise_text(diff)}}};
    if (diff.has_cpu) {
        facts.push_back({"", {wait_text(diff.waiting)}});
    }
    if (!options.absolute && diff.noise.from > 0) {
        facts.push_back({"in common",
                         {fmt::format("{:+.1f}% of {} time: taken for the machine's, not judged",
                                      100 * diff.noise.common, diff.has_cpu ? "CPU" : "wall")}});
    }
    facts.push_back({"judged",
                     {fmt::format("changed is what exceeds {:.2g} standard errors and {:.3g}% of "
                                  "the time of all functions",
                                  diff.deviations, options.min_percent)}});
    const std::vector<std::string> found = doubts(compared);
    if (!found.empty()) {
        facts.push_back({"doubts", {fmt::format("{}", fmt::join(found, ", "))}, kYellow});
    }
    std::string out;
    for (const Fact& fact : facts) {
        out += fact_text(fact, style);
    }
    return out;
}

Json side(const profile::HotFunction& hot) {
    return {{"calls", hot.times.calls},
            {"wall_total_ns", hot.times.total_ns},
            {"wall_self_ns", hot.times.self_ns},
            {"cpu_total_ns", hot.times.cpu.total_ns},
            {"cpu_self_ns", hot.times.cpu.self_ns},
            {"wall_total_error_ns", hot.total_error_ns},
            {"wall_self_error_ns", hot.self_error_ns}};
}

Json of_time(const profile::TimeChange& change) {
    constexpr std::array<const char*, 3> kBy = {"wall", "cpu", "waiting"};
    return {{"by", kBy.at(static_cast<std::size_t>(change.by))},
            {"relative", change.relative},
            {"error_ns", change.error_ns},
            {"deviations", change.deviations}};
}

Json of_noise(const profile::Diff& diff) {
    return {{"of", diff.has_cpu ? "cpu" : "wall"},  {"often", diff.noise.often},
            {"seldom", diff.noise.seldom},          {"calls_judged", diff.calls_judged},
            {"common", diff.noise.common},          {"functions", diff.noise.from},
            {"waits", diff.waiting.relative},       {"slice_ns", diff.waiting.slice_ns},
            {"lost_old", diff.waiting.lost_before}, {"lost_new", diff.waiting.lost_after}};
}

Json of_file(const profile::Session& session, const std::string& file) {
    return {{"file", file},
            {"program", session.program},
            {"runtime", session.runtime},
            {"pid", session.pid},
            {"wall_ns", session.wall_ns},
            {"complete", session.complete},
            {"lost_events", session.losses.events()}};
}

}  // namespace

std::string diff_text(const Compared& compared, const profile::Diff& diff,
                      const profile::DiffOptions& options, std::size_t top,
                      const TextStyle& style) {
    std::string out = profile_line("old", compared.before.session, compared.before_file, style) +
                      profile_line("new", compared.after.session, compared.after_file, style) +
                      '\n';
    out += diff.changed == 0
               ? "No function changed by more than two runs of the same program differ.\n"
               : table(diff, top, style);
    return out + '\n' + footer(compared, diff, options, style);
}

std::string diff_json(const Compared& compared, const profile::Diff& diff) {
    Json functions = Json::array();
    for (const FunctionChange& function : diff.functions) {
        const bool gone = function.after.name.empty();
        functions.push_back({{"name", gone ? function.before.name : function.after.name},
                             {"module", gone ? function.before.module : function.after.module},
                             {"verdict", verdict_text(function.verdict)},
                             {"old", side(function.before)},
                             {"new", side(function.after)},
                             {"self", of_time(function.self)},
                             {"total", of_time(function.total)}});
    }
    const Json report = {{"old", of_file(compared.before.session, compared.before_file)},
                         {"new", of_file(compared.after.session, compared.after_file)},
                         {"changed", diff.changed},
                         {"deviations_of_a_change", diff.deviations},
                         {"worst_increase", profile::worst_increase(diff)},
                         {"noise", of_noise(diff)},
                         {"functions", functions}};
    // File names are any bytes.
    return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace umbra::cli
