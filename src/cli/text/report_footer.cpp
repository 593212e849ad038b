// SPDX-License-Identifier: MIT
#include "src/cli/text/report_footer.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "src/base/command_line.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/caveats.h"
#include "src/cli/text/first_screen.h"
#include "src/cli/text/losses.h"
#include "src/cli/text/sampled_footer.h"
#include "src/profile/filter.h"
#include "src/profile/methods.h"
#include "src/profile/probe_load.h"

namespace umbra::cli {
namespace {

using profile::Profile;
using profile::Session;
using profile::Sums;
using profile::View;

constexpr std::size_t kReasonsShown = 4;
constexpr double kDearPercent = 30;  // from here on a remedy is named
// The collector is told of where threads waited for it for a tenth of the wall time, and it for a
// processor for a tenth of its own.
constexpr uint64_t kWaitsThatMatter = 10;
constexpr uint64_t kDelaysThatMatter = 10;

Fact wall(const Session& session) {
    const std::string ended = session.ended.empty() ? "" : ": " + one_line(session.ended);
    return {"wall",
            {duration(session.wall_ns), (session.complete ? "complete" : "not complete") + ended},
            session.complete ? std::string_view() : kYellow};
}

/// What each of several has called.
Fact runtimes(const Profile& profile) {
    Fact fact = {"runtimes", {}};
    for (profile::Row row = 0; profile.runtimes.size() > 1 && row < profile.runtimes.size();
         ++row) {
        uint64_t methods = 0;
        uint64_t calls = 0;
        for (const profile::Function& function : profile.functions) {
            const bool called = function.runtime == row && function.times.calls > 0;
            methods += called ? 1 : 0;
            calls += called ? function.times.calls : 0;
        }
        fact.parts.push_back(
            fmt::format("{}: {} of {}", one_line(profile::runtime_label(profile, row)),
                        count(calls, "call", "calls"), count(methods, "method", "methods")));
    }
    return fact;
}

Fact lost(const Session& session) {
    Fact fact = {"lost", {}, kYellow};
    for (const Loss& loss : losses(session)) {
        if (loss.count > 0) {
            std::string reason(loss.reason);
            std::replace(reason.begin(), reason.end(), '_', ' ');
            fact.parts.push_back(
                fmt::format("{}: {} ({})", reason, count(loss.count), loss.meaning));
        }
    }
    return fact.parts.empty()
               ? Fact{"lost", {profile::is_sampled(session) ? "no samples" : "no events"}}
               : fact;
}

Fact waits(const Session& session, const View& view) {
    if (session.counts.waits == 0) {
        return {"waits", {"none"}};
    }
    return {"waits",
            {fmt::format("{} for umbra", count(session.counts.waits)),
             fmt::format("{} in all ({} the times)", duration(session.counts.wait_ns),
                         view.compensated ? "taken out of" : "left in")}};
}

/// No parts where threads hardly waited for it and lost nothing, or where it had the processors
/// that it wanted.
Fact collector(const Session& session) {
    const profile::CpuFacts& cpu = session.cpu;
    const bool kept_up = session.losses.ring_full == 0 &&
                         session.counts.wait_ns < session.wall_ns / kWaitsThatMatter;
    if (kept_up || cpu.collector_delay_ns < cpu.collector_ns / kDelaysThatMatter) {
        return {"keeping up", {}};
    }
    return {"keeping up",
            {"umbra was " + duration(cpu.collector_ns) + " on a processor",
             duration(cpu.collector_delay_ns) +
                 " waiting for one: with a processor more it would keep up better"},
            kYellow};
}

Fact mode(const Session& session) {
    Fact fact = {"mode", {one_line(session.settings.mode)}};
    if (session.capture) {
        fact.parts.emplace_back("a capture of a process that was running");
    }
    if (!session.settings.include.empty()) {
        fact.parts.push_back("include " + one_line(session.settings.include));
    }
    if (!session.settings.also.empty()) {
        fact.parts.push_back("also " + one_line(session.settings.also));
    }
    if (!session.settings.exclude.empty()) {
        fact.parts.push_back("exclude " + one_line(session.settings.exclude));
    }
    if (session.probes.kind == "il") {
        fact.parts.emplace_back(
            "probes in the IL: every call of the methods that have them is counted, all "
            "instantiations of a method in one row");
    } else {
        fact.parts.emplace_back(session.settings.inlining
                                    ? "inlining on: inlined calls are part of their caller"
                                    : "every call of the methods that have probes is counted");
    }
    return fact;
}

/// No parts where all that was selected is timed, or nothing was trivial.
Fact trivial(const Profile& profile) {
    const std::size_t methods = profile::trivial_methods(profile);
    return methods == 0 ? Fact{"trivial", {}}
                        : Fact{"trivial",
                               {count(methods, "method is part of its callers",
                                      "methods are part of their callers"),
                                "--trivial times them too"}};
}

/// No parts where nothing that is timed has been inlined.
Fact inlined(const Profile& profile) {
    constexpr std::size_t kShown = 3;
    Fact fact = {"inlined", {}, kYellow};
    std::size_t methods = 0;
    for (const profile::Function& function : profile.functions) {
        if (!function.inlined_into.empty() && ++methods <= kShown) {
            fact.parts.push_back(one_line(function.name + " into " + function.inlined_into));
        }
    }
    if (methods > kShown) {
        fact.parts.push_back(count(methods - kShown, "more method", "more methods"));
    }
    if (methods > 0) {
        fact.parts.emplace_back("calls there are missing (>=)");
    }
    return fact;
}

std::string off_a_steady_rate(const Session& session) {
    return session.clock.residual_ns < 1
               ? "less than 1 ns off a steady rate"
               : fmt::format("at most {:.3g} ns off a steady rate", session.clock.residual_ns);
}

Fact clock_used(const Session& session) {
    Fact fact = {"clock",
                 {fmt::format("{} at {:.6g} MHz", one_line(session.clock.source),
                              session.clock.ticks_hz / 1e6),
                  off_a_steady_rate(session)}};
    if (session.clock.resolution_ns > 1) {
        fact.parts.push_back(fmt::format("in steps of {:.3g} ns", session.clock.resolution_ns));
    }
    if (session.clock.source == "os") {
        fact.parts.emplace_back(
            "the system's, asked at each event: what that costs is part of the probes' cost");
    }
    return fact;
}

Fact add_refusal(const Session& session, Fact fact) {
    if (!session.cpu.refusal.empty()) {
        fact.parts.push_back(one_line(session.cpu.refusal));
    }
    return fact;
}

Fact processors(const Session& session) {
    if (!profile::has_cpu_times(session)) {
        Fact none = {"cpu", {"not measured: all times are wall times"}};
        return add_refusal(session, none);
    }
    Fact fact = {"cpu",
                 {fmt::format("{} on a processor in timed calls", duration(session.cpu.on_ns)),
                  fmt::format("{} off", duration(session.cpu.off_ns))}};
    if (session.cpu.process_ns > 0) {
        fact.parts.push_back(
            fmt::format("{} by the whole process", duration(session.cpu.process_ns)));
    }
    fact.parts.push_back("from " + one_line(session.cpu.source));
    return add_refusal(session, fact);
}

Fact probes(const Session& session, const Sums& sums, const View& view) {
    const double pair_ns = session.probes.inside_ns + session.probes.outside_ns;
    if (!(pair_ns > 0)) {
        return {"probes", {"their cost was not measured and is part of the times"}};
    }
    Fact fact = {"probes", {}};
    fact.parts.push_back(fmt::format("{:.1f} ns a call", pair_ns));
    fact.parts.push_back(fmt::format("{} {} the times", duration(sums.probe_cost_ns),
                                     view.compensated ? "taken out of" : "left in"));
    if (view.compensated) {
        fact.parts.emplace_back("~ marks times of less than ten times what they took in them");
    }
    if (session.probes.clamped_functions > 0 && view.compensated) {
        fact.parts.push_back("self time of " +
                             count(session.probes.clamped_functions, "function", "functions") +
                             " left with 1 ns a call");
    }
    return fact;
}

/// No parts where the probes cost little, or there is a budget.
Fact cost(const Profile& profile) {
    Fact fact = {"cost", {}, kYellow};
    const Session& session = profile.session;
    const profile::ProbeLoad load = profile::probe_load(profile);
    if (100 * (load.slower - 1) < kDearPercent || session.settings.max_overhead_percent > 0) {
        return fact;
    }
    fact.parts.push_back(fmt::format("probes took about {:.0f}% on top of the program's own {}",
                                     load.probes_percent,
                                     profile::has_cpu_times(session) ? "CPU time" : "time"));
    if (session.counts.wait_ns > 0) {
        fact.parts.push_back(
            fmt::format("its threads waited {} for umbra", duration(session.counts.wait_ns)));
    }
    fact.parts.emplace_back("--max-overhead 20 takes out the probes that tell least");
    if (!load.excludes.empty()) {
        std::string excludes;
        for (const std::string& pattern : load.excludes) {
            excludes += " --exclude " + shell_word(one_line(pattern));
        }
        fact.parts.push_back(
            fmt::format("about {:.0f}% of that cost is left with{}", load.left_percent, excludes));
    }
    return fact;
}

Fact pauses(const Profile& profile, const View& view) {
    const profile::PauseSums all = profile::all_pauses(profile);
    if (all.count == 0) {
        return {"pauses", {"none recorded"}};
    }
    Fact fact = {"pauses",
                 {count(all.count),
                  fmt::format("{} in all ({} the times)", duration(all.total_ns),
                              view.pauses ? "contained in" : "left out of"),
                  fmt::format("longest {}", duration(all.longest_ns))}};
    const std::vector<profile::PauseSums> reasons = profile::pauses_by_reason(profile);
    for (std::size_t i = 0; i < std::min(reasons.size(), kReasonsShown); ++i) {
        fact.parts.push_back(fmt::format("{} {} ({})", one_line(reasons[i].reason),
                                         count(reasons[i].count), duration(reasons[i].total_ns)));
    }
    return fact;
}

Fact compilations(const Profile& profile) {
    const profile::CompilationSums sums = profile::compilation_sums(profile);
    if (sums.count == 0) {
        return {"compiled", {"nothing"}};
    }
    Fact fact = {"compiled",
                 {count(sums.count, "method", "methods"),
                  duration(sums.total_ns - sums.background_ns) + " in timed threads"}};
    if (sums.background_count > 0) {
        fact.parts.push_back(duration(sums.background_ns) + " in the background");
    }
    return fact;
}

Fact threads(const Profile& profile) {
    const uint64_t all = profile::thread_count(profile);
    uint64_t summed = 0;
    for (const profile::Thread& thread : profile.threads) {
        summed += thread.threads == 1 ? 0 : thread.threads;
    }
    Fact fact = {"threads", {count(all)}};
    if (summed != 0) {
        fact.parts.push_back(count(summed) + " that have ended in sum, by name");
    }
    return fact;
}

/// No parts where the program was not running before.
Fact before_start(const Profile& profile, const View& view) {
    Fact fact = {"before", {}};
    const auto row = std::ranges::find_if(profile.functions, profile::is_before_start);
    if (row != profile.functions.end()) {
        const profile::CallTimes times = profile::shown(row->times, view);
        fact.parts = {count(times.calls, "thread was", "threads were") + " running at the start",
                      duration(times.self_ns) + " of them outside timed calls: in no row"};
    }
    return fact;
}

/// No parts where every path has its row.
Fact paths(const Profile& profile) {
    Fact fact = {"paths", {}};
    if (profile.session.settings.tree == "folded") {
        fact.parts.emplace_back("recursion folded");
        uint64_t self_ns = 0;
        for (const profile::Function& function : profile.functions) {
            self_ns += function.times.self_ns;
        }
        const double share = 100 * static_cast<double>(profile.session.truncated_ns) /
                             static_cast<double>(std::max(self_ns, uint64_t{1}));
        fact.parts.push_back(fmt::format("{:.1f}% of the time on paths without a row", share));
    }
    return fact;
}

/// No parts where there is no budget.
Fact budget(const Profile& profile) {
    const Session& session = profile.session;
    Fact fact = {"budget", {}};
    const double most = session.settings.max_overhead_percent;
    if (most > 0) {
        const double taken = profile::budget_percent(profile);
        fact.parts.push_back(fmt::format("at most {:.3g}%", most));
        fact.parts.push_back(
            fmt::format("about {:.{}f}% over the whole run", taken, taken < 10 ? 1 : 0));
        fact.colour = taken > most ? kYellow : fact.colour;
    }
    if (session.probes.deinstrumented_functions > 0) {
        fact.colour = kYellow;
        fact.parts.push_back(
            count(session.probes.deinstrumented_functions, "function", "functions") +
            " de-instrumented: calls counted until then, time with the callers");
    }
    return fact;
}

/// No parts where none were asked for.
Fact slowest(const Profile& profile) {
    Fact fact = {"slowest", {}};
    if (profile.slow_methods.empty()) {
        return fact;
    }
    uint64_t compared = 0;
    uint64_t lost = 0;
    for (const profile::SlowMethod& method : profile.slow_methods) {
        compared += method.calls;
        lost += method.lost;
    }
    uint64_t merged = 0;
    for (const profile::SlowCall& call : profile.slow_calls) {
        merged += call.merged_calls;
    }
    fact.parts.push_back("the course of " + count(profile.slow_calls.size()) + " of " +
                         count(compared, "call", "calls"));
    fact.parts.push_back("in " + count(profile.slow_slices.size(), "slice", "slices"));
    if (merged != 0) {
        fact.parts.push_back(count(merged, "call in them", "calls in them") +
                             " merged for want of room");
    }
    if (lost != 0) {
        fact.colour = kYellow;
        fact.parts.push_back(count(lost, "call", "calls") + " not kept for want of room");
    }
    return fact;
}

/// What a sound profile has none of; no parts when this is one.
Fact doubts(const Session& session, const Sums& sums) {
    Fact fact = {"doubts", {}, kYellow};
    const auto add = [&](uint64_t number, const char* singular, const char* plural) {
        if (number > 0) {
            fact.parts.push_back(count(number, singular, plural));
        }
    };
    add(sums.repairs, "frame closed without an event", "frames closed without an event");
    add(sums.unmatched_leaves, "leave without its enter", "leaves without their enters");
    add(sums.decode_errors, "record that made no sense", "records that made no sense");
    add(session.probes.missed_hooks, "method that first ran uncounted",
        "methods that first ran uncounted");
    add(session.probes.refused_methods, "method that could not be timed",
        "methods that could not be timed");
    if (const uint64_t methods = session.probes.runtime_async_methods; methods > 0) {
        fact.parts.push_back(count(methods, "runtime-async method", "runtime-async methods") +
                             " timed: calls there are pieces, begun or gone on after a wait");
    }
    return fact;
}

}  // namespace

std::string fact_text(const Fact& fact, const TextStyle& style) {
    constexpr std::size_t kNameColumns = 11;
    const std::vector<std::string> lines =
        wrapped(fact.parts, style.columns - std::min(style.columns, kNameColumns));
    std::string out = coloured(fmt::format("{:<{}}", fact.name, kNameColumns), kDim, style);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        out += i == 0 ? "" : std::string(kNameColumns, ' ');
        out += coloured(lines[i], fact.colour, style) + '\n';
    }
    return out;
}

