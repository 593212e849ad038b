// SPDX-License-Identifier: MIT
// Off-CPU intervals and pauses fall into the calls they happened in.
#include "src/replay/overlays.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/collector/tables/profile_builder.h"
#include "src/profile/report.h"
#include "src/replay/linear_clock.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RecordStream;
using testing::Replayed;

constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

replay::PauseTicks pause(uint64_t begin, uint64_t end) {
    replay::PauseTicks ticks;
    ticks.begin_ticks = begin;
    ticks.suspended_ticks = begin + 1;
    ticks.end_ticks = end;
    return ticks;
}

/// "A 100-40/60-0 paused 0/0": wall less off-CPU, inclusive and self; then paused.
std::string cpu_of(const profile::Profile& p, profile::Row row) {
    const profile::CallTimes& t = p.calltree[row].times;
    return Replayed::name(p, p.calltree[row].function) + " cpu " + std::to_string(t.cpu.total_ns) +
           "/" + std::to_string(t.cpu.self_ns) + " paused " + std::to_string(t.paused.total_ns) +
           "/" + std::to_string(t.paused.self_ns);
}

TEST(PauseTimeline, WhatIsPausedAddsUpOverAnyStretch) {
    replay::PauseTimeline pauses;
    EXPECT_EQ(pauses.paused_before(kNever), 0U);
    pauses.add(pause(10, 20));
    pauses.add(pause(30, 35));
    pauses.add(pause(35, 45));
    for (const auto& [ticks, paused] : std::map<uint64_t, uint64_t>{
             {10, 0}, {15, 5}, {16, 6}, {20, 10}, {30, 10}, {33, 13}, {40, 20}, {kNever, 25}}) {
        EXPECT_EQ(pauses.paused_before(ticks), paused) << ticks;
    }
    EXPECT_EQ(pauses.first_ending_after(20), 1U);
    EXPECT_EQ(pauses.first_ending_after(19), 0U);
    EXPECT_EQ(pauses.first_ending_after(45), 3U);
}

TEST(PauseTimeline, NonsenseIsCutToSense) {
    replay::PauseTimeline pauses;
    pauses.add(pause(10, 20));
    pauses.add(pause(5, 15));   // before the last one
    pauses.add(pause(40, 30));  // backwards
    EXPECT_EQ(pauses.paused_before(kNever), 10U);
    for (const replay::PauseTicks& row : pauses.rows()) {
        EXPECT_LE(row.begin_ticks, row.suspended_ticks);
        EXPECT_LE(row.suspended_ticks, row.end_ticks);
    }
}

TEST(PauseTimeline, AThreadCountsForThePausesItWasThereForAlone) {
    replay::PauseTimeline pauses;
    for (uint64_t begin = 10; begin < 50; begin += 10) {  // each counted before the next comes
        pauses.add(pause(begin, begin + 5));
        pauses.count_thread(pauses.size() - 1, pauses.size());
    }
    pauses.count_thread(1, 3);
    pauses.count_thread(3, 99);
    std::vector<uint32_t> threads;
    for (const replay::PauseTicks& row : pauses.rows()) {
        threads.push_back(row.threads);
    }
    EXPECT_EQ(threads, (std::vector<uint32_t>{1, 2, 2, 2}));
}

TEST(ThreadOverlays, NextTicksIsTheEarliestThatIsNotDone) {
    replay::PauseTimeline pauses;
    replay::ThreadOverlays overlays(pauses, 0);
    EXPECT_EQ(overlays.next_ticks(), kNever);
    pauses.add(pause(50, 60));
    EXPECT_EQ(overlays.next_ticks(), 50U);
    overlays.add_off_cpu(10, 30);
    overlays.add_off_cpu(55, 70);
    EXPECT_EQ(overlays.next_ticks(), 10U);
    EXPECT_EQ(overlays.attribute(20, true).off_cpu_ticks, 10U);
    EXPECT_EQ(overlays.next_ticks(), 20U);
    EXPECT_EQ(overlays.attribute(40, true).off_cpu_ticks, 10U);
    EXPECT_EQ(overlays.next_ticks(), 50U);
    const replay::Deduction both = overlays.attribute(65, true);
    EXPECT_EQ(both.off_cpu_ticks, 10U);
    EXPECT_EQ(both.paused_ticks, 10U);
    EXPECT_EQ(overlays.next_ticks(), 65U);
    EXPECT_EQ(overlays.attribute(100, true).off_cpu_ticks, 5U);
    EXPECT_EQ(overlays.next_ticks(), kNever);
}

