// SPDX-License-Identifier: MIT
// Paths of several runs as one tree.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/profile/diff/paths.h"

namespace umbra::profile {
namespace {

Function function(const std::string& name) {
    Function made;
    made.name = name;
    return made;
}

CallNode node(Row parent, Row of, uint64_t calls, uint64_t self_ns) {
    CallNode made;
    made.parent = parent;
    made.function = of;
    made.times.calls = calls;
    made.times.self_ns = made.times.total_ns = self_ns;
    made.times.cpu = {self_ns / 2, self_ns / 2};
    return made;
}

/// `main` calls `first`, then `second`.
Profile run(const std::string& first, const std::string& second, uint64_t self_ns) {
    Profile profile;
    profile.functions = {function("main"), function(first), function(second)};
    profile.calltree = {node(kNone, 0, 1, 10), node(0, 1, 2, self_ns), node(0, 2, 3, 30)};
    for (std::size_t row = 0; row < 3; ++row) {
        profile.functions[row].times = profile.calltree[row].times;
    }
    return profile;
}

TEST(DiffPaths, EqualPathsOfBothSidesAreOneWithTheMeansOfEither) {
    const std::vector<Profile> before = {run("a", "b", 100), run("a", "b", 300)};
    const std::vector<Profile> after = {run("c", "a", 40)};  // rows of a file say nothing elsewhere
    PathMerger merger(false);
    std::vector<profile::Run> old_runs;
    std::vector<profile::Run> new_runs;
    for (const Profile& profile : before) {
        merger.add(profile, false);
        old_runs.push_back(run_of(profile, {}));
    }
    for (const Profile& profile : after) {
        merger.add(profile, true);
        new_runs.push_back(run_of(profile, {}));
    }
    const Diff changed = diff(old_runs, new_runs, {});
    const Profile merged = std::move(merger).take(changed);
    ASSERT_EQ(merged.calltree.size(), 4U);
    ASSERT_EQ(merged.functions.size(), changed.functions.size());
    for (const CallNode& path : merged.calltree) {
        const std::string& name = merged.functions[path.function].name;
        EXPECT_EQ(path.parent, name == "main" ? kNone : 0) << name;
        const CallTimes& times = path.times;
        if (name == "a") {
            EXPECT_EQ(old_wall_ns(times), 200U);
            EXPECT_EQ(new_wall_ns(times), 30U);
            EXPECT_EQ(old_cpu_ns(times), 100U);
            EXPECT_EQ(new_cpu_ns(times), 15U);
            EXPECT_EQ(old_calls(times), 2U);
            EXPECT_EQ(times.calls, 3U);
        } else if (name == "c") {
            EXPECT_EQ(old_wall_ns(times), 0U);
            EXPECT_EQ(new_wall_ns(times), 40U);
        } else if (name == "b") {
            EXPECT_EQ(old_wall_ns(times), 30U);
            EXPECT_EQ(new_wall_ns(times), 0U);
        }
    }
}

}  // namespace
}  // namespace umbra::profile
