// SPDX-License-Identifier: MIT
#include "src/cli/text/argument_text.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/cli/text/report_text.h"

namespace umbra::cli {
namespace {

using profile::Argument;
using profile::ArgumentCalls;
using profile::ArgumentValue;
using profile::Profile;

std::string function_name(const Profile& profile, const Argument& argument) {
    return argument.function == profile::kNone
               ? ""
               : one_line(profile.functions[argument.function].name);
}

/// "id: int"
std::string declared(const Argument& argument) {
    return one_line(argument.name) + (argument.type.empty() ? "" : ": " + one_line(argument.type));
}

/// Of calls that have ended.
std::string time(const ArgumentValue& value, uint64_t ns) {
    return value.calls > value.unfinished ? aligned_duration(ns) : "-  ";
}

std::vector<TextColumn> columns_of(const std::vector<ArgumentValue>& rows) {
    TableColumns<ArgumentValue> columns(rows);
    const auto percentile = [](const ArgumentValue& row, uint64_t ns) {
        return row.max_ns > 0 && ns == 0 ? "-  " : time(row, ns);
    };
    columns.add("calls", true, [](const ArgumentValue& row) { return count(row.calls); });
    if (std::ranges::any_of(rows, [](const ArgumentValue& row) { return row.unfinished != 0; })) {
        columns.add("unfinished", true, [](const ArgumentValue& row) {
            return row.unfinished == 0 ? "" : count(row.unfinished);
        });
    }
    columns.add("total ", true, [](const ArgumentValue& row) { return time(row, row.total_ns); });
    columns.add("mean ", true,
                [](const ArgumentValue& row) { return time(row, profile::mean_ns(row)); });
    columns.add("p50 ", true,
                [&](const ArgumentValue& row) { return percentile(row, row.p50_ns); });
    columns.add("p99 ", true,
                [&](const ArgumentValue& row) { return percentile(row, row.p99_ns); });
    columns.add("max ", true, [](const ArgumentValue& row) { return time(row, row.max_ns); });
    return columns.take();
}

std::string value_cell(const ArgumentCalls& calls, const ArgumentValue& row, std::size_t columns) {
    if (!row.rest) {
        return shortened(one_line(row.value), columns);
    }
    return calls.values_in_rest == 0
               ? "(other values)"
               : fmt::format("({})", count(calls.values_in_rest, "other value", "other values"));
}

std::string table(const ArgumentCalls& calls, const TextStyle& style) {
    constexpr std::array<std::string_view, 3> kLeastTelling = {"p50 ", "p99 ", "max "};
    std::vector<TextColumn> columns = columns_of(calls.values);
    make_room(columns, kLeastTelling, style.columns);
    const std::size_t room = names_room(total_columns(columns), style);
    std::string out = coloured(headings_of(columns) + "value", kBold, style) + '\n';
    for (std::size_t row = 0; row < calls.values.size(); ++row) {
        out += cells_of(columns, row);
        const ArgumentValue& value = calls.values[row];
        out += coloured(value_cell(calls, value, room), value.rest ? kDim : std::string_view(),
                        style) +
               '\n';
    }
    return out;
}

std::string block(const Profile& profile, const ArgumentCalls& calls, const TextStyle& style) {
    const Argument& argument = *calls.argument;
    std::string facts = argument.calls == 0 ? "no calls"
                                            : count(argument.calls, "call", "calls") + ", " +
                                                  count(argument.values, "value", "values");
    if (calls.unfinished != 0) {
        facts += ", " + count(calls.unfinished) + " unfinished";
    }
    const std::string function = function_name(profile, argument);
    return fmt::format("{}{}  {}\n",
                       function.empty() ? "" : coloured(function, kBold, style) + "  ",
                       declared(argument), facts) +
           (calls.values.empty() ? "" : table(calls, style)) + '\n';
}

std::string refusal(const Profile& profile, const Argument& argument, const TextStyle& style) {
    const std::string function = function_name(profile, argument);
    return coloured(fmt::format("not recorded: {}{}{}: {}", function, function.empty() ? "" : "  ",
                                declared(argument), one_line(argument.refusal)),
                    kYellow, style) +
           '\n';
}

}  // namespace

std::string report_text(const Profile& profile, const profile::ArgumentList& list,
                        const profile::View& view, const TextStyle& style) {
    std::string out = report_header(profile.session, style) + '\n';
    uint64_t unfinished = 0;
    for (const ArgumentCalls& calls : list.told) {
        out += block(profile, calls, style);
        unfinished += calls.unfinished;
    }
    if (unfinished != 0) {
        out += coloured(
            "Of unfinished calls the end was not seen: they were still running, or an "
            "exception\nleft them untold. They are in no time.\n\n",
            kDim, style);
    }
    for (const Argument* argument : list.refused) {
        out += refusal(profile, *argument, style);
    }
    if (profile.arguments.empty()) {
        out +=
            "No argument was recorded. --args 'Type.Method(name)' of umbra run or start records "
            "the\n"
            "value of an argument with each call.\n";
    } else if (list.told.empty() && list.refused.empty()) {
        out += "No argument that was recorded fits the filters.\n";
    }
    const bool ends_block = !list.told.empty() && list.refused.empty();
    return out + (ends_block ? "" : "\n") + report_footer(profile, view, style);
}

}  // namespace umbra::cli
