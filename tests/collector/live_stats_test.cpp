// SPDX-License-Identifier: MIT
// What a session is doing just now: ended and open calls, threads that sleep, threads that end.
#include "src/collector/live/live_stats.h"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "src/collector/live/first_rows.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using protocol::LiveFigures;
using protocol::LiveRow;
using testing::RecordStream;
using testing::Replayed;

class LiveStatsTest : public ::testing::Test {
  protected:
    /// In a thread of its own.
    void run(const RecordStream& stream) {
        replayed_.thread();
        replayed_.feed(stream);
    }
    /// The figures at `ticks`, a second after those before. A tick is a nanosecond.
    LiveFigures look(uint64_t ticks) {
        now_ += LiveStatsTracker::kPeriod;
        EXPECT_TRUE(watch_.due(now_));
        EXPECT_TRUE(watch_.step(now_, ticks, 1.0));
        EXPECT_FALSE(watch_.due(now_));
        return watch_.figures();
    }
    /// The row of a function, named by its letter; zeros if there is none.
    static LiveRow row(const LiveFigures& figures, char function) {
        const auto found =
            std::ranges::find(figures.rows, std::string("T.") + function + "()", &LiveRow::name);
        return found == figures.rows.end() ? LiveRow() : *found;
    }
    /// The function with the most recent time, as a letter; 0: none has any.
    static char hottest(const LiveFigures& figures) {
        const auto most = std::ranges::max_element(figures.rows, {}, &LiveRow::recent_busy_ns);
        return most == figures.rows.end() || most->recent_busy_ns == 0 ? '\0' : most->name[2];
    }
    static double share(const LiveFigures& figures, char function) {
        return static_cast<double>(row(figures, function).recent_busy_ns) /
               static_cast<double>(figures.recent_busy_ns);
    }

    Replayed replayed_;
    bool sleeps_ = false;
    LiveStatsTracker::Clock::time_point now_{std::chrono::hours(1)};
    LiveStatsTracker watch_{replayed_.state(), 0, [this](uint32_t) { return sleeps_; }};
};

TEST_F(LiveStatsTest, HasCallsAndTimesOfEachFunction) {
    run("0 enter A 100, 20 enter B 90, 80 leave B 90, 100 leave A 100");
    const LiveFigures figures = look(100);
    EXPECT_EQ(row(figures, 'A').calls, 1U);
    EXPECT_EQ(row(figures, 'A').total_ns, 100U);
    EXPECT_EQ(row(figures, 'A').self_ns, 40U);
    EXPECT_EQ(row(figures, 'B').total_ns, 60U);
    EXPECT_EQ(figures.calls, 2U);
    EXPECT_EQ(figures.recent_calls, 2U);
    EXPECT_EQ(figures.functions, 2U);
    EXPECT_EQ(figures.self_ns, 100U);
    EXPECT_EQ(figures.window_ns, 100U);
    EXPECT_EQ(hottest(figures), 'B');
    EXPECT_DOUBLE_EQ(share(figures, 'B'), 0.6);
}

TEST_F(LiveStatsTest, WhatWasBeforeTheLastLookIsNotRecent) {
    run("0 enter A 100, 1000 leave A 100");
    EXPECT_EQ(hottest(look(1000)), 'A');
    replayed_.feed("1000 enter B 100, 1010 leave B 100");
    const LiveFigures figures = look(1020);
    EXPECT_EQ(hottest(figures), 'B');
    EXPECT_EQ(figures.recent_busy_ns, 10U);
    EXPECT_EQ(figures.recent_calls, 1U);
    EXPECT_EQ(figures.window_ns, 20U);
    EXPECT_EQ(row(figures, 'A').self_ns, 1000U) << "its sums stay";
    EXPECT_EQ(hottest(look(2000)), '\0') << "nothing has run";
}

TEST_F(LiveStatsTest, ASessionThatIsWatchedLateHasNoWindowAtFirst) {
    run("0 enter A 100, 1000 leave A 100");
    LiveStatsTracker late(replayed_.state(), std::nullopt, [](uint32_t) { return false; });
    ASSERT_TRUE(late.step(now_, 1000, 1.0));
    EXPECT_EQ(late.figures().window_ns, 0U);
    EXPECT_EQ(late.figures().recent_calls, 0U);
    EXPECT_EQ(late.figures().recent_events, 0U);
    EXPECT_EQ(row(late.figures(), 'A').calls, 1U);
    replayed_.feed("1010 enter A 100, 1015 leave A 100");
    ASSERT_TRUE(late.step(now_, 1020, 1.0));
    EXPECT_EQ(late.figures().window_ns, 20U);
    EXPECT_EQ(row(late.figures(), 'A').recent_calls, 1U);
    EXPECT_EQ(row(late.figures(), 'A').recent_busy_ns, 5U);
    EXPECT_EQ(late.figures().recent_events, 2U);
}

