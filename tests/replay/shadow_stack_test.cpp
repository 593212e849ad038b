// SPDX-License-Identifier: MIT
// Call sequences without exceptions: what tree they make, what is repaired and what is counted.
#include "src/replay/shadow_stack.h"

#include <gtest/gtest.h>

#include "tests/replay/sequences.h"

namespace umbra::collector {
namespace {

using testing::expect_mended;
using testing::expect_replay;
using testing::expect_sound;
using testing::RecordStream;
using testing::Replayed;

TEST(ShadowStack, NestedCallsSplitTheirTimeIntoSelfAndCallees) {
    const Replayed replayed(
        "10 enter A 100, 20 enter B 90, 50 leave B 90, 60 enter C 90, 65 leave C 90, "
        "70 enter B 90, 75 leave B 90, 110 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 1 100/60\n  B 2 35/35\n  C 1 5/5\n");
    const profile::Profile p = replayed.profile();
    expect_sound(replayed);
    EXPECT_EQ(p.threads[0].covered_ns, 100U);
    EXPECT_EQ(p.threads[0].calls, 4U);
    EXPECT_EQ(p.threads[0].events, 8U);
    EXPECT_EQ(p.calltree[1].times.min_ns, 5U);
    EXPECT_EQ(p.calltree[1].times.max_ns, 30U);
}

TEST(ShadowStack, RecursionIsOneNodeForEachDepth) {
    const Replayed replayed(
        "0 enter A 100, 10 enter A 90, 20 enter A 80, 30 leave A 80, 40 leave A 90, "
        "50 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 1 50/20\n  A 1 30/20\n    A 1 10/10\n");
    EXPECT_EQ(replayed.profile().functions[0].times.total_ns, 50U);
    EXPECT_EQ(replayed.profile().functions[0].times.calls, 3U);
}

TEST(ShadowStack, TailcallPopsTheCallerFrame) {
    expect_replay(
        "0 enter A 100, 10 enter B 90, 20 tailcall B 90, 22 enter C 90, 30 tailcall C 90, "
        "31 enter B 90, 40 leave B 90, 50 leave A 100",
        "A 1 50/23\n  B 2 19/19\n  C 1 8/8\n");
}

TEST(ShadowStack, LongChainsOfTailcallsDoNotGrowTheStack) {
    RecordStream stream("0 enter A 100");
    for (uint64_t step = 0; step < 100'000; ++step) {
        stream.enter('B', 90, step).tailcall('B', 90, step);
    }
    stream.tell("100000 leave A 100");
    const Replayed replayed(stream);
    EXPECT_EQ(replayed.tree(), "A 1 100000/100000\n  B 100000 0/0\n");
}

TEST(ShadowStack, AnEnterAtOrAboveTheCallerSpOfDeadFramesClosesThem) {
    const Replayed replayed(
        "0 enter A 100, 10 enter B 90, 20 enter C 80, 30 enter D 90 (B and C are gone, unsaid), "
        "40 leave D 90, 50 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 1 50/20\n  B 1 20/10\n    C 1 10/10\n  D 1 10/10\n");
    expect_mended(replayed, 2, 0);
}

TEST(ShadowStack, ALeaveClosesWhatIsDeeper) {
    const Replayed replayed("0 enter A 100, 10 enter B 90, 20 enter C 80, 50 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 1 50/10\n  B 1 40/10\n    C 1 30/30\n");
    expect_mended(replayed, 2, 0);
}

TEST(ShadowStack, ALeaveWithoutEnterIsCountedAndChangesNoLiveFrame) {
    const Replayed replayed(
        "5 leave B 90, 10 enter A 100, 20 leave B 90 (deeper than all), "
        "30 leave C 110 (outside of all: A must be dead), 40 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 1 20/20\n");
    expect_mended(replayed, 1, 4);
}

TEST(ShadowStack, AnotherFunctionAtTheSameCallerSpHasReplacedTheFirst) {
    const Replayed replayed("0 enter A 100, 10 enter B 90, 20 leave C 90, 30 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 1 30/20\n  B 1 10/10\n");
    expect_mended(replayed, 1, 1);
}

TEST(ShadowStack, ALossExcusesTheFramesThatWereOpen) {
    const Replayed replayed(
        "0 enter A 100, 10 enter B 90, 20 lost 1000, 30 enter C 100, 40 enter D 90, "
        "50 enter E 100 (C and D began after the loss), 60 leave E 100");
    EXPECT_EQ(replayed.tree(), "A 1 30/10\n  B 1 20/20\nC 1 20/10\n  D 1 10/10\nE 1 10/10\n");
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.threads[0].repairs, 2U);
    EXPECT_EQ(p.threads[0].lost_events, 1000U);
    EXPECT_EQ(p.session.losses.ring_full, 1000U);
}

TEST(ShadowStack, AfterALossTheStreamFallsIntoStep) {
    const Replayed replayed(
        "0 enter A 100, 10 enter B 90, 20 lost 3 (leave B, enter C, enter D), 30 leave D 80, "
        "40 leave C 90, 50 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 1 50/20\n  B 1 30/30\n");
    expect_mended(replayed, 0, 2);
}

TEST(ShadowStack, CallerSpsMayCrossTheFourGibibyteBorder) {
    expect_replay(
        "0 enter A 0x20, 10 enter B 0xffffffe0, 20 leave B 0xffffffe0, 20 enter C 0xfffffff0, "
        "30 leave C 0xfffffff0, 50 leave A 0x20, 60 enter D 0xf0000000, 70 leave D 0xf0000000",
        "A 1 50/30\n  B 1 10/10\n  C 1 10/10\nD 1 10/10\n");
}

TEST(ShadowStack, BeyondTheDepthLimitCallsAreCountedAndTheRestIsRight) {
    RecordStream stream;
    constexpr uint32_t kDepth = 10;
    for (uint32_t depth = 0; depth < kDepth; ++depth) {
        stream.enter('A', 1000 - depth, depth);
    }
    for (uint32_t depth = kDepth; depth-- > 0;) {
        stream.leave('A', 1000 - depth, 100 - depth);
    }
    stream.tell("200 enter B 1000, 210 leave B 1000");
    const Replayed replayed(stream, testing::full_tree({.max_depth = 3}));
    EXPECT_EQ(replayed.tree(), "A 1 100/2\n  A 1 98/2\n    A 1 96/96\nB 1 10/10\n");
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.session.losses.depth, 7U);
    expect_sound(replayed);
}

