// SPDX-License-Identifier: MIT
// The report as text for a terminal: header, hot list, footer.
#include "src/cli/report_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "src/cli/report_footer.h"
#include "src/cli/text.h"

namespace umbra::cli {
namespace {

using profile::HotFunction;
using profile::HotList;
using profile::Profile;
using profile::Session;

constexpr std::string_view kColumnGap = "  ";
constexpr std::size_t kModuleColumns = 24;  ///< longer names of modules are shortened
constexpr std::size_t kLegibleName = 30;    ///< columns give way until names have this much

constexpr std::string_view kPlusMinus = "\xc2\xb1";
constexpr std::string_view kLimited = " [limited]";

/// A column of the hot list with its cells, headed by its name.
struct Column {
    std::string_view heading;
    bool right = true;
    std::vector<std::string> cells = {};
    std::size_t columns = 0;

    void add(std::string cell) {
        columns = std::max({columns, width(cell), width(heading)});
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

/// Standard error of the self time where it matters: from 2 % of the value upwards.
std::string error_of_self(const HotFunction& function) {
    const double error_ns = function.function->self_error_ns;
    const auto self_ns = static_cast<double>(function.times.self_ns);
    if (!(error_ns > 0.02 * self_ns)) {
        return "";
    }
    const double percent = self_ns > 0 ? 100 * error_ns / self_ns : 100;
    return percent < 99.5 ? fmt::format("{}{:.0f}%", kPlusMinus, percent)
                          : fmt::format("{}>99%", kPlusMinus);
}

std::vector<Column> hot_columns(const Session& session, const HotList& list) {
    std::vector<Column> columns;
    const auto add = [&](std::string_view heading, bool right, const auto& cell_of) {
        Column column{heading, right};
        for (const HotFunction& function : list.functions) {
            column.add(cell_of(function));
        }
        columns.push_back(std::move(column));
    };
    const auto add_time = [&](std::string_view heading, const auto& time_of) {
        add(heading, true, [&](const HotFunction& f) { return aligned_duration(time_of(f)); });
    };
    add("calls", true, [](const HotFunction& f) { return count(f.times.calls); });
    add_time("total ", [](const HotFunction& f) { return f.times.total_ns; });
    add_time("self ", [](const HotFunction& f) { return f.times.self_ns; });
    if (std::ranges::any_of(list.functions,
                            [](const HotFunction& f) { return !error_of_self(f).empty(); })) {
        add(kPlusMinus, false, error_of_self);
    }
    if (profile::has_cpu_times(session)) {
        add_time("cpu ", [](const HotFunction& f) { return f.times.cpu.self_ns; });
    }
    add_time("mean ", [](const HotFunction& f) { return f.mean_ns; });
    add("min ", true, [](const HotFunction& f) { return extreme(f, f.times.min_ns); });
    add("max ", true, [](const HotFunction& f) { return extreme(f, f.times.max_ns); });
    add("share", true,
        [](const HotFunction& f) { return fmt::format("{:.1f}%", f.share_percent); });
    add("module", false,
        [](const HotFunction& f) { return shortened(one_line(f.module), kModuleColumns); });
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
    constexpr std::array<std::string_view, 5> kLeastTelling = {"module", "min ", "max ", "mean ",
                                                               kPlusMinus};
    for (const std::string_view least : kLeastTelling) {
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

bool mostly_waited(const HotFunction& function) {
    return function.times.cpu.self_ns < function.times.self_ns / 2;
}

std::string_view share_colour(double percent) {
    return percent >= 20 ? kRed : percent >= 5 ? kYellow : std::string_view();
}

std::string name_cell(const HotFunction& function, std::size_t columns, const TextStyle& style) {
    const std::string name = one_line(function.name);
    if (!function.function->limited) {
        return shortened(name, columns);
    }
    return shortened(name, columns - std::min(columns, kLimited.size())) +
           coloured(kLimited, kYellow, style);
}

std::string left_out(const HotList& list, const TextStyle& style) {
    return coloured(fmt::format("and {} with {:.1f}% of the {} time; --top shows more",
                                count(list.left_out, "more function", "more functions"),
                                list.left_out_percent,
                                list.view.sort == profile::SortBy::kCpu ? "CPU" : "self"),
                    kDim, style) +
           '\n';
}

std::string hot_table(const Session& session, const HotList& list, const TextStyle& style) {
    std::vector<Column> columns = hot_columns(session, list);
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
            } else if (column.heading == "cpu " && mostly_waited(function)) {
                colour = kYellow;
            }
            out += coloured(padded(column, column.cells[row]), colour, style);
            out += kColumnGap;
        }
        out += name_cell(function, name_columns, style) + '\n';
    }
    return list.left_out > 0 ? out + left_out(list, style) : out;
}

std::string header(const Session& session, const TextStyle& style) {
    std::vector<std::string> facts;
    if (!session.runtime.empty()) {
        facts.push_back(one_line(session.runtime));
    }
    facts.push_back(fmt::format("pid {}", session.pid));
    const std::string program = session.program.empty() ? "(unnamed)" : one_line(session.program);
    return fmt::format("{}  {}\n", coloured(program, kBold, style), fmt::join(facts, ", "));
}

}  // namespace

std::string report_text(const Profile& profile, const HotList& list, const TextStyle& style) {
    std::string out = header(profile.session, style) + '\n';
    out += list.functions.empty() ? "No instrumented function was called.\n"
                                  : hot_table(profile.session, list, style);
    return out + '\n' + report_footer(profile, list.view, style);
}

}  // namespace umbra::cli
