// SPDX-License-Identifier: MIT
#include "src/replay/async/async_calls.h"

#include <gtest/gtest.h>

#include "tests/replay/async_story.h"

namespace umbra::replay {
namespace {

using testing::ended;
using testing::Parts;
using testing::parts;
using testing::Story;

constexpr uint32_t kPooled = 0x8000'0000;  // keys of what is no task

TEST(AsyncCalls, ACallThatNeverSuspendsEndsWithItsMoveNext) {
    Story story;
    story.enter('A', 900, 10).leave('A', 900, 25);
    const AsyncCounts a = story.of('A');
    EXPECT_EQ(a.calls, 1U);
    EXPECT_EQ(ended(a, AsyncOutcome::kResult), 1U);
    EXPECT_EQ(a.never_suspended, 1U);
    EXPECT_EQ(parts(a), (Parts{15, 0, 0, 0, 0}));
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncCalls, ACallGoesOnOnAnotherThread) {
    Story story;
    story.enter('A', 900, 10).suspend('A', 1, 20).await(1, 50, 21, 7).leave('A', 900, 22);
    story.on(2).resume(1, 800, 120).enter('A', 700, 121).complete(1, 130).leave('A', 700, 131);
    story.resume_ends(800, 132);
    const AsyncCounts a = story.of('A');
    EXPECT_EQ(a.calls, 1U);
    EXPECT_EQ(a.suspensions, 1U);
    EXPECT_EQ(a.never_suspended, 0U);
    EXPECT_EQ(parts(a), (Parts{20, 0, 0, 100, 0}));
    const AsyncWait wait = story.wait_of('A');
    EXPECT_EQ(wait.kind, AsyncWait::kType);
    EXPECT_EQ(wait.type, 7U);
    EXPECT_EQ(wait.ticks, 100U);
}

TEST(AsyncCalls, ACallSuspendsManyTimes) {
    Story story;
    story.enter('A', 900, 0).suspend('A', 1, 10).leave('A', 900, 11);
    for (uint64_t turn = 1; turn <= 5; ++turn) {
        story.on(2).resume(1, 800, 100 * turn).enter('A', 700, 100 * turn + 1);
        story.suspend('A', 1, 100 * turn + 10).leave('A', 700, 100 * turn + 11);
        story.resume_ends(800, 100 * turn + 12);
    }
    story.resume(1, 800, 600).enter('A', 700, 601).complete(1, 610).leave('A', 700, 611);
    const AsyncCounts a = story.of('A');
    EXPECT_EQ(a.calls, 1U);
    EXPECT_EQ(a.suspensions, 6U);
    EXPECT_EQ(parts(a), (Parts{70, 0, 0, 540, 0}));
}

TEST(AsyncCalls, ACalleeIsAChildOfItsCallerWhileItRunsAndWhileItIsAwaited) {
    Story story;
    story.enter('A', 900, 0).enter('B', 800, 10).suspend('B', 2, 20).leave('B', 800, 25);
    story.suspend('A', 1, 30).await(1, 2, 31).leave('A', 900, 32);
    story.on(2).resume(2, 800, 100).enter('B', 700, 101).complete(2, 110);
    // What awaited it runs inline, deeper, and is over before it is.
    story.resume(1, 600, 111).enter('A', 500, 112).complete(1, 150).leave('A', 500, 151);
    story.resume_ends(600, 152).leave('B', 700, 160).resume_ends(800, 161);
    EXPECT_EQ(story.parent_of('B'), 'A');
    EXPECT_EQ(story.how_of('B'), AsyncHow::kCalled);
    EXPECT_EQ(parts(story.of('B')), (Parts{20, 0, 0, 80, 0}));
    // 0..10 and 25..30 by itself, 111..150 after; B's first stretch and the wait for it between.
    EXPECT_EQ(parts(story.of('A')), (Parts{10 + 5 + 39, 15 + 81, 0, 0, 0}));
    EXPECT_EQ(story.wait_of('A').kind, AsyncWait::kChild);
    EXPECT_EQ(story.wait_of('A').function, Story::index('B'));
}

TEST(AsyncCalls, WhatRunsInlineBelowACallThatHasEndedIsItsParents) {
    Story story;
    story.enter('A', 900, 0).enter('B', 800, 1).suspend('B', 2, 2).leave('B', 800, 3);
    story.suspend('A', 1, 4).leave('A', 900, 5);
    story.on(2).resume(2, 800, 10).enter('B', 700, 11).complete(2, 12);
    // A plain continuation of B's task calls C.
    story.enter('C', 600, 13).leave('C', 600, 14);
    EXPECT_EQ(story.parent_of('C'), 'A');
}

TEST(AsyncCalls, WhenAllOfOwnCallsIsTimeOfChildren) {
    Story story;
    story.enter('A', 900, 0);
    story.enter('B', 800, 1).suspend('B', 2, 2).leave('B', 800, 3);
    story.enter('C', 800, 4).suspend('C', 3, 5).leave('C', 800, 6);
    story.combine(2, 9, 7).combine(3, 9, 8);
    story.suspend('A', 1, 10).await(1, 9, 11, 70, true).leave('A', 900, 12);
    story.on(2).resume(2, 800, 50).enter('B', 700, 50).complete(2, 60).leave('B', 700, 60);
    story.resume_ends(800, 61);
    story.resume(3, 800, 90).enter('C', 700, 90).complete(3, 100).leave('C', 700, 100);
    story.resume(1, 800, 110).enter('A', 700, 110).complete(1, 120).leave('A', 700, 120);
    const AsyncCounts a = story.of('A');
    // Until C has ended at 100; then nobody of them lives, and A is ready only at 110.
    EXPECT_EQ(a.times[AsyncPart::kChildren], 2 + 2 + 90U);
    EXPECT_EQ(a.times[AsyncPart::kOutside], 10U);
    EXPECT_EQ(a.times.wall(), 120U);
}

TEST(AsyncCalls, ATimerIsOutsideThoughAChildIsAlive) {
    Story story;
    story.enter('A', 900, 0).enter('B', 800, 0).suspend('B', 2, 0).leave('B', 800, 0);
    story.suspend('A', 1, 10).await(1, 60, 11, 7).leave('A', 900, 12);
    story.on(2).resume(1, 800, 110).enter('A', 700, 110).complete(1, 110).leave('A', 700, 110);
    EXPECT_EQ(parts(story.of('A')), (Parts{10, 0, 0, 100, 0}));
    EXPECT_EQ(ended(story.of('B'), AsyncOutcome::kOpen), 1U);
}

TEST(AsyncCalls, WhatAwaitsTheCallOfAnotherSaysSo) {
    Story story;
    story.enter('A', 900, 0).suspend('A', 1, 10).leave('A', 900, 11);
    story.on(2).enter('B', 900, 20).suspend('B', 2, 30).await(2, 1, 31).leave('B', 900, 32);
    story.on(3).resume(2, 800, 130).enter('B', 700, 130).complete(2, 140).leave('B', 700, 140);
    EXPECT_EQ(parts(story.of('B')), (Parts{20, 0, 100, 0, 0}));
    EXPECT_EQ(story.wait_of('B').kind, AsyncWait::kOther);
    EXPECT_EQ(story.parent_of('B'), 0);
}

TEST(AsyncCalls, WhatEndedJustBeforeItIsAwaitedIsStillAnothersCall) {
    Story story;
    story.enter('A', 900, 0).suspend('A', 1, 10).leave('A', 900, 11);
    story.on(2).enter('B', 900, 20);
    // B has seen A's task without its result.
    story.on(3).resume(1, 800, 25).enter('A', 700, 25).complete(1, 28).leave('A', 700, 29);
    story.on(2).suspend('B', 2, 30).await(2, 1, 31, Story::index('A')).leave('B', 900, 32);
    story.resume(2, 800, 40).enter('B', 700, 40).complete(2, 50).leave('B', 700, 50);
    EXPECT_EQ(story.wait_of('B').kind, AsyncWait::kOther);
    EXPECT_EQ(story.wait_of('B').function, Story::index('A'));
}

TEST(AsyncCalls, WhatEndedJustBeforeItIsAwaitedIsStillItsOwnCall) {
    Story story;
    story.enter('B', 990, 0).enter('A', 900, 1).suspend('A', 1, 10).leave('A', 900, 11);
    story.on(3).resume(1, 800, 25).enter('A', 700, 25).complete(1, 28).leave('A', 700, 29);
    story.on(1).suspend('B', 2, 30).await(2, 1, 31, Story::index('A')).leave('B', 990, 32);
    story.on(2).resume(2, 800, 40).enter('B', 700, 40).complete(2, 50).leave('B', 700, 50);
    EXPECT_EQ(story.wait_of('B').kind, AsyncWait::kChild);
    EXPECT_EQ(story.wait_of('B').function, Story::index('A'));
}

TEST(AsyncCalls, ATaskThatIsRunHasWhoHasMadeItAsParent) {
    Story story;
    story.enter('A', 900, 0).make_task(5, 1).queue(5, 2);
    story.suspend('A', 1, 3).await(1, 6, 4, 71, true).leave('A', 900, 5);
    story.on(2).dispatch(5, 990, 20).run_task(5, 980, 21);
    story.enter('B', 900, 22).suspend('B', 2, 30).leave('B', 900, 31);
    story.task_ends(980, 32).dispatch_ends(990, 33);
    story.resume(2, 990, 70).enter('B', 900, 70).complete(2, 80).leave('B', 900, 80);
    story.resume_ends(990, 81).enter('C', 900, 90).leave('C', 900, 91);
    EXPECT_EQ(story.parent_of('B'), 'A');
    EXPECT_EQ(story.how_of('B'), AsyncHow::kSpawned);
    EXPECT_EQ(story.parent_of('C'), 0);
    EXPECT_EQ(story.of('A', 100).times[AsyncPart::kChildren], 80 - 22U);
}

TEST(AsyncCalls, AnItemWithAKeyThatIsUsedAgainIsForgottenWhenItRuns) {
    Story story;
    story.enter('A', 900, 0).queue(kPooled | 5, 1).leave('A', 900, 2);
    story.on(2).dispatch(kPooled | 5, 990, 3).enter('B', 900, 4).leave('B', 900, 5);
    story.dispatch_ends(990, 6);
    story.on(3).queue(kPooled | 5, 7);  // by nobody
    story.on(2).dispatch(kPooled | 5, 990, 8).enter('C', 900, 9).leave('C', 900, 10);
    EXPECT_EQ(story.parent_of('B'), 'A');
    EXPECT_EQ(story.parent_of('C'), 0);
}

TEST(AsyncCalls, TheWaitForAThreadIsQueued) {
    Story story;
    story.enter('A', 900, 0).suspend('A', 1, 10).leave('A', 900, 11);
    story.on(3).queue(1, 60);
    story.on(2).dispatch(1, 990, 100).resume(1, 800, 101).enter('A', 700, 101);
    story.complete(1, 110).leave('A', 700, 110);
    EXPECT_EQ(parts(story.of('A')), (Parts{19, 0, 0, 50, 41}));
    EXPECT_EQ(story.wait_of('A').ticks, 50U);
}

TEST(AsyncCalls, AFaultBeforeAnySuspensionIsOfTheMoveNextWhoseTaskItIs) {
    Story story;
    // The field is in the frame of who has called A.
    story.enter('A', 900, 0).fault(0, 950, 5).leave('A', 900, 8);
    // A library's method, called by B, whose state machine lies deeper.
    story.enter('B', 900, 10).fault(0, 850, 15).leave('B', 900, 18);
    // A class, as in a debug build: on the heap.
    story.enter('C', 900, 20).fault(0, 0x6000'0000, 25).leave('C', 900, 28);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kFault), 1U);
    EXPECT_EQ(story.of('A').times.wall(), 5U);
    EXPECT_EQ(ended(story.of('B'), AsyncOutcome::kResult), 1U);
    EXPECT_EQ(ended(story.of('C'), AsyncOutcome::kFault), 1U);
}

TEST(AsyncCalls, FaultsAndCancellationsAfterASuspensionGoByTheKey) {
    Story story;
    for (const bool cancelled : {false, true}) {
        const char method = cancelled ? 'B' : 'A';
        story.on(1).enter(method, 900, 0).suspend(method, 1, 10).leave(method, 900, 11);
        story.on(2).resume(1, 800, 20).enter(method, 700, 20).fault(1, 600, 25, cancelled);
        story.leave(method, 700, 26).resume_ends(800, 27);
    }
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kFault), 1U);
    EXPECT_EQ(ended(story.of('B'), AsyncOutcome::kCancelled), 1U);
}

TEST(AsyncCalls, ACallThatNeverEndsIsOpenAndLastsUntilNow) {
    Story story;
    story.enter('A', 900, 0).suspend('A', 1, 10).leave('A', 900, 11);
    EXPECT_EQ(ended(story.of('A', 500), AsyncOutcome::kOpen), 1U);
    EXPECT_EQ(story.of('A', 500).times.wall(), 500U);
    EXPECT_EQ(story.of('A', 600).times.wall(), 600U);
    EXPECT_EQ(story.sums().methods.at(Story::index('A')).timed, 0U);
}

TEST(AsyncCalls, AKeyMayBeUsedAgainWhenItsCallHasEnded) {
    Story story;
    for (uint64_t turn = 0; turn < 3; ++turn) {
        story.on(1).enter('A', 900, 100 * turn).suspend('A', kPooled | 1, 100 * turn + 10);
        story.leave('A', 900, 100 * turn + 11);
        story.on(2).resume(kPooled | 1, 800, 100 * turn + 50).enter('A', 700, 100 * turn + 50);
        story.complete(kPooled | 1, 100 * turn + 60).leave('A', 700, 100 * turn + 60);
        story.resume_ends(800, 100 * turn + 61);
    }
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 3U);
    EXPECT_EQ(story.sums().clashes, 0U);
}