TEST(ShadowStack, AnExceptionFromBeyondTheDepthLimitRemovesTheRightFrames) {
    RecordStream stream;
    for (uint32_t depth = 0; depth < 10; ++depth) {
        stream.enter('A', 1000 - depth, depth);
    }
    stream.tell("20 thrown 1");
    for (uint32_t depth = 10; depth-- > 1;) {
        stream.unwound('A', 40 - depth);
    }
    stream.tell("50 caught A 1000, 60 leave A 1000");
    const Replayed replayed(stream, testing::full_tree({.max_depth = 3}));
    EXPECT_EQ(replayed.tree(), "A 1 60/22\n  A 1 38/2\n    A 1 36/36\n");
    expect_sound(replayed);
}

TEST(ShadowStack, WhenTheTreeIsFullTimeStaysWithTheCaller) {
    // Arcs: to A and B. C under A and D under B find no room.
    const RecordStream stream(
        "0 enter A 100, 10 enter B 90, 12 enter D 80, 13 enter A 70, 14 leave A 70, 15 leave D 80, "
        "20 leave B 90, 30 enter C 90, 40 leave C 90, 40 enter B 90, 45 leave B 90, "
        "50 leave A 100");
    const Replayed replayed(stream, testing::full_tree({.max_arcs = 2}));
    EXPECT_EQ(replayed.tree(), "A 1 50/35\n  B 2 15/15\n");
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.session.losses.nodes, 3U);
    expect_sound(replayed);
}

TEST(ShadowStack, SixtyFourThousandFramesAreKept) {
    RecordStream stream;
    constexpr uint32_t kDepth = 65'536;
    for (uint32_t depth = 0; depth < kDepth; ++depth) {
        stream.enter('A', 0x7000'0000 - depth * 16, depth);
    }
    for (uint32_t depth = kDepth; depth-- > 0;) {
        stream.leave('A', 0x7000'0000 - depth * 16, 2 * kDepth - depth);
    }
    const profile::Profile p = Replayed(stream).profile();
    ASSERT_EQ(p.calltree.size(), kDepth);
    EXPECT_EQ(p.session.losses.depth, 0U);
    EXPECT_EQ(p.functions[0].times.calls, kDepth);
    EXPECT_EQ(p.functions[0].times.total_ns, 2 * kDepth);
    EXPECT_EQ(p.functions[0].times.self_ns, 2 * kDepth);
}

}  // namespace
}  // namespace umbra::collector
