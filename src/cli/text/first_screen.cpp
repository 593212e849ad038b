// SPDX-License-Identifier: MIT
#include "src/cli/text/first_screen.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "src/base/command_line.h"
#include "src/cli/terminal/name_text.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/caveats.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/cli/text/report_text.h"
#include "src/cli/text/waits.h"
#include "src/profile/by_entry.h"
#include "src/profile/methods.h"
#include "src/profile/neighbours.h"
#include "src/profile/probe_load.h"
#include "src/profile/report.h"

namespace umbra::cli {
namespace {

using profile::HotFunction;
using profile::HotList;
using profile::Profile;
using profile::Row;
using profile::Session;
using profile::SortBy;

constexpr std::size_t kRows = 10;
constexpr std::size_t kLeastRows = 2;
constexpr std::size_t kBarColumns = 8;
constexpr std::size_t kNameColumns = 11;  // as fact_text() has them
constexpr double kOften = 10;             // calls for each of the only caller's
constexpr uint64_t kOftenEnough = 10;     // ... which has been called so often: else it is a loop
constexpr double kSlow = 2;               // times as long

std::string label(std::string_view name, const TextStyle& style) {
    return coloured(fmt::format("{:<{}}", name, kNameColumns), kDim, style);
}

/// "RateOf" of "TaxTable.RateOf(Order)": what people type.
std::string short_name(const profile::Function& function) {
    return function.method.empty() ? function.name
                                   : function.method.substr(0, function.method.find('<'));
}

/// "2.33 million calls", from ten millions on without digits behind the point.
std::string about(uint64_t number, const char* singular, const char* plural) {
    if (number < 1'000'000) {
        return count(number, singular, plural);
    }
    const bool is_billions = number >= 999'500'000;  // which would round up to 1,000 million
    const double value = static_cast<double>(number) / (is_billions ? 1e9 : 1e6);
    return fmt::format("{} {} {}",
                       value < 999.5 ? fmt::format("{:.3g}", value)
                                     : count(static_cast<uint64_t>(std::llround(value))),
                       is_billions ? "billion" : "million", plural);
}

/// For each method the only method that calls it, and how often it does.
class OnlyCallers {
  public:
    explicit OnlyCallers(const Profile& profile)
        : profile_(profile), methods_(profile::methods(profile, true)) {
        for (const profile::Edge& edge : profile.edges) {
            // A piece of an async method is no call of it.
            if (edge.times.calls == 0 || edge.callee == profile::kNone ||
                !methods_.counts_calls[edge.callee]) {
                continue;
            }
            const Row caller =
                edge.caller == profile::kNone ? profile::kNone : methods_.method_of[edge.caller];
            Found& found = by_callee_[methods_.method_of[edge.callee]];
            found.several |= found.calls > 0 && found.caller != caller;
            found.caller = caller;
            found.calls += edge.times.calls;
        }
    }

    /// "14 for each RateOf"; empty where nothing is to be said.
    [[nodiscard]] std::string note(const HotFunction& function) const {
        if (function.function == nullptr || profile::is_sampled(profile_.session)) {
            return "";
        }
        const auto row = static_cast<Row>(function.function - profile_.functions.data());
        const auto place = by_callee_.find(methods_.method_of[row]);
        if (place == by_callee_.end() || place->second.several ||
            place->second.caller == profile::kNone ||
            place->second.caller == methods_.method_of[row]) {
            return "";
        }
        const profile::Function& caller = profile_.functions[place->second.caller];
        if (profile::is_before_start(caller) || caller.times.calls == 0) {
            return "";
        }
        const double each =
            static_cast<double>(place->second.calls) / static_cast<double>(caller.times.calls);
        if (each < kOften || caller.times.calls < kOftenEnough) {
            return "";
        }
        return fmt::format("{} for each {}", count(static_cast<uint64_t>(std::lround(each))),
                           one_line(short_name(caller)));
    }

