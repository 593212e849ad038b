// SPDX-License-Identifier: MIT
#include "src/cli/text/diff_text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "src/cli/terminal/name_text.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/profile/probe_doubt.h"

namespace umbra::cli {
namespace {

using Json = nlohmann::ordered_json;
using profile::FunctionChange;
using profile::Verdict;

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
    TableColumns<FunctionChange> columns(rows);
    const auto add_number = [&](const char* heading, const char* change_heading,
                                const auto& number_of, const auto& text) {
        columns.add(heading, true, [&](const FunctionChange& row) {
            const bool gone = row.verdict == Verdict::kGone;
            return text(number_of(gone ? row.before : row.after),
                        gone ? row.before_doubts : row.after_doubts);
        });
        columns.add(change_heading, true, [&](const FunctionChange& row) {
            return one_sided(row) ? "" : change(number_of(row.before), number_of(row.after));
        });
    };
    using profile::CallTimes;
    using profile::Doubts;
    const auto add_time = [&](const char* heading, const char* change_heading, const auto& time_of,
                              double Doubts::*doubt) {
        add_number(heading, change_heading, time_of, [=](uint64_t ns, const Doubts& doubts) {
            return aligned_duration(ns, doubts.*doubt);
        });
    };
    columns.add("verdict", false, [](const FunctionChange& row) {
        return std::string(profile::verdict_name(row.verdict));
    });
    add_time(
        "self ", "+self", [](const CallTimes& times) { return times.self_ns; }, &Doubts::self_ns);
    if (cpu) {
        add_time(
            "cpu ", "+cpu", [](const CallTimes& times) { return times.cpu.self_ns; },
            &Doubts::self_ns);
    }
    add_time(
        "total ", "+total", [](const CallTimes& times) { return times.total_ns; },
        &Doubts::total_ns);
    // What one call awaits beside the calls that it has made, where that is the reason.
    const auto by_awaiting = [](const FunctionChange& row) {
        return row.verdict != Verdict::kSame && row.self.real &&
               row.self.by == profile::JudgedBy::kAsyncWall;
    };
    if (std::ranges::any_of(rows, by_awaiting)) {
        columns.add("awaits ", true, [&](const FunctionChange& row) {
            return row.after_async.calls == 0 ? "" : aligned_duration(row.after_async.awaiting_ns);
        });
        columns.add("+awaits", true, [&](const FunctionChange& row) {
            return by_awaiting(row)
                       ? change(row.before_async.awaiting_ns, row.after_async.awaiting_ns)
                       : "";
        });
    }
    add_number(
        "calls", "+calls", [](const CallTimes& times) { return times.calls; },
        [](uint64_t calls, const Doubts&) { return count(calls); });
    return columns.take();
}

/// Headings, and a line a row; the column `judged` is in the colour of the row's verdict.
std::string lines_of(const std::vector<FunctionChange>& rows,
                     const std::vector<TextColumn>& columns, std::string_view judged,
                     const TextStyle& style) {
    const std::size_t room = names_room(total_columns(columns), style);
    std::string out = coloured(headings_of(columns) + "name", kBold, style) + '\n';
    for (std::size_t row = 0; row < rows.size(); ++row) {
        out += cells_of(columns, row, style, [&](const TextColumn& column) {
            return column.heading == judged ? verdict_colour(rows[row].verdict)
                                            : std::string_view();
        });
        out += shortened_name(rows[row].name, room) + '\n';
    }
    return out;
}

std::string table(const profile::Diff& diff, std::size_t top, const TextStyle& style) {
    constexpr std::array<std::string_view, 4> kLeastTelling = {"calls", "cpu ", "total ", "+total"};
    const std::size_t shown = std::min(diff.changed, top);
    const std::vector<FunctionChange> rows(
        diff.functions.begin(), diff.functions.begin() + static_cast<std::ptrdiff_t>(shown));
    std::vector<TextColumn> columns = columns_of(rows, diff.has_cpu);
    make_room(columns, kLeastTelling, style.columns);
    std::string out = lines_of(rows, columns, "verdict", style);
    if (diff.changed > shown) {
        out += coloured(fmt::format("and {}; --top shows more",
                                    count(diff.changed - shown, "more change", "more changes")),
                        kDim, style) +
               '\n';
    }
    return out;
}

/// Own time as it was judged, CPU time where all have it.
uint64_t own_ns(const profile::CallTimes& times, bool cpu) {
    return cpu ? times.cpu.self_ns : times.self_ns;
}

/// "slower", or that it is no more than noise as far as one run a side tells.
std::string sureness(const FunctionChange& row, bool cpu) {
    if (row.verdict != Verdict::kSame) {
        return std::string(profile::verdict_name(row.verdict));
    }
    return own_ns(row.before, cpu) == own_ns(row.after, cpu) && row.before.calls == row.after.calls
               ? "same"
               : "may be noise";
}

/// The largest methods of both sides, old beside new, whatever is thought of the difference.
std::string largest_table(const profile::Diff& diff, const TextStyle& style) {
    constexpr std::size_t kRows = 10;
    constexpr std::array<std::string_view, 2> kLeastTelling = {"calls", "+calls"};
    const bool cpu = diff.has_cpu;
    const auto largest = [cpu](const FunctionChange& row) {
        return std::max(own_ns(row.before, cpu), own_ns(row.after, cpu));
    };
    std::vector<FunctionChange> rows = diff.functions;
    std::ranges::stable_sort(rows, std::greater<>(), largest);
    rows.resize(std::min(rows.size(), kRows));
    TableColumns<FunctionChange> made(rows);
    const auto time = [cpu](const profile::CallTimes& times, const profile::Doubts& doubts) {
        return times.calls == 0 ? "-  " : aligned_duration(own_ns(times, cpu), doubts.self_ns);
    };
    made.add("old ", true,
             [&](const FunctionChange& row) { return time(row.before, row.before_doubts); });
    made.add("new ", true,
             [&](const FunctionChange& row) { return time(row.after, row.after_doubts); });
    made.add("change", true, [cpu](const FunctionChange& row) {
        return change(own_ns(row.before, cpu), own_ns(row.after, cpu));
    });
    made.add("calls", true, [](const FunctionChange& row) { return count(row.after.calls); });
    made.add("+calls", true,
             [](const FunctionChange& row) { return change(row.before.calls, row.after.calls); });
    made.add("more than noise?", false,
             [cpu](const FunctionChange& row) { return sureness(row, cpu); });
    std::vector<TextColumn> columns = made.take();
    make_room(columns, kLeastTelling, style.columns);
    return fmt::format("The largest methods, by their own {} time:\n\n", cpu ? "CPU" : "wall") +
           lines_of(rows, columns, "more than noise?", style);
}

std::string profile_line(const char* which, const profile::Session& session,
                         const std::string& file, const TextStyle& style) {
    const std::string program = session.program.empty() ? "(unnamed)" : one_line(session.program);
    return fmt::format("{}  {}  {}, pid {}, {}  {}\n", coloured(which, kDim, style), program,
                       one_line(session.runtime), session.pid, duration(session.wall_ns),
                       one_line(file));
}

std::string runs_text(const profile::Sides& sides) {
    return sides.freedom() == 0
               ? "one a side: how runs of one version differ is not known, so only large changes "
                 "are "
                 "named"
               : fmt::format(
                     "{} of OLD, {} of NEW: a change is more than they differ among "
                     "themselves",
                     sides.before, sides.after);
}

std::string noise_text(const profile::Diff& diff) {
    const profile::Noise& noise = diff.noise;
    std::string text = fmt::format("{:.1f}% of {} time from run to run, ", 100 * noise.typical,
                                   diff.has_cpu ? "CPU" : "wall");
    text += noise.from == 0 ? "in part assumed: too few functions to measure it on"
                            : "measured on " + count(noise.from, "function", "functions");
    if (noise.inflation > 1.05) {
        text += fmt::format("; {:.1f} times that between the sides", noise.inflation);
    }
    return text + (diff.calls_judged ? "" : "; calls depend on chance: not judged");
}

std::string wait_text(const profile::Diff& diff) {
    return fmt::format("{:.0f}% with waits; slices of {} lost to other threads",
                       100 * diff.waiting.typical,
                       duration(static_cast<uint64_t>(std::min(diff.slice_ns, 1e18))));
}

std::string await_text(const profile::Diff& diff) {
    return fmt::format(
        "{:.0f}% of what a call awaits itself, {}", 100 * diff.awaiting.typical,
        diff.awaiting.from == 0
            ? "in part assumed"
            : "measured on " + count(diff.awaiting.from, "async function", "async functions"));
}

/// "in Acme.Cart.Add(Item), 278 ms, a change from 4.1% upwards would be named"
std::string detectable_text(const profile::Diff& diff) {
    constexpr double kNothingDetectable = 10;  // beyond, how much does not matter
    const double relative = diff.detectable.relative;
    const std::string where =
        fmt::format("in {}, {}", shortened_name(diff.detectable.name, kLegibleName),
                    duration(static_cast<uint64_t>(std::min(diff.detectable.time_ns, 1e18))));
    if (!(relative < kNothingDetectable)) {
        return where + ", not even ten times as much would be found: the runs differ too much";
    }
    return fmt::format("{}, changes from {:.{}f}% upwards are found", where, 100 * relative,
                       relative < 0.1 ? 1 : 0);
}

/// What of the runs differs in a way that makes them no runs of one program, measured alike.
std::vector<std::string> differences(const std::vector<const profile::Session*>& sessions) {
    std::vector<std::string> found;
    const profile::Session& first = *sessions.front();
    const auto any = [&](const char* text, auto differs) {
        if (std::ranges::any_of(
                sessions, [&](const profile::Session* other) { return differs(first, *other); })) {
            found.emplace_back(text);
        }
    };
    using profile::Session;
    any("different programs",
        [](const Session& a, const Session& b) { return a.program != b.program; });
    any("different methods were timed", [](const Session& a, const Session& b) {
        return a.settings.include != b.settings.include || a.settings.also != b.settings.also ||
               a.settings.exclude != b.settings.exclude || a.settings.mode != b.settings.mode;
    });
    any("inlining was on in some only", [](const Session& a, const Session& b) {
        return a.settings.inlining != b.settings.inlining;
    });
    any("trivial methods were timed in some only", [](const Session& a, const Session& b) {
        return a.settings.trivial != b.settings.trivial;
    });
    any("async calls were followed in some only",
        [](const Session& a, const Session& b) { return a.async.followed != b.async.followed; });
    any("the clock was read differently",
        [](const Session& a, const Session& b) { return a.clock.source != b.clock.source; });
    return found;
}

/// What a run lacks to be whole; empty: nothing.
std::string lack_of(const profile::Session& session) {
    std::vector<std::string> lacks;
    if (session.ended.starts_with("signal ")) {
        lacks.push_back("was killed: " + one_line(session.ended));
    }
    if (session.losses.events() > 0) {
        lacks.emplace_back("has lost events");
    }
    if (!session.complete) {
        lacks.emplace_back("is not complete");
    }
    return fmt::format("{}", fmt::join(lacks, ", "));
}

/// What stands against comparing these at all.
std::vector<std::string> doubts(const Compared& compared) {
    std::vector<const profile::Session*> sessions;
    for (const Side* side : {&compared.before, &compared.after}) {
        for (const profile::Run& run : side->runs) {
            sessions.push_back(&run.session);
        }
    }
    std::vector<std::string> doubts = differences(sessions);
    for (const auto& [side, name] :
         {std::pair(&compared.before, "OLD"), std::pair(&compared.after, "NEW")}) {
        for (std::size_t run = 0; run < side->runs.size(); ++run) {
            const profile::Session& session = side->runs[run].session;
            const std::string which = side->runs.size() == 1 ? name : one_line(side->files[run]);
            if (profile::is_sampled(session)) {
                doubts.push_back(which + " is sampled: its times are estimates");
            }
            if (const std::string lack = lack_of(session); !lack.empty()) {
                doubts.push_back(fmt::format("{} {}", which, lack));
            }
            if (session.probes.deinstrumented_functions > 0) {
                doubts.push_back(which + " has de-instrumented functions");
            }
        }
    }
    return doubts;
}

Json side(const profile::CallTimes& times, const profile::Doubts& doubts,
          const profile::AsyncMeans& whole) {
    Json side = {{"calls", times.calls},
                 {"wall_total_ns", times.total_ns},
                 {"wall_self_ns", times.self_ns},
                 {"cpu_total_ns", times.cpu.total_ns},
                 {"cpu_self_ns", times.cpu.self_ns},
                 {"rough", profile::is_rough(times.self_ns, doubts.self_ns)}};
    if (whole.calls > 0) {
        side["async_call"] = {{"wall_ns", whole.wall_ns}, {"awaiting_ns", whole.awaiting_ns}};
    }
    return side;
}

Json of_time(const profile::TimeChange& change) {
    return {{"by", profile::judged_by_name(change.by)},
            {"relative", change.relative},
            {"error_ns", change.error_ns},
            {"deviations", change.deviations},
            {"chance", change.chance},
            {"changed", change.real}};
}

Json of_noise(const profile::Diff& diff) {
    return {{"of", diff.has_cpu ? "cpu" : "wall"},
            {"typical", diff.noise.typical},
            {"inflation", diff.noise.inflation},
            {"functions", diff.noise.from},
            {"typical_with_waits", diff.waiting.typical},
            {"typical_of_awaits", diff.awaiting.typical},
            {"async_functions", diff.async_judged},
            {"slice_ns", diff.slice_ns},
            {"common", diff.common},
            {"common_functions", diff.common_from},
            {"calls_judged", diff.calls_judged}};
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

Json of_files(const Side& side) {
    Json files = Json::array();
    for (std::size_t run = 0; run < side.runs.size(); ++run) {
        files.push_back(of_file(side.runs[run].session, side.files[run]));
    }
    return files;
}

std::string profile_lines(const char* which, const Side& side, const TextStyle& style) {
    std::string lines;
    for (std::size_t run = 0; run < side.runs.size(); ++run) {
        lines += profile_line(which, side.runs[run].session, side.files[run], style);
    }
    return lines;
}

}  // namespace

std::vector<std::string> broken_runs(const Compared& compared) {
    std::vector<std::string> broken;
    for (const Side* side : {&compared.before, &compared.after}) {
        for (std::size_t run = 0; run < side->runs.size(); ++run) {
            if (const std::string lack = lack_of(side->runs[run].session); !lack.empty()) {
                broken.push_back(one_line(side->files[run]) + " " + lack);
            }
        }
    }
    return broken;
}

std::vector<Fact> diff_facts(const Compared& compared, const profile::Diff& diff) {
    const auto both =
        static_cast<std::size_t>(std::ranges::count_if(diff.functions, &FunctionChange::in_both));
    const bool weak = diff.sides.freedom() == 0;
    std::vector<Fact> facts = {
        {"compared",
         {fmt::format(
             "{} of both{}", count(both, "function", "functions"),
             compared.which.pauses ? "" : "; pauses and compilation are left out of the times")}},
        {"runs", {runs_text(diff.sides)}, weak ? kYellow : std::string_view()}};
    if (weak) {
        facts.push_back({"", {"three runs a side tell more: umbra diff OLD... --against NEW..."}});
    }
    facts.push_back({"noise", {noise_text(diff)}});
    if (diff.has_cpu) {
        facts.push_back({"", {wait_text(diff)}});
    }
    if (diff.async_judged > 0) {
        facts.push_back({"", {await_text(diff)}});
    }
    if (!compared.how.absolute && diff.common_from > 0) {
        facts.push_back(
            {"shift",
             {fmt::format("{:+.1f}% of {} time in all methods: taken for the machine's, not judged",
                          100 * diff.common, diff.has_cpu ? "CPU" : "wall")}});
    }
    if (!diff.detectable.name.empty()) {
        facts.push_back({"detectable", {detectable_text(diff)}});
    }
    facts.push_back(
        {"judged",
         {fmt::format("by chance, {:.0f}% at most of what is named; not below {:.3g}% of the time "
                      "of all functions",
                      100 * profile::kFalseDiscoveries, compared.how.min_percent)}});
    const std::vector<std::string> found = doubts(compared);
    if (!found.empty()) {
        facts.push_back({"doubts", {fmt::format("{}", fmt::join(found, ", "))}, kYellow});
    }
    return facts;
}

std::string diff_text(const Compared& compared, const profile::Diff& diff, std::size_t top,
                      const TextStyle& style) {
    std::string out = profile_lines("old", compared.before, style) +
                      profile_lines("new", compared.after, style) + '\n';
    out += diff.changed == 0 ? "No function changed by more than runs of the same program differ.\n"
                             : table(diff, top, style);
    out += '\n';
    // How runs of one version differ is not known: who looks at it may know.
    if (diff.sides.freedom() == 0 && !diff.functions.empty()) {
        out += largest_table(diff, style) + '\n';
    }
    for (const Fact& fact : diff_facts(compared, diff)) {
        out += fact_text(fact, style);
    }
    return out;
}

std::string diff_json(const Compared& compared, const profile::Diff& diff) {
    Json functions = Json::array();
    for (const FunctionChange& function : diff.functions) {
        functions.push_back(
            {{"name", function.name},
             {"module", function.module},
             {"verdict", profile::verdict_name(function.verdict)},
             {"old", side(function.before, function.before_doubts, function.before_async)},
             {"new", side(function.after, function.after_doubts, function.after_async)},
             {"self", of_time(function.self)},
             {"total", of_time(function.total)}});
    }
    const Json report = {{"old", of_files(compared.before)},
                         {"new", of_files(compared.after)},
                         {"changed", diff.changed},
                         {"false_discovery_rate", profile::kFalseDiscoveries},
                         {"worst_increase", profile::worst_increase(diff)},
                         {"noise", of_noise(diff)},
                         {"detectable",
                          {{"function", diff.detectable.name},
                           {"time_ns", diff.detectable.time_ns},
                           {"relative", diff.detectable.relative}}},
                         {"functions", functions}};
    // File names are any bytes.
    return report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace umbra::cli
