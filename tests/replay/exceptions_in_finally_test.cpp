// SPDX-License-Identifier: MIT
// Exceptions that finally blocks throw and catch while another one is on its way.
#include <gtest/gtest.h>

#include "tests/replay/sequences.h"

namespace umbra::collector {
namespace {

using testing::expect_replay;

TEST(ExceptionsInFinally, OneCaughtInsideAFinallyBlockLeavesTheOuterOneAlone) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 thrown 1, 21 unwind_enter B, 22 finally_enter B 90, "
        "30 enter C 50, 35 enter D 40, 36 thrown 2, 40 unwound D, 41 caught C 50, "
        "42 catcher_leave, 50 leave C 50, 51 finally_leave, 60 unwind_leave, 61 caught A 100, "
        "70 leave A 100",
        "A 1 70/20\n  B 1 50/30\n    C 1 20/15\n      D 1 5/5\n", "E1 B>A x1\nE2 D>C x1\n");
}

TEST(ExceptionsInFinally, OneCaughtInTheFinallyBlockItselfDoesNotSaveItsFrame) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 thrown 1, 21 unwind_enter B, 22 finally_enter B 90, "
        "30 thrown 2 (try { throw } catch {} inside the finally), 35 caught B 90, "
        "36 catcher_leave, 40 finally_leave, 50 unwind_leave, 55 caught A 100, 60 leave A 100",
        "A 1 60/20\n  B 1 40/40\n", "E1 B>A x1\nE2 B>B x1\n");
}

TEST(ExceptionsInFinally, OneThatEscapesFromAFinallyBlockReplacesTheFirst) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 thrown 1, 21 unwind_enter B, 22 finally_enter B 90, "
        "30 enter C 50, 35 thrown 2, 40 unwound C, 50 unwound B, 55 caught A 100, "
        "56 catcher_leave, 60 enter B 90, 65 leave B 90, 70 leave A 100",
        "A 1 70/25\n  B 2 45/35\n    C 1 10/10\n", "E1 B>- x1\nE2 C>A x1\n");
}

TEST(ExceptionsInFinally, OneThatEscapesFromAFinallyBlockInARecursionIsToldOnceForItsNeighbours) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 enter B 80, 30 enter B 70, 35 thrown 1, "
        "36 unwind_enter B, 37 finally_enter B 70, 40 enter C 50, 45 thrown 2, 50 unwound C, "
        "51 unwound B (all three), 55 caught A 100, 60 enter D 40 (in the catch block), "
        "65 leave D 40, 66 catcher_leave, 70 leave A 100",
        "A 1 70/24\n  B 1 41/10\n    B 1 31/10\n      B 1 21/11\n        C 1 10/10\n"
        "  D 1 5/5\n",
        "E1 B>- x1\nE2 C>A x1\n");
}

TEST(ExceptionsInFinally, OneCallThatIsToldSeveralTimesTakesNoneOfItsNameAlongThatGoesOn) {
    // As .NET 9.0.23 tells it: the catch block of B calls B by reflection, which throws in a
    // finally block within another; reflection catches that and throws what B's catch block
    // catches.
    expect_replay(
        "0 enter A 0xfff0, 10 enter B 0xffc0, 20 enter C 0xff80, 25 thrown 1, 30 unwound C, "
        "31 unwind_enter B, 32 catcher_at B 0xff80, 40 enter B 0xc000, 50 thrown 2, "
        "55 unwind_leave, 56 unwound B (three times, for one call), 57 unwound B, "
        "58 unwind_enter B, 60 thrown 2, 61 filter_at - 0xc100, 62 filter_leave_at 0xc100, "
        "63 unwind_enter -, 64 catcher_at - 0xc100, 65 thrown 3, 66 unwind_enter B, "
        "67 catcher_at B 0xc200, 68 catcher_leave, 69 catcher_leave, "
        "70 enter D 0xff70 (B goes on), 80 leave D 0xff70, 90 leave B 0xffc0, 100 leave A 0xfff0",
        "A 1 100/20\n  B 1 80/44\n    C 1 10/10\n    B 1 16/16\n    D 1 10/10\n");
}

TEST(ExceptionsInFinally, CallsThatAFinallyBlockMakesInTheOrdinaryWayAreToldAsOneToo) {
    // As .NET 10.0.12 tells it: D calls itself in a finally block, and the innermost throws there.
    expect_replay(
        "0 enter C 0xffb0, 10 enter D 0xff70, 20 enter D 0xff20, 30 enter D 0xfed0, 40 thrown 1, "
        "45 unwound D, 50 unwind_enter C, 51 catcher_at C 0xff70, 60 enter R 0xc220, "
        "70 leave R 0xc220, 71 catcher_leave, 80 leave C 0xffb0",
        "C 1 80/35\n  D 1 35/10\n    D 1 25/10\n      D 1 15/15\n  R 1 10/10\n", "E1 D>C x1\n");
}

TEST(ExceptionsInFinally, ARecursionWhoseFinallyBlocksCatchIsToldFrameByFrame) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 enter B 80, 30 thrown 1, 31 unwind_enter B, "
        "32 finally_enter B 80, 33 thrown 2 (try { throw } catch {} inside the finally), "
        "34 caught B 80, 35 catcher_leave, 40 finally_leave, 45 unwind_leave, "
        "50 caught B 90 (its caller lives on), 51 catcher_leave, 60 leave B 90, 70 leave A 100",
        "A 1 70/20\n  B 1 50/25\n    B 1 25/25\n", "E1 B>B x1\nE2 B>B x1\n");
}

TEST(ExceptionsInFinally, FinallyBlocksOfFunctionsUmbraDoesNotKnowMayThrowAndCatch) {
    expect_replay(
        "0 enter A 100, 10 enter B 80, 20 thrown 1, 21 unwound B, "
        "22 unwind_enter - (between A and B), 23 finally_enter - 85, 30 enter C 50, 35 enter D 40, "
        "36 thrown 2, 40 unwound D, 41 caught C 50, 42 catcher_leave, 50 leave C 50, "
        "51 thrown 3 (escapes from the finally block), 52 unwound -, 55 caught A 100, "
        "60 leave A 100",
        "A 1 60/29\n  B 1 11/11\n  C 1 20/15\n    D 1 5/5\n", "E1 B>- x1\nE2 D>C x1\nE3 A>A x1\n");
}

}  // namespace
}  // namespace umbra::collector
