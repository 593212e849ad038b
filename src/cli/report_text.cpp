// SPDX-License-Identifier: MIT
// The report as text for a terminal: header, hot list, footer.
#include "src/cli/report_text.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "src/cli/losses.h"
#include "src/cli/text.h"

namespace umbra::cli {
namespace {

using profile::HotFunction;
using profile::HotList;
using profile::Profile;
using profile::Session;

constexpr std::string_view kBold = "\x1b[1m";
constexpr std::string_view kDim = "\x1b[2m";
constexpr std::string_view kRed = "\x1b[1;31m";
constexpr std::string_view kYellow = "\x1b[33m";
constexpr std::string_view kPlain = "\x1b[0m";

constexpr std::string_view kColumnGap = "  ";
constexpr std::size_t kModuleColumns = 24;  ///< longer names of modules are shortened
constexpr std::size_t kLegibleName = 30;    ///< columns give way until names have this much

std::string coloured(std::string_view text, std::string_view colour, const TextStyle& style) {
    return style.colour && !colour.empty() ? fmt::format("{}{}{}", colour, text, kPlain)
                                           : std::string(text);
}

/// A column of the hot list with its cells, headed by its name.
struct Column {
    std::string_view heading;
    bool right = true;
    std::vector<std::string> cells = {};
    std::size_t columns = 0;

    void add(std::string cell) {
        columns = std::max({columns, width(cell), heading.size()});
        cells.push_back(std::move(cell));
    }
};

/// "1.25 us" with its unit padded, so that numbers and units stand under each other.
std::string aligned_duration(uint64_t ns) {
    const std::string text = duration(ns);
    return text.substr(text.find(' ') + 1).size() == 1 ? text + ' ' : text;
}

/// Shortest and longest time of a call are not known before one has finished.
std::string extreme(const HotFunction& function, uint64_t ns) {
    return function.times.calls > function.times.unfinished ? aligned_duration(ns) : "-  ";
}

std::vector<Column> hot_columns(const HotList& list) {
    std::vector<Column> columns = {{"calls"}, {"total "}, {"self "}, {"mean "},
                                   {"min "},  {"max "},   {"share"}, {"module", false}};
    for (const HotFunction& function : list.functions) {
        const std::vector<std::string> cells = {
            count(function.times.calls),
            aligned_duration(function.times.total_ns),
            aligned_duration(function.times.self_ns),
            aligned_duration(function.mean_ns),
            extreme(function, function.times.min_ns),
            extreme(function, function.times.max_ns),
            fmt::format("{:.1f}%", function.share_percent),
            shortened(one_line(function.module), kModuleColumns),
        };
        for (std::size_t i = 0; i < cells.size(); ++i) {
            columns[i].add(cells[i]);
        }
    }
    return columns;
}

std::size_t total_columns(const std::vector<Column>& columns) {
    return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                           [](std::size_t sum, const Column& column) {
                               return sum + column.columns + kColumnGap.size();
                           });
}

/// On a narrow terminal the least telling columns make room for the names.
void make_room(std::vector<Column>& columns, std::size_t available) {
    for (const std::string_view least : {"module", "min ", "max ", "mean "}) {
        if (total_columns(columns) + kLegibleName <= available) {
            return;
        }
        std::erase_if(columns, [&](const Column& column) { return column.heading == least; });
    }
}

std::string padded(const Column& column, std::string_view cell) {
    const std::string blanks(column.columns - std::min(column.columns, width(cell)), ' ');
    return column.right ? blanks + std::string(cell) : std::string(cell) + blanks;
}

std::string_view share_colour(double percent) {
    return percent >= 20 ? kRed : percent >= 5 ? kYellow : std::string_view();
}

std::string hot_table(const HotList& list, const TextStyle& style) {
    std::vector<Column> columns = hot_columns(list);
    make_room(columns, style.columns);
    const std::size_t used = total_columns(columns);
    const std::size_t name_columns =
        std::max(kLegibleName / 2, style.columns - std::min(style.columns, used));

    std::string heading;
    for (const Column& column : columns) {
        heading += padded(column, column.heading);
        heading += kColumnGap;
    }
    std::string out = coloured(heading + "name", kBold, style) + '\n';
    for (std::size_t row = 0; row < list.functions.size(); ++row) {
        const HotFunction& function = list.functions[row];
        for (const Column& column : columns) {
            std::string_view colour;
            if (column.heading == "share") {
                colour = share_colour(function.share_percent);
            } else if (column.heading == "module") {
                colour = kDim;
            }
            out += coloured(padded(column, column.cells[row]), colour, style);
            out += kColumnGap;
        }
        out += shortened(one_line(function.name), name_columns) + '\n';
    }
    if (list.left_out > 0) {
        out += coloured(fmt::format("and {} with {:.1f}% of the self time; --top shows more",
                                    count(list.left_out, "more function", "more functions"),
                                    list.left_out_percent),
                        kDim, style) +
               '\n';
    }
    return out;
}

std::string joined(const std::vector<std::string>& parts) {
    return fmt::format("{}", fmt::join(parts.begin(), parts.end(), ", "));
}

/// A fact of the footer. Its parts are put on one line as long as they fit.
struct Fact {
    std::string_view name;
    std::vector<std::string> parts;
    std::string_view colour = {};
};

std::string fact_text(const Fact& fact, const TextStyle& style) {
    constexpr std::size_t kNameColumns = 11;
    std::vector<std::string> lines = {""};
    for (std::size_t i = 0; i < fact.parts.size(); ++i) {
        const std::string part = fact.parts[i] + (i + 1 < fact.parts.size() ? "," : "");
        std::string& line = lines.back();
        if (line.empty()) {
            line = part;
        } else if (kNameColumns + width(line) + 1 + width(part) <= style.columns) {
            line += " " + part;
        } else {
            lines.push_back(part);
        }
    }
    std::string out = coloured(fmt::format("{:<{}}", fact.name, kNameColumns), kDim, style);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        out += i == 0 ? "" : std::string(kNameColumns, ' ');
        out += coloured(lines[i], fact.colour, style) + '\n';
    }
    return out;
}