TEST(ThreadOverlays, WhatComesTwiceOrTooLateIsCutOff) {
    replay::PauseTimeline pauses;
    replay::ThreadOverlays overlays(pauses, 100);
    overlays.add_off_cpu(50, 110);
    overlays.add_off_cpu(105, 120);
    EXPECT_EQ(overlays.attribute(130, true).off_cpu_ticks, 20U);
    overlays.add_off_cpu(110, 125);
    EXPECT_EQ(overlays.next_ticks(), kNever);
    overlays.add_off_cpu(125, 140);
    EXPECT_EQ(overlays.attribute(200, true).off_cpu_ticks, 10U);
}

TEST(ThreadOverlays, AnEvenlySpreadStretchIsSharedByLength) {
    replay::PauseTimeline pauses;
    replay::ThreadOverlays overlays(pauses, 0);
    overlays.add_off_cpu(100, 200, 40);
    EXPECT_EQ(overlays.attribute(125, true).off_cpu_ticks, 10U);
    EXPECT_EQ(overlays.attribute(150, true).off_cpu_ticks, 10U);
    EXPECT_EQ(overlays.up_to(175).off_cpu_ticks, 10U);
    EXPECT_EQ(overlays.attribute(300, true).off_cpu_ticks, 20U);
}

TEST(ThreadOverlays, AThreadThatSwitchesForEverCostsNoMemoryAndLosesNoTime) {
    replay::PauseTimeline pauses;
    replay::ThreadOverlays overlays(pauses, 0);
    constexpr uint64_t kMany = 1'000'000;
    for (uint64_t i = 0; i < kMany; ++i) {
        overlays.add_off_cpu(10 * i, 10 * i + 3);
    }
    EXPECT_EQ(overlays.attribute(10 * kMany, true).off_cpu_ticks, 3 * kMany);
}

TEST(Overlays, OffCpuTimeIsOfTheCallOnTop) {
    Replayed replayed;
    auto& thread = replayed.thread();
    thread.add_off_cpu(0, 5);     // before any call
    thread.add_off_cpu(25, 45);   // 15 in B, 5 in A
    thread.add_off_cpu(60, 70);   // in A
    thread.add_off_cpu(95, 120);  // 5 in A, the rest outside
    replayed.feed(
        "10 enter A 100, 20 enter B 90, 40 leave B 90, 100 leave A 100, 150 enter C 100, "
        "160 leave C 100");
    const profile::Profile p = replayed.profile(200);
    EXPECT_EQ(cpu_of(p, 0), "A cpu 55/50 paused 0/0");
    EXPECT_EQ(cpu_of(p, 1), "B cpu 5/5 paused 0/0");
    EXPECT_EQ(cpu_of(p, 2), "C cpu 10/10 paused 0/0");
    EXPECT_EQ(p.threads[0].cpu_ns, 65U);
    EXPECT_EQ(p.session.cpu.on_ns, 65U);
    EXPECT_EQ(p.session.cpu.off_ns, 35U);
    EXPECT_EQ(p.calltree[0].times.raw.total_ns, 90U);
}

TEST(Overlays, WaitingForTheCollectorIsNoTimeOfTheProgram) {
    Replayed replayed;
    auto& thread = replayed.thread();
    thread.add_off_cpu(25, 35);  // 5 of it in the wait
    thread.add_off_cpu(36, 46);  // 4 of it in the wait
    replayed.state().note_pause(pause(32, 38));
    replayed.feed("10 enter A 100, 40 waited 30, 50 enter B 90, 60 leave B 90, 100 leave A 100");
    const profile::Profile p = replayed.profile(100);
    EXPECT_EQ(p.calltree[0].times.raw.total_ns, 90U);
    EXPECT_EQ(p.calltree[0].times.total_ns, 80U);
    EXPECT_EQ(p.calltree[0].times.self_ns, 70U);
    EXPECT_EQ(cpu_of(p, 0), "A cpu 69/59 paused 0/0");  // 5 before, 6 behind
}

TEST(Overlays, WithoutASourceThereIsNoCpuTime) {
    Replayed replayed("10 enter A 100, 20 leave A 100");
    profile::Session facts;
    facts.cpu.source = "none";
    const profile::Profile p =
        build(replayed.state().copy_out(20), replay::LinearClock(0, 1e9), facts);
    EXPECT_EQ(p.calltree[0].times.cpu.total_ns, 0U);
    EXPECT_EQ(p.session.cpu.on_ns + p.session.cpu.off_ns, 0U);
}

