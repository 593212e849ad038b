// SPDX-License-Identifier: MIT
// When the clock is to be read at every event, and until when.
#include "src/collector/live/estimation_cost.h"

#include <chrono>
#include <cstdint>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

using std::chrono::milliseconds;
using std::chrono::nanoseconds;

constexpr double kClockNs = 8;
constexpr double kDear = 1.1 * kClockNs / EstimationCost::kEstimatingShare;
constexpr double kCheap = 0.9 * kClockNs / EstimationCost::kEstimatingShare;

class Cost : public testing::Test {
  protected:
    void SetUp() override { cost_.set_clock_ns(kClockNs); }

    /// A window in which the collector worked for `busy` of the time, an event taking `event_ns`,
    /// and threads waited for it for `waited_ns` an event.
    bool window(double busy, double event_ns, double waited_ns = 0) {
        const nanoseconds length = EstimationCost::kWindow;
        const auto used = static_cast<uint64_t>(busy * static_cast<double>(length.count()));
        now_ += length;
        const double events = static_cast<double>(used) / event_ns;
        sums_.cpu_ns += static_cast<double>(used);
        sums_.wait_ns += waited_ns * events;
        sums_.events += events;
        EXPECT_FALSE(cost_.due(now_ - nanoseconds(1)));
        EXPECT_TRUE(cost_.due(now_));
        cost_.rested(length - nanoseconds(used));
        return cost_.end_window(now_, sums_);
    }
    void become_too_dear() {
        ASSERT_FALSE(window(1, kDear));
        ASSERT_TRUE(window(1, kDear));
        ASSERT_TRUE(cost_.too_dear());
    }
    /// Windows with rest until the clock may be left out again.
    nanoseconds rests() {
        nanoseconds time = EstimationCost::kWindow;
        while (!window(0.3, kDear)) {
            time += EstimationCost::kWindow;
        }
        EXPECT_FALSE(cost_.too_dear());
        return time;
    }

    EstimationCost::Clock::time_point now_{milliseconds(1000)};
    EstimationCost cost_{now_};
    EstimationCost::Sums sums_;
};

TEST_F(Cost, TwoWindowsWithoutRestAtDearEventsAreTooMuch) {
    become_too_dear();
    EXPECT_FALSE(window(1, kCheap)) << "events are cheaper now, that is what it is for";
    EXPECT_TRUE(cost_.too_dear());
}

TEST_F(Cost, NeitherCheapEventsNorRestNorTooFewEventsAre) {
    for (int repeat = 0; repeat < 3; ++repeat) {
        EXPECT_FALSE(window(1, kCheap));
        EXPECT_FALSE(window(0.8, kDear));
        EXPECT_FALSE(window(1, 1e9)) << "a checkpoint, and hardly an event";
    }
    EXPECT_FALSE(window(1, kDear));
    EXPECT_FALSE(window(0.8, kDear)) << "the windows have to follow each other";
    EXPECT_FALSE(window(1, kDear));
    EXPECT_FALSE(cost_.too_dear());
}

// fib: an event costs the collector little, and the program less than that, so the program waits.
TEST_F(Cost, ReadingsCostNothingWhileThreadsWouldWait) {
    constexpr double kEventNs = 0.5 * kDear;
    constexpr double kEnough = kClockNs - EstimationCost::kEstimatingShare * kEventNs;
    EXPECT_FALSE(window(1, kEventNs, 0.9 * kEnough));
    EXPECT_FALSE(window(1, kEventNs, 0.9 * kEnough));
    EXPECT_FALSE(window(0.8, kEventNs, 10 * kEnough)) << "a collector that has rest";
    EXPECT_FALSE(window(1, kEventNs, 1.1 * kEnough));
    EXPECT_TRUE(window(1, kEventNs, 1.1 * kEnough));
    EXPECT_TRUE(cost_.too_dear());
}

TEST_F(Cost, NothingIsDecidedBeforeTheCostOfTheClockIsKnown) {
    cost_ = EstimationCost(now_);
    for (int repeat = 0; repeat < 5; ++repeat) {
        EXPECT_FALSE(window(1, 1000 * kDear));
    }
}

TEST_F(Cost, ItIsTriedAgainAfterRestAndLaterEachTime) {
    nanoseconds stay = EstimationCost::kFirstStay;
    for (int time = 0; time < 10; ++time) {
        become_too_dear();
        ASSERT_EQ(rests(), stay);
        stay = std::min<nanoseconds>(2 * stay, EstimationCost::kLongestStay);
    }
}

TEST_F(Cost, AWindowWithoutRestStartsTheTimeAnew) {
    become_too_dear();
    for (int repeat = 0; repeat < 100; ++repeat) {
        ASSERT_FALSE(window(repeat % 15 == 0 ? 0.6 : 0.3, kCheap));
    }
    EXPECT_TRUE(cost_.too_dear());
}

}  // namespace
}  // namespace umbra::collector
