// SPDX-License-Identifier: MIT
// Off-CPU time that is told as sums goes to the intervals it must have been in.
#include "src/replay/cpu_windows.h"

#include <cstdint>

#include <gtest/gtest.h>

#include "src/replay/overlays.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RecordStream;
using testing::Replayed;

// One tick a nanosecond; the kernel's timer ticks each 4 ms.
constexpr replay::CpuWindows::Rates kRates{.ticks_per_ns = 1, .timer_ns = 4e6};
constexpr uint64_t kMs = 1'000'000;

uint64_t off_of(const replay::Deductions& deductions, uint32_t node) {
    const auto found = deductions.rows().find(node);
    return found == deductions.rows().end() ? 0 : found->second.off_cpu_ticks;
}

/// Readings far behind, so that those before are settled.
void settle(replay::CpuWindows& windows, uint64_t now, uint64_t off_ticks,
            replay::Deductions& deductions) {
    windows.note(now + 100 * kMs, off_ticks, false);
    windows.advance(now + 50 * kMs, deductions);
}

TEST(CpuWindows, TheLongestIntervalsOfAWindowTakeItsOffCpuTime) {
    replay::CpuWindows windows(0, kRates);
    replay::Deductions deductions;
    windows.add_piece(1, 1 * kMs, 4 * kMs, deductions);
    windows.add_piece(2, 5 * kMs, 6 * kMs, deductions);
    windows.add_piece(3, 6 * kMs, 8 * kMs, deductions);
    windows.note(10 * kMs, 4 * kMs, false);
    windows.advance(10 * kMs, deductions);
    EXPECT_TRUE(deductions.rows().empty()) << "a later reading may say less";
    settle(windows, 10 * kMs, 4 * kMs, deductions);
    EXPECT_EQ(off_of(deductions, 1), 3 * kMs);
    EXPECT_EQ(off_of(deductions, 3), 1 * kMs);
    EXPECT_EQ(off_of(deductions, 2), 0U);
}

TEST(CpuWindows, AFigureThatLagsBehindMakesNoOffCpuTime) {
    replay::CpuWindows windows(0, kRates);
    replay::Deductions deductions;
    for (uint64_t ms = 1; ms <= 400; ++ms) {  // it runs all the time; the figure moves each 4 ms
        windows.note(ms * kMs, (ms % 4) * kMs, false);
        windows.add_piece(1, (ms - 1) * kMs, ms * kMs, deductions);
    }
    EXPECT_EQ(off_of(deductions, 1), 0U);
    windows.finish(1, 400 * kMs, deductions);
    EXPECT_LE(off_of(deductions, 1), 4 * kMs);
}

TEST(CpuWindows, APieceMaySpanManyWindows) {
    replay::CpuWindows windows(0, kRates);
    replay::Deductions deductions;
    for (uint64_t ms = 1; ms <= 100; ++ms) {  // burns 10 ms, then waits for 90
        windows.note(ms * kMs, ms <= 10 ? 0 : (ms - 10) * kMs, false);
        if (ms <= 10) {
            windows.add_piece(1, (ms - 1) * kMs, ms * kMs, deductions);
        }
    }
    windows.add_piece(2, 10 * kMs, 100 * kMs, deductions);
    settle(windows, 100 * kMs, 90 * kMs, deductions);
    EXPECT_EQ(off_of(deductions, 1), 0U);
    EXPECT_EQ(off_of(deductions, 2), 90 * kMs);
}

TEST(CpuWindows, AThreadThatStoodStaysOffUntilItsNextEvent) {
    replay::CpuWindows windows(0, kRates);
    replay::Deductions deductions;
    windows.add_piece(1, 0, 2 * kMs, deductions);
    for (uint64_t ms = 2; ms <= 40; ms += 2) {
        windows.note(ms * kMs, (ms - 2) * kMs, false);
    }
    windows.add_piece(2, 2 * kMs, 100 * kMs, deductions);
    windows.finish(3, 110 * kMs, deductions);  // no reading since 40 ms
    EXPECT_EQ(off_of(deductions, 2), 98 * kMs);
    EXPECT_EQ(off_of(deductions, 1) + off_of(deductions, 3), 0U);
}

TEST(CpuWindows, AStandingThreadIsBookedWhereItStands) {
    replay::CpuWindows windows(0, kRates);
    replay::Deductions deductions;
    windows.advance(1 * kMs, deductions);
    windows.note(50 * kMs, 49 * kMs, true);
    replay::CpuWindows copy = windows;
    copy.finish(7, 60 * kMs, deductions);
    EXPECT_EQ(off_of(deductions, 7), 59 * kMs);
}

TEST(CpuWindows, ReadingsThatCannotBeAreCutToSense) {
    replay::CpuWindows windows(1'000, kRates);
    replay::Deductions deductions;
    windows.note(500, 900 * kMs, false);
    windows.note(2 * kMs, UINT64_MAX, false);
    windows.note(2 * kMs, 0, false);
    windows.add_piece(1, 5 * kMs, 3 * kMs, deductions);
    windows.add_piece(1, 0, 5 * kMs, deductions);
    settle(windows, 10 * kMs, 0, deductions);
    EXPECT_LE(off_of(deductions, 1), 5 * kMs);
}

TEST(CpuWindows, MemoryIsBounded) {
    replay::CpuWindows windows(0, kRates);
    replay::Deductions deductions;
    for (uint64_t i = 1; i < 100'000; ++i) {
        windows.note(i * kMs, i * kMs, false);  // stands for ever
    }
    windows.add_piece(1, 0, 100'000 * kMs, deductions);
    for (uint64_t i = 0; i < 20'000; ++i) {  // no readings for ever
        windows.add_piece(2, (100'000 + i) * kMs, (100'001 + i) * kMs, deductions);
    }
    windows.finish(3, 130'000 * kMs, deductions);
    EXPECT_GE(off_of(deductions, 1), 99'999 * kMs);
}

TEST(CpuWindows, TheReplayFindsTheLongIntervals) {
    Replayed replayed;
    auto& thread = replayed.thread();
    thread.replay().use_cpu_windows(kRates);
    RecordStream stream;
    stream.enter('A', 100, 0);
    for (uint64_t i = 0; i < 1'000; ++i) {  // calls of 1 us, one after the other
        stream.enter('B', 90, 1'000 * i).leave('B', 90, 1'000 * (i + 1));
    }
    stream.enter('C', 90, 1'000'500).leave('C', 90, 4'000'500).leave('A', 100, 4'001'000);
    thread.replay().windows()->note(5 * kMs, 2 * kMs, true);
    replayed.feed(stream);
    const profile::Profile p = replayed.profile(4'001'000);
    ASSERT_EQ(p.calltree.size(), 3U);
    EXPECT_EQ(p.calltree[2].times.cpu.self_ns, 1 * kMs);
    EXPECT_EQ(p.calltree[1].times.cpu.self_ns, 1 * kMs);
    EXPECT_EQ(p.calltree[0].times.cpu.self_ns, p.calltree[0].times.raw.self_ns);
}

}  // namespace
}  // namespace umbra::collector