TEST(Overlays, AnOpenCallIsOffTheProcessorsAsLongAsItsThread) {
    Replayed replayed;
    auto& thread = replayed.thread();
    replayed.feed("10 enter A 100, 20 enter B 90");
    thread.add_off_cpu(30, 40);
    thread.replay().overlays().set_off_since(50);
    EXPECT_EQ(cpu_of(replayed.profile(100), 1), "B cpu 20/20 paused 0/0");
    EXPECT_EQ(cpu_of(replayed.profile(200), 1), "B cpu 20/20 paused 0/0") << "nothing was taken";
    thread.add_off_cpu(50, 250);
    thread.replay().overlays().set_off_since(kNever);
    replayed.feed("260 leave B 90, 300 leave A 100");
    EXPECT_EQ(cpu_of(replayed.profile(300), 0), "A cpu 80/50 paused 0/0");
    EXPECT_EQ(cpu_of(replayed.profile(300), 1), "B cpu 30/30 paused 0/0");
}

TEST(Overlays, APauseStopsEveryThreadThatIsInACall) {
    Replayed replayed;
    auto& first = replayed.thread(1);
    auto& second = replayed.thread(2);
    replayed.thread(3);
    replayed.state().note_pause(pause(30, 40));
    replayed.state().note_pause(pause(60, 65));
    replayed.state().note_pause(pause(70, 80));
    const auto run = [&](collector::ProfiledThread& thread, uint64_t leave) {
        RecordStream stream;
        stream.enter('A', 100, 10).enter('B', 90, 35).leave('B', 90, 50).leave('A', 100, leave);
        thread.consume(stream.slots(), true);
    };
    run(first, 100);
    run(second, 62);
    replayed.feed("75 enter C 100");  // the third thread, still in it
    const profile::Profile p = replayed.profile(90);
    EXPECT_EQ(cpu_of(p, 0), "A cpu 90/75 paused 25/20");
    EXPECT_EQ(cpu_of(p, 1), "B cpu 15/15 paused 5/5");
    EXPECT_EQ(p.threads[0].paused_ns, 25U);
    EXPECT_EQ(p.threads[1].paused_ns, 12U);
    EXPECT_EQ(p.threads[2].paused_ns, 5U);
    ASSERT_EQ(p.pauses.size(), 3U);
    EXPECT_EQ(p.pauses[0].threads, 2U);
    EXPECT_EQ(p.pauses[1].threads, 2U);
    EXPECT_EQ(p.pauses[2].threads, 2U);
    EXPECT_EQ(p.pauses[0].start_ns, 30U);
    EXPECT_EQ(p.pauses[0].duration_ns, 10U);
    EXPECT_EQ(p.pauses[0].stopping_ns, 1U);
}

TEST(Overlays, OfPausesBeyondTheLimitTheLongestHaveRowsAndAllAreInTheSums) {
    replay::Limits limits;
    limits.pauses.longest = 1;
    Replayed replayed(limits);
    replayed.state().note_pause(pause(30, 40));
    replayed.state().note_pause(pause(60, 65));
    replayed.state().note_lost_pauses(3);
    const profile::Profile p = replayed.profile(90);
    ASSERT_EQ(p.pauses.size(), 1U);
    EXPECT_EQ(p.pauses[0].start_ns, 30U);
    ASSERT_EQ(p.pause_sums.size(), 1U);
    EXPECT_EQ(p.pause_sums[0].count, 2U);
    EXPECT_EQ(p.pause_sums[0].duration_ns, 15U);
    EXPECT_EQ(p.pause_sums[0].longest_ns, 10U);
    EXPECT_EQ(p.session.losses.pauses, 3U);
}

