// SPDX-License-Identifier: MIT
// The hot list: order, shares, and what is left out.
#include "src/profile/report.h"

#include <limits>

#include <gtest/gtest.h>

#include "src/profile/probe_doubt.h"

namespace umbra::profile {
namespace {

constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

Function function(const char* name, CallTimes times, Row module = kNone) {
    Function made;
    made.name = name;
    made.module = module;
    made.times = times;
    return made;
}

Profile profile() {
    Profile profile;
    profile.modules = {{"app.dll", "", false}};
    profile.functions = {
        function("A", {1, 0, 900, 100, 900, 900}, 0),
        function("B", {10, 1, 500, 300, 20, 90}),
        function("C", {40, 0, 600, 600, 10, 30}, 0),
        function("never called", {}),
    };
    // A calls C; B calls itself once in ten: its inclusive time counts that call twice.
    profile.threads.resize(1);
    profile.calltree = {
        {kNone, 0, 0, {1, 0, 900, 100, 900, 900}},
        {0, 2, 0, {40, 0, 600, 600, 10, 30}},
        {kNone, 1, 0, {9, 1, 500, 280, 20, 90}},
        {2, 1, 0, {1, 0, 20, 20, 20, 20}},
    };
    return profile;
}

std::vector<std::string_view> names(const HotList& list) {
    std::vector<std::string_view> names;
    for (const HotFunction& hot : list.functions) {
        names.push_back(hot.name);
    }
    return names;
}

TEST(HotList, ComesInTheOrderAskedForAndLeavesOutWhatWasNeverCalled) {
    using Names = std::vector<std::string_view>;
    const Profile p = profile();
    EXPECT_EQ(names(hot_list(p, {.sort = SortBy::kSelf, .top = kAll})), (Names{"C", "B", "A"}));
    EXPECT_EQ(names(hot_list(p, {.sort = SortBy::kTotal, .top = kAll})), (Names{"A", "C", "B"}));
    EXPECT_EQ(names(hot_list(p, {.sort = SortBy::kCalls, .top = kAll})), (Names{"C", "B", "A"}));
}

TEST(HotList, LeavesOutWhatThreadsDidOutsideOfTimedCalls) {
    Profile p = profile();
    p.functions.push_back(function("(running before start)", {2, 2, 99'000, 98'000, 0, 99'000}));
    p.functions.push_back(function("(running before start)", {3, 0, 600, 600, 10, 30}, 0));
    using Names = std::vector<std::string_view>;
    const HotList list = hot_list(p, {.sort = SortBy::kTotal, .top = kAll});
    EXPECT_EQ(names(list), (Names{"A", "(running before start)", "C", "B"}))
        << "a method may be called anything";
    EXPECT_DOUBLE_EQ(list.functions[0].share_percent, 100.0 * 100 / 1'600);
    EXPECT_EQ(hot_list(p, {.top = kAll, .before_start = true}).functions[0].times.calls, 2U);
    for (const GroupBy by : {GroupBy::kModule, GroupBy::kNamespace, GroupBy::kThread}) {
        for (const HotFunction& row : hot_list(p, {.top = kAll, .by = by}).functions) {
            EXPECT_LT(row.times.self_ns, 98'000U);
        }
    }
}

TEST(HotList, SaysWhatTheProbesLeaveInDoubt) {
    Profile p = profile();
    p.session.counts.events = 20;
    p.session.probes.inside_ns = 2;
    p.session.probes.outside_ns = 4;  // 60 ns in all ...
    p.session.counts.wait_ns = 20;    // ... of 80 that were taken out
    p.functions[2].times.raw = {680, 680};
    const HotFunction row = hot_list(p, {.top = 1}).functions[0];
    EXPECT_EQ(row.name, "C");
    EXPECT_DOUBLE_EQ(row.self_doubt_ns, 80 * 0.75 / 2);
    EXPECT_DOUBLE_EQ(row.total_doubt_ns, 80 * 0.75 / 2);
    EXPECT_FALSE(is_rough(row.times.self_ns, row.self_doubt_ns)) << "a twentieth";
    EXPECT_TRUE(is_rough(row.times.self_ns - 1, row.self_doubt_ns));
    EXPECT_EQ(hot_list(p, {.top = 1, .compensated = false}).functions[0].self_doubt_ns, 0)
        << "nothing is taken out";
    p.session.probes = {};
    EXPECT_EQ(hot_list(p, {.top = 1}).functions[0].self_doubt_ns, 0);
}

TEST(HotList, PutsEqualsInTheOrderOfTheirNames) {
    Profile p;
    p.functions = {function("b", {1, 0, 5, 5, 5, 5}), function("c", {1, 0, 5, 5, 5, 5}),
                   function("a", {1, 0, 5, 5, 5, 5})};
    EXPECT_EQ(names(hot_list(p, {.sort = SortBy::kSelf, .top = kAll})),
              (std::vector<std::string_view>{"a", "b", "c"}));
}

TEST(HotList, GivesMeansAndSharesOfTheSelfTimeOfAllFunctions) {
    const Profile p = profile();
    const HotList list = hot_list(p, {.sort = SortBy::kSelf, .top = kAll});
    EXPECT_DOUBLE_EQ(list.functions[0].share_percent, 60);
    EXPECT_DOUBLE_EQ(list.functions[1].share_percent, 30);
    EXPECT_EQ(list.functions[0].mean_ns, 15U);
    EXPECT_EQ(list.functions[0].module, "app.dll");
    EXPECT_EQ(list.functions[1].module, "");
    EXPECT_EQ(list.left_out, 0U);
}

TEST(HotList, GivesRecursiveCallsTheirPartInTheMean) {
    const Profile p = profile();
    const HotList list = hot_list(p, {.sort = SortBy::kSelf, .top = kAll});
    EXPECT_EQ(list.functions[1].name, "B");
    EXPECT_EQ(list.functions[1].mean_ns, 52U);  // (500 + 20) / 10, not 500 / 10
}

TEST(HotList, SaysWhatTopLeavesOut) {
    const Profile p = profile();
    const HotList list = hot_list(p, {.sort = SortBy::kSelf, .top = 1});
    EXPECT_EQ(names(list), (std::vector<std::string_view>{"C"}));
    EXPECT_EQ(list.left_out, 2U);
    EXPECT_DOUBLE_EQ(list.left_out_percent, 40);
}

TEST(HotList, HasNoSharesWhereThereIsNoTime) {
    Profile p;
    p.functions = {function("a", {1, 1, 0, 0, 0, 0})};
    EXPECT_EQ(hot_list(p, {.sort = SortBy::kSelf, .top = kAll}).functions[0].share_percent, 0);
    const Profile empty;
    EXPECT_TRUE(hot_list(empty, {.sort = SortBy::kSelf, .top = kAll}).functions.empty());
}

/// W waits and B burns, for equally long.
Profile waiting_and_burning() {
    Profile p;
    p.functions = {
        function("W", {1, 0, 1'000, 1'000, 1, 1, {1'010, 1'010}, {20, 20}, {}}),
        function("B", {1, 0, 1'000, 1'000, 1, 1, {1'500, 1'500}, {980, 980}, {300, 300}}),
    };
    p.threads.resize(1);
    p.calltree = {{kNone, 0, 0, p.functions[0].times}, {kNone, 1, 0, p.functions[1].times}};
    return p;
}

TEST(HotList, SortedByCpuPutsTheBurningFunctionFirstAndSharesCpuTime) {
    const Profile p = waiting_and_burning();
    const HotList list = hot_list(p, {.sort = SortBy::kCpu, .top = kAll});
    EXPECT_EQ(names(list), (std::vector<std::string_view>{"B", "W"}));
    EXPECT_DOUBLE_EQ(list.functions[0].share_percent, 98);
    EXPECT_DOUBLE_EQ(hot_list(p, {.top = kAll}).functions[0].share_percent, 50);
}

TEST(HotList, WithoutCompensationShowsWhatWasMeasured) {
    const Profile p = waiting_and_burning();
    const HotList list = hot_list(p, {.top = kAll, .compensated = false});
    EXPECT_EQ(names(list), (std::vector<std::string_view>{"B", "W"}));
    EXPECT_EQ(list.functions[0].times.total_ns, 1'500U);
    EXPECT_EQ(list.functions[0].times.self_ns, 1'500U);
    EXPECT_EQ(list.functions[0].mean_ns, 1'500U);
    EXPECT_EQ(list.functions[0].times.cpu.self_ns, 1'480U) << "probes run on a processor";
    EXPECT_EQ(list.functions[1].times.cpu.total_ns, 30U);
}

TEST(HotList, WithoutPausesLeavesThemOutOfEveryTime) {
    const Profile p = waiting_and_burning();
    const HotList list = hot_list(p, {.top = kAll, .pauses = false});
    EXPECT_EQ(names(list), (std::vector<std::string_view>{"W", "B"}));
    const HotFunction& burning = list.functions[1];
    EXPECT_EQ(burning.times.total_ns, 700U);
    EXPECT_EQ(burning.times.self_ns, 700U);
    EXPECT_EQ(burning.mean_ns, 700U);
    EXPECT_EQ(burning.times.cpu.self_ns, 700U) << "not more than the wall time left";
    const HotList raw = hot_list(p, {.top = kAll, .compensated = false, .pauses = false});
    EXPECT_EQ(raw.functions[0].times.self_ns, 1'200U);
}

TEST(HotList, NeverShowsATimeBelowZero) {
    const CallTimes odd{1, 0, 10, 10, 1, 1, {5, 5}, {7, 7}, {40, 40}};
    const CallTimes times = shown(odd, {.compensated = false, .pauses = false});
    EXPECT_EQ(times.total_ns, 0U);
    EXPECT_EQ(times.self_ns, 0U);
    EXPECT_EQ(times.cpu.self_ns, 0U);
}

/// Two threads whose paths are kept together.
Profile of_shared_paths() {
    Profile p = profile();
    p.session.settings.tree = "folded";
    for (CallNode& node : p.calltree) {
        node.thread = kNone;
    }
    p.threads.resize(2);
    p.threads[0].name = "Main";
    p.threads[1].name = "Pool";
    p.thread_functions = {{0, 0, {1, 0, 900, 100, 900, 900}},
                          {0, 2, {30, 0, 400, 400, 10, 30}},
                          {1, 1, {10, 1, 500, 300, 20, 90}},
                          {1, 2, {10, 0, 200, 200, 12, 20}}};
    return p;
}

TEST(SharedPaths, TellWhatEachThreadDidFromItsFunctions) {
    const Profile p = of_shared_paths();
    ASSERT_TRUE(threads_share_paths(p));
    const HotList threads =
        hot_list(p, {.sort = SortBy::kSelf, .top = kAll, .by = GroupBy::kThread});
    ASSERT_EQ(threads.functions.size(), 2U);
    EXPECT_EQ(threads.functions[0].times.self_ns, 500U);
    EXPECT_EQ(threads.functions[0].times.total_ns, 500U) << "all a thread did is inside it";
    EXPECT_EQ(threads.functions[0].times.calls + threads.functions[1].times.calls, 51U);
    EXPECT_DOUBLE_EQ(threads.functions[0].share_percent + threads.functions[1].share_percent, 100);
}

TEST(SharedPaths, GiveTheFunctionsOfOneThread) {
    const Profile p = of_shared_paths();
    View view{.sort = SortBy::kSelf, .top = kAll};
    view.filter.threads = {"Pool"};
    const HotList list = hot_list(p, view);
    EXPECT_EQ(names(list), (std::vector<std::string_view>{"B", "C"}));
    EXPECT_EQ(list.functions[0].times.total_ns, 500U);
    EXPECT_EQ(list.functions[0].times.max_ns, 90U);
    EXPECT_EQ(list.functions[1].times.calls, 10U);
    EXPECT_EQ(list.functions[1].times.min_ns, 12U);
    EXPECT_DOUBLE_EQ(list.functions[0].share_percent, 60);
}

TEST(Sums, SayWhatTheProbesCost) {
    Profile p = waiting_and_burning();
    EXPECT_EQ(sums(p).taken_out_ns, 510U);
    EXPECT_EQ(sums(p).probe_cost_ns, 510U);
    p.session.counts.wait_ns = 200;  // these have a line of their own
    EXPECT_EQ(sums(p).taken_out_ns, 510U);
    EXPECT_EQ(sums(p).probe_cost_ns, 310U);
    p.session.counts.wait_ns = 600;  // some outside timed calls
    EXPECT_EQ(sums(p).probe_cost_ns, 0U);
}

TEST(Sums, PausesAddUpByReason) {
    Profile p;
    p.pause_sums = {
        {.reason = "rejit", .count = 1, .duration_ns = 90, .longest_ns = 90},
        {.reason = "gc", .generations = 1, .count = 1, .duration_ns = 30, .longest_ns = 30},
        {.reason = "gc", .generations = 3, .count = 1, .duration_ns = 5, .longest_ns = 5}};
    const PauseSums all = all_pauses(p);
    EXPECT_EQ(all.count, 3U);
    EXPECT_EQ(all.total_ns, 125U);
    EXPECT_EQ(all.longest_ns, 90U);
    const std::vector<PauseSums> reasons = pauses_by_reason(p);
    ASSERT_EQ(reasons.size(), 2U);
    EXPECT_EQ(reasons[0].reason, "rejit");
    EXPECT_EQ(reasons[1].reason, "gc");
    EXPECT_EQ(reasons[1].count, 2U);
    EXPECT_EQ(reasons[1].total_ns, 35U);
    EXPECT_EQ(reasons[1].longest_ns, 30U);
}

TEST(Sums, CompilationOnThreadsWithoutTimedCallsIsInTheBackground) {
    Profile p;
    p.threads.resize(2);
    p.threads[0].calls = 1;
    p.threads[0].compilations = p.threads[1].compilations = 1;
    p.threads[0].compiling_ns = 10;
    p.threads[1].compiling_ns = 200;
    p.compilation_sums = {{.count = 3, .duration_ns = 3'210}};
    const CompilationSums all = compilation_sums(p);
    EXPECT_EQ(all.count, 3U);
    EXPECT_EQ(all.total_ns, 3'210U);
    EXPECT_EQ(all.background_count, 2U);
    EXPECT_EQ(all.background_ns, 3'200U);
}

TEST(Sums, AddFunctionsAndThreads) {
    Profile p = profile();
    p.threads.resize(2);
    p.threads[0].repairs = 1;
    p.threads[1].repairs = 2;
    p.threads[1].unmatched_leaves = 4;
    p.threads[0].decode_errors = 5;
    const Sums all = sums(p);
    EXPECT_EQ(all.unfinished, 1U);
    EXPECT_EQ(all.repairs, 3U);
    EXPECT_EQ(all.unmatched_leaves, 4U);
    EXPECT_EQ(all.decode_errors, 5U);
}

}  // namespace
}  // namespace umbra::profile
