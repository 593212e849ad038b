// SPDX-License-Identifier: MIT
// Which functions' events go without a clock reading, and when they get it back.
#include "src/collector/live/clock_policy.h"

#include <chrono>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/record.h"
#include "hotpath/segment.h"

namespace umbra::collector {
namespace {

using hotpath::ClockControl;
using hotpath::Kind;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// One tick a nanosecond; time stands still unless told.
class Policy : public testing::Test {
  protected:
    /// `events` calls of a function that calls nothing, all intervals of the same length.
    void calls(uint32_t function, uint64_t events, uint64_t ticks) {
        const uint32_t enter =
            replay::event_code(hotpath::make_slot(Kind::kEnter, function, true, 0));
        const uint32_t leave =
            replay::event_code(hotpath::make_slot(Kind::kLeave, function, true, 0));
        for (uint64_t event = 0; event < events; ++event) {
            const uint64_t kind = event % 2 == 0 ? replay::IntervalModel::pair(enter, leave)
                                                 : replay::IntervalModel::pair(leave, enter);
            model_.learn(model_.kind(kind), ticks, function);
        }
    }
    void decide() { policy_.decide(models_, 1); }
    [[nodiscard]] ClockControl control(uint32_t function) const {
        return static_cast<ClockControl>(controls_[function]);
    }

