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

}  // namespace
}  // namespace umbra::profile
