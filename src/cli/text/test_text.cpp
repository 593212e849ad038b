// SPDX-License-Identifier: MIT
#include "src/cli/text/test_text.h"

#include <cstddef>
#include <vector>

#include <fmt/format.h>

#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/cli/text/report_text.h"

namespace umbra::cli {
namespace {

using profile::HotFunction;
using profile::TestList;
using profile::TestRow;

constexpr std::size_t kMostBelow = 5;  ///< methods shown below a test
constexpr double kLeastPercent = 1;    ///< of its time
constexpr uint64_t kTellingPart = 20;  ///< of its time on paths without a row: said from 1 / this

std::vector<profile::TreeRow> rows_of(const TestList& list) {
    std::vector<profile::TreeRow> rows;
    for (const TestRow& test : list.tests) {
        rows.push_back({0, test.test, 0});
        std::size_t shown = 0;
        for (const HotFunction& below : test.below) {
            if (shown < kMostBelow && below.share_percent >= kLeastPercent) {
                rows.push_back({1, below, 0});
                ++shown;
            }
        }
    }
    return rows;
}

/// Why the numbers below some tests are not all of it; empty: they are.
std::string truncated_line(const TestList& list) {
    std::size_t tests = 0;
    for (const TestRow& test : list.tests) {
        const uint64_t total_ns = test.test.times.total_ns;
        tests += test.truncated_ns > total_ns / kTellingPart ? 1 : 0;
    }
    return tests == 0 ? ""
                      : fmt::format(
                            "Of {} some time is on rare paths that have no row: "
                            "'umbra run --tree=full' keeps every path\n",
                            count(tests, "test", "tests"));
}

}  // namespace

std::string report_text(const profile::Profile& profile, const TestList& list,
                        const profile::View& view, const TextStyle& style) {
    std::string out = report_header(profile.session, style) + '\n';
    if (!list.tests.empty()) {
        out += tree_table(profile.session, rows_of(list), style, "test");
    } else if (list.any) {
        out += "No test that was called fits the filters.\n";
    } else {
        out +=
            "The profile has no test methods. Test frameworks run them in a process of their own:\n"
            "with 'dotnet test' that is the one whose profile has 'testhost' in its name.\n";
    }
    if (list.left_out > 0) {
        out += coloured(fmt::format("and {}; --top shows more\n",
                                    count(list.left_out, "more test", "more tests")),
                        kDim, style);
    }
    out += coloured(truncated_line(list), kDim, style);
    return out + '\n' + report_footer(profile, view, style);
}

}  // namespace umbra::cli
