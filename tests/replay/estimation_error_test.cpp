// SPDX-License-Identifier: MIT
#include "src/replay/estimation_error.h"

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

replay::CallTreeNode node(uint32_t parent, uint32_t function, uint64_t calls, uint64_t timed) {
    return {.parent = parent,
            .function = function,
            .first = 0,
            .next = 0,
            .calls = calls,
            .total_ticks = 0,
            .min_ticks = 0,
            .max_ticks = 0,
            .timed = timed,
            .clocked_ticks = 0};
}

constexpr uint32_t kRoot = replay::CallTree::kNoFunction;

TEST(EstimationError, GrowsWithTheIntervalsAndWithWhatTheirMeanIsNotKnownFrom) {
    // Function 1 calls function 2 100 times; 40 of the 200 events have a clock reading.
    const std::vector<replay::CallTreeNode> nodes{node(0, kRoot, 0, 0), node(0, kRoot, 0, 0),
                                                  node(1, 1, 1, 2), node(2, 2, 100, 40)};
    const std::vector<replay::IntervalSpread> spreads{
        {}, {.measured = 40, .variance = 9}, {.measured = 20, .variance = 4}};
    const std::vector<double> variances = replay::estimation_variances(nodes, spreads, 1);
    EXPECT_DOUBLE_EQ(variances[2], 80 * 9 * (1 + 80.0 / 40));
    EXPECT_DOUBLE_EQ(variances[3], 80 * 4 * (1 + 80.0 / 20));
    EXPECT_DOUBLE_EQ(variances[1], 0);
    EXPECT_DOUBLE_EQ(replay::estimation_variances(nodes, spreads, 3)[3], 80 * 4 * (3 + 80.0 / 20));
}

TEST(EstimationError, EverythingTimedIsWithoutError) {
    const std::vector<replay::CallTreeNode> nodes{node(0, kRoot, 0, 0), node(0, kRoot, 0, 0),
                                                  node(1, 1, 10, 20)};
    const std::vector<replay::IntervalSpread> spreads{{}, {.measured = 20, .variance = 100}};
    EXPECT_DOUBLE_EQ(replay::estimation_variances(nodes, spreads, 1)[2], 0);
}

TEST(EstimationError, AFunctionNeverMeasuredIsAsWideAsTheOthersAreOnAverage) {
    const std::vector<replay::CallTreeNode> nodes{node(0, kRoot, 0, 0), node(0, kRoot, 0, 0),
                                                  node(1, 7, 4, 0)};
    const std::vector<replay::IntervalSpread> spreads{
        {}, {.measured = 30, .variance = 1}, {.measured = 10, .variance = 5}};
    EXPECT_DOUBLE_EQ(replay::estimation_variances(nodes, spreads, 1)[2], 4 * 2.0 * (1 + 4));
}

TEST(EstimationError, WhatIsTheWholeIsKnown) {
    EXPECT_DOUBLE_EQ(replay::bridged_variance(8, 16), 4);
    EXPECT_DOUBLE_EQ(replay::bridged_variance(16, 16), 0);
    EXPECT_DOUBLE_EQ(replay::bridged_variance(0, 0), 0);
    EXPECT_DOUBLE_EQ(replay::bridged_variance(16.5, 16),
                     0);  // sums of doubles differ by their order
}

TEST(EstimationError, NothingMakesTheModelBetterThanItThinksItIs) {
    EXPECT_DOUBLE_EQ(replay::Surprise{}.dispersion(), 1);
    EXPECT_DOUBLE_EQ((replay::Surprise{.squares = 10, .variances = 40}).dispersion(), 1);
    EXPECT_DOUBLE_EQ((replay::Surprise{.squares = 90, .variances = 30}).dispersion(), 3);
}

}  // namespace
}  // namespace umbra::collector