  private:
    struct Found {
        Row caller = profile::kNone;
        bool several = false;
        uint64_t calls = 0;
    };
    const Profile& profile_;
    profile::Methods methods_;
    std::unordered_map<Row, Found> by_callee_;
};

std::string bar(double percent) {
    const auto length =
        static_cast<std::size_t>(std::lround(percent / 100 * 3 * static_cast<double>(kBarColumns)));
    return std::string(std::min(length, kBarColumns), '#');
}

/// A line of figures about the program.
std::string head(const Profile& profile, const HotList& all_methods, const TextStyle& style) {
    const Session& session = profile.session;
    uint64_t calls = 0;
    for (const HotFunction& function : all_methods.functions) {
        calls += function.times.calls;
    }
    // Also of a method that has no row, as all its calls were inlined.
    const bool some_missing =
        std::ranges::any_of(profile.functions, [](const profile::Function& function) {
            return !function.inlined_into.empty() || function.deinstrumented;
        });
    std::string cpu;
    if (profile::has_cpu_times(session) && session.cpu.process_ns > 0) {
        cpu = duration(session.cpu.process_ns) + " of CPU";
    }
    const uint64_t threads = profile::thread_count(profile);
    std::string out = fmt::format("{}  {}{}{} on {}",
                                  session.program.empty() ? "(unnamed)" : one_line(session.program),
                                  duration(session.wall_ns), cpu.empty() ? "" : ", ", cpu,
                                  count(threads, "thread", "threads"));
    if (profile::is_sampled(session)) {
        return coloured(out + ", " + about(calls, "sample", "samples"), kBold, style) + '\n';
    }
    out += ", " + about(calls, "call", "calls");
    constexpr std::string_view kAll = ", all of them counted";
    const bool all = calls > 0 && session.complete && !some_missing &&
                     session.losses.events() + session.losses.no_function_slot == 0 &&
                     session.probes.refused_methods + session.probes.missed_hooks == 0 &&
                     width(out) + kAll.size() <= style.columns;
    return coloured(out, kBold, style) + (all ? std::string(kAll) : "") + '\n';
}

/// How long a call takes, from begin to end.
std::string each_cell(const HotFunction& function) {
    if (function.times.calls == 0) {
        return "-  ";
    }
    return aligned_duration(function.times.total_ns / function.times.calls,
                            function.total_doubt_ns / static_cast<double>(function.times.calls));
}

std::string methods_table(const Session& session, const HotList& list, const OnlyCallers& callers,
                          std::size_t rows, const TextStyle& style) {
    const bool cpu = list.view.sort == SortBy::kCpu;
    TextColumn self{cpu ? "CPU self " : "self ", true};
    TextColumn bars{"", false};
    TextColumn share{"", true};
    TextColumn total{"total ", true};
    TextColumn calls{std::string(calls_heading(session)), true};
    TextColumn each{"each ", true};
    const std::size_t shown = std::min(rows, list.functions.size());
    double rest = list.left_out_percent;
    for (std::size_t row = 0; row < list.functions.size(); ++row) {
        const HotFunction& function = list.functions[row];
        if (row >= shown) {
            rest += function.share_percent;
            continue;
        }
        self.add(aligned_duration(cpu ? function.times.cpu.self_ns : function.times.self_ns,
                                  function.self_doubt_ns));
        bars.add(bar(function.share_percent));
        share.add(fmt::format("{:.0f}%", function.share_percent));
        total.add(aligned_duration(function.times.total_ns, function.total_doubt_ns));
        calls.add(calls_cell(function));
        each.add(each_cell(function));
    }
    std::vector<TextColumn> columns = {self, bars, share, total, calls};
    if (!profile::is_sampled(session)) {
        columns.push_back(each);
    }
    constexpr std::array<std::string_view, 2> kLeastTelling = {"each ", ""};
    make_room(columns, kLeastTelling, style.columns);
    const std::size_t used = total_columns(columns) + 1;
    const std::size_t room = names_room(used, style);
    std::string out = coloured(" " + headings_of(columns) + "method", kBold, style) + '\n';
    for (std::size_t row = 0; row < shown; ++row) {
        const HotFunction& function = list.functions[row];
        std::string note = callers.note(function);
        // A name that must give way tells less than the note.
        const std::size_t name_room =
            note.empty() || room < kLegibleName + 2 + width(note) ? room : room - 2 - width(note);
        note = name_room == room ? "" : note;
        const std::string name = shortened_name(function.name, name_room);
        out += " " + cells_of(columns, row) + name;
        out += (note.empty() ? "" : "  " + coloured(note, kYellow, style)) + '\n';
    }
    const std::size_t more = list.left_out + list.functions.size() - shown;
    if (more > 0) {
        out += coloured(fmt::format(" and {} with {:.0f}% of the {}",
                                    count(more, "more method", "more methods"), rest,
                                    cpu ? "CPU time" : "self time"),
                        kDim, style) +
               '\n';
    }
    return out;
}

std::vector<std::string> wait_lines(const Profile& profile, const HotList& all,
                                    const TextStyle& style) {
    std::vector<std::string> lines;
    for (const Wait& wait : longest_waits(profile, all)) {
        const std::string time = fmt::format("{:>9}", aligned_duration(wait.ns));
        const std::string what =
            shortened_name(wait.what, names_room(kNameColumns + width(time) + 2, style));
        lines.push_back(
            fmt::format("{}{}  {}\n", label(lines.empty() ? "waits" : "", style), time, what));
    }
    return lines;
}

/// Of the methods that their only caller calls many times and that have no row, the program's own
/// before others, the one that is called most often; null where all of them are rare and short.
const HotFunction* most_often(const Profile& profile, const HotList& all,
                              const OnlyCallers& callers, std::size_t shown) {
    constexpr uint64_t kRare = 100;  // one in so many calls
    constexpr uint64_t kShort = 10;  // ... and less than one part in so many of the session
    uint64_t calls = 0;
    for (const HotFunction& function : all.functions) {
        calls += function.times.calls;
    }
    const std::string program = without_extension(profile.session.program);
    const auto rank = [&](const HotFunction& function) {
        return std::pair(without_extension(function.module) == program, function.times.calls);
    };
    const HotFunction* most = nullptr;
    for (std::size_t row = shown; row < all.functions.size(); ++row) {
        const HotFunction& function = all.functions[row];
        const bool tells = function.times.calls >= calls / kRare ||
                           function.times.total_ns >= profile.session.wall_ns / kShort;
        if (tells && (most == nullptr || rank(function) > rank(*most)) &&
            !callers.note(function).empty()) {
            most = &function;
        }
    }
    return most;
}

std::string often_line(const HotFunction& most, const OnlyCallers& callers,
                       const TextStyle& style) {
    const std::string note = callers.note(most);
    const std::string number = count(most.times.calls) + " ";
    const std::size_t used = kNameColumns + width(number) + 1 + width(note) + 2;
    return label("often", style) + number + shortened_name(most.name, names_room(used, style)) +
           "  " + coloured(note, kYellow, style) + '\n';
}

/// What to type so that this method is meant: "RateOf", "TaxTable.RateOf", or the whole name.
std::string asked_name(const Profile& profile, const HotFunction& asked) {
    const profile::Function& function = *asked.function;
    const auto row = static_cast<Row>(&function - profile.functions.data());
    const std::string qualified = profile::qualified_name(function);
    const std::size_t dot = qualified.rfind('.', qualified.rfind('.') - 1);
    for (const std::string& name : {short_name(function), qualified.substr(dot + 1)}) {
        const auto found = profile::find_methods(profile, name, true);
        if (found && std::ranges::any_of(*found, [row](const profile::MethodRows& functions) {
                return std::ranges::count(functions, row) > 0;
            })) {
            return name;
        }
    }
    return asked.name;
}

using Commands = std::vector<std::pair<std::string, std::string>>;  ///< what to type, what it shows

/// What shows more of a profile in which methods were called.
Commands next_commands(const Profile& profile, std::string_view report) {
    Commands commands;
    if (!profile.argument_values.empty()) {
        commands.emplace_back(fmt::format("{} --by-arg", report), "calls by what they were given");
    }
    if (!profile.slow_calls.empty()) {
        commands.emplace_back(fmt::format("{} --slowest", report), "what the slowest calls did");
    }
    if (profile::has_entries(profile, profile::kEndpoints)) {
        commands.emplace_back(fmt::format("{} --by endpoint", report), "what requests took");
    }
    if (!profile.async_methods.empty()) {
        commands.emplace_back(fmt::format("{} --async", report), "what async calls wait for");
    }
    return commands;
}

std::string next_lines(const Commands& commands, const TextStyle& style) {
    std::size_t columns = 0;
    std::size_t longest = 0;
    for (const auto& [command, what] : commands) {
        columns = std::max(columns, width(command));
        longest = std::max(longest, width(what));
    }
    const auto fits = [&](std::size_t command, std::size_t what) {
        return kNameColumns + command + 2 + what <= style.columns;
    };
    const bool aligned = fits(columns, longest);
    std::string out;
    for (const auto& [command, what] : commands) {
        out += label(out.empty() ? "next" : "", style) + command;
        if (fits(aligned ? columns : width(command), width(what))) {
            out += std::string(aligned ? columns - width(command) + 2 : 2, ' ') +
                   coloured(what, kDim, style);
        }
        out += '\n';
    }
    return out;
}

}  // namespace

std::string warnings(const Profile& profile, const TextStyle& style) {
    const Session& session = profile.session;
    std::string out;
    const auto warn = [&](std::vector<std::string> parts) {
        out += fact_text({"mind", std::move(parts), kRed}, style);
    };
    if (!session.complete) {
        warn({session.ended.empty()
                  ? std::string("the file is not complete: it ends at its last checkpoint")
                  : "the file is not complete: " + one_line(session.ended)});
    }
    const bool sampled = profile::is_sampled(session);
    std::vector<std::string> lost;
    if (const uint64_t events = session.losses.events(); events > 0) {
        lost.push_back(sampled ? count(events, "sample", "samples")
                               : count(events, "event", "events"));
        lost.back() += " lost";
    }
    if (const uint64_t functions = session.losses.no_function_slot; functions > 0) {
        lost.push_back(count(functions, "function", "functions") + " had no room");
    }
    if (!lost.empty()) {
        lost.emplace_back("calls and times are missing: --details says why");
        warn(std::move(lost));
    }
    if (sampled) {
        return out;
    }
    const profile::ProbeLoad load = profile::probe_load(profile);
    const double slow = load.slower;
    if (slow >= kSlow && session.settings.max_overhead_percent <= 0) {
        std::vector<std::string> parts = {fmt::format("timing made it about {:.1f}x slower", slow)};
        if (load.excludes.empty()) {
            parts.emplace_back("--max-overhead 20 takes out the probes that tell least");
        }
        for (const std::string& pattern : load.excludes) {
            parts.push_back("less with --exclude " + shell_word(one_line(pattern)));
        }
        warn(std::move(parts));
    }
    if (const uint64_t methods = session.probes.refused_methods; methods > 0) {
        warn({count(methods, "method", "methods") + " could not be timed",
              "their calls are missing"});
    }
    if (const uint64_t methods = session.probes.runtime_async_methods; methods > 0) {
        warn({count(methods, "runtime-async method", "runtime-async methods") + " timed",
              "calls there are pieces, from wait to wait"});
    }
    for (const Fact& fact : {stack_caveat(profile), lock_caveat(profile)}) {
        out += fact.parts.empty() ? "" : fact_text(fact, style);
    }
    return out;
}

std::string also_line(const Profile& profile, const TextStyle& style) {
    const Session& session = profile.session;
    std::vector<std::string> parts;
    uint64_t collections = 0;
    uint64_t collecting_ns = 0;
    for (const profile::PauseSums& sums : profile::pauses_by_reason(profile)) {
        if (sums.reason == "gc") {
            collections += sums.count;
            collecting_ns += sums.total_ns;
        }
    }
    if (collections > 0) {
        parts.push_back(fmt::format("GC {} ({})", duration(collecting_ns),
                                    count(collections, "pause", "pauses")));
    }
    const profile::CompilationSums compiled = profile::compilation_sums(profile);
    if (compiled.total_ns > compiled.background_ns) {
        parts.push_back("JIT " + duration(compiled.total_ns - compiled.background_ns) +
                        (session.capture ? " (timed methods are compiled anew)" : ""));
    }
    uint64_t exceptions = 0;
    for (const profile::ExceptionCount& thrown : profile.exceptions) {
        exceptions += thrown.count;
    }
    if (exceptions > 0) {
        parts.push_back(count(exceptions, "exception", "exceptions"));
    }
    std::size_t deinstrumented = 0;
    for (const profile::Function& function : profile.functions) {
        deinstrumented += function.deinstrumented ? 1 : 0;
    }
    if (deinstrumented > 0) {
        parts.push_back(count(deinstrumented, "method", "methods") +
                        " no longer timed (--max-overhead)");
    }
    const double slow = profile::is_sampled(session) ? 1 : profile::probe_load(profile).slower;
    constexpr double kWorthTelling = 1.05;
    if (slow >= kWorthTelling && slow < kSlow) {
        parts.push_back(fmt::format("timing made it about {:.1f}x slower", slow));
    } else if (!profile::is_sampled(session) && slow < kWorthTelling) {
        parts.emplace_back("timing cost less than 5%");
    }
    return parts.empty() ? "" : fact_text({"also", std::move(parts)}, style);
}

std::string first_screen(const Profile& profile, std::optional<std::string_view> file,
                         const TextStyle& style) {
    const bool cpu = profile::has_cpu_times(profile.session);
    const HotList all =
        profile::hot_list(profile, {.sort = cpu ? SortBy::kCpu : SortBy::kSelf,
                                    .top = std::numeric_limits<std::size_t>::max()});
    const std::string besides = also_line(profile, style) + warnings(profile, style);
    const std::vector<std::string> waits = wait_lines(profile, all, style);
    const OnlyCallers callers(profile);
    const std::string named = !file || file->empty() ? "" : " " + shell_word(one_line(*file));
    const std::string report = "umbra report" + named;
    Commands commands = all.functions.empty() ? Commands{} : next_commands(profile, report);
    const bool has_views = commands.size() > 1 || !profile.async_methods.empty();
    commands.insert(commands.begin(), {"umbra view" + named, "flame graph"});
    commands.emplace_back(report + " --details", "every column; how it was measured");
    const auto lines_of = [](const std::string& text) {
        return static_cast<std::size_t>(std::ranges::count(text, '\n'));
    };
    constexpr std::size_t kLines = 20;
    constexpr std::size_t kFixed = 6;  // head, headings, the rest, three blanks
    const std::size_t others = kFixed + waits.size() + lines_of(besides) + commands.size() + 1;
    std::size_t rows = std::clamp(kLines - std::min(kLines, others), kLeastRows, kRows);
    const HotFunction* often = most_often(profile, all, callers, rows);
    if (often != nullptr) {  // its line takes the place of a row
        rows = std::max(kLeastRows, rows - 1);
        often = most_often(profile, all, callers, rows);
    }
    const auto shown = std::span(all.functions).first(std::min(rows, all.functions.size()));
    const auto noted = std::ranges::find_if(
        shown, [&](const HotFunction& function) { return !callers.note(function).empty(); });
    const HotFunction* asked = noted != shown.end() ? &*noted : often;
    if (others + kLeastRows > kLines) {
        asked = nullptr;                         // there is no room for its line
    } else if (asked == nullptr && has_views) {  // a command less, a row more
        rows = std::min(kRows, rows + 1);
    } else if (asked == nullptr && !shown.empty()) {
        asked = &shown.front();
    }
    if (asked != nullptr) {
        commands.insert(commands.end() - 1,
                        {report + " --callers " + shell_word(one_line(asked_name(profile, *asked))),
                         "who calls it"});
    }
    std::string out = head(profile, all, style) + '\n';
    if (all.functions.empty()) {
        out += nothing_called(profile);
    } else {
        out += methods_table(profile.session, all, callers, rows, style);
    }
    out += '\n';
    out += often == nullptr ? "" : often_line(*often, callers, style);
    for (const std::string& line : waits) {
        out += line;
    }
    return out + besides + (file ? '\n' + next_lines(commands, style) : "");
}

}  // namespace umbra::cli
