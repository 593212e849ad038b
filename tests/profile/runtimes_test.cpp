// SPDX-License-Identifier: MIT
// Profiles of processes with several runtimes: what is told apart, and what stays short.
#include <gtest/gtest.h>

#include "src/profile/methods.h"
#include "src/profile/report.h"

namespace umbra::profile {
namespace {

/// The same program under two runtimes of one version and one of another.
Profile three_runtimes() {
    Profile profile;
    profile.runtimes = {{".NET 10.0.12"}, {".NET 9.0.18"}, {".NET 10.0.12"}};
    profile.threads.resize(1);
    for (Row runtime = 0; runtime < 3; ++runtime) {
        profile.modules.push_back({"app.dll", "/srv/app.dll", false, runtime});
        Function made;
        made.name = "App.Run()";
        made.module = runtime;
        made.runtime = runtime;
        made.times = {.calls = runtime + 1, .total_ns = 100, .self_ns = 100};
        profile.functions.push_back(made);
        profile.calltree.push_back({kNone, runtime, 0, made.times});
    }
    return profile;
}

TEST(Runtimes, OneIsNotNamed) {
    Profile profile = three_runtimes();
    profile.runtimes.resize(1);
    EXPECT_EQ(runtime_label(profile, 0), "");
    EXPECT_EQ(module_label(profile, 0), "app.dll");
    EXPECT_EQ(runtime_label(profile, kNone), "");
}

TEST(Runtimes, SeveralAreNamedByTheirVersionsAndEqualOnesByTheirNumbersToo) {
    const Profile profile = three_runtimes();
    EXPECT_EQ(runtime_label(profile, 0), "10.0.12#1");
    EXPECT_EQ(runtime_label(profile, 1), "9.0.18");
    EXPECT_EQ(runtime_label(profile, 2), "10.0.12#3");
    EXPECT_EQ(module_label(profile, 1), "9.0.18/app.dll");
    EXPECT_EQ(runtime_label(profile, kNone), "");
}

TEST(Runtimes, GroupsDoNotReachFromOneToAnother) {
    const Profile profile = three_runtimes();
    for (const GroupBy by : {GroupBy::kFunction, GroupBy::kType, GroupBy::kModule}) {
        const HotList list =
            hot_list(profile, {.sort = SortBy::kCalls, .top = 10, .by = by, .fold = true});
        ASSERT_EQ(list.functions.size(), 3U);
        EXPECT_EQ(list.functions[0].times.calls, 3U);
        EXPECT_EQ(list.functions[0].runtime, "10.0.12#3");
        EXPECT_EQ(list.functions[1].runtime, "9.0.18");
        EXPECT_EQ(list.functions[2].runtime, "10.0.12#1");
    }
    const HotList list = hot_list(profile, {.top = 10, .by = GroupBy::kNamespace});
    ASSERT_EQ(list.functions.size(), 1U);
    EXPECT_EQ(list.functions[0].times.calls, 6U);
    EXPECT_EQ(list.functions[0].runtime, "");
}

TEST(Runtimes, AFilterTakesTheMethodsOfOne) {
    const Profile profile = three_runtimes();
    View view{.top = 10};
    view.filter.runtime = 1;
    const HotList list = hot_list(profile, view);
    ASSERT_EQ(list.functions.size(), 1U);
    EXPECT_EQ(list.functions[0].times.calls, 2U);
}

TEST(Runtimes, AreFoundByNumberAndByVersion) {
    const Profile profile = three_runtimes();
    EXPECT_EQ(find_runtime(profile, "2").value(), 1U);
    EXPECT_EQ(find_runtime(profile, "3").value(), 2U);
    EXPECT_EQ(find_runtime(profile, "9").value(), 1U);
    EXPECT_EQ(find_runtime(profile, "10.0").value(), 0U);
    for (const char* wrong : {"4", "8.0", "x", "", "9.0.1"}) {
        const Result<Row> found = find_runtime(profile, wrong);
        ASSERT_FALSE(found) << wrong;
        EXPECT_NE(found.error().context.find("2 (.NET 9.0.18)"), std::string::npos);
    }
    const Result<Row> found = find_runtime(Profile(), "1");
    ASSERT_FALSE(found);
    EXPECT_NE(found.error().context.find("does not name any"), std::string::npos);
}

}  // namespace
}  // namespace umbra::profile
