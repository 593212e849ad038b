// SPDX-License-Identifier: MIT
// Call sequences with exceptions, in the order in which the runtimes tell them.
#include <gtest/gtest.h>

#include "src/replay/exception_tracker.h"
#include "tests/replay/sequences.h"

namespace umbra::collector {
namespace {

using testing::expect_replay;
using testing::RecordStream;
using testing::Replayed;

TEST(Exceptions, UnwoundFramesEndWhenTheyAreRemovedAndTheCatcherGoesOn) {
    expect_replay(testing::thrown_through_two_frames(),
                  "A 1 70/30\n  B 2 35/25\n    C 1 10/10\n  D 1 5/5\n", "E1 C>A x1\n");
}

TEST(Exceptions, FinallyBodiesRunInTheirFrameBeforeItEnds) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 enter C 80, 25 thrown 1, 30 unwound C, "
        "31 unwind_enter B, 32 finally_enter B 90, 35 enter D 40, 45 leave D 40, 46 finally_leave, "
        "50 unwind_leave, 55 caught A 100, 57 catcher_leave, 60 leave A 100",
        "A 1 60/20\n  B 1 40/20\n    C 1 10/10\n    D 1 10/10\n");
}

TEST(Exceptions, EachFrameOfARecursionIsRemovedOnce) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 enter B 80, 30 enter B 70, 35 thrown 1, 40 unwound B, "
        "50 unwound B, 60 unwound B, 65 caught A 100, 70 leave A 100",
        "A 1 70/20\n  B 1 50/20\n    B 1 30/20\n      B 1 10/10\n");
}

TEST(Exceptions, ARecursionCanCatchInItsMiddle) {
    expect_replay(
        "0 enter B 100, 10 enter B 90, 20 enter B 80, 25 thrown 1, 30 unwound B, 35 caught B 90, "
        "36 catcher_leave, 40 leave B 90, 50 leave B 100",
        "B 1 50/20\n  B 1 30/20\n    B 1 10/10\n", "E1 B>B x1\n");
}

TEST(Exceptions, FramesUmbraDoesNotKnowLieBetween) {
    expect_replay(
        "0 enter A 100, 20 enter C 60, 25 thrown 1, 26 unwound - (called by C), 30 unwound C, "
        "35 unwound - (between A and C), 36 unwound Z (has a number, but no hooks), "
        "45 caught A 100, 70 leave A 100",
        "A 1 70/60\n  C 1 10/10\n", "E1 C>A x1\n");
}

TEST(Exceptions, CaughtByAFunctionUmbraDoesNotKnow) {
    expect_replay(
        "0 enter A 100, 20 enter C 60, 25 thrown 1, 30 unwound C, 40 caught - 70, "
        "41 catcher_leave, 50 enter C 60, 60 leave C 60, 70 leave A 100",
        "A 1 70/50\n  C 2 20/20\n", "E1 C>- x1\n");
}

TEST(Exceptions, ALoopThrowsAtTheSameCallerSpAgainAndAgain) {
    RecordStream stream("0 enter A 100");
    for (uint64_t round = 0; round < 1000; ++round) {
        const uint64_t now = 10 * round;
        stream.enter('B', 90, now + 1).thrown(2, now + 2).unwound('B', now + 4);
        stream.caught('A', 100, now + 5).catcher_leave(now + 6);
    }
    stream.tell("10000 leave A 100");
    expect_replay(stream, "A 1 10000/7000\n  B 1000 3000/3000\n", "E2 B>A x1000\n");
}

TEST(Exceptions, ARethrowIsAThrowFromTheCatcher) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 enter C 80, 25 thrown 1, 30 unwound C, 35 caught B 90, "
        "40 thrown 1, 50 unwound B, 55 caught A 100, 56 catcher_leave, 60 leave A 100",
        "A 1 60/20\n  B 1 40/30\n    C 1 10/10\n", "E1 B>A x1\nE1 C>B x1\n");
}

TEST(Exceptions, ARethrowToACallerOfTheSameMethodIsToldAsACatchOfTheRethrower) {
    // Of B 0 called by B 1 called by B 2: each catches what C or its callee has thrown, and
    // throws again. One UnwindFunctionEnter stands for the frame that goes and for the one that
    // catches.
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 enter B 80, 30 enter B 70, 40 enter C 60, 45 thrown 1, "
        "50 unwound C, 51 caught B 70 (B 0), 52 thrown 1, 53 caught B 80 (B 1), 54 thrown 1, "
        "55 caught B 90 (B 2), 56 thrown 1, 60 unwound B, 65 caught A 100, "
        "70 enter D 20 (in the catch block, deeper than what is dead), 75 leave D 20, "
        "80 catcher_leave, 85 enter D 90, 90 leave D 90, 100 leave A 100",
        "A 1 100/40\n  B 1 50/15\n    B 1 35/12\n      B 1 23/13\n        C 1 10/10\n"
        "  D 2 10/10\n");
}