TEST(AsyncCalls, TwoLiveCallsOfOneKeyAreBothUnknown) {
    Story story;
    story.on(1).enter('A', 900, 0).suspend('A', kPooled | 1, 10).leave('A', 900, 11);
    story.on(2).enter('A', 900, 20).suspend('A', kPooled | 1, 30).leave('A', 900, 31);
    story.on(3).resume(kPooled | 1, 800, 50).resume_ends(800, 60);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kUnknown), 2U);
    EXPECT_EQ(story.sums().clashes, 1U);
    EXPECT_EQ(story.sums().unknown, 1U);
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncCalls, WhatIsResumedAndWasNeverSeenBeganBefore) {
    Story story;
    story.resume(1, 800, 20).enter('A', 700, 21).complete(1, 30).leave('A', 700, 31);
    story.resume_ends(800, 32);
    const AsyncCounts a = story.of('A');
    EXPECT_EQ(a.before, 1U);
    EXPECT_EQ(story.how_of('A'), AsyncHow::kBefore);
    EXPECT_EQ(story.sums().unknown, 1U);
    EXPECT_EQ(story.sums().methods.at(Story::index('A')).timed, 0U);
}

TEST(AsyncCalls, WhatIsCalledByWhatWasResumedUnseenBeginsThere) {
    Story story;
    // Twice a method that is not timed goes on, and calls A, which ends at once or is suspended.
    story.resume(9, 800, 20).enter('A', 700, 21).leave('A', 700, 31).resume_ends(800, 32);
    story.resume(9, 800, 40).enter('A', 700, 41).suspend('A', 2, 45).leave('A', 700, 46);
    story.complete(9, 47).resume_ends(800, 48);
    story.resume(2, 800, 60).enter('A', 700, 60).complete(2, 61).leave('A', 700, 62);
    const AsyncCounts a = story.of('A');
    EXPECT_EQ(a.calls, 2U);
    EXPECT_EQ(a.before, 0U);
    EXPECT_EQ(story.how_of('A'), AsyncHow::kRoot);
    EXPECT_EQ(story.sums().methods.at(Story::index('A')).timed, 2U);
}

