// SPDX-License-Identifier: MIT
// The hot list: order, shares, and what is left out.
#include "src/profile/report.h"

#include <limits>

#include <gtest/gtest.h>

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
    EXPECT_EQ(names(hot_list(p, SortBy::kSelf, kAll)), (Names{"C", "B", "A"}));
    EXPECT_EQ(names(hot_list(p, SortBy::kTotal, kAll)), (Names{"A", "C", "B"}));
    EXPECT_EQ(names(hot_list(p, SortBy::kCalls, kAll)), (Names{"C", "B", "A"}));
}

TEST(HotList, PutsEqualsInTheOrderOfTheirNames) {
    Profile p;
    p.functions = {function("b", {1, 0, 5, 5, 5, 5}), function("c", {1, 0, 5, 5, 5, 5}),
                   function("a", {1, 0, 5, 5, 5, 5})};
    EXPECT_EQ(names(hot_list(p, SortBy::kSelf, kAll)),
              (std::vector<std::string_view>{"a", "b", "c"}));
}

TEST(HotList, GivesMeansAndSharesOfTheSelfTimeOfAllFunctions) {
    const Profile p = profile();
    const HotList list = hot_list(p, SortBy::kSelf, kAll);
    EXPECT_DOUBLE_EQ(list.functions[0].share_percent, 60);
    EXPECT_DOUBLE_EQ(list.functions[1].share_percent, 30);
    EXPECT_EQ(list.functions[0].mean_ns, 15U);
    EXPECT_EQ(list.functions[0].module, "app.dll");
    EXPECT_EQ(list.functions[1].module, "");
    EXPECT_EQ(list.left_out, 0U);
}

TEST(HotList, GivesRecursiveCallsTheirPartInTheMean) {
    const Profile p = profile();
    const HotList list = hot_list(p, SortBy::kSelf, kAll);
    EXPECT_EQ(list.functions[1].name, "B");
    EXPECT_EQ(list.functions[1].mean_ns, 52U);  // (500 + 20) / 10, not 500 / 10
}

TEST(HotList, SaysWhatTopLeavesOut) {
    const Profile p = profile();
    const HotList list = hot_list(p, SortBy::kSelf, 1);
    EXPECT_EQ(names(list), (std::vector<std::string_view>{"C"}));
    EXPECT_EQ(list.left_out, 2U);
    EXPECT_DOUBLE_EQ(list.left_out_percent, 40);
}

TEST(HotList, HasNoSharesWhereThereIsNoTime) {
    Profile p;
    p.functions = {function("a", {1, 1, 0, 0, 0, 0})};
    EXPECT_EQ(hot_list(p, SortBy::kSelf, kAll).functions[0].share_percent, 0);
    const Profile empty;
    EXPECT_TRUE(hot_list(empty, SortBy::kSelf, kAll).functions.empty());
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