std::vector<Fact> footer_facts(const Profile& profile, const View& view) {
    const Session& session = profile.session;
    if (profile::is_sampled(session)) {
        std::vector<Fact> facts = {wall(session), threads(profile)};
        for (Fact& fact : sampled_facts(session)) {
            facts.push_back(std::move(fact));
        }
        facts.push_back(lost(session));
        std::erase_if(facts, [](const Fact& fact) { return fact.parts.empty(); });
        return facts;
    }
    const Sums sums = profile::sums(profile);
    std::vector<Fact> facts = {
        wall(session),
        runtimes(profile),
        threads(profile),
        before_start(profile, view),
        {"events", {count(session.counts.events)}},
        lost(session),
        waits(session, view),
        collector(session),
        mode(session),
        trivial(profile),
        inlined(profile),
        clock_used(session),
        processors(session),
        probes(session, sums, view),
        cost(profile),
        pauses(profile, view),
        compilations(profile),
        paths(profile),
        budget(profile),
        slowest(profile),
    };
    if (sums.unfinished > 0) {
        facts.push_back({"unfinished",
                         {count(sums.unfinished, "call", "calls") + " still running at the end",
                          "timed up to then"}});
    }
    facts.push_back(lock_caveat(profile));
    facts.push_back(stack_caveat(profile));
    facts.push_back(doubts(session, sums));
    std::erase_if(facts, [](const Fact& fact) { return fact.parts.empty(); });
    return facts;
}

std::string report_footer(const Profile& profile, const View& view, const TextStyle& style) {
    if (!style.details) {
        return also_line(profile, style) + warnings(profile, style);
    }
    std::string out;
    for (const Fact& fact : footer_facts(profile, view)) {
        out += fact_text(fact, style);
    }
    return out;
}

}  // namespace umbra::cli