TEST(AsyncCalls, WhatIsSuspendedAgainUnderItsOwnKeyBeganBefore) {
    Story story;
    story.resume(1, 800, 20).enter('A', 700, 21).suspend('A', 1, 30).leave('A', 700, 31);
    story.resume_ends(800, 32).resume(1, 800, 40).enter('A', 700, 41).complete(1, 42);
    story.leave('A', 700, 43).resume_ends(800, 44);
    EXPECT_EQ(story.of('A').calls, 1U);
    EXPECT_EQ(story.of('A').before, 1U);
    EXPECT_EQ(story.sums().methods.at(Story::index('A')).timed, 0U);
}

TEST(AsyncCalls, StepsOfAnIteratorAreToldApart) {
    Story story;
    story.enter('I', 900, 0, hotpath::kStateMachine | hotpath::kAsyncIterator);
    story.leave('I', 900, 1).enter('A', 900, 2).leave('A', 900, 3);
    EXPECT_TRUE(story.sums().methods.at(Story::index('I')).iterator);
    EXPECT_FALSE(story.sums().methods.at(Story::index('A')).iterator);
}

TEST(AsyncCalls, AMethodThatIsNotTimedHandsItsCallsToItsCaller) {
    Story story;
    // A calls a framework method, which suspends, goes on elsewhere and calls back B.
    story.enter('A', 900, 0).suspend(0, 9, 5).suspend('A', 1, 10).await(1, 9, 11);
    story.leave('A', 900, 12);
    story.on(2).resume(9, 800, 50).enter('B', 700, 51).leave('B', 700, 61);
    story.complete(9, 70).resume_ends(800, 71);
    story.resume(1, 800, 80).enter('A', 700, 80).complete(1, 90).leave('A', 700, 90);
    EXPECT_EQ(story.parent_of('B'), 'A');
    EXPECT_EQ(story.how_of('B'), AsyncHow::kCalled);
    EXPECT_EQ(parts(story.of('A')), (Parts{20, 10, 0, 60, 0}));
    EXPECT_EQ(story.wait_of('A').kind, AsyncWait::kType);
    EXPECT_EQ(story.wait_of('A').type, 99U);
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncCalls, ACallThatWasSuspendedBeforeItsMethodWasTimedGoesOn) {
    Story story;
    const auto of_a = Story::index('A');
    story.control(hotpath::ControlType::kAsyncSuspended, 0, 5, 1, 0, of_a, AsyncType{});
    story.on(2).resume(1, 800, 50).enter('A', 700, 51).suspend('A', 1, 60).leave('A', 700, 61);
    story.resume_ends(800, 62);
    story.on(3).resume(1, 800, 70).enter('A', 700, 71).complete(1, 80).leave('A', 700, 81);
    const AsyncCounts counts = story.of('A');
    EXPECT_EQ(counts.calls, 1U);
    EXPECT_EQ(ended(counts, AsyncOutcome::kResult), 1U);
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncCalls, AMethodThatIsNotTimedGoesOnElsewhereBeforeItsFrameIsLeft) {
    Story story;
    story.enter('A', 900, 0).suspend(0, 9, 5).suspend('A', 1, 10).await(1, 9, 11);
    story.leave('A', 900, 12);
    // It waits again, and another thread has it before this one has returned from it.
    story.on(2).resume(9, 800, 50).suspend(0, 9, 55);
    story.on(3).resume(9, 700, 60);
    story.on(2).resume_ends(800, 65);
    story.on(3).enter('B', 600, 70).leave('B', 600, 75).complete(9, 80).resume_ends(700, 81);
    EXPECT_EQ(story.parent_of('B'), 'A');
    EXPECT_EQ(story.how_of('B'), AsyncHow::kCalled);
}

