// SPDX-License-Identifier: MIT
// Call sequences with exceptions, in the order in which the runtimes tell them.
#include <gtest/gtest.h>

#include "src/replay/exception_tracker.h"
#include "tests/replay/sequences.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::expect_sound;
using testing::RecordStream;
using testing::Replayed;

TEST(Exceptions, UnwoundFramesEndWhenTheyAreRemovedAndTheCatcherGoesOn) {
    const Replayed replayed(testing::thrown_through_two_frames());
    EXPECT_EQ(replayed.tree(), "A 1 70/30\n  B 2 35/25\n    C 1 10/10\n  D 1 5/5\n");
    EXPECT_EQ(replayed.exceptions(), "E1 C>A x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, FinallyBodiesRunInTheirFrameBeforeItEnds) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('C', 80, 20)
                                .thrown(1, 25)
                                .unwound('C', 30)
                                .unwind_enter('B', 31)
                                .finally_enter('B', 90, 32)
                                .enter('D', 40, 35)
                                .leave('D', 40, 45)
                                .finally_leave(46)
                                .unwind_leave(50)
                                .caught('A', 100, 55)
                                .catcher_leave(57)
                                .leave('A', 100, 60));
    EXPECT_EQ(replayed.tree(), "A 1 60/20\n  B 1 40/20\n    C 1 10/10\n    D 1 10/10\n");
    expect_sound(replayed);
}

TEST(Exceptions, EachFrameOfARecursionIsRemovedOnce) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('B', 80, 20)
                                .enter('B', 70, 30)
                                .thrown(1, 35)
                                .unwound('B', 40)
                                .unwound('B', 50)
                                .unwound('B', 60)
                                .caught('A', 100, 65)
                                .leave('A', 100, 70));
    EXPECT_EQ(replayed.tree(), "A 1 70/20\n  B 1 50/20\n    B 1 30/20\n      B 1 10/10\n");
    expect_sound(replayed);
}

TEST(Exceptions, ARecursionCanCatchInItsMiddle) {
    const Replayed replayed(RecordStream()
                                .enter('B', 100, 0)
                                .enter('B', 90, 10)
                                .enter('B', 80, 20)
                                .thrown(1, 25)
                                .unwound('B', 30)
                                .caught('B', 90, 35)
                                .catcher_leave(36)
                                .leave('B', 90, 40)
                                .leave('B', 100, 50));
    EXPECT_EQ(replayed.tree(), "B 1 50/20\n  B 1 30/20\n    B 1 10/10\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>B x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, FramesUmbraDoesNotKnowLieBetween) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('C', 60, 20)
                                .thrown(1, 25)
                                .unwound(0, 26)  // called by C
                                .unwound('C', 30)
                                .unwound(0, 35)    // between A and C
                                .unwound('Z', 36)  // has a number, but no hooks
                                .caught('A', 100, 45)
                                .leave('A', 100, 70));
    EXPECT_EQ(replayed.tree(), "A 1 70/60\n  C 1 10/10\n");
    EXPECT_EQ(replayed.exceptions(), "E1 C>A x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, CaughtByAFunctionUmbraDoesNotKnow) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('C', 60, 20)
                                .thrown(1, 25)
                                .unwound('C', 30)
                                .caught(0, 70, 40)
                                .catcher_leave(41)
                                .enter('C', 60, 50)
                                .leave('C', 60, 60)
                                .leave('A', 100, 70));
    EXPECT_EQ(replayed.tree(), "A 1 70/50\n  C 2 20/20\n");
    EXPECT_EQ(replayed.exceptions(), "E1 C>- x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, ALoopThrowsAtTheSameCallerSpAgainAndAgain) {
    RecordStream stream;
    stream.enter('A', 100, 0);
    for (uint64_t round = 0; round < 1000; ++round) {
        const uint64_t now = 10 * round;
        stream.enter('B', 90, now + 1).thrown(2, now + 2).unwound('B', now + 4);
        stream.caught('A', 100, now + 5).catcher_leave(now + 6);
    }
    stream.leave('A', 100, 10'000);
    const Replayed replayed(stream);
    EXPECT_EQ(replayed.tree(), "A 1 10000/7000\n  B 1000 3000/3000\n");
    EXPECT_EQ(replayed.exceptions(), "E2 B>A x1000\n");
    expect_sound(replayed);
}

TEST(Exceptions, ARethrowIsAThrowFromTheCatcher) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('C', 80, 20)
                                .thrown(1, 25)
                                .unwound('C', 30)
                                .caught('B', 90, 35)
                                .thrown(1, 40)
                                .unwound('B', 50)
                                .caught('A', 100, 55)
                                .catcher_leave(56)
                                .leave('A', 100, 60));
    EXPECT_EQ(replayed.tree(), "A 1 60/20\n  B 1 40/30\n    C 1 10/10\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\nE1 C>B x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, ARethrowToACallerOfTheSameMethodIsToldAsACatchOfTheRethrower) {
    // Of B(0) called by B(1) called by B(2): each catches what C or its callee has thrown, and
    // throws again. One UnwindFunctionEnter stands for the frame that goes and for the one that
    // catches.
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('B', 80, 20)
                                .enter('B', 70, 30)
                                .enter('C', 60, 40)
                                .thrown(1, 45)
                                .unwound('C', 50)
                                .caught('B', 70, 51)  // B(0)
                                .thrown(1, 52)
                                .caught('B', 80, 53)  // B(1)
                                .thrown(1, 54)
                                .caught('B', 90, 55)  // B(2)
                                .thrown(1, 56)
                                .unwound('B', 60)
                                .caught('A', 100, 65)
                                .enter('D', 20, 70)  // in the catch block, deeper than what is dead
                                .leave('D', 20, 75)
                                .catcher_leave(80)
                                .enter('D', 90, 85)
                                .leave('D', 90, 90)
                                .leave('A', 100, 100));
    EXPECT_EQ(replayed.tree(),
              "A 1 100/40\n  B 1 50/15\n    B 1 35/12\n      B 1 23/13\n        C 1 10/10\n"
              "  D 2 10/10\n");
    expect_sound(replayed);
}