TEST(Exceptions, ARecursionThatHasCaughtGoesOn) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 enter B 80, 25 thrown 1, "
        "30 caught B 80 (by itself: all frames are alive), 31 catcher_leave, 35 enter A 70, "
        "40 thrown 2, 45 unwound A, 46 caught B 80, 50 leave B 80, 55 enter B 80, 60 leave B 80, "
        "70 leave B 90, 80 leave A 100",
        "A 1 80/20\n  B 1 60/25\n    B 2 35/25\n      A 1 10/10\n", "E1 B>B x1\nE2 A>B x1\n");
}

TEST(Exceptions, FramesWithAFinallyMayBeToldTwice) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 15 enter C 80, 20 thrown 1, 25 unwound C, 26 unwound C, "
        "30 unwound B, 31 unwound B, 55 caught A 100, 70 leave A 100",
        "A 1 70/50\n  B 1 20/10\n    C 1 10/10\n");
}

TEST(Exceptions, AFilterRunsAboveTheThrowerAndAllFramesStayWhileItDoes) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 thrown 1, 21 filter_enter A 100, 25 enter F 40, "
        "30 leave F 40, 31 filter_leave, 40 unwound B, 45 caught A 100, 46 catcher_leave, "
        "50 leave A 100",
        "A 1 50/20\n  B 1 30/25\n    F 1 5/5\n", "E1 B>A x1\n");
}

TEST(Exceptions, OneCaughtInsideAFilterIsADispatchOfItsOwn) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 thrown 1, 21 filter_enter A 100, 25 enter F 40, "
        "26 enter G 30, 27 thrown 2, 28 unwound G, 29 caught F 40, 30 leave F 40, 31 filter_leave, "
        "40 unwound B, 45 caught A 100, 50 leave A 100",
        "A 1 50/20\n  B 1 30/25\n    F 1 5/3\n      G 1 2/2\n", "E1 B>A x1\nE2 G>F x1\n");
}

/// The filter of A calls F, which throws; the filter swallows that. The runtime tells the filter's
/// own frame, its end, both or neither.
void expect_swallowed(const std::string& before, const std::string& behind, const std::string& tree,
                      const std::string& exceptions) {
    const std::string filter = "21 filter_enter A 100, 25 enter F 40, 26 thrown 2, 30 unwound F, ";
    for (const char* told :
         {"", "32 filter_leave, ", "31 unwound A, ", "31 unwound A, 32 filter_leave, "}) {
        SCOPED_TRACE(told);
        expect_replay(RecordStream().tell(before + filter + told + behind), tree, exceptions);
    }
}

TEST(Exceptions, OneThatEscapesFromAFilterIsSwallowedThere) {
    expect_swallowed("0 enter A 100, 10 enter B 90, 20 thrown 1, ",
                     "40 unwound B, 45 caught A 100, 46 catcher_leave, 50 leave A 100",
                     "A 1 50/20\n  B 1 30/25\n    F 1 5/5\n", "E1 B>A x1\nE2 F>- x1\n");
}

TEST(Exceptions, OneThatEscapesFromTheFilterOfTheThrowerItselfSparesItsFrame) {
    expect_swallowed("0 enter A 100, 20 thrown 1, ",
                     "45 caught A 100, 46 catcher_leave, 50 leave A 100", "A 1 50/45\n  F 1 5/5\n",
                     "E1 A>A x1\nE2 F>- x1\n");
}

TEST(Exceptions, AFilterMayCallItsOwnMethod) {
    // As .NET 10.0.12 tells it. A catches what its callee B throws if its filter, which calls B,
    // lets it. The inner filter fails by an exception; in what the outer one calls, another A
    // catches.
    expect_replay(
        "0 enter A 0xff70, 1 enter B 0xff10, 2 enter A 0xfed0, 3 enter B 0xfe70, 4 enter A 0xfe30, "
        "5 enter B 0xfdd0, 6 thrown 1, 7 filter_at A 0xfdd0, 8 enter B 0xbe90, 9 thrown 2, "
        "10 unwind_leave, 11 unwound B, 12 unwind_enter A, 13 filter_leave, 14 filter_at A 0xfe70, "
        "15 enter B 0xbe90, 16 enter A 0xbe50, 17 enter B 0xbdf0, 18 thrown 3, "
        "19 filter_at A 0xbdf0, 20 enter B 0x7eb0, 21 leave B 0x7eb0, 22 filter_leave, "
        "23 unwound B, 24 unwind_enter A, 25 catcher_at A 0xbdf0, 26 enter A 0x81f0, "
        "27 leave A 0x81f0, 28 catcher_leave, 29 leave A 0xbe50, 30 leave B 0xbe90, "
        "31 filter_leave, 32 unwound B, 33 unwound A, 34 unwound B, 35 unwind_enter A, "
        "36 catcher_at A 0xfe70, 37 enter A 0xc1d0, 38 leave A 0xc1d0, 39 catcher_leave, "
        "40 leave A 0xfed0, 41 leave B 0xff10, 42 leave A 0xff70",
        "A 1 42/2\n"
        "  B 1 40/2\n"
        "    A 1 38/6\n"
        "      B 1 31/2\n"
        "        A 1 29/2\n"
        "          B 1 27/9\n"
        "            B 2 18/5\n"
        "              A 1 13/6\n"
        "                B 1 6/5\n"
        "                  B 1 1/1\n"
        "                A 1 1/1\n"
        "      A 1 1/1\n",
        "E1 B>A x1\nE2 B>- x1\nE3 B>A x1\n");
}

