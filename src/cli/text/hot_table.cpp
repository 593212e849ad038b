// SPDX-License-Identifier: MIT
#include "src/cli/text/hot_table.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "src/cli/terminal/name_text.h"
#include "src/cli/terminal/text.h"
#include "src/profile/probe_doubt.h"

namespace umbra::cli {
namespace {

using profile::GroupBy;
using profile::HotFunction;
using profile::HotList;
using profile::Session;
using profile::TreeRow;

constexpr std::size_t kModuleColumns = 24;  ///< longer names of modules are shortened
constexpr std::size_t kWide = 180;          ///< from here on percentiles are shown unasked
constexpr std::size_t kDeepest = 200;       ///< columns that paths are indented by at most

/// What the rows are, for headings.
struct RowKind {
    std::string_view heading;
    const char* one;
    const char* more;
};

RowKind row_kind(GroupBy by) {
    switch (by) {
        case GroupBy::kType:
            return {"type", "more type", "more types"};
        case GroupBy::kNamespace:
            return {"namespace", "more namespace", "more namespaces"};
        case GroupBy::kModule:
            return {"module", "more module", "more modules"};
        case GroupBy::kThread:
            return {"thread", "more thread", "more threads"};
        case GroupBy::kFunction:
            break;
    }
    return {"name", "more function", "more functions"};
}

/// The shortest call and percentiles are not known before one has finished. `doubt_ns`: of one
/// call.
std::string of_one_call(uint64_t ns, double doubt_ns) {
    return ns > 0 ? aligned_duration(ns, doubt_ns) : "-  ";
}

bool mostly_waited(const HotFunction& function) {
    return function.times.cpu.self_ns < function.times.self_ns / 2;
}

std::string_view share_colour(double percent) {
    return percent >= 20 ? kRed : percent >= 5 ? kYellow : std::string_view();
}

/// Times are aligned at their units. `doubt_of`: see profile::doubt_ns().
template <typename Row>
void add_time(TableColumns<Row>& columns, std::string_view heading, const auto& time_of,
              const auto& doubt_of) {
    columns.add(heading, true,
                [&](const Row& row) { return aligned_duration(time_of(row), doubt_of(row)); });
}

/// A sampled profile knows no single call. `doubt_ns`: of one call.
void add_times_of_calls(TableColumns<HotFunction>& columns, const profile::View& view,
                        bool percentiles, double doubt_ns) {
    columns.add("mean ", true, [](const HotFunction& f) {
        return f.times.calls > 0
                   ? aligned_duration(f.mean_ns,
                                      f.total_doubt_ns / static_cast<double>(f.times.calls))
                   : "-  ";
    });
    if (!profile::has_single_calls(view)) {
        return;
    }
    columns.add("min ", true,
                [=](const HotFunction& f) { return of_one_call(f.times.min_ns, doubt_ns); });
    columns.add("max ", true,
                [=](const HotFunction& f) { return of_one_call(f.times.max_ns, doubt_ns); });
    if (percentiles) {
        columns.add("p50 ", true, [=](const HotFunction& f) {
            return of_one_call(f.percentiles.p50_ns, doubt_ns);
        });
        columns.add("p90 ", true, [=](const HotFunction& f) {
            return of_one_call(f.percentiles.p90_ns, doubt_ns);
        });
        columns.add("p99 ", true, [=](const HotFunction& f) {
            return of_one_call(f.percentiles.p99_ns, doubt_ns);
        });
    }
}

std::vector<TextColumn> hot_columns(const Session& session, const HotList& list, bool percentiles) {
    TableColumns<HotFunction> columns(list.functions);
    const GroupBy by = list.view.by;
    if (by != GroupBy::kFunction && by != GroupBy::kThread) {
        columns.add("methods", true, [](const HotFunction& f) { return count(f.functions); });
    }
    columns.add(calls_heading(session), true, calls_cell);
    add_time(
        columns, "total ", [](const HotFunction& f) { return f.times.total_ns; },
        [](const HotFunction& f) { return f.total_doubt_ns; });
    add_time(
        columns, "self ", [](const HotFunction& f) { return f.times.self_ns; },
        [](const HotFunction& f) { return f.self_doubt_ns; });
    if (profile::has_cpu_times(session)) {
        add_time(
            columns, "cpu ", [](const HotFunction& f) { return f.times.cpu.self_ns; },
            [](const HotFunction& f) { return f.self_doubt_ns; });
    }
    if (!profile::is_sampled(session)) {
        const double pair_ns = session.probes.inside_ns + session.probes.outside_ns;
        add_times_of_calls(columns, list.view, percentiles,
                           list.view.compensated ? profile::kDoubtfulPart * pair_ns : 0);
    }
    columns.add("share", true,
                [](const HotFunction& f) { return fmt::format("{:.1f}%", f.share_percent); });
    if (by == GroupBy::kFunction || by == GroupBy::kType) {
        columns.add("module", false, [](const HotFunction& f) {
            return shortened(one_line(f.module), kModuleColumns);
        });
    }
    if (std::ranges::any_of(list.functions,
                            [](const HotFunction& f) { return !f.runtime.empty(); })) {
        columns.add("runtime", false, [](const HotFunction& f) { return one_line(f.runtime); });
    }
    return columns.take();
}

std::string left_out(const HotList& list, const TextStyle& style) {
    const RowKind kind = row_kind(list.view.by);
    return coloured(fmt::format("and {} with {:.1f}% of the {} time; --top shows more",
                                count(list.left_out, kind.one, kind.more), list.left_out_percent,
                                list.view.sort == profile::SortBy::kCpu ? "CPU" : "self"),
                    kDim, style) +
           '\n';
}

std::string_view colour_of(const TextColumn& column, const HotFunction& function) {
    if (column.heading == "share") {
        return share_colour(function.share_percent);
    }
    if (column.heading == "module") {
        return kDim;
    }
    return column.heading == "cpu " && mostly_waited(function) ? kYellow : std::string_view();
}

std::string heading_line(const std::vector<TextColumn>& columns, std::string_view last,
                         const TextStyle& style) {
    return coloured(headings_of(columns) + std::string(last), kBold, style) + '\n';
}

std::string cells(const std::vector<TextColumn>& columns, std::size_t row,
                  const HotFunction& function, const TextStyle& style) {
    return cells_of(columns, row, style,
                    [&](const TextColumn& column) { return colour_of(column, function); });
}

}  // namespace

std::string name_cell(std::string_view name, bool deinstrumented, std::size_t columns,
                      const TextStyle& style) {
    constexpr std::string_view kMark = " [de-instrumented]";
    if (!deinstrumented) {
        return shortened_name(name, columns);
    }
    return shortened_name(name, columns - std::min(columns, kMark.size())) +
           coloured(kMark, kYellow, style);
}

std::string aligned_duration(uint64_t ns, double doubt_ns) {
    constexpr double kNothingCertain = 0.5;  // of the second digit
    const std::string text =
        !profile::is_rough(ns, doubt_ns)
            ? duration(ns)
            : rough_duration(ns, doubt_ns > kNothingCertain * static_cast<double>(ns) ? 1 : 2);
    return text.substr(text.find(' ') + 1).size() == 1 ? text + ' ' : text;
}

void TextColumn::add(std::string cell) {
    columns = std::max({columns, width(cell), width(heading)});
    cells.push_back(std::move(cell));
}

std::string TextColumn::padded(std::string_view cell) const {
    const std::string blanks(columns - std::min(columns, width(cell)), ' ');
    return right ? blanks + std::string(cell) : std::string(cell) + blanks;
}

std::string headings_of(const std::vector<TextColumn>& columns) {
    std::string line;
    for (const TextColumn& column : columns) {
        line += column.padded(column.heading);
        line += kColumnGap;
    }
    return line;
}

std::string cells_of(const std::vector<TextColumn>& columns, std::size_t row) {
    return cells_of(columns, row, {}, [](const TextColumn&) { return std::string_view(); });
}

std::size_t total_columns(const std::vector<TextColumn>& columns) {
    return std::accumulate(columns.begin(), columns.end(), std::size_t{0},
                           [](std::size_t sum, const TextColumn& column) {
                               return sum + column.columns + kColumnGap.size();
                           });
}

std::size_t names_room(std::size_t used, const TextStyle& style) {
    return style.whole_names
               ? std::numeric_limits<std::size_t>::max()
               : std::max(kLegibleName / 2, style.columns - std::min(style.columns, used));
}

std::size_t path_indent(std::size_t depth, std::size_t room, const TextStyle& style) {
    return std::min(2 * depth, style.whole_names ? kDeepest : room / 2);
}

std::string_view calls_heading(const Session& session) {
    return profile::is_sampled(session) ? "samples" : "calls";
}

std::string calls_cell(const HotFunction& function) {
    return (function.inlined_into.empty() ? "" : ">= ") + count(function.times.calls);
}

void make_room(std::vector<TextColumn>& columns, std::span<const std::string_view> least_telling,
               std::size_t available) {
    for (const std::string_view least : least_telling) {
        if (total_columns(columns) + kLegibleName <= available) {
            return;
        }
        std::erase_if(columns, [&](const TextColumn& column) { return column.heading == least; });
    }
}

std::string hot_table(const Session& session, const HotList& list, const TextStyle& style,
                      bool percentiles, const std::vector<TextColumn>& more) {
    constexpr std::array<std::string_view, 8> kLeastTelling = {"module", "min ", "max ", "mean ",
                                                               "p90 ",   "p50 ", "p99 ", "methods"};
    std::vector<TextColumn> columns =
        hot_columns(session, list, percentiles || style.columns >= kWide);
    if (!more.empty()) {
        const auto share = std::ranges::find(columns, "share", &TextColumn::heading);
        columns.insert(share, more.begin(), more.end());
    }
    make_room(columns, kLeastTelling, style.columns);
    if (!more.empty()) {
        const bool by_total = list.view.sort == profile::SortBy::kTotal;
        const std::array<std::string_view, 3> alike = {by_total ? "self " : "total ", "share",
                                                       "cpu "};
        make_room(columns, alike, style.columns);
    }
    std::string out = heading_line(columns, row_kind(list.view.by).heading, style);
    for (std::size_t row = 0; row < list.functions.size(); ++row) {
        const HotFunction& function = list.functions[row];
        out += cells(columns, row, function, style) +
               name_cell(function.name, function.deinstrumented,
                         names_room(total_columns(columns), style), style) +
               '\n';
    }
    return list.left_out > 0 ? out + left_out(list, style) : out;
}

std::string tree_table(const Session& session, const std::vector<TreeRow>& rows,
                       const TextStyle& style, std::string_view heading) {
    constexpr std::array<std::string_view, 3> kLeastTelling = {"calls", "samples", "self "};
    TableColumns<TreeRow> made(rows);
    made.add("share", true,
             [](const TreeRow& r) { return fmt::format("{:.1f}%", r.hot.share_percent); });
    const auto total_doubt = [](const TreeRow& r) { return r.hot.total_doubt_ns; };
    add_time(
        made, "total ", [](const TreeRow& r) { return r.hot.times.total_ns; }, total_doubt);
    if (profile::has_cpu_times(session)) {
        add_time(
            made, "its cpu ", [](const TreeRow& r) { return r.hot.times.cpu.total_ns; },
            total_doubt);
    }
    add_time(
        made, "self ", [](const TreeRow& r) { return r.hot.times.self_ns; },
        [](const TreeRow& r) { return r.hot.self_doubt_ns; });
    made.add(calls_heading(session), true, [](const TreeRow& r) { return calls_cell(r.hot); });
    std::vector<TextColumn> columns = made.take();
    make_room(columns, kLeastTelling, style.columns);
    const std::size_t room = names_room(total_columns(columns), style);
    std::string out = heading_line(columns, heading, style);
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::size_t indent = path_indent(rows[row].depth, room, style);
        out += cells(columns, row, rows[row].hot, style) + std::string(indent, ' ') +
               name_cell(rows[row].hot.name, rows[row].hot.deinstrumented, room - indent, style) +
               '\n';
    }
    return out;
}

}  // namespace umbra::cli
