// SPDX-License-Identifier: MIT
// What a session is doing just now: ended and open calls, threads that sleep, threads that end.
#include "src/collector/live/live_stats.h"

#include <gtest/gtest.h>

#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RecordStream;
using testing::Replayed;

class LiveStatsTest : public ::testing::Test {
  protected:
    /// The figures at `ticks`, a second after those before.
    const LiveStats& look(uint64_t ticks) {
        now_ += LiveStatsTracker::kPeriod;
        EXPECT_TRUE(watch_.due(now_));
        EXPECT_TRUE(watch_.step(now_, ticks));
        EXPECT_FALSE(watch_.due(now_));
        return watch_.stats();
    }

    Replayed replayed_;
    bool sleeps_ = false;
    LiveStatsTracker::Clock::time_point now_{std::chrono::hours(1)};
    LiveStatsTracker watch_{replayed_.state(), 0, [this](uint32_t) { return sleeps_; }};
};

TEST_F(LiveStatsTest, NamesTheFunctionWithTheGreatestSelfTime) {
    replayed_.thread();
    replayed_.feed(RecordStream()
                       .enter('A', 100, 0)
                       .enter('B', 90, 20)
                       .leave('B', 90, 80)
                       .leave('A', 100, 100));
    const LiveStats& stats = look(100);
    EXPECT_EQ(stats.hottest, RecordStream::index('B'));
    EXPECT_DOUBLE_EQ(stats.share, 0.6);
    EXPECT_DOUBLE_EQ(stats.load, 0.6);
    EXPECT_EQ(stats.calls, 2U);
}

TEST_F(LiveStatsTest, WhatWasBeforeTheLastLookIsForgotten) {
    replayed_.thread();
    replayed_.feed(RecordStream().enter('A', 100, 0).leave('A', 100, 1000));
    EXPECT_EQ(look(1000).hottest, RecordStream::index('A'));
    replayed_.feed(RecordStream().enter('B', 100, 1000).leave('B', 100, 1010));
    const LiveStats& stats = look(1020);
    EXPECT_EQ(stats.hottest, RecordStream::index('B'));
    EXPECT_DOUBLE_EQ(stats.share, 1);
    EXPECT_DOUBLE_EQ(stats.load, 0.5);
    EXPECT_EQ(look(2000).hottest, 0U) << "nothing has run";
}

TEST_F(LiveStatsTest, CallsThatGoOnCount) {
    replayed_.thread();
    replayed_.feed(
        RecordStream().enter('A', 100, 0).enter('B', 90, 10).leave('B', 90, 20).enter('C', 90, 30));
    const LiveStats& stats = look(100);
    EXPECT_EQ(stats.hottest, RecordStream::index('C'));
    EXPECT_DOUBLE_EQ(stats.share, 0.7) << "A has 20, B 10";
    EXPECT_EQ(stats.calls, 3U);
    replayed_.feed(RecordStream().leave('C', 90, 110));
    look(200);
    EXPECT_EQ(watch_.stats().hottest, RecordStream::index('A'));
    EXPECT_DOUBLE_EQ(watch_.stats().share, 0.9) << "since 110; C had 10";
}

TEST_F(LiveStatsTest, AThreadThatSleepsInACallSaysNothing) {
    replayed_.thread();
    replayed_.feed(RecordStream().enter('A', 100, 0));
    EXPECT_EQ(look(100).hottest, RecordStream::index('A'));
    sleeps_ = true;
    EXPECT_EQ(look(200).hottest, 0U);
    EXPECT_EQ(look(300).hottest, 0U);
    sleeps_ = false;
    EXPECT_DOUBLE_EQ(look(400).load, 1) << "it runs again, and what it slept does not come back";
}

TEST_F(LiveStatsTest, ThreadsThatEndedStillCount) {
    for (uint64_t number = 0; number < 3; ++number) {
        auto& thread = replayed_.thread();
        replayed_.feed(RecordStream().waited(5, 10).enter('A', 100, 10).leave('A', 100, 20));
        thread.replay().note_lost(7);
        thread.end(30);
        const LiveStats& stats = look(100 * (number + 1));
        EXPECT_EQ(stats.waits, number + 1);
        EXPECT_EQ(stats.lost, 7 * (number + 1));
        EXPECT_EQ(stats.calls, number + 1);
    }
}

TEST_F(LiveStatsTest, ALargeTreeIsLookedAtInSlices) {
    replayed_.thread();
    // Each call one deeper and back: a node for each depth.
    constexpr uint32_t kDepth = 40'000;
    RecordStream stream;
    for (uint32_t call = 0; call < kDepth; ++call) {
        stream.enter(call % 2 == 0 ? 'A' : 'B', 8 * (2 * kDepth - call), call);
    }
    replayed_.feed(stream);
    replayed_.thread();
    replayed_.feed(stream);
    const LiveStatsTracker::Clock::time_point begin = now_;
    EXPECT_FALSE(watch_.step(now_, kDepth)) << "80,002 nodes are more than a slice";
    EXPECT_FALSE(watch_.due(now_));
    now_ += LiveStatsTracker::kRest;
    ASSERT_TRUE(watch_.due(now_));
    EXPECT_TRUE(watch_.step(now_, kDepth));
    EXPECT_EQ(watch_.stats().calls, 2 * kDepth);
    EXPECT_FALSE(watch_.due(begin + LiveStatsTracker::kPeriod - std::chrono::milliseconds(1)));
    EXPECT_TRUE(watch_.due(begin + LiveStatsTracker::kPeriod));
}

}  // namespace
}  // namespace umbra::collector