TEST(Exceptions, ARecursionThatHasCaughtGoesOn) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('B', 80, 20)
                                .thrown(1, 25)
                                .caught('B', 80, 30)  // by itself: all frames are alive
                                .catcher_leave(31)
                                .enter('A', 70, 35)
                                .thrown(2, 40)
                                .unwound('A', 45)
                                .caught('B', 80, 46)
                                .leave('B', 80, 50)
                                .enter('B', 80, 55)
                                .leave('B', 80, 60)
                                .leave('B', 90, 70)
                                .leave('A', 100, 80));
    EXPECT_EQ(replayed.tree(), "A 1 80/20\n  B 1 60/25\n    B 2 35/25\n      A 1 10/10\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>B x1\nE2 A>B x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, FramesWithAFinallyMayBeToldTwice) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('C', 80, 15)
                                .thrown(1, 20)
                                .unwound('C', 25)
                                .unwound('C', 26)
                                .unwound('B', 30)
                                .unwound('B', 31)
                                .caught('A', 100, 55)
                                .leave('A', 100, 70));
    EXPECT_EQ(replayed.tree(), "A 1 70/50\n  B 1 20/10\n    C 1 10/10\n");
    expect_sound(replayed);
}

TEST(Exceptions, AFilterRunsAboveTheThrowerAndAllFramesStayWhileItDoes) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .thrown(1, 20)
                                .filter_enter('A', 100, 21)
                                .enter('F', 40, 25)
                                .leave('F', 40, 30)
                                .filter_leave(31)
                                .unwound('B', 40)
                                .caught('A', 100, 45)
                                .catcher_leave(46)
                                .leave('A', 100, 50));
    EXPECT_EQ(replayed.tree(), "A 1 50/20\n  B 1 30/25\n    F 1 5/5\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, OneCaughtInsideAFilterIsADispatchOfItsOwn) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .thrown(1, 20)
                                .filter_enter('A', 100, 21)
                                .enter('F', 40, 25)
                                .enter('G', 30, 26)
                                .thrown(2, 27)
                                .unwound('G', 28)
                                .caught('F', 40, 29)
                                .leave('F', 40, 30)
                                .filter_leave(31)
                                .unwound('B', 40)
                                .caught('A', 100, 45)
                                .leave('A', 100, 50));
    EXPECT_EQ(replayed.tree(), "A 1 50/20\n  B 1 30/25\n    F 1 5/3\n      G 1 2/2\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\nE2 G>F x1\n");
    expect_sound(replayed);
}

/// A calls B, B throws, A's filter calls F, F throws, the filter swallows it; B is removed, A
/// catches. `funclet`: the runtime tells the filter's own frame; `told`: it tells its end.
RecordStream escape_from_filter(bool funclet, bool told) {
    RecordStream stream;
    stream.enter('A', 100, 0).enter('B', 90, 10).thrown(1, 20).filter_enter('A', 100, 21);
    stream.enter('F', 40, 25).thrown(2, 26).unwound('F', 30);
    if (funclet) {
        stream.unwound('A', 31);
    }
    if (told) {
        stream.filter_leave(32);
    }
    stream.unwound('B', 40).caught('A', 100, 45).catcher_leave(46).leave('A', 100, 50);
    return stream;
}