std::string header(const Session& session, const TextStyle& style) {
    std::vector<std::string> facts;
    if (!session.runtime.empty()) {
        facts.push_back(one_line(session.runtime));
    }
    facts.push_back(fmt::format("pid {}", session.pid));
    const std::string program = session.program.empty() ? "(unnamed)" : one_line(session.program);
    return fmt::format("{}  {}\n", coloured(program, kBold, style), joined(facts));
}

Fact wall(const Session& session) {
    const std::string ended = session.ended.empty() ? "" : ": " + one_line(session.ended);
    return {"wall",
            {duration(session.wall_ns), (session.complete ? "complete" : "not complete") + ended},
            session.complete ? std::string_view() : kYellow};
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
    return fact.parts.empty() ? Fact{"lost", {"no events"}} : fact;
}

Fact waits(const Session& session) {
    if (session.waits == 0) {
        return {"waits", {"none"}};
    }
    return {"waits",
            {fmt::format("{} for the collector", count(session.waits)),
             fmt::format("{} in all (contained in the times)", duration(session.wait_ns))}};
}

Fact mode(const Session& session) {
    Fact fact = {"mode", {one_line(session.mode)}};
    if (!session.include.empty()) {
        fact.parts.push_back("include " + one_line(session.include));
    }
    if (!session.exclude.empty()) {
        fact.parts.push_back("exclude " + one_line(session.exclude));
    }
    fact.parts.emplace_back(session.inlining ? "inlining on: inlined calls are part of their caller"
                                             : "inlining off: every call is counted");
    return fact;
}

Fact clock_used(const Session& session) {
    return {"clock",
            {fmt::format("{} at {:.6g} MHz", one_line(session.clock), session.ticks_hz / 1e6),
             fmt::format("at most {:.3g} ns off a steady rate", session.clock_residual_ns)}};
}

/// What a sound profile has none of; no parts when this is one.
Fact doubts(const Session& session, const profile::Sums& sums) {
    Fact fact = {"doubts", {}, kYellow};
    const auto add = [&](uint64_t number, const char* singular, const char* plural) {
        if (number > 0) {
            fact.parts.push_back(count(number, singular, plural));
        }
    };
    add(sums.repairs, "frame closed without an event", "frames closed without an event");
    add(sums.unmatched_leaves, "leave without its enter", "leaves without their enters");
    add(sums.decode_errors, "record that made no sense", "records that made no sense");
    add(session.missed_hooks, "method that first ran uncounted",
        "methods that first ran uncounted");
    return fact;
}

std::string footer(const Profile& profile, const TextStyle& style) {
    const Session& session = profile.session;
    const profile::Sums sums = profile::sums(profile);
    std::vector<Fact> facts = {
        wall(session),
        {"threads", {count(profile.threads.size())}},
        {"events", {count(session.events)}},
        lost(session),
        waits(session),
        mode(session),
        clock_used(session),
    };
    if (sums.unfinished > 0) {
        facts.push_back({"unfinished",
                         {count(sums.unfinished, "call", "calls") + " still running at the end",
                          "timed up to then"}});
    }
    facts.push_back(doubts(session, sums));
    std::string out;
    for (const Fact& fact : facts) {
        if (!fact.parts.empty()) {
            out += fact_text(fact, style);
        }
    }
    return out;
}

}  // namespace

std::string report_text(const Profile& profile, const HotList& list, const TextStyle& style) {
    std::string out = header(profile.session, style) + '\n';
    out +=
        list.functions.empty() ? "No instrumented function was called.\n" : hot_table(list, style);
    return out + '\n' + footer(profile, style);
}

}  // namespace umbra::cli