TEST_F(LiveStatsTest, RecursionCountsOnceInTotal) {
    run("0 enter A 100, 10 enter B 90, 20 enter A 80, 50 leave A 80, 60 leave B 90, "
        "100 leave A 100");
    const LiveFigures figures = look(100);
    EXPECT_EQ(row(figures, 'A').calls, 2U);
    EXPECT_EQ(row(figures, 'A').total_ns, 100U);
    EXPECT_EQ(row(figures, 'A').self_ns, 80U);
}

TEST_F(LiveStatsTest, CallsThatGoOnCount) {
    run("0 enter A 100, 10 enter B 90, 20 leave B 90, 30 enter C 90");
    LiveFigures figures = look(100);
    EXPECT_EQ(hottest(figures), 'C');
    EXPECT_DOUBLE_EQ(share(figures, 'C'), 0.7) << "A has 20, B 10";
    EXPECT_EQ(figures.calls, 3U);
    EXPECT_EQ(row(figures, 'A').total_ns, 100U);
    replayed_.feed("110 leave C 90");
    figures = look(200);
    EXPECT_EQ(hottest(figures), 'A');
    EXPECT_DOUBLE_EQ(share(figures, 'A'), 0.9) << "since 110; C had 10";
    EXPECT_EQ(figures.calls, 3U);
}

TEST_F(LiveStatsTest, AThreadThatSleepsInACallIsNotBusy) {
    run("0 enter A 100");
    EXPECT_EQ(hottest(look(100)), 'A');
    sleeps_ = true;
    EXPECT_EQ(hottest(look(200)), '\0');
    EXPECT_EQ(row(look(300), 'A').self_ns, 300U) << "the time is its own all the same";
    sleeps_ = false;
    EXPECT_EQ(row(look(400), 'A').recent_busy_ns, 100U)
        << "it runs again, and what it slept does not come back";
}

TEST_F(LiveStatsTest, TimeOffTheProcessorsIsNoCpuTime) {
    ProfiledThread& thread = replayed_.thread();
    thread.add_off_cpu(20, 50);
    replayed_.feed("0 enter A 100, 100 leave A 100, 100 enter B 100");
    thread.add_off_cpu(150, 180);
    const LiveFigures figures = look(200);
    EXPECT_EQ(row(figures, 'A').self_ns, 100U);
    EXPECT_EQ(row(figures, 'A').cpu_ns, 70U);
    EXPECT_EQ(row(figures, 'B').self_ns, 100U) << "a call that goes on";
    EXPECT_EQ(row(figures, 'B').cpu_ns, 70U);
    EXPECT_EQ(figures.cpu_ns, 140U);
}

TEST_F(LiveStatsTest, ThreadsThatEndedStillCount) {
    for (uint64_t number = 0; number < 3; ++number) {
        auto& thread = replayed_.thread();
        replayed_.feed("10 waited 5, 10 enter A 100, 20 leave A 100");
        thread.replay().note_lost(7);
        thread.end(30);
        const LiveFigures figures = look(100 * (number + 1));
        EXPECT_EQ(figures.waits, number + 1);
        EXPECT_EQ(figures.lost_ring_full, 7 * (number + 1));
        EXPECT_EQ(figures.calls, number + 1);
        EXPECT_EQ(row(figures, 'A').self_ns, 10 * (number + 1));
    }
    EXPECT_EQ(look(500).calls, 3U) << "and are not added twice";
}

TEST_F(LiveStatsTest, WhatAThreadTellsBehindItsEndComesWithTheNextPass) {
    run("0 enter A 100, 10 leave A 100");
    replayed_.current().end(20);
    EXPECT_EQ(look(100).calls, 1U);
    replayed_.feed("10 enter A 100, 20 leave A 100");
    look(200);
    EXPECT_EQ(look(300).calls, 2U);
}