TEST(Exceptions, OneThatEscapesFromAFilterIsSwallowedThere) {
    for (const bool funclet : {false, true}) {
        for (const bool told : {false, true}) {
            SCOPED_TRACE(::testing::Message() << funclet << told);
            const Replayed replayed(escape_from_filter(funclet, told));
            EXPECT_EQ(replayed.tree(), "A 1 50/20\n  B 1 30/25\n    F 1 5/5\n");
            EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\nE2 F>- x1\n");
            expect_sound(replayed);
        }
    }
}

TEST(Exceptions, OneThatEscapesFromTheFilterOfTheThrowerItselfSparesItsFrame) {
    for (const bool funclet : {false, true}) {
        for (const bool told : {false, true}) {
            SCOPED_TRACE(::testing::Message() << funclet << told);
            RecordStream stream;
            stream.enter('A', 100, 0).thrown(1, 20).filter_enter('A', 100, 21);
            stream.enter('F', 40, 25).thrown(2, 26).unwound('F', 30);
            if (funclet) {
                stream.unwound('A', 31);
            }
            if (told) {
                stream.filter_leave(32);
            }
            stream.caught('A', 100, 45).catcher_leave(46).leave('A', 100, 50);
            const Replayed replayed(stream);
            EXPECT_EQ(replayed.tree(), "A 1 50/45\n  F 1 5/5\n");
            EXPECT_EQ(replayed.exceptions(), "E1 A>A x1\nE2 F>- x1\n");
            expect_sound(replayed);
        }
    }
}

