// SPDX-License-Identifier: MIT
// Calls of methods that the runtime suspends by itself, all of a task's at once.
#include <gtest/gtest.h>

#include "tests/replay/async_story.h"

namespace umbra::replay {
namespace {

using testing::ended;
using testing::Parts;
using testing::parts;
using testing::Story;

// A calls B; something above 950 has made the task, whose number is 1.
Story two_suspended() {
    Story story;
    story.begin('A', 900, 0).begin('B', 800, 10);
    story.suspend_stack(1, 950, 30, 50, 7);
    return story;
}

TEST(AsyncStacks, ACallThatNeverSuspendsEndsWithItsFrame) {
    Story story;
    story.begin('A', 900, 10).begin('B', 800, 12).leave('B', 800, 20).leave('A', 900, 25);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U);
    EXPECT_EQ(story.of('A').never_suspended, 1U);
    EXPECT_EQ(story.parent_of('B'), 'A');
    EXPECT_EQ(parts(story.of('A')), (Parts{7, 8, 0, 0, 0}));
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncStacks, AllGoOnOneAfterTheOtherTheInnermostFirst) {
    Story story = two_suspended();
    story.on(2).resume(1, 700, 100).begin('B', 600, 101).leave('B', 600, 110);
    story.begin('A', 600, 112).leave('A', 600, 130).resume_ends(700, 131);
    const AsyncCounts a = story.of('A');
    const AsyncCounts b = story.of('B');
    EXPECT_EQ(a.calls, 1U);
    EXPECT_EQ(b.calls, 1U);
    EXPECT_EQ(a.suspensions, 1U);
    EXPECT_EQ(ended(a, AsyncOutcome::kResult), 1U);
    EXPECT_EQ(parts(b), (Parts{20 + 10, 0, 0, 70, 0}));
    // 110 to 112: the code that goes on with the next.
    EXPECT_EQ(parts(a), (Parts{10 + 18, 20 + 80, 0, 2, 0}));
    EXPECT_EQ(story.wait_of('B').type, 7U);
    EXPECT_EQ(story.wait_of('A').kind, AsyncWait::kChild);
    EXPECT_EQ(story.wait_of('A').function, Story::index('B'));
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncStacks, WhatGoesOnMakesNewCallsAndWaitsAgain) {
    Story story = two_suspended();
    story.on(2).resume(1, 700, 100).begin('B', 600, 100).begin('C', 500, 110);
    story.suspend_stack(1, 690, 120).resume_ends(700, 121);  // in the frame of the resumption
    story.on(3).resume(1, 700, 200).begin('C', 600, 200).leave('C', 600, 210);
    story.begin('B', 600, 210).leave('B', 600, 220);
    story.begin('A', 600, 220).leave('A', 600, 230).resume_ends(700, 230);
    EXPECT_EQ(story.of('B').calls, 1U);
    EXPECT_EQ(story.of('B').suspensions, 2U);
    EXPECT_EQ(story.of('A').suspensions, 1U);
    EXPECT_EQ(story.parent_of('C'), 'B');
    EXPECT_EQ(story.of('C').times.wall(), 100U);
    EXPECT_EQ(story.of('A').times.wall(), 230U);
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncStacks, TheAddressMayLieAboveThatOfTheResumption) {
    Story story = two_suspended();
    story.on(2).resume(1, 700, 100).begin('B', 600, 100);
    story.suspend_stack(1, 710, 120).resume_ends(700, 121);
    story.on(3).resume(1, 700, 200).begin('B', 600, 200).leave('B', 600, 210);
    story.begin('A', 600, 210).leave('A', 600, 220).resume_ends(700, 220);
    EXPECT_EQ(story.of('B').suspensions, 2U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U);
}

TEST(AsyncStacks, WhoeverHasNoHandlerEndsWithTheException) {
    Story story;
    story.begin('A', 900, 0).begin('B', 800, 1).begin('C', 700, 2).suspend_stack(1, 950, 10);
    story.on(2).resume(1, 700, 100).begin('C', 600, 100).unwind('C', 600, 110);
    story.begin('A', 600, 120).leave('A', 600, 130).resume_ends(700, 130);  // A has one, B not
    EXPECT_EQ(ended(story.of('C'), AsyncOutcome::kFault), 1U);
    EXPECT_EQ(ended(story.of('B'), AsyncOutcome::kFault), 1U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U);
}

// Of methods whose IL has probes: a filter tells the exception, at the frame's own address.
TEST(AsyncStacks, AnExceptionIsToldAheadOfTheLeave) {
    Story story;
    story.begin('A', 900, 0).begin('B', 800, 5);
    story.fault(0, 800, 8, true).leave('B', 800, 9).leave('A', 900, 20);
    EXPECT_EQ(ended(story.of('B'), AsyncOutcome::kCancelled), 1U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U);
}

TEST(AsyncStacks, AnExceptionOfWhatItAwaitedIsToldBeforeItGoesOn) {
    Story story = two_suspended();
    story.on(2).resume(1, 700, 100).fault(0, 600, 101).begin('B', 600, 102).leave('B', 600, 103);
    story.begin('A', 600, 104).leave('A', 600, 130).resume_ends(700, 131);
    EXPECT_EQ(ended(story.of('B'), AsyncOutcome::kFault), 1U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U) << "has caught it";
}

TEST(AsyncStacks, ATaskThatFaultsEndsAllThatAreLeft) {
    Story story = two_suspended();
    story.on(2).resume(1, 700, 100).begin('B', 600, 100).unwind('B', 600, 110, true);
    story.fault(1, 500, 112, true).resume_ends(700, 115);
    EXPECT_EQ(ended(story.of('B'), AsyncOutcome::kCancelled), 1U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kCancelled), 1U);
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncStacks, AnExceptionBeforeAnySuspensionIsTheCalls) {
    Story story;
    story.begin('A', 900, 0).begin('B', 800, 5).unwind('B', 800, 8).leave('A', 900, 20);
    EXPECT_EQ(ended(story.of('B'), AsyncOutcome::kFault), 1U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U);
}

