// SPDX-License-Identifier: MIT
// Tests of when rounds are due, and of the CPU time between two of them.
#include "src/agent/sampling/sample_schedule.h"

#include <ctime>

#include <unistd.h>

#include <gtest/gtest.h>

#include "src/agent/support/thread_cpu.h"

namespace umbra::agent {
namespace {

constexpr uint64_t kPeriod = 10'000'000;
constexpr uint32_t kOnePercent = 10'000;

struct Outcome {
    uint64_t rounds = 0;
    uint64_t suspended_ns = 0;
};

/// Rounds in `length_ns`, each of which stops the program for `cost_ns`.
Outcome run(uint64_t length_ns, uint64_t cost_ns) {
    Outcome outcome;
    SampleSchedule schedule(1'000, kPeriod, kOnePercent, 42);
    uint64_t now = 1'000;
    while (now < length_ns) {
        now = std::max(now, schedule.next_ns()) + cost_ns;
        schedule.round_done(now, cost_ns);
        ++outcome.rounds;
        outcome.suspended_ns += cost_ns;
    }
    return outcome;
}

TEST(SampleSchedule, CheapRoundsComeAsOftenAsAskedFor) {
    EXPECT_NEAR(static_cast<double>(run(10'000'000'000, 14'000).rounds), 1000, 2);
}

TEST(SampleSchedule, DearRoundsComeSeldomEnough) {
    const Outcome outcome = run(100'000'000'000, 2'000'000);
    EXPECT_NEAR(static_cast<double>(outcome.suspended_ns) / 100e9, 0.01, 0.0005);
    EXPECT_GT(outcome.rounds, 450U);
}

TEST(SampleSchedule, OneLongStopDoesNotEndTheSampling) {
    SampleSchedule schedule(0, kPeriod, kOnePercent, 42);
    schedule.round_done(3'600'000'000'000, 3'000'000'000);
    EXPECT_LE(schedule.next_ns(), 3'600'000'000'000 + 2 * SampleSchedule::kLongestNs);
}

TEST(SampleSchedule, EachPeriodHasOneRoundAnywhereInIt) {
    SampleSchedule schedule(0, kPeriod, kOnePercent, 7);
    uint64_t sum = 0;
    for (uint64_t period = 0; period < 1000; ++period) {
        const uint64_t next = schedule.next_ns();
        ASSERT_GE(next, period * kPeriod);
        ASSERT_LT(next, (period + 1) * kPeriod);
        sum += next - period * kPeriod;
        schedule.round_done(next, 0);
    }
    // The mean of 1,000 uniform draws: 0.5 +- 0.0091; ten times that never happens.
    EXPECT_NEAR(static_cast<double>(sum) / (1000 * kPeriod), 0.5, 0.09);
}

TEST(SampleSchedule, TwoSeedsDiffer) {
    EXPECT_NE(SampleSchedule(0, kPeriod, kOnePercent, 1).next_ns(),
              SampleSchedule(0, kPeriod, kOnePercent, 99).next_ns());
}

TEST(SampleSchedule, MissedPeriodsAreNotMadeUpFor) {
    SampleSchedule schedule(0, kPeriod, kOnePercent, 7);
    schedule.round_done(50 * kPeriod, 0);
    EXPECT_GE(schedule.next_ns(), 50 * kPeriod);
    schedule.round_done(schedule.next_ns(), 0);
    EXPECT_GE(schedule.next_ns(), 51 * kPeriod);
}

TEST(CpuLedger, WhatIsSpentIsToldOnceWhenTheThreadRuns) {
    CpuLedger ledger;
    ledger.begin(1'000);
    ledger.note(1'400);
    ledger.note(1'500);
    EXPECT_EQ(ledger.owed_ns(), 500U);
    EXPECT_EQ(ledger.settle(), 500U);
    EXPECT_EQ(ledger.settle(), 0U);
    ledger.note(1'501);
    EXPECT_EQ(ledger.settle(), 1U);
}

TEST(CpuLedger, AClockThatGoesBackAddsNothing) {
    CpuLedger ledger;
    ledger.begin(1'000);
    ledger.note(400);
    EXPECT_EQ(ledger.owed_ns(), 0U);
    ledger.note(410);
    EXPECT_EQ(ledger.owed_ns(), 10U);
}

TEST(ThreadCpu, IsTheThreadsOwnClock) {
    const auto tid = static_cast<uint32_t>(gettid());
    timespec own{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &own);
    const auto before =
        static_cast<uint64_t>(own.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(own.tv_nsec);
    const auto now = thread_cpu_ns(tid);
    ASSERT_TRUE(now);
    EXPECT_GE(*now, before);
    EXPECT_TRUE(is_running(tid));
    EXPECT_FALSE(is_at_rest(tid));
}

TEST(ThreadCpu, AThreadThatIsNotThereHasNone) {
    EXPECT_FALSE(thread_cpu_ns(0x7fff'fff0));
    EXPECT_FALSE(is_running(0x7fff'fff0));
    EXPECT_TRUE(is_at_rest(0x7fff'fff0));
}

}  // namespace
}  // namespace umbra::agent