TEST(Exceptions, AFilterMayCallItsOwnMethod) {
    // As .NET 10.0.12 tells it. A catches what its callee B throws if its filter, which calls B,
    // lets it. The inner filter fails by an exception; in what the outer one calls, another A
    // catches.
    const auto at = [](uint32_t depth) { return 0x10000 - depth; };
    const Replayed replayed(RecordStream()
                                .enter('A', at(0x90), 0)
                                .enter('B', at(0xf0), 1)
                                .enter('A', at(0x130), 2)
                                .enter('B', at(0x190), 3)
                                .enter('A', at(0x1d0), 4)
                                .enter('B', at(0x230), 5)
                                .thrown(1, 6)
                                .block(ControlType::kFilterEnter, 'A', at(0x230), 7)
                                .enter('B', at(0x4170), 8)
                                .thrown(2, 9)
                                .unwind_leave(10)
                                .unwound('B', 11)
                                .unwind_enter('A', 12)
                                .filter_leave(13)
                                .block(ControlType::kFilterEnter, 'A', at(0x190), 14)
                                .enter('B', at(0x4170), 15)
                                .enter('A', at(0x41b0), 16)
                                .enter('B', at(0x4210), 17)
                                .thrown(3, 18)
                                .block(ControlType::kFilterEnter, 'A', at(0x4210), 19)
                                .enter('B', at(0x8150), 20)
                                .leave('B', at(0x8150), 21)
                                .filter_leave(22)
                                .unwound('B', 23)
                                .unwind_enter('A', 24)
                                .block(ControlType::kCatcherEnter, 'A', at(0x4210), 25)
                                .enter('A', at(0x7e10), 26)
                                .leave('A', at(0x7e10), 27)
                                .catcher_leave(28)
                                .leave('A', at(0x41b0), 29)
                                .leave('B', at(0x4170), 30)
                                .filter_leave(31)
                                .unwound('B', 32)
                                .unwound('A', 33)
                                .unwound('B', 34)
                                .unwind_enter('A', 35)
                                .block(ControlType::kCatcherEnter, 'A', at(0x190), 36)
                                .enter('A', at(0x3e30), 37)
                                .leave('A', at(0x3e30), 38)
                                .catcher_leave(39)
                                .leave('A', at(0x130), 40)
                                .leave('B', at(0xf0), 41)
                                .leave('A', at(0x90), 42));
    EXPECT_EQ(replayed.tree(),
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
              "      A 1 1/1\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\nE2 B>- x1\nE3 B>A x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, CaughtByNativeCodeUnsaidAndThrownAnewAsAnother) {
    // A static constructor fails; the runtime catches and throws TypeInitializationException.
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('C', 50, 10)
                                .thrown(1, 15)
                                .unwound('C', 20)
                                .thrown(2, 30)
                                .caught('A', 100, 35)
                                .catcher_leave(36)
                                .leave('A', 100, 50));
    EXPECT_EQ(replayed.tree(), "A 1 50/40\n  C 1 10/10\n");
    EXPECT_EQ(replayed.exceptions(), "E1 C>- x1\nE2 A>A x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, CaughtByNativeCodeInsideAFinallyBlockSparesTheOuterOne) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .thrown(1, 20)
                                .unwind_enter('B', 21)
                                .finally_enter('B', 90, 22)
                                .enter('C', 50, 30)
                                .enter('D', 40, 32)
                                .thrown(2, 35)
                                .unwound('D', 40)  // and native code called by C catches it
                                .leave('C', 50, 45)
                                .finally_leave(46)
                                .unwind_leave(50)
                                .caught('A', 100, 55)
                                .leave('A', 100, 60));
    EXPECT_EQ(replayed.tree(), "A 1 60/20\n  B 1 40/25\n    C 1 15/7\n      D 1 8/8\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\nE2 D>- x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, BlocksOfDynamicMethodsRunUntoldButForTheirEnd) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 80, 10)  // called by a dynamic method
                                .enter('B', 70, 15)
                                .thrown(1, 20)
                                .unwound('B', 25)
                                .unwound('B', 30)
                                .enter('C', 20, 40)  // in its finally block
                                .leave('C', 20, 45)
                                .finally_leave(46)
                                .enter('D', 30, 50)  // in its catch block
                                .leave('D', 30, 55)
                                .catcher_leave(56)
                                .leave('A', 100, 60));
    EXPECT_EQ(replayed.tree(), "A 1 60/30\n  B 1 20/10\n    B 1 10/10\n  C 1 5/5\n  D 1 5/5\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>- x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, TheEndOfAnUntoldFilterDoesNotEndTheOneThatCalledIt) {
    // B throws, A's filter calls F, which calls G through a dynamic method with a filter.
    RecordStream stream;
    stream.enter('A', 100, 0).enter('B', 90, 10).thrown(1, 20).filter_enter('A', 100, 21);
    stream.enter('F', 40, 25)
        .enter('G', 30, 26)
        .thrown(2, 27)
        .enter('H', 10, 28)
        .leave('H', 10, 29);
    stream.control(ControlType::kFilterLeave, 35, 30).unwound('G', 31);
    stream.enter('H', 20, 32).leave('H', 20, 33).catcher_leave(34).leave('F', 40, 35);
    stream.control(ControlType::kFilterLeave, 99, 36).unwound('B', 40).caught('A', 100, 45);
    stream.catcher_leave(46).leave('A', 100, 50);
    const Replayed replayed(stream);
    EXPECT_EQ(
        replayed.tree(),
        "A 1 50/20\n  B 1 30/20\n    F 1 10/4\n      G 1 5/4\n        H 1 1/1\n      H 1 1/1\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\nE2 G>- x1\n");
    expect_sound(replayed);
}

TEST(Exceptions, AnUncaughtOneLeavesAllFramesOpen) {
    const Replayed replayed(RecordStream().enter('A', 100, 0).enter('B', 90, 10).thrown(3, 20));
    EXPECT_EQ(replayed.tree(50), "A 1 50/10 +1\n  B 1 40/40 +1\n");
    EXPECT_EQ(replayed.exceptions(), "E3 B>- x1\n");
}

TEST(Exceptions, AFrameThatVanishesWhileItIsUnwoundIsNoRepair) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .thrown(1, 15)
                                .unwind_enter('B', 20)  // its end is never told
                                .enter('C', 90, 30)
                                .leave('C', 90, 35)
                                .leave('A', 100, 40));
    EXPECT_EQ(replayed.tree(), "A 1 40/25\n  B 1 10/10\n  C 1 5/5\n");
    expect_sound(replayed);
}

TEST(Exceptions, UnwindCallbacksWithoutAThrowAreFollowedButNotCounted) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .unwound('B', 20)
                                .unwind_leave(21)
                                .filter_leave(22)
                                .caught('A', 100, 25)
                                .block(ControlType::kCatcherEnter, 'A', 99, 26)
                                .leave('A', 100, 30));
    EXPECT_EQ(replayed.tree(), "A 1 30/20\n  B 1 10/10\n");
    EXPECT_EQ(replayed.exceptions(), "");
    expect_sound(replayed);
}

TEST(Exceptions, EndlessNestingIsGivenUpOldestFirstAndAllAreCounted) {
    RecordStream stream;
    stream.enter('A', 100, 0);
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