TEST(Exceptions, CaughtByNativeCodeUnsaidAndThrownAnewAsAnother) {
    // A static constructor fails; the runtime catches and throws TypeInitializationException.
    expect_replay(
        "0 enter A 100, 10 enter C 50, 15 thrown 1, 20 unwound C, 30 thrown 2, 35 caught A 100, "
        "36 catcher_leave, 50 leave A 100",
        "A 1 50/40\n  C 1 10/10\n", "E1 C>- x1\nE2 A>A x1\n");
}

TEST(Exceptions, CaughtByNativeCodeInsideAFinallyBlockSparesTheOuterOne) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 thrown 1, 21 unwind_enter B, 22 finally_enter B 90, "
        "30 enter C 50, 32 enter D 40, 35 thrown 2, "
        "40 unwound D (and native code called by C catches it), 45 leave C 50, 46 finally_leave, "
        "50 unwind_leave, 55 caught A 100, 60 leave A 100",
        "A 1 60/20\n  B 1 40/25\n    C 1 15/7\n      D 1 8/8\n", "E1 B>A x1\nE2 D>- x1\n");
}

TEST(Exceptions, BlocksOfDynamicMethodsRunUntoldButForTheirEnd) {
    expect_replay(
        "0 enter A 100, 10 enter B 80 (called by a dynamic method), 15 enter B 70, 20 thrown 1, "
        "25 unwound B, 30 unwound B, 40 enter C 20 (in its finally block), 45 leave C 20, "
        "46 finally_leave, 50 enter D 30 (in its catch block), 55 leave D 30, 56 catcher_leave, "
        "60 leave A 100",
        "A 1 60/30\n  B 1 20/10\n    B 1 10/10\n  C 1 5/5\n  D 1 5/5\n", "E1 B>- x1\n");
}

TEST(Exceptions, TheEndOfAnUntoldFilterDoesNotEndTheOneThatCalledIt) {
    // B throws, A's filter calls F, which calls G through a dynamic method with a filter.
    RecordStream stream(
        "0 enter A 100, 10 enter B 90, 20 thrown 1, 21 filter_enter A 100, 25 enter F 40, "
        "26 enter G 30, 27 thrown 2, 28 enter H 10, 29 leave H 10, 30 filter_leave_at 35, "
        "31 unwound G, 32 enter H 20, 33 leave H 20, 34 catcher_leave, 35 leave F 40, "
        "36 filter_leave_at 99, 40 unwound B, 45 caught A 100, 46 catcher_leave, 50 leave A 100");
    expect_replay(
        stream,
        "A 1 50/20\n  B 1 30/20\n    F 1 10/4\n      G 1 5/4\n        H 1 1/1\n      H 1 1/1\n",
        "E1 B>A x1\nE2 G>- x1\n");
}

TEST(Exceptions, AnUncaughtOneLeavesAllFramesOpen) {
    const Replayed replayed("0 enter A 100, 10 enter B 90, 20 thrown 3");
    EXPECT_EQ(replayed.tree(50), "A 1 50/10 +1\n  B 1 40/40 +1\n");
    EXPECT_EQ(replayed.exceptions(), "E3 B>- x1\n");
}

TEST(Exceptions, AFrameThatVanishesWhileItIsUnwoundIsNoRepair) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 15 thrown 1, 20 unwind_enter B (its end is never told), "
        "30 enter C 90, 35 leave C 90, 40 leave A 100",
        "A 1 40/25\n  B 1 10/10\n  C 1 5/5\n");
}

TEST(Exceptions, UnwindCallbacksWithoutAThrowAreFollowedButNotCounted) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 unwound B, 21 unwind_leave, 22 filter_leave, "
        "25 caught A 100, 26 catcher_at A 99, 30 leave A 100",
        "A 1 30/20\n  B 1 10/10\n", "");
}

TEST(Exceptions, EndlessNestingIsGivenUpOldestFirstAndAllAreCounted) {
    RecordStream stream("0 enter A 100");
    for (uint64_t round = 0; round < 1000; ++round) {
        stream.thrown(1, round).unwind_enter(0, round);
    }
    const Replayed replayed(stream);
    EXPECT_EQ(replayed.exceptions(), "E1 A>- x1000\n");
}

TEST(ExceptionCounts, WhatFindsNoRowIsMerged) {
    replay::ExceptionCounts counts(2);
    for (uint32_t type = 1; type <= 10; ++type) {
        counts.add({.type = type});
    }
    EXPECT_EQ(counts.rows().size(), 3U);
    EXPECT_EQ(counts.rows().at({}), 8U);
}

}  // namespace
}  // namespace umbra::collector