// The first thread stands in a call all the time, the second runs, the third is read too late.
TEST(Overlays, AThreadThatStoodForMorePausesThanAreKeptIsPausedByAllOfThem) {
    constexpr uint64_t kPauses = 1'000;
    replay::Limits limits;
    limits.pauses = {.latest = 10, .longest = 20};
    Replayed replayed(limits);
    auto& stands = replayed.thread(1);
    auto& runs = replayed.thread(2);
    auto& late = replayed.thread(3);
    stands.consume(RecordStream("1 enter A 100").slots(), true);
    runs.consume(RecordStream("2 enter B 100").slots(), true);
    uint64_t paused = 0;
    for (uint64_t number = 1; number <= kPauses; ++number) {
        const uint64_t length = number == 500 ? 90 : 1 + number % 7;
        replayed.state().note_pause(pause(100 * number, 100 * number + length));
        paused += length;
        const uint64_t now = 100 * number + 95;
        runs.consume(RecordStream().enter('C', 90, now).leave('C', 90, now + 1).slots(), true);
    }
    const uint64_t end = 100 * kPauses + 99;
    stands.consume(RecordStream().leave('A', 100, end).slots(), true);
    runs.consume(RecordStream().leave('B', 100, end).slots(), true);
    late.consume(RecordStream("3 enter D 100, 30000 leave D 100").slots(), true);
    late.consume(RecordStream().enter('D', 100, 30'001).leave('D', 100, end).slots(), true);
    const profile::Profile p = replayed.profile(end);
    EXPECT_EQ(p.threads[0].paused_ns, paused);
    EXPECT_EQ(p.threads[1].paused_ns, paused);
    EXPECT_NEAR(static_cast<double>(p.threads[2].paused_ns), static_cast<double>(paused), 2.0);
    ASSERT_EQ(p.pauses.size(), limits.pauses.longest);
    const auto longest = std::ranges::max_element(p.pauses, {}, &profile::Pause::duration_ns);
    EXPECT_EQ(longest->start_ns, 50'000U);
    EXPECT_EQ(longest->duration_ns, 90U);
    for (const profile::Pause& row : p.pauses) {
        EXPECT_GE(row.threads, 2U) << row.start_ns;
    }
    EXPECT_EQ(profile::all_pauses(p).count, kPauses);
    EXPECT_EQ(profile::all_pauses(p).total_ns, paused);
    EXPECT_EQ(p.session.losses.pauses, 0U);
}

TEST(Overlays, CompilationPausesTheCallThatWaitsForIt) {
    Replayed replayed;
    replayed.thread();
    replayed.state().note_pause(pause(35, 45));  // a suspension in it counts once
    replayed.feed(
        "10 enter A 100, 20 compile_started B, 30 compile_started C, 40 compile_finished C, "
        "60 compile_finished B, 70 enter B 90, 80 leave B 90, 100 leave A 100");
    const profile::Profile p = replayed.profile(100);
    EXPECT_EQ(cpu_of(p, 0), "A cpu 90/80 paused 40/40");
    EXPECT_EQ(cpu_of(p, 1), "B cpu 10/10 paused 0/0");
}

TEST(Overlays, WhatTheCompilerCallsRunsItsOwnCode) {
    const Replayed replayed(
        "10 enter A 100, 20 compile_started B, 30 enter R 80, 33 compile_started C, "
        "36 compile_finished C, 40 leave R 80, 60 compile_finished B, 100 leave A 100");
    const profile::Profile p = replayed.profile(100);
    EXPECT_EQ(cpu_of(p, 0), "A cpu 90/80 paused 33/30");
    EXPECT_EQ(cpu_of(p, 1), "R cpu 10/10 paused 3/3");
}

TEST(Overlays, ACompilationWhoseEndIsNotSeenPausesNothingForEver) {
    const Replayed left(
        "10 enter A 100, 20 enter B 90, 30 compile_started C, 40 leave B 90, 50 enter B 90, "
        "60 leave B 90, 100 leave A 100");
    EXPECT_EQ(cpu_of(left.profile(100), 1), "B cpu 30/30 paused 10/10");
    const Replayed lost(
        "10 enter A 100, 30 compile_started C, 40 lost 5, 50 enter B 90, 60 leave B 90, "
        "100 leave A 100");
    EXPECT_EQ(cpu_of(lost.profile(100), 0), "A cpu 90/80 paused 10/10");
}

TEST(Overlays, ACompilationUnderWayIsInTheSnapshot) {
    const Replayed replayed("10 enter A 100, 30 compile_started C");
    EXPECT_EQ(cpu_of(replayed.profile(100), 0), "A cpu 90/90 paused 70/70");
}

TEST(Overlays, CallsWithoutAnArcLeaveTheirOffCpuTimeToTheirCaller) {
    replay::Limits limits = testing::full_tree();
    limits.max_arcs = 1;
    Replayed replayed(limits);
    auto& thread = replayed.thread();
    thread.add_off_cpu(30, 40);
    replayed.feed("10 enter A 100, 20 enter B 90, 50 leave B 90, 100 leave A 100");
    EXPECT_EQ(cpu_of(replayed.profile(100), 0), "A cpu 80/80 paused 0/0");
}

}  // namespace
}  // namespace umbra::collector
