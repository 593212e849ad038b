// SPDX-License-Identifier: MIT
// Exceptions that finally blocks throw and catch while another one is on its way.
#include <gtest/gtest.h>

#include "tests/replay/sequences.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::expect_sound;
using testing::RecordStream;
using testing::Replayed;

TEST(ExceptionsInFinally, OneCaughtInsideAFinallyBlockLeavesTheOuterOneAlone) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .thrown(1, 20)
                                .unwind_enter('B', 21)
                                .finally_enter('B', 90, 22)
                                .enter('C', 50, 30)
                                .enter('D', 40, 35)
                                .thrown(2, 36)
                                .unwound('D', 40)
                                .caught('C', 50, 41)
                                .catcher_leave(42)
                                .leave('C', 50, 50)
                                .finally_leave(51)
                                .unwind_leave(60)
                                .caught('A', 100, 61)
                                .leave('A', 100, 70));
    EXPECT_EQ(replayed.tree(), "A 1 70/20\n  B 1 50/30\n    C 1 20/15\n      D 1 5/5\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\nE2 D>C x1\n");
    expect_sound(replayed);
}

TEST(ExceptionsInFinally, OneCaughtInTheFinallyBlockItselfDoesNotSaveItsFrame) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .thrown(1, 20)
                                .unwind_enter('B', 21)
                                .finally_enter('B', 90, 22)
                                .thrown(2, 30)  // try { throw } catch {} inside the finally
                                .caught('B', 90, 35)
                                .catcher_leave(36)
                                .finally_leave(40)
                                .unwind_leave(50)
                                .caught('A', 100, 55)
                                .leave('A', 100, 60));
    EXPECT_EQ(replayed.tree(), "A 1 60/20\n  B 1 40/40\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>A x1\nE2 B>B x1\n");
    expect_sound(replayed);
}

TEST(ExceptionsInFinally, OneThatEscapesFromAFinallyBlockReplacesTheFirst) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .thrown(1, 20)
                                .unwind_enter('B', 21)
                                .finally_enter('B', 90, 22)
                                .enter('C', 50, 30)
                                .thrown(2, 35)
                                .unwound('C', 40)
                                .unwound('B', 50)
                                .caught('A', 100, 55)
                                .catcher_leave(56)
                                .enter('B', 90, 60)
                                .leave('B', 90, 65)
                                .leave('A', 100, 70));
    EXPECT_EQ(replayed.tree(), "A 1 70/25\n  B 2 45/35\n    C 1 10/10\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>- x1\nE2 C>A x1\n");
    expect_sound(replayed);
}

TEST(ExceptionsInFinally, OneThatEscapesFromAFinallyBlockInARecursionIsToldOnceForItsNeighbours) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('B', 80, 20)
                                .enter('B', 70, 30)
                                .thrown(1, 35)
                                .unwind_enter('B', 36)
                                .finally_enter('B', 70, 37)
                                .enter('C', 50, 40)
                                .thrown(2, 45)
                                .unwound('C', 50)
                                .unwound('B', 51)  // all three
                                .caught('A', 100, 55)
                                .enter('D', 40, 60)  // in the catch block
                                .leave('D', 40, 65)
                                .catcher_leave(66)
                                .leave('A', 100, 70));
    EXPECT_EQ(replayed.tree(),
              "A 1 70/24\n  B 1 41/10\n    B 1 31/10\n      B 1 21/11\n        C 1 10/10\n"
              "  D 1 5/5\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>- x1\nE2 C>A x1\n");
    expect_sound(replayed);
}

