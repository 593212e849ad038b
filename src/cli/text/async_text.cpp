// SPDX-License-Identifier: MIT
#include "src/cli/text/async_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "src/cli/terminal/name_text.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/cli/text/report_text.h"

namespace umbra::cli {
namespace {

using profile::AsyncAwait;
using profile::AsyncCounts;
using profile::AsyncList;
using profile::AsyncRow;
using profile::Profile;

constexpr std::size_t kMostAwaits = 6;  ///< shown below a method
constexpr uint64_t kLeastPart = 100;    ///< of its wall time: what took less is not shown
constexpr std::string_view kIndent = "  ";

std::vector<TextColumn> columns_of(const std::vector<AsyncRow>& rows) {
    std::vector<TextColumn> columns;
    const auto add = [&](std::string_view heading, const auto& cell_of) {
        TextColumn column{std::string(heading), true};
        for (const AsyncRow& row : rows) {
            column.add(cell_of(row));
        }
        columns.push_back(std::move(column));
    };
    // Percentiles are of calls whose begin and end are known.
    const auto of_known = [](const AsyncRow& row, uint64_t ns) {
        return row.method->max_ns == 0 ? "-  " : aligned_duration(ns);
    };
    add("calls", [](const AsyncRow& row) { return count(row.method->counts.calls); });
    add("wall ", [](const AsyncRow& row) { return aligned_duration(row.times().wall_ns); });
    add("mean ", [](const AsyncRow& row) { return aligned_duration(row.mean_ns); });
    add("p50 ", [&](const AsyncRow& row) { return of_known(row, row.method->p50_ns); });
    add("p99 ", [&](const AsyncRow& row) { return of_known(row, row.method->p99_ns); });
    add("max ", [&](const AsyncRow& row) { return of_known(row, row.method->max_ns); });
    add("running ", [](const AsyncRow& row) { return aligned_duration(row.times().running_ns); });
    add("awaiting ", [](const AsyncRow& row) { return aligned_duration(row.awaiting_ns()); });
    add("queued ", [](const AsyncRow& row) { return aligned_duration(row.times().queued_ns); });
    return columns;
}

std::string await_text(const AsyncAwait& await, const AsyncRow& row, std::size_t used,
                       const TextStyle& style) {
    const std::string unnamed = row.method->counts.before != 0
                                    ? "what began before the profile, or Task.Yield"
                                    : "Task.Yield or an awaiter of its own";
    const std::string rest =
        fmt::format("{} {}{}", await.how == profile::AsyncWait::kOther ? ", another's," : "",
                    duration(await.total_ns), await.times == 1 ? "" : " in " + count(await.times));
    const std::size_t room = names_room(used + width(rest), style);
    return (await.name.empty() ? unnamed : shortened_name(await.name, room)) + rest;
}

/// "Task.Delay 1.2 s in 40", ..., "queued 0.1 s"; `used`: columns of the line beside one of them.
std::vector<std::string> awaits_of(const AsyncRow& row, std::size_t used, const TextStyle& style) {
    const uint64_t least_ns = row.times().wall_ns / kLeastPart;
    std::vector<std::string> parts;
    std::size_t left_out = 0;
    for (const AsyncAwait& await : row.awaits) {
        if (await.total_ns < least_ns || await.total_ns == 0) {
            continue;
        }
        if (parts.size() == kMostAwaits) {
            ++left_out;
            continue;
        }
        parts.push_back(await_text(await, row, used, style));
    }
    if (left_out != 0) {
        parts.push_back(count(left_out) + " more");
    }
    if (row.times().queued_ns > least_ns) {
        parts.push_back("queued " + duration(row.times().queued_ns));
    }
    return parts;
}

/// How calls ended, where that is not by a result.
std::vector<std::string> ends_of(const AsyncRow& row) {
    const AsyncCounts& counts = row.method->counts;
    std::vector<std::string> parts;
    const auto add = [&](uint64_t calls, std::string_view what) {
        if (calls != 0) {
            parts.push_back(count(calls) + ' ' + std::string(what));
        }
    };
    add(counts.faults, "with an exception");
    add(counts.cancelled, "cancelled");
    add(counts.open, "still going on at the end");
    add(counts.unknown, "with an unknown end");
    add(counts.before, "begun before the session");
    return parts;
}

/// What such a line has beside one of its parts: its begin, and a comma.
std::size_t beside_part(std::string_view what) {
    return kIndent.size() + what.size() + 3;
}

/// "awaits a, b" in lines of at most so many columns, as far as no part is longer.
std::string part_lines(std::string_view what, const std::vector<std::string>& parts,
                       const TextStyle& style) {
    if (parts.empty()) {
        return "";
    }
    std::string begin = fmt::format("{}{} ", kIndent, what);
    const std::size_t room = style.columns - std::min(style.columns, begin.size());
    std::string out;
    for (const std::string& line : wrapped(parts, room)) {
        out += coloured(begin + line, kDim, style) + '\n';
        begin.assign(begin.size(), ' ');
    }
    return out;
}

std::string table(const AsyncList& list, const TextStyle& style) {
    constexpr std::array<std::string_view, 4> kLeastTelling = {"p50 ", "max ", "queued ", "p99 "};
    std::vector<TextColumn> columns = columns_of(list.rows);
    make_room(columns, kLeastTelling, style.columns);
    const std::size_t room = names_room(total_columns(columns), style);
    std::string out = coloured(headings_of(columns) + "name", kBold, style) + '\n';
    for (std::size_t number = 0; number < list.rows.size(); ++number) {
        const AsyncRow& row = list.rows[number];
        out += cells_of(columns, number) + shortened_name(row.name, room) + '\n';
        out += part_lines("awaits", awaits_of(row, beside_part("awaits"), style), style);
        out += part_lines("ended ", ends_of(row), style);
    }
    return out;
}

std::string blocked_table(const AsyncList& list, const TextStyle& style) {
    if (list.blocked.empty()) {
        return "";
    }
    std::vector<TextColumn> columns;
    TextColumn times{"times", true};
    TextColumn blocked{"blocked ", true};
    for (const profile::BlockedRow& row : list.blocked) {
        times.add(count(row.times));
        blocked.add(aligned_duration(row.total_ns));
    }
    columns.push_back(std::move(times));
    columns.push_back(std::move(blocked));
    const std::size_t room = names_room(total_columns(columns), style);
    std::string out = "\nThreads blocked on tasks (.Result, .Wait(), GetResult()):\n" +
                      coloured(headings_of(columns) + "in", kBold, style) + '\n';
    for (std::size_t number = 0; number < list.blocked.size(); ++number) {
        const profile::BlockedRow& row = list.blocked[number];
        out += cells_of(columns, number) + shortened_name(row.name, room) + '\n';
        const std::string awaited = row.awaited.empty() ? "a task" : one_line(row.awaited);
        out += coloured(fmt::format("{}on {}", kIndent,
                                    shortened_name(awaited, names_room(beside_part("on"), style))),
                        kDim, style) +
               '\n';
    }
    if (list.blocked_left_out != 0) {
        out += coloured(
            fmt::format("and {}; --top shows more\n", count(list.blocked_left_out, "more", "more")),
            kDim, style);
    }
    return out;
}

std::string losses(const profile::AsyncFacts& facts) {
    std::string out;
    const auto add = [&](uint64_t number, const char* one, const char* many, const char* what) {
        out += number == 0 ? "" : count(number, one, many) + what + '\n';
    };
    add(facts.lost_calls, "call", "calls",
        " began when too many were going on: they are part of their callers");
    add(facts.clashes, "time", "times",
        " two calls could not be told apart: how they ended is unknown");
    add(facts.lost_facts, "event", "events",
        " of async calls could not be kept: umbra was behind; some calls have wrong times");
    return out;
}

}  // namespace

std::string report_text(const Profile& profile, const AsyncList& list, const profile::View& view,
                        const TextStyle& style) {
    std::string out = report_header(profile.session, style) + '\n';
    if (!list.rows.empty()) {
        out += table(list, style);
    } else if (!profile.session.async.followed) {
        out += "Async calls were not followed: the profile was made with --no-async, or sampled.\n";
    } else if (profile.async_methods.empty()) {
        out += "No async method was called.\n";
    } else {
        out += "No async method that was called fits the filters.\n";
    }
    if (list.left_out > 0) {
        out += coloured(fmt::format("and {}; --top shows more\n",
                                    count(list.left_out, "more method", "more methods")),
                        kDim, style);
    }
    out += blocked_table(list, style);
    out += coloured(losses(profile.session.async), kYellow, style);
    return out + '\n' + report_footer(profile, view, style);
}

}  // namespace umbra::cli
