// SPDX-License-Identifier: MIT
// Call sequences without exceptions: what tree they make, what is repaired and what is counted.
#include "src/replay/shadow_stack.h"

#include <gtest/gtest.h>

#include "tests/replay/sequences.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::expect_mended;
using testing::expect_sound;
using testing::RecordStream;
using testing::Replayed;

TEST(ShadowStack, NestedCallsSplitTheirTimeIntoSelfAndCallees) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 10)
                                .enter('B', 90, 20)
                                .leave('B', 90, 50)
                                .enter('C', 90, 60)
                                .leave('C', 90, 65)
                                .enter('B', 90, 70)
                                .leave('B', 90, 75)
                                .leave('A', 100, 110));
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
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('A', 90, 10)
                                .enter('A', 80, 20)
                                .leave('A', 80, 30)
                                .leave('A', 90, 40)
                                .leave('A', 100, 50));
    EXPECT_EQ(replayed.tree(), "A 1 50/20\n  A 1 30/20\n    A 1 10/10\n");
    EXPECT_EQ(replayed.profile().functions[0].times.total_ns, 50U);
    EXPECT_EQ(replayed.profile().functions[0].times.calls, 3U);
}

TEST(ShadowStack, TailcallPopsTheCallerFrame) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .tailcall('B', 90, 20)
                                .enter('C', 90, 22)
                                .tailcall('C', 90, 30)
                                .enter('B', 90, 31)
                                .leave('B', 90, 40)
                                .leave('A', 100, 50));
    EXPECT_EQ(replayed.tree(), "A 1 50/23\n  B 2 19/19\n  C 1 8/8\n");
    expect_sound(replayed);
}

TEST(ShadowStack, LongChainsOfTailcallsDoNotGrowTheStack) {
    RecordStream stream;
    stream.enter('A', 100, 0);
    for (uint64_t step = 0; step < 100'000; ++step) {
        stream.enter('B', 90, step).tailcall('B', 90, step);
    }
    stream.leave('A', 100, 100'000);
    const Replayed replayed(stream);
    EXPECT_EQ(replayed.tree(), "A 1 100000/100000\n  B 100000 0/0\n");
}

TEST(ShadowStack, AnEnterAtOrAboveTheCallerSpOfDeadFramesClosesThem) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('C', 80, 20)
                                .enter('D', 90, 30)  // B and C are gone, unsaid
                                .leave('D', 90, 40)
                                .leave('A', 100, 50));
    EXPECT_EQ(replayed.tree(), "A 1 50/20\n  B 1 20/10\n    C 1 10/10\n  D 1 10/10\n");
    expect_mended(replayed, 2, 0);
}

TEST(ShadowStack, ALeaveClosesWhatIsDeeper) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('C', 80, 20)
                                .leave('A', 100, 50));
    EXPECT_EQ(replayed.tree(), "A 1 50/10\n  B 1 40/10\n    C 1 30/30\n");
    expect_mended(replayed, 2, 0);
}

TEST(ShadowStack, ALeaveWithoutEnterIsCountedAndChangesNoLiveFrame) {
    const Replayed replayed(RecordStream()
                                .leave('B', 90, 5)
                                .enter('A', 100, 10)
                                .leave('B', 90, 20)   // deeper than all
                                .leave('C', 110, 30)  // outside of all: A must be dead
                                .leave('A', 100, 40));
    EXPECT_EQ(replayed.tree(), "A 1 20/20\n");
    expect_mended(replayed, 1, 4);
}

TEST(ShadowStack, AnotherFunctionAtTheSameCallerSpHasReplacedTheFirst) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .leave('C', 90, 20)
                                .leave('A', 100, 30));
    EXPECT_EQ(replayed.tree(), "A 1 30/20\n  B 1 10/10\n");
    expect_mended(replayed, 1, 1);
}

TEST(ShadowStack, ALossExcusesTheFramesThatWereOpen) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .control(ControlType::kLost, 1000, 20)
                                .enter('C', 100, 30)
                                .enter('D', 90, 40)
                                .enter('E', 100, 50)  // C and D began after the loss
                                .leave('E', 100, 60));
    EXPECT_EQ(replayed.tree(), "A 1 30/10\n  B 1 20/20\nC 1 20/10\n  D 1 10/10\nE 1 10/10\n");
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.threads[0].repairs, 2U);
    EXPECT_EQ(p.threads[0].lost_events, 1000U);
    EXPECT_EQ(p.session.losses.ring_full, 1000U);
}

TEST(ShadowStack, AfterALossTheStreamFallsIntoStep) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .control(ControlType::kLost, 3, 20)  // leave B, enter C, enter D
                                .leave('D', 80, 30)
                                .leave('C', 90, 40)
                                .leave('A', 100, 50));
    EXPECT_EQ(replayed.tree(), "A 1 50/20\n  B 1 30/30\n");
    expect_mended(replayed, 0, 2);
}

TEST(ShadowStack, CallerSpsMayCrossTheFourGibibyteBorder) {
    const Replayed replayed(RecordStream()
                                .enter('A', 0x20, 0)
                                .enter('B', 0xffff'ffe0, 10)
                                .leave('B', 0xffff'ffe0, 20)
                                .enter('C', 0xffff'fff0, 20)
                                .leave('C', 0xffff'fff0, 30)
                                .leave('A', 0x20, 50)
                                .enter('D', 0xf000'0000, 60)
                                .leave('D', 0xf000'0000, 70));
    EXPECT_EQ(replayed.tree(), "A 1 50/30\n  B 1 10/10\n  C 1 10/10\nD 1 10/10\n");
    expect_sound(replayed);
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
    stream.enter('B', 1000, 200).leave('B', 1000, 210);
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
    stream.thrown(1, 20);
    for (uint32_t depth = 10; depth-- > 1;) {
        stream.unwound('A', 40 - depth);
    }
    stream.caught('A', 1000, 50).leave('A', 1000, 60);
    const Replayed replayed(stream, testing::full_tree({.max_depth = 3}));
    EXPECT_EQ(replayed.tree(), "A 1 60/22\n  A 1 38/2\n    A 1 36/36\n");
    expect_sound(replayed);
}

TEST(ShadowStack, WhenTheTreeIsFullTimeStaysWithTheCaller) {
    // Arcs: to A and B. C under A and D under B find no room.
    const RecordStream stream = RecordStream()
                                    .enter('A', 100, 0)
                                    .enter('B', 90, 10)
                                    .enter('D', 80, 12)
                                    .enter('A', 70, 13)
                                    .leave('A', 70, 14)
                                    .leave('D', 80, 15)
                                    .leave('B', 90, 20)
                                    .enter('C', 90, 30)
                                    .leave('C', 90, 40)
                                    .enter('B', 90, 40)
                                    .leave('B', 90, 45)
                                    .leave('A', 100, 50);
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