    std::vector<uint8_t> controls_ = std::vector<uint8_t>(64);
    replay::IntervalModel model_;
    const ClockPolicy::Models models_ = [this](const auto& visit) { visit(model_); };
    ClockPolicy policy_{controls_};
    ClockPolicy::Clock::time_point now_{seconds(1000)};
};

TEST_F(Policy, LeavesTheClockOutWhereEventsFollowCloselyOnEachOther) {
    calls(1, 2000, 59);
    calls(2, 2000, 61);
    decide();
    EXPECT_EQ(control(1), ClockControl::kBursts);
    EXPECT_TRUE(policy_.leaves_clock_out(1));
    EXPECT_EQ(control(2), ClockControl::kAlways);
    EXPECT_FALSE(policy_.leaves_clock_out(2));
    EXPECT_EQ(policy_.left_out(), 1U);
}

TEST_F(Policy, ReadsItEverywhereWhenToldSoAndKnowsWhereItWasLeftOut) {
    calls(1, 2000, 20);
    calls(2, 2000, 20);
    decide();
    policy_.read_everywhere(true);
    EXPECT_EQ(control(1), ClockControl::kAlways);
    EXPECT_EQ(control(2), ClockControl::kAlways);
    calls(3, 2000, 20);
    policy_.run(models_, 1, now_);
    EXPECT_EQ(control(3), ClockControl::kAlways) << "nothing is decided meanwhile";
    policy_.waits(2);
    policy_.read_everywhere(false);
    EXPECT_EQ(control(1), ClockControl::kBursts);
    EXPECT_EQ(control(2), ClockControl::kAlways) << "it was seen waiting";
    policy_.run(models_, 1, now_);
    EXPECT_EQ(control(3), ClockControl::kBursts);
}

TEST_F(Policy, DecidesNothingOnFewEvents) {
    calls(1, 199, 10);
    decide();
    EXPECT_EQ(control(1), ClockControl::kAlways);
    calls(1, 2, 10);
    decide();
    EXPECT_EQ(control(1), ClockControl::kBursts);
}

TEST_F(Policy, CountsTheIntervalsOnBothSidesOfAnEvent) {
    // 2 calls 1: the interval between their enters says as much of the one as of the other.
    const uint64_t kind = replay::IntervalModel::pair(
        replay::event_code(hotpath::make_slot(Kind::kEnter, 2, true, 0)),
        replay::event_code(hotpath::make_slot(Kind::kEnter, 1, true, 0)));
    for (int round = 0; round < 1000; ++round) {
        model_.learn(model_.kind(kind), 1000, 2);
    }
    calls(1, 2000, 10);
    decide();
    EXPECT_EQ(control(1), ClockControl::kAlways) << "(1000 * 1000 + 2 * 2000 * 10) / 5000 > 60";
}

TEST_F(Policy, ReadsTheClockAgainOnlyWellAboveTheThreshold) {
    calls(1, 4000, 50);
    decide();
    ASSERT_EQ(control(1), ClockControl::kBursts);
    calls(1, 40'000, 110);
    decide();
    EXPECT_EQ(control(1), ClockControl::kBursts) << "between the thresholds all stays as it is";
    calls(1, 40'000, 130);
    decide();
    EXPECT_EQ(control(1), ClockControl::kAlways);
    EXPECT_EQ(policy_.left_out(), 0U);
    calls(1, 40'000, 110);
    decide();
    EXPECT_EQ(control(1), ClockControl::kAlways) << "between the thresholds all stays as it is";
    calls(1, 40'000, 50);
    decide();
    EXPECT_EQ(control(1), ClockControl::kBursts);
}

TEST_F(Policy, TicksAreMadeIntoTime) {
    calls(1, 2000, 100);
    policy_.decide(models_, 2.5);
    EXPECT_EQ(control(1), ClockControl::kBursts) << "100 ticks are 40 ns";
}

TEST_F(Policy, AFunctionThatWaitsHasItsClockBackUntilItHasShownManyEvents) {
    calls(1, 2000, 20);
    decide();
    ASSERT_EQ(control(1), ClockControl::kBursts);
    for (int wait = 1; wait <= 3; ++wait) {
        policy_.waits(1);
        ASSERT_EQ(control(1), ClockControl::kAlways) << "at once";
        calls(1, wait == 1 ? 17'900 : 19'800, 20);
        decide();
        ASSERT_EQ(control(1), ClockControl::kAlways);
        calls(1, 200, 20);
        decide();
        ASSERT_EQ(control(1), ClockControl::kBursts);
    }
}

TEST_F(Policy, OneWaitOfAFunctionThatIsCalledOftenSaysLittle) {
    calls(1, 60'010, 20);
    decide();
    for (int wait = 1; wait <= 3; ++wait) {
        policy_.waits(1);
        EXPECT_EQ(control(1), ClockControl::kBursts);
    }
    policy_.waits(1);
    EXPECT_EQ(control(1), ClockControl::kAlways);
}

TEST_F(Policy, AFunctionNotYetKnownMayWait) {
    policy_.waits(1);
    calls(1, 19'990, 20);
    decide();
    EXPECT_EQ(control(1), ClockControl::kAlways);
    calls(1, 20, 20);
    decide();
    EXPECT_EQ(control(1), ClockControl::kBursts);
}

TEST_F(Policy, LooksOnlyNowAndThen) {
    now_ = ClockPolicy::Clock::now();
    policy_.run(models_, 1, now_);
    calls(1, 2000, 20);
    policy_.run(models_, 1, now_ + milliseconds(4));
    EXPECT_EQ(control(1), ClockControl::kAlways);
    policy_.run(models_, 1, now_ + seconds(100));
    EXPECT_EQ(control(1), ClockControl::kBursts);
}

TEST_F(Policy, WhatIsNewIsLookedAtFirst) {
    now_ = ClockPolicy::Clock::now();
    for (uint32_t function = 1; function < 60; ++function) {
        calls(function, 50, 500);
    }
    policy_.decide(models_, 1);
    model_.clear_doubled();
    calls(1, 4000, 20);
    policy_.decide_new(models_, 1);
    EXPECT_EQ(control(1), ClockControl::kBursts);
    EXPECT_TRUE(model_.doubled().empty());
    calls(2, 400, 1000);
    policy_.decide_new(models_, 1);
    EXPECT_EQ(control(2), ClockControl::kAlways);
    EXPECT_EQ(policy_.left_out(), 1U);
}

TEST_F(Policy, WhatSeveralWorkersHaveMeasuredCountsTogether) {
    replay::IntervalModel second;
    const ClockPolicy::Models both = [&](const auto& visit) {
        visit(model_);
        visit(second);
    };
    // Too few for either, enough together.
    calls(1, 150, 20);
    std::swap(model_, second);
    calls(1, 150, 20);
    // Short for one, long for the other, and that one has seen more.
    calls(2, 4000, 500);
    std::swap(model_, second);
    calls(2, 1000, 20);
    policy_.decide(models_, 1);
    EXPECT_EQ(control(1), ClockControl::kAlways);
    EXPECT_EQ(control(2), ClockControl::kBursts);
    policy_.decide(both, 1);
    EXPECT_EQ(control(1), ClockControl::kBursts);
    EXPECT_EQ(control(2), ClockControl::kAlways);
    calls(3, 4000, 20);
    policy_.decide_new(both, 1);
    EXPECT_EQ(control(3), ClockControl::kBursts);
    EXPECT_TRUE(model_.doubled().empty());
}

TEST_F(Policy, WhatTheTargetWritesIntoTheControlBytesChangesNoDecision) {
    calls(1, 2000, 20);
    calls(2, 2000, 500);
    decide();
    controls_.assign(controls_.size(), 0xff);
    decide();
    EXPECT_TRUE(policy_.leaves_clock_out(1));
    EXPECT_FALSE(policy_.leaves_clock_out(2));
    EXPECT_EQ(policy_.left_out(), 1U);
    controls_.assign(controls_.size(), 0);
    policy_.waits(1);
    EXPECT_FALSE(policy_.leaves_clock_out(1));
    EXPECT_EQ(control(1), ClockControl::kAlways);
    EXPECT_EQ(policy_.left_out(), 0U);
}

TEST_F(Policy, FunctionsWithoutAByteAreLeftAlone) {
    const auto beyond = static_cast<uint32_t>(controls_.size());
    calls(beyond, 2000, 20);
    calls(hotpath::kMaxIndex, 2000, 20);
    policy_.waits(0);
    policy_.waits(beyond);
    policy_.waits(UINT32_MAX);
    decide();
    EXPECT_EQ(policy_.left_out(), 0U);
    EXPECT_FALSE(policy_.leaves_clock_out(beyond));
    EXPECT_EQ(controls_, std::vector<uint8_t>(64));
}

TEST_F(Policy, ControlRecordsHaveNoByte) {
    // kTick has number 14: function 14 is not meant.
    const uint32_t tick = replay::event_code(hotpath::make_slot(
        Kind::kControl, static_cast<uint32_t>(hotpath::ControlType::kTick), true, 0));
    for (int round = 0; round < 5000; ++round) {
        model_.learn(model_.kind(replay::IntervalModel::pair(tick, tick)), 10, 1);
    }
    decide();
    EXPECT_EQ(control(14), ClockControl::kAlways);
}

TEST_F(Policy, AnyKindsMayCome) {
    std::mt19937_64 random(5);
    for (int round = 0; round < 20'000; ++round) {
        const auto before = static_cast<uint32_t>(random()) % 600;
        const auto after = static_cast<uint32_t>(random()) % 600;
        model_.learn(model_.kind(replay::IntervalModel::pair(before, after)), random() % 200,
                     before);
        if (round % 1000 == 0) {
            policy_.waits(static_cast<uint32_t>(random() % 100));
            decide();
        }
    }
    uint32_t left_out = 0;
    for (uint32_t function = 0; function < controls_.size(); ++function) {
        ASSERT_EQ(control(function) == ClockControl::kBursts, policy_.leaves_clock_out(function));
        left_out += policy_.leaves_clock_out(function) ? 1U : 0U;
    }
    EXPECT_EQ(policy_.left_out(), left_out);
}

}  // namespace
}  // namespace umbra::collector
