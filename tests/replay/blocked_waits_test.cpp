// SPDX-License-Identifier: MIT
// Threads that are blocked until a task has ended.
#include "src/replay/async/blocked_waits.h"

#include <gtest/gtest.h>

#include "tests/replay/async_story.h"

namespace umbra::replay {
namespace {

using testing::Story;

std::vector<BlockedWait> told(const Story& story, uint64_t now_ticks = 1'000) {
    std::vector<BlockedWait> waits;
    for (const BlockedWait& wait : story.sums(now_ticks).blocked) {
        if (wait.times != 0) {
            waits.push_back(wait);
        }
    }
    return waits;
}

TEST(BlockedWaits, ATaskThatIsACallIsNamedByItsMethod) {
    Story story;
    story.enter('A', 900, 0).suspend('A', 1, 10).leave('A', 900, 11);
    story.on(2).waits('M', 1, 700, 20).wait_ends(700, 120);
    story.waits('M', 1, 700, 200).wait_ends(700, 250);
    const std::vector<BlockedWait> waits = told(story);
    ASSERT_EQ(waits.size(), 1U);
    EXPECT_EQ(waits[0].function, Story::index('M'));
    EXPECT_EQ(waits[0].awaited_function, Story::index('A'));
    EXPECT_EQ(waits[0].times, 2U);
    EXPECT_EQ(waits[0].ticks, 150U);
}

TEST(BlockedWaits, AnotherTaskHasItsType) {
    Story story;
    story.waits('M', 5, 700, 20, 77).wait_ends(700, 30);
    const std::vector<BlockedWait> waits = told(story);
    ASSERT_EQ(waits.size(), 1U);
    EXPECT_EQ(waits[0].awaited_function, 0U);
    EXPECT_EQ(waits[0].type, 77U);
}

TEST(BlockedWaits, OneThatNeverEndsLastsUntilNow) {
    Story story;
    story.waits('M', 5, 700, 100);
    EXPECT_EQ(told(story, 600).at(0).ticks, 500U);
    EXPECT_EQ(told(story, 700).at(0).ticks, 600U) << "looking at it changes nothing";
}

TEST(BlockedWaits, InsideEachOtherEachHasItsTime) {
    Story story;
    story.waits('M', 5, 700, 100).waits('N', 6, 500, 120).wait_ends(500, 150).wait_ends(700, 200);
    const std::vector<BlockedWait> waits = told(story);
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_EQ(waits[0].ticks, 100U);
    EXPECT_EQ(waits[1].ticks, 30U);
}

TEST(BlockedWaits, AnEndThatNobodyToldIsThatOfTheNextInItsPlace) {
    Story story;
    story.waits('M', 5, 700, 100).waits('M', 6, 700, 150).wait_ends(700, 160);
    EXPECT_EQ(told(story).at(0).ticks, 60U);
    story.wait_ends(700, 500).on(9).wait_ends(100, 5);
    EXPECT_EQ(told(story).at(0).ticks, 60U) << "an end without a begin is nothing";
}

TEST(BlockedWaits, InNoTimedMethodNobodyIsTold) {
    Story story;
    story.waits('\0', 5, 700, 100).wait_ends(700, 150);
    EXPECT_TRUE(told(story).empty());
}

TEST(BlockedWaits, BeyondTheLimitsTheyAreOneRowOrNone) {
    AsyncLimits limits;
    limits.waits = 2;
    limits.blocked = 2;
    Story story(limits);
    for (const char method : {'M', 'N', 'O'}) {
        story.waits(method, 5, 700, 100).wait_ends(700, 110);
    }
    const std::vector<BlockedWait> waits = told(story);
    ASSERT_EQ(waits.size(), 2U);
    EXPECT_EQ(waits[0].function, 0U);
    EXPECT_EQ(waits[0].times, 2U);
    for (uint32_t thread = 1; thread <= 5; ++thread) {
        story.on(thread).waits('M', 5, 700, 200);
    }
    EXPECT_EQ(told(story, 201).at(1).times, 3U);
}

}  // namespace
}  // namespace umbra::replay