TEST(ExceptionsInFinally, OneCallThatIsToldSeveralTimesTakesNoneOfItsNameAlongThatGoesOn) {
    // As .NET 9.0.23 tells it: the catch block of B calls B by reflection, which throws in a
    // finally block within another; reflection catches that and throws what B's catch block
    // catches.
    const auto at = [](uint32_t depth) { return 0x10000 - depth; };
    const Replayed replayed(RecordStream()
                                .enter('A', at(0x10), 0)
                                .enter('B', at(0x40), 10)
                                .enter('C', at(0x80), 20)
                                .thrown(1, 25)
                                .unwound('C', 30)
                                .unwind_enter('B', 31)
                                .block(ControlType::kCatcherEnter, 'B', at(0x80), 32)
                                .enter('B', at(0x4000), 40)
                                .thrown(2, 50)
                                .unwind_leave(55)
                                .unwound('B', 56)  // three times, for one call
                                .unwound('B', 57)
                                .unwind_enter('B', 58)
                                .thrown(2, 60)
                                .control(ControlType::kFilterEnter, 0, 61)
                                .payload(at(0x3f00))
                                .control(ControlType::kFilterLeave, at(0x3f00), 62)
                                .control(ControlType::kUnwindFunctionEnter, 0, 63)
                                .control(ControlType::kCatcherEnter, 0, 64)
                                .payload(at(0x3f00))
                                .thrown(3, 65)
                                .unwind_enter('B', 66)
                                .block(ControlType::kCatcherEnter, 'B', at(0x3e00), 67)
                                .catcher_leave(68)
                                .catcher_leave(69)
                                .enter('D', at(0x90), 70)  // B goes on
                                .leave('D', at(0x90), 80)
                                .leave('B', at(0x40), 90)
                                .leave('A', at(0x10), 100));
    EXPECT_EQ(replayed.tree(),
              "A 1 100/20\n  B 1 80/44\n    C 1 10/10\n    B 1 16/16\n    D 1 10/10\n");
    expect_sound(replayed);
}

TEST(ExceptionsInFinally, CallsThatAFinallyBlockMakesInTheOrdinaryWayAreToldAsOneToo) {
    // As .NET 10.0.12 tells it: D calls itself in a finally block, and the innermost throws there.
    const auto at = [](uint32_t depth) { return 0x10000 - depth; };
    const Replayed replayed(RecordStream()
                                .enter('C', at(0x50), 0)
                                .enter('D', at(0x90), 10)
                                .enter('D', at(0xe0), 20)
                                .enter('D', at(0x130), 30)
                                .thrown(1, 40)
                                .unwound('D', 45)
                                .unwind_enter('C', 50)
                                .block(ControlType::kCatcherEnter, 'C', at(0x90), 51)
                                .enter('R', at(0x3de0), 60)
                                .leave('R', at(0x3de0), 70)
                                .catcher_leave(71)
                                .leave('C', at(0x50), 80));
    EXPECT_EQ(replayed.tree(),
              "C 1 80/35\n  D 1 35/10\n    D 1 25/10\n      D 1 15/15\n  R 1 10/10\n");
    EXPECT_EQ(replayed.exceptions(), "E1 D>C x1\n");
    expect_sound(replayed);
}

TEST(ExceptionsInFinally, ARecursionWhoseFinallyBlocksCatchIsToldFrameByFrame) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('B', 80, 20)
                                .thrown(1, 30)
                                .unwind_enter('B', 31)
                                .finally_enter('B', 80, 32)
                                .thrown(2, 33)  // try { throw } catch {} inside the finally
                                .caught('B', 80, 34)
                                .catcher_leave(35)
                                .finally_leave(40)
                                .unwind_leave(45)
                                .caught('B', 90, 50)  // its caller lives on
                                .catcher_leave(51)
                                .leave('B', 90, 60)
                                .leave('A', 100, 70));
    EXPECT_EQ(replayed.tree(), "A 1 70/20\n  B 1 50/25\n    B 1 25/25\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>B x1\nE2 B>B x1\n");
    expect_sound(replayed);
}

TEST(ExceptionsInFinally, FinallyBlocksOfFunctionsUmbraDoesNotKnowMayThrowAndCatch) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 80, 10)
                                .thrown(1, 20)
                                .unwound('B', 21)
                                .unwind_enter(0, 22)  // between A and B
                                .finally_enter(0, 85, 23)
                                .enter('C', 50, 30)
                                .enter('D', 40, 35)
                                .thrown(2, 36)
                                .unwound('D', 40)
                                .caught('C', 50, 41)
                                .catcher_leave(42)
                                .leave('C', 50, 50)
                                .thrown(3, 51)  // escapes from the finally block
                                .unwound(0, 52)
                                .caught('A', 100, 55)
                                .leave('A', 100, 60));
    EXPECT_EQ(replayed.tree(), "A 1 60/29\n  B 1 11/11\n  C 1 20/15\n    D 1 5/5\n");
    EXPECT_EQ(replayed.exceptions(), "E1 B>- x1\nE2 D>C x1\nE3 A>A x1\n");
    expect_sound(replayed);
}

}  // namespace
}  // namespace umbra::collector