TEST_F(LiveStatsTest, HasTheFirstRowsOfEachOrderOnly) {
    SessionState many;
    LiveStatsTracker watch(many, 0, [](uint32_t) { return false; });
    ProfiledThread& thread = *many.add_thread(1, 0);
    constexpr uint32_t kFunctions = 2000;
    RecordStream stream;
    uint64_t ticks = 0;
    for (uint32_t function = 1; function <= kFunctions; ++function) {
        protocol::FunctionNamed named;
        named.index = function;
        named.method = "M" + std::to_string(function);
        many.note(named);
        stream.enter_index(function, 100, ticks).leave_index(function, 100, ticks + function);
        ticks += function;
    }
    thread.consume(stream.slots(), true);
    ASSERT_TRUE(watch.step(now_, ticks, 1.0));
    const LiveFigures& figures = watch.figures();
    EXPECT_EQ(figures.functions, kFunctions);
    EXPECT_EQ(figures.calls, kFunctions);
    EXPECT_EQ(figures.self_ns, ticks) << "sums are of all";
    EXPECT_GE(figures.rows.size(), kRowsOfOrder);
    EXPECT_LE(figures.rows.size(), protocol::kMaxLiveRows);
    const auto longest = std::ranges::max_element(figures.rows, {}, &LiveRow::self_ns);
    EXPECT_EQ(longest->name, "M2000");
}

TEST_F(LiveStatsTest, PiecesOfAMethodAreOneRow) {
    const auto name = [&](uint32_t index, const char* type, const char* method,
                          const char* parameters, const char* user_parameters) {
        protocol::FunctionNamed named;
        named.index = index;
        named.namespace_ = "Acme";
        named.type = type;
        named.method = method;
        named.parameters = parameters;
        named.user_parameters = user_parameters;
        named.return_type = "void";
        replayed_.state().note(named);
    };
    name(1, "Client", "FetchAsync", "(string)", "");
    name(2, "Client+<FetchAsync>d__3", "MoveNext", "()", "(string)");
    run("0 enter A 100, 10 enter B 90, 40 leave B 90, 50 leave A 100, 60 enter B 100, "
        "90 leave B 100");
    const LiveFigures figures = look(100);
    ASSERT_EQ(figures.rows.size(), 1U) << figures.rows[0].name << ", " << figures.rows[1].name;
    EXPECT_EQ(figures.rows[0].calls, 1U) << "what runs behind an await is no call";
    EXPECT_EQ(figures.rows[0].self_ns, 80U);
    EXPECT_EQ(figures.rows[0].total_ns, 80U);
}

TEST_F(LiveStatsTest, FramesOfDeepStacksCount) {
    replayed_.thread();
    // Each call one deeper and back: a node for each depth.
    constexpr uint32_t kDepth = 40'000;
    RecordStream stream;
    for (uint32_t call = 0; call < kDepth; ++call) {
        stream.enter(call % 2 == 0 ? 'A' : 'B', 8 * (2 * kDepth - call), call);
    }
    replayed_.feed(stream);
    run(stream);
    // A row of memory for each function and thread alone: the look is over sooner than the stacks.
    now_ += LiveStatsTracker::kPeriod;
    EXPECT_TRUE(watch_.step(now_, kDepth, 1.0));
    EXPECT_EQ(watch_.figures().calls, uint64_t{2} * kDepth);
}

TEST_F(LiveStatsTest, ManyThreadsAreLookedAtInSlices) {
    constexpr int kThreads = 2'000;  // each has a page of functions
    for (int thread = 0; thread < kThreads; ++thread) {
        replayed_.thread(static_cast<uint32_t>(thread));
        replayed_.feed("0 enter A 100, 10 leave A 100");
    }
    const LiveStatsTracker::Clock::time_point begin = now_;
    EXPECT_FALSE(watch_.step(now_, 100, 1.0)) << "128,000 rows are more than a slice";
    EXPECT_FALSE(watch_.due(now_));
    int slices = 1;
    do {
        now_ += LiveStatsTracker::kRest;
        ASSERT_TRUE(watch_.due(now_));
        ++slices;
    } while (!watch_.step(now_, 100, 1.0));
    EXPECT_LE(slices, 4);
    EXPECT_EQ(watch_.figures().calls, uint64_t{kThreads});
    EXPECT_FALSE(watch_.due(begin + LiveStatsTracker::kPeriod - std::chrono::milliseconds(1)));
    EXPECT_TRUE(watch_.due(begin + LiveStatsTracker::kPeriod));
}

}  // namespace
}  // namespace umbra::collector
