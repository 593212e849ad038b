// SPDX-License-Identifier: MIT
#include "src/cli/text/entry_text.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/cli/text/report_text.h"

namespace umbra::cli {
namespace {

using profile::EntryList;
using profile::EntryRow;
using profile::HotFunction;

constexpr std::size_t kMostBelow = 5;  ///< methods shown below one
constexpr double kLeastPercent = 1;    ///< of its time
constexpr uint64_t kTellingPart = 20;  ///< of its time on paths without a row: said from 1 / this

bool of_tests(const EntryList& list) {
    return list.label == profile::kTests;
}

std::vector<profile::TreeRow> rows_of(const EntryList& list) {
    std::vector<profile::TreeRow> rows;
    for (const EntryRow& entry : list.rows) {
        rows.push_back({0, entry.method, 0});
        if (!of_tests(list)) {
            rows.back().hot.name = fmt::format("{}  {}", entry.label, entry.method.name);
        }
        std::size_t shown = 0;
        for (const HotFunction& below : entry.below) {
            if (shown < kMostBelow && below.share_percent >= kLeastPercent) {
                rows.push_back({1, below, 0});
                ++shown;
            }
        }
    }
    return rows;
}

std::string counted(const EntryList& list, std::size_t number) {
    return of_tests(list) ? count(number, "test", "tests") : count(number, "endpoint", "endpoints");
}

/// Why the numbers below some are not all of it; empty: they are.
std::string truncated_line(const EntryList& list) {
    std::size_t rows = 0;
    for (const EntryRow& entry : list.rows) {
        const uint64_t total_ns = entry.method.times.total_ns;
        rows += entry.truncated_ns > total_ns / kTellingPart ? 1 : 0;
    }
    return rows == 0 ? ""
                     : fmt::format(
                           "Of {} some time is on rare paths that have no row: "
                           "'umbra run --tree=full' keeps every path\n",
                           counted(list, rows));
}

/// Whose time goes on behind their methods' ends; empty: none's.
std::string going_on_line(const EntryList& list) {
    const auto rows =
        static_cast<std::size_t>(std::ranges::count_if(list.rows, &EntryRow::goes_on));
    return rows == 0 ? ""
                     : fmt::format(
                           "Of {} the method ends before an async call that it has begun, whose "
                           "task it hands on:\ntotal is the time of that call\n",
                           counted(list, rows));
}

}  // namespace

std::string report_text(const profile::Profile& profile, const EntryList& list,
                        const profile::View& view, const TextStyle& style) {
    std::string out = report_header(profile.session, style) + '\n';
    if (!list.rows.empty()) {
        out +=
            tree_table(profile.session, rows_of(list), style, of_tests(list) ? "test" : "endpoint");
    } else if (list.any) {
        out += fmt::format("No {} that was called fits the filters.\n",
                           of_tests(list) ? "test" : "endpoint");
    } else if (!of_tests(list)) {
        out +=
            "No method of the profile is known as an endpoint: that is told by the attributes of\n"
            "controllers ([HttpGet]) and by calls of MapGet and the like in the modules' files.\n";
    } else {
        out +=
            "The profile has no test methods. Test frameworks run them in a process of their own:\n"
            "'umbra run -- dotnet test' says at the end in which profile they are.\n";
    }
    if (!of_tests(list) && profile.session.capture) {
        out += coloured(
            "Not here: endpoints that the server had inlined into code made at run time before.\n",
            kDim, style);
    }
    if (list.left_out > 0) {
        out +=
            coloured(fmt::format("and {} more; --top shows them\n", counted(list, list.left_out)),
                     kDim, style);
    }
    out += coloured(going_on_line(list) + truncated_line(list), kDim, style);
    return out + '\n' + report_footer(profile, view, style);
}

}  // namespace umbra::cli
