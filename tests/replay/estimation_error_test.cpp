// SPDX-License-Identifier: MIT
#include "src/replay/estimate/estimation_error.h"

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

TEST(EstimationError, GrowsWithTheIntervalsAndWithWhatTheirMeanIsNotKnownFrom) {
    const std::vector<double> intervals{0, 80, 80};
    const std::vector<replay::IntervalSpread> spreads{
        {}, {.measured = 40, .variance = 9}, {.measured = 20, .variance = 4}};
    const std::vector<double> variances = replay::estimation_variances(intervals, spreads, 1);
    EXPECT_DOUBLE_EQ(variances[1], 80 * 9 * (1 + 80.0 / 40));
    EXPECT_DOUBLE_EQ(variances[2], 80 * 4 * (1 + 80.0 / 20));
    EXPECT_DOUBLE_EQ(variances[0], 0);
    EXPECT_DOUBLE_EQ(replay::estimation_variances(intervals, spreads, 3)[2],
                     80 * 4 * (3 + 80.0 / 20));
}

TEST(EstimationError, AFunctionNeverMeasuredIsAsWideAsTheOthersAreOnAverage) {
    const std::vector<double> intervals{0, 0, 0, 4};
    const std::vector<replay::IntervalSpread> spreads{
        {}, {.measured = 30, .variance = 1}, {.measured = 10, .variance = 5}};
    EXPECT_DOUBLE_EQ(replay::estimation_variances(intervals, spreads, 1)[3], 4 * 2.0 * (1 + 4));
}

TEST(EstimationError, WhatIsTheWholeIsKnown) {
    EXPECT_DOUBLE_EQ(replay::bridged_variance(8, 16), 4);
    EXPECT_DOUBLE_EQ(replay::bridged_variance(16, 16), 0);
    EXPECT_DOUBLE_EQ(replay::bridged_variance(0, 0), 0);
    EXPECT_DOUBLE_EQ(replay::bridged_variance(16.5, 16),
                     0);  // sums of doubles differ by their order
}

TEST(EstimationError, NothingMakesTheModelBetterThanItThinksItIs) {
    EXPECT_DOUBLE_EQ(replay::ResidualSums{}.dispersion(), 1);
    EXPECT_DOUBLE_EQ((replay::ResidualSums{.squares = 10, .variances = 40}).dispersion(), 1);
    EXPECT_DOUBLE_EQ((replay::ResidualSums{.squares = 90, .variances = 30}).dispersion(), 3);
}

}  // namespace
}  // namespace umbra::collector
