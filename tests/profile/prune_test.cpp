// SPDX-License-Identifier: MIT
#include "src/profile/prune.h"

#include <gtest/gtest.h>

#include "tests/export/sample_profile.h"

namespace umbra::profile {
namespace {

struct Sums {
    uint64_t wall = 0;
    uint64_t raw = 0;
    uint64_t cpu = 0;
    uint64_t paused = 0;
    bool operator==(const Sums&) const = default;
};

Sums sums(const Profile& profile) {
    Sums out;
    for (const CallNode& node : profile.calltree) {
        out.wall += node.times.self_ns;
        out.raw += node.times.raw.self_ns;
        out.cpu += node.times.cpu.self_ns;
        out.paused += node.times.paused.self_ns;
    }
    return out;
}

TEST(DropSmall, NothingIsSmallerThanNothing) {
    Profile profile = test::sample_profile();
    drop_small(profile, 0);
    EXPECT_EQ(profile.calltree.size(), test::sample_profile().calltree.size());
}

TEST(DropSmall, TimesGoToTheCallersAndRowsStayInOrder) {
    for (const double share : {0.01, 0.2, 0.5, 1.0}) {
        Profile profile = test::sample_profile();
        const Sums before = sums(profile);
        drop_small(profile, share);
        EXPECT_EQ(sums(profile), before) << share;
        for (size_t row = 0; row < profile.calltree.size(); ++row) {
            const Row parent = profile.calltree[row].parent;
            EXPECT_TRUE(parent == kNone || parent < row) << share;
        }
    }
}

TEST(DropSmall, OutermostCallsStay) {
    Profile profile = test::sample_profile();
    size_t outermost = 0;
    for (const CallNode& node : profile.calltree) {
        outermost += node.parent == kNone ? 1U : 0U;
    }
    drop_small(profile, 1);
    EXPECT_EQ(profile.calltree.size(), outermost);
    EXPECT_GT(outermost, 0U);
}

TEST(KeepLargest, AtMostAsManyRowsStayAndNoTimeIsLost) {
    const Profile whole = test::sample_profile();
    for (size_t rows = 0; rows <= whole.calltree.size() + 1; ++rows) {
        Profile profile = whole;
        keep_largest(profile, rows);
        EXPECT_EQ(sums(profile), sums(whole)) << rows;
        size_t outermost = 0;
        for (const CallNode& node : profile.calltree) {
            outermost += node.parent == kNone ? 1U : 0U;
        }
        EXPECT_LE(profile.calltree.size(), rows + outermost) << rows;
        if (rows >= whole.calltree.size()) {
            EXPECT_EQ(profile.calltree.size(), whole.calltree.size());
        }
    }
}

TEST(KeepLargest, WhatStaysIsNoSmallerThanWhatGoes) {
    Profile profile;
    const auto node = [&](Row parent, uint64_t self_ns) {
        CallNode made{.parent = parent, .function = 0, .thread = 0, .times = {}};
        made.times.self_ns = self_ns;
        profile.calltree.push_back(made);
    };
    node(kNone, 1);
    node(0, 5);  // with its callee 35
    node(1, 30);
    node(0, 20);
    node(0, 10);
    keep_largest(profile, 3);
    ASSERT_EQ(profile.calltree.size(), 3U);
    EXPECT_EQ(profile.calltree[0].times.self_ns, 1U + 20 + 10);
    EXPECT_EQ(profile.calltree[1].times.self_ns, 5U);
    EXPECT_EQ(profile.calltree[2].times.self_ns, 30U);
}

}  // namespace
}  // namespace umbra::profile