TEST(AsyncCalls, AnIteratorsStepEndsWhenItHasItsResult) {
    Story story;
    story.enter('A', 900, 0, hotpath::kAsyncIterator).suspend('A', 1, 10).leave('A', 900, 11);
    story.on(2).resume(1, 800, 50).enter('A', 700, 50, hotpath::kAsyncIterator);
    story.signal(60).enter('B', 600, 61).leave('B', 600, 80).leave('A', 700, 90);
    story.resume_ends(800, 91);
    EXPECT_EQ(story.of('A').times.wall(), 60U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U);
}

TEST(AsyncCalls, AnIteratorsStepIsNotOpenWhileWhoAwaitsItGoesOnInsideIt) {
    Story story;
    story.enter('B', 990, 0).enter('A', 900, 1, hotpath::kAsyncIterator).suspend('A', 1, 10);
    story.leave('A', 900, 11).suspend('B', 2, 12).leave('B', 990, 13);
    story.on(2).resume(1, 800, 50).enter('A', 700, 50, hotpath::kAsyncIterator).signal(60);
    story.resume(2, 600, 61).enter('B', 500, 61);
    EXPECT_EQ(ended(story.of('A', 10'000), AsyncOutcome::kResult), 1U);
    EXPECT_EQ(story.of('A', 10'000).times.wall(), 59U);
    EXPECT_EQ(ended(story.of('B', 10'000), AsyncOutcome::kOpen), 1U);
}

TEST(AsyncCalls, LostRecordsMakeTheOpenFramesDoubtful) {
    Story story;
    story.enter('A', 900, 0).lost(5).leave('A', 900, 10);
    story.enter('A', 900, 20).leave('A', 900, 30);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kUnknown), 1U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U);
}

TEST(AsyncCalls, AFrameThatIsLeftWithoutAWordIsUnknown) {
    Story story;
    story.enter('A', 700, 0).resume(4, 900, 10).resume_ends(900, 11);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kUnknown), 1U);
    EXPECT_EQ(story.calls().live(), 0U);
}

TEST(AsyncCalls, RecursionStandsBesideTheOutermostCallsWithItsOwnCaller) {
    Story story;
    story.enter('A', 900, 0).enter('B', 800, 1).enter('A', 700, 2).enter('B', 600, 3);
    story.leave('B', 600, 4).leave('A', 700, 5).leave('B', 800, 6).leave('A', 900, 7);
    const AsyncSums sums = story.sums();
    ASSERT_EQ(sums.tree.size(), 4U);
    EXPECT_EQ(sums.tree[1].counts.calls, 1U);
    EXPECT_EQ(sums.tree[2].counts.calls, 2U);
    EXPECT_EQ(sums.tree[2].parent, 1U);
    EXPECT_EQ(sums.tree[3].counts.calls, 1U);
    EXPECT_EQ(sums.tree[3].function, Story::index('A'));
    EXPECT_EQ(sums.tree[3].parent, sums.tree[1].parent);
    EXPECT_EQ(sums.tree[3].how, sums.tree[1].how);
    EXPECT_EQ(sums.tree[3].starter, Story::index('B')) << "which made it";
    EXPECT_EQ(sums.tree[3].outermost, 1U);
}

TEST(AsyncCalls, BeyondTheLimitsCallsArePartOfTheirCallersAndPathsHaveNoRow) {
    Story story({.calls = 2, .nodes = 2, .waits = 2});
    story.enter('A', 900, 0).enter('B', 800, 1).enter('C', 700, 2);
    story.enter('B', 600, 3).leave('B', 600, 4);
    story.leave('C', 700, 5).leave('B', 800, 6).leave('A', 900, 7);
    const AsyncSums sums = story.sums();
    EXPECT_EQ(sums.lost_calls, 2U);
    EXPECT_EQ(sums.tree[0].counts.calls, 1U);  // B's path
    EXPECT_EQ(story.of('A').calls, 1U);
    EXPECT_EQ(story.of('A').times.wall(), 7U);
}

TEST(AsyncCalls, TimesThatWouldBeNegativeAreNone) {
    Story story;
    story.enter('A', 900, 100).suspend('A', 1, 90).leave('A', 900, 95);
    story.on(2).resume(1, 800, 50).enter('A', 700, 50).complete(1, 40).leave('A', 700, 41);
    EXPECT_EQ(story.of('A').times.wall(), 0U);
    EXPECT_EQ(ended(story.of('A'), AsyncOutcome::kResult), 1U);
}

TEST(AsyncCalls, AnyContentIsAllowed) {
    Story story({.calls = 50, .nodes = 20, .waits = 20, .items = 16, .frames = 8});
    uint64_t seed = 1;
    const auto random = [&](uint64_t below) {
        seed = seed * 6364136223846793005U + 1442695040888963407U;
        return (seed >> 33) % below;
    };
    for (uint64_t step = 0; step < 200'000; ++step) {
        AsyncFact fact;
        fact.ticks = step + random(20);
        fact.keys = hotpath::make_async_keys(static_cast<uint32_t>(random(20)),
                                             static_cast<uint32_t>(random(20)));
        fact.type = random(4);
        fact.sp = static_cast<uint32_t>(random(12)) * 100;
        fact.function = static_cast<uint32_t>(random(5));
        fact.traits = static_cast<uint8_t>(random(8));
        fact.event = static_cast<AsyncFact::Event>(random(6));
        fact.control = static_cast<hotpath::ControlType>(random(hotpath::kControlTypes + 3));
        story.on(static_cast<uint32_t>(random(4)));
        story.tell(fact,
                   {.method = random(5), .cancelled = random(2) != 0, .combines = random(2) != 0});
    }
    const AsyncSums sums = story.sums();
    EXPECT_LE(sums.tree.size(), 20U);
    EXPECT_LE(sums.waits.size(), 20U);
    EXPECT_LE(story.calls().live(), 50U);
}

}  // namespace
}  // namespace umbra::replay