TEST(AsyncStacks, ATaskIsThatOfTheOutermostCall) {
    Story story = two_suspended();
    // A state machine that awaits it, in the call that has made it and in another.
    story.enter('S', 990, 40).suspend('S', 2, 41).await(2, 1, 42).leave('S', 990, 43);
    EXPECT_EQ(story.wait_of('S').kind, AsyncWait::kOther);
    EXPECT_EQ(story.wait_of('S').function, Story::index('A'));
    story.on(2).resume(1, 700, 100).begin('B', 600, 100).leave('B', 600, 110);
    story.begin('A', 600, 110).leave('A', 600, 120).resume_ends(700, 120);
    // It has its result already when somebody looks at it, then or in what goes on inside it.
    story.enter('T', 990, 130).suspend('T', 3, 131).await(3, 1, 132).leave('T', 990, 133);
    EXPECT_EQ(story.wait_of('T').function, Story::index('A'));
}

TEST(AsyncStacks, WhatIsReadyWaitsForAThread) {
    Story story = two_suspended();
    story.on(2).queue(1, 60);
    story.on(3).resume(1, 700, 100).begin('B', 600, 100).leave('B', 600, 110);
    story.begin('A', 600, 110).leave('A', 600, 120).resume_ends(700, 120);
    EXPECT_EQ(parts(story.of('B')), (Parts{30, 0, 0, 30, 40}));
}

TEST(AsyncStacks, WhatGoesOnElsewhereBeforeItHasBegunSuspendsOnce) {
    Story story = two_suspended();
    story.on(2).resume(1, 700, 60).queue(1, 62).resume_ends(700, 63);
    story.on(3).resume(1, 700, 100).begin('B', 600, 100).leave('B', 600, 110);
    story.begin('A', 600, 110).leave('A', 600, 120).resume_ends(700, 120);
    EXPECT_EQ(story.of('B').suspensions, 1U);
    EXPECT_EQ(parts(story.of('B')), (Parts{20 + 2 + 10, 0, 0, 30, 38}));
}

TEST(AsyncStacks, MethodsThatNobodyTimesStandBetween) {
    Story story;
    // A awaits one of the framework's, which goes on by itself and calls C.
    story.begin('A', 900, 0).suspend_stack(1, 950, 10);
    story.on(2).resume(1, 700, 100).begin('C', 600, 105).leave('C', 600, 110);
    story.begin('A', 600, 120).leave('A', 600, 130).resume_ends(700, 130);
    EXPECT_EQ(story.parent_of('C'), 'A');
    EXPECT_EQ(story.of('A').times.wall(), 130U);
}

TEST(AsyncStacks, ATaskOfMethodsThatNobodyTimesHandsItsCallsToItsCaller) {
    Story story;
    story.begin('A', 900, 0).suspend_stack(9, 850, 5);  // of something that A has called
    story.suspend_stack(1, 950, 10, 9);
    story.on(2).resume(9, 700, 50).begin('C', 600, 51).leave('C', 600, 61).resume_ends(700, 70);
    EXPECT_EQ(story.parent_of('C'), 'A');
    story.resume(1, 700, 80).begin('A', 600, 80).leave('A', 600, 90).resume_ends(700, 90);
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncStacks, WhatGoesOnElsewhereBeforeItsFrameIsLeftGoesOnThere) {
    Story story;
    story.begin('A', 900, 0).suspend_stack(9, 850, 5);  // of something that A has called
    story.suspend_stack(1, 950, 10, 9);
    story.on(2).resume(9, 700, 50).suspend_stack(9, 690, 55);
    story.on(3).resume(9, 500, 60);
    story.on(2).resume_ends(700, 65);
    story.on(3).begin('C', 400, 70).leave('C', 400, 75).resume_ends(500, 80);
    EXPECT_EQ(story.parent_of('C'), 'A');
}

TEST(AsyncStacks, ACallFromBeforeTheSessionGoesOn) {
    Story story;
    story.on(2).resume(5, 700, 50).begin('A', 600, 50).leave('A', 600, 60).resume_ends(700, 60);
    EXPECT_EQ(story.of('A').before, 1U);
}

}  // namespace
}  // namespace umbra::replay
