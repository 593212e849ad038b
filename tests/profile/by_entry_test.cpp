// SPDX-License-Identifier: MIT
// Tests and endpoints, and what was called below them.
#include "src/profile/by_entry.h"

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>

#include "src/profile/derive.h"

namespace umbra::profile {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
constexpr View kByTotal = {.sort = SortBy::kTotal, .top = kAll};

enum : Row { kAdds, kWaits, kWaitsOn, kCalls, kStep, kHelp };

CallTimes times(uint64_t calls, uint64_t total_ns, uint64_t self_ns) {
    return {calls, 0, total_ns, self_ns, 1, 2, {total_ns, self_ns}, {}, {}};
}

/// Two tests, one of them asynchronous, and one that calls the first.
Profile profile() {
    Profile p;
    const auto function = [&](const char* name, const char* raw_name, const char* test) {
        Function made;
        made.name = name;
        made.raw_name = raw_name;
        made.test = test;
        made.instrumented = true;
        p.functions.push_back(made);
    };
    function("T.Adds()", "T.Adds", "xUnit");
    function("T.Waits()", "T.Waits", "NUnit");
    function("T.Waits()", "T/<Waits>d__1.MoveNext", "");
    function("T.Calls()", "T.Calls", "xUnit");
    function("Step()", "Step", "");
    function("Help()", "Help", "");
    p.threads.resize(2);
    p.calltree = {
        {kNone, kAdds, 0, times(1, 100, 10)},
        {0, kHelp, 0, times(2, 90, 20)},
        {1, kStep, 0, times(5, 70, 40)},
        {2, kHelp, 0, times(1, 30, 30)},
        {kNone, kWaits, 0, times(2, 50, 5)},
        {4, kWaitsOn, 0, times(2, 45, 5)},
        {5, kStep, 0, times(3, 40, 40)},
        {kNone, kWaitsOn, 1, times(2, 25, 5)},
        {7, kStep, 1, times(4, 20, 20)},
        {kNone, kCalls, 1, times(1, 70, 10)},
        {9, kAdds, 1, times(1, 60, 20)},
        {10, kStep, 1, times(1, 40, 40)},
        {kNone, kStep, 1, times(1000, 5000, 5000)},
    };
    derive(p);
    return p;
}

const HotFunction& below(const EntryRow& test, std::string_view name) {
    static const HotFunction kNothing;
    const auto found = std::ranges::find(test.below, name, &HotFunction::name);
    return found == test.below.end() ? kNothing : *found;
}

TEST(ByEntry, SumsUpWhatIsBelowEachTestAndNothingElse) {
    const Profile p = profile();
    const EntryList list = by_entry(p, kByTotal, kTests);
    EXPECT_TRUE(list.any);
    ASSERT_EQ(list.rows.size(), 3U);

    const EntryRow& adds = list.rows[0];
    EXPECT_EQ(adds.method.name, "T.Adds()");
    EXPECT_EQ(adds.label, "xUnit");
    EXPECT_EQ(adds.method.times.calls, 2U);
    EXPECT_EQ(adds.method.times.total_ns, 160U);
    EXPECT_EQ(adds.method.times.self_ns, 30U);
    EXPECT_EQ(adds.truncated_ns, 0U);
    ASSERT_EQ(adds.below.size(), 2U);
    EXPECT_EQ(adds.below[0].name, "Step()") << "the greatest self time first";
    EXPECT_EQ(below(adds, "Step()").times.calls, 6U);
    EXPECT_EQ(below(adds, "Step()").times.total_ns, 110U);
    EXPECT_EQ(below(adds, "Step()").times.self_ns, 80U);
    EXPECT_DOUBLE_EQ(below(adds, "Step()").share_percent, 50);
    EXPECT_EQ(below(adds, "Help()").times.calls, 3U);
    EXPECT_EQ(below(adds, "Help()").times.total_ns, 90U) << "recursion counts once";
    EXPECT_EQ(below(adds, "Help()").times.self_ns, 50U);
}

TEST(ByEntry, AnAsyncTestGoesOnWhereItsPiecesRun) {
    const Profile p = profile();
    const EntryRow waits = by_entry(p, kByTotal, kTests).rows[1];
    EXPECT_EQ(waits.method.name, "T.Waits()");
    EXPECT_EQ(waits.label, "NUnit");
    EXPECT_EQ(waits.method.times.calls, 2U);
    EXPECT_EQ(waits.method.times.total_ns, 75U);
    ASSERT_EQ(waits.below.size(), 1U) << "its own pieces are the test";
    EXPECT_EQ(waits.below[0].times.calls, 7U);
    EXPECT_EQ(waits.below[0].times.self_ns, 60U);
}

TEST(ByEntry, ATestThatAnotherCallsIsBelowIt) {
    const Profile p = profile();
    const EntryRow calls = by_entry(p, kByTotal, kTests).rows[2];
    EXPECT_EQ(calls.method.name, "T.Calls()");
    EXPECT_EQ(below(calls, "T.Adds()").times.calls, 1U);
    EXPECT_EQ(below(calls, "T.Adds()").times.total_ns, 60U);
    EXPECT_EQ(below(calls, "Step()").times.calls, 1U);
}

TEST(ByEntry, TheViewChoosesAndOrdersTests) {
    const Profile p = profile();
    View view = kByTotal;
    view.top = 1;
    EXPECT_EQ(by_entry(p, view, kTests).left_out, 2U);
    view = {.sort = SortBy::kCalls, .top = kAll};
    view.filter.exclude.emplace_back("T.Adds");
    const EntryList list = by_entry(p, view, kTests);
    ASSERT_EQ(list.rows.size(), 2U);
    EXPECT_EQ(list.rows[0].method.name, "T.Waits()");
    EXPECT_DOUBLE_EQ(list.rows[0].method.share_percent + list.rows[1].method.share_percent, 100);
}

TEST(ByEntry, WhatAFoldedTreeHasNoRowsForIsSaid) {
    Profile p = profile();
    p.session.settings.tree = "folded";
    for (CallNode& node : p.calltree) {
        node.thread = kNone;
    }
    // The five calls of Step below Adds, with all that they called.
    p.functions.push_back(truncated_paths());
    p.calltree.erase(p.calltree.begin() + 3);
    for (CallNode& node : p.calltree) {
        node.parent -= node.parent != kNone && node.parent > 3 ? 1 : 0;
    }
    p.calltree[2].function = static_cast<Row>(p.functions.size() - 1);
    p.calltree[2].truncated = true;
    p.calltree[2].times = times(5, 70, 70);
    const EntryRow adds = by_entry(p, kByTotal, kTests).rows[0];
    EXPECT_EQ(adds.method.times.total_ns, 160U);
    EXPECT_EQ(adds.truncated_ns, 70U);
    EXPECT_EQ(below(adds, "Step()").times.calls, 1U);
    EXPECT_EQ(below(adds, "Help()").times.calls, 2U);
    EXPECT_EQ(below(adds, "(paths without a row)").times.calls, 0U);
}

TEST(ByEntry, EndpointsAreListedInTheSameWay) {
    Profile p = profile();
    p.functions[kCalls].endpoint = "GET /calls";
    const EntryList list = by_entry(p, kByTotal, kEndpoints);
    ASSERT_EQ(list.rows.size(), 1U);
    EXPECT_EQ(list.rows[0].label, "GET /calls");
    EXPECT_EQ(list.rows[0].method.name, "T.Calls()");
    EXPECT_EQ(below(list.rows[0], "T.Adds()").times.calls, 1U);
}

/// Calls hands on the task of Waits, whose call lasts 900 ns from begin to result.
Profile handing_on() {
    Profile p = profile();
    p.functions[kCalls].endpoint = "GET /calls";
    p.functions[kAdds].endpoint = "GET /adds";
    AsyncCounts counts;
    counts.calls = 1;
    counts.times.wall_ns = 900;
    p.async_methods = {{.function = kWaitsOn, .counts = counts}};
    p.async_tree = {{.parent = kNone,
                     .function = kWaitsOn,
                     .how = std::string(AsyncNode::kRoot),
                     .caller = kCalls,
                     .counts = counts}};
    return p;
}

TEST(ByEntry, AnEndpointThatHandsOnATaskLastsAsLongAsItsCall) {
    const Profile p = handing_on();
    const EntryList list = by_entry(p, kByTotal, kEndpoints);
    ASSERT_EQ(list.rows.size(), 2U);
    EXPECT_EQ(list.rows[0].label, "GET /calls") << "in the order of these times";
    EXPECT_TRUE(list.rows[0].goes_on);
    EXPECT_EQ(list.rows[0].method.times.total_ns, 900U);
    EXPECT_EQ(list.rows[0].method.stored.total_ns, 900U);
    EXPECT_EQ(list.rows[0].method.times.calls, 1U);
    EXPECT_EQ(list.rows[0].method.times.self_ns, 10U);
    EXPECT_EQ(list.rows[0].method.mean_ns, 900U);
    EXPECT_EQ(list.rows[0].method.times.max_ns, 0U) << "of single ones nothing is known";
    EXPECT_EQ(list.rows[0].truncated_ns, 0U);
    EXPECT_EQ(below(list.rows[0], "T.Adds()").times.calls, 1U);
    EXPECT_FALSE(list.rows[1].goes_on);
    EXPECT_EQ(list.rows[1].method.times.total_ns, 160U);
    EXPECT_DOUBLE_EQ(list.rows[0].method.share_percent, 100 * 900.0 / 1'060);
    View one = kByTotal;
    one.top = 1;
    EXPECT_EQ(by_entry(p, one, kEndpoints).rows[0].label, "GET /calls");
    EXPECT_EQ(by_entry(p, one, kEndpoints).left_out, 1U);
    EXPECT_TRUE(by_entry(p, kByTotal, kTests).rows[0].goes_on) << "so does a test";
}

TEST(ByEntry, OfSeveralCallsThatItBeginsOneCounts) {
    Profile p = handing_on();
    p.async_tree[0].counts.calls = 3;
    EXPECT_EQ(by_entry(p, kByTotal, kEndpoints).rows[0].method.times.total_ns, 300U);
}

TEST(ByEntry, AnEndpointThatWaitsItselfLastsAsLongAsItDoes) {
    Profile p = handing_on();
    p.blocked_waits = {{.function = kCalls, .awaited_function = kWaitsOn, .awaited = ""}};
    const EntryList list = by_entry(p, kByTotal, kEndpoints);
    EXPECT_EQ(list.rows[1].label, "GET /calls");
    EXPECT_FALSE(list.rows[1].goes_on);
    EXPECT_EQ(list.rows[1].method.times.total_ns, 70U);
}

TEST(ByEntry, AProfileWithoutTestsHasNone) {
    Profile p = profile();
    for (Function& function : p.functions) {
        function.test.clear();
    }
    EXPECT_FALSE(by_entry(p, kByTotal, kTests).any);
    EXPECT_TRUE(by_entry(p, kByTotal, kTests).rows.empty());
}

}  // namespace
}  // namespace umbra::profile
