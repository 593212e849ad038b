// SPDX-License-Identifier: MIT
// Which slices of a slow call have rows of their own, and what the others become.
#include "src/profile/slow_view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::profile {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

/// Handle, 1 ms from 0 on, calls `Check` 400 times for 900 ns, each of which calls Read, then Send
/// once for 500 us; it waits ten times for 50 ns.
Profile busy_call() {
    Profile p;
    p.threads.resize(1);
    for (const char* name : {"Handle", "Check", "Read", "Send"}) {
        p.functions.emplace_back().name = name;
    }
    p.functions[1].times.calls = 100;
    p.functions[1].times.total_ns = 200'000;
    p.slow_methods = {{0, "Handle=1", 1, 1, 0}};
    p.slow_calls.emplace_back().method = 0;
    p.slow_calls[0].thread = 0;
    const auto add = [&p](Row parent, Row function, std::string_view kind, uint64_t start_ns,
                          uint64_t duration_ns) {
        p.slow_slices.push_back({0, parent, function, std::string(kind), start_ns, duration_ns, 1});
        return static_cast<Row>(p.slow_slices.size() - 1);
    };
    add(kNone, 0, SlowSlice::kCall, 0, 1'000'000);
    for (uint64_t round = 0; round < 400; ++round) {
        const Row check = add(0, 1, SlowSlice::kCall, round * 1'100, 900);
        add(check, 2, SlowSlice::kCall, round * 1'100, 300);
    }
    for (uint64_t round = 0; round < 10; ++round) {
        add(0, kNone, SlowSlice::kOffCpu, 450'000 + round * 200, 50);
    }
    add(0, 3, SlowSlice::kCall, 500'000, 500'000);
    return p;
}

/// "name duration/self xcalls", indented, one a line.
std::string rows_of(const Profile& p, std::size_t most) {
    View view;
    view.top = 1;
    const std::vector<SlowMethodCalls> methods = slow_view(p, view, most);
    std::string out;
    for (const SlowRow& row : methods.at(0).calls.at(0).rows) {
        out += std::string(row.depth, ' ') + row.name + ' ' +
               std::to_string(row.slice->duration_ns) + '/' + std::to_string(row.self_ns) + " x" +
               std::to_string(row.slice->calls) + " usual " + std::to_string(row.usual_ns) + '\n';
    }
    return out + "left out " + std::to_string(methods[0].calls[0].left_out);
}

TEST(SlowView, ShortCallsOfOneMethodAreOneRowBehindTheLongOnes) {
    // The waits are less than a thousandth of the call together, the reads are in the checks.
    EXPECT_EQ(rows_of(busy_call(), 25),
              "Handle 1000000/139500 x1 usual 0\n"
              " Send 500000/500000 x1 usual 0\n"
              " Check 360000/240000 x400 usual 800000\n"
              "left out 410");
}

TEST(SlowView, TheMeanOfARecursiveMethodIsThatOfTheCallsCompared) {
    Profile p = busy_call();
    p.functions[0].times.calls = 5'000;  // 4,998 of them in the two
    p.functions[0].times.total_ns = 1'200'000;
    p.slow_methods[0].calls = 2;
    View view;
    view.top = 1;
    const std::vector<SlowMethodCalls> methods = slow_view(p, view, kAll);
    EXPECT_EQ(methods.at(0).mean_ns, 600'000U);
    EXPECT_EQ(methods[0].calls.at(0).rows.at(0).usual_ns, 600'000U);
    p.slow_methods[0].calls = 0;
    EXPECT_EQ(slow_view(p, view, kAll).at(0).mean_ns, 240U);
}

TEST(SlowView, WhereAllSlicesFitEachHasARow) {
    const std::string rows = rows_of(busy_call(), kAll);
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 812);
    EXPECT_NE(rows.find(" (off the processors) 50/0 x1 usual 0\n"), std::string::npos);
    EXPECT_NE(rows.find("left out 0"), std::string::npos);
}

}  // namespace
}  // namespace umbra::profile
