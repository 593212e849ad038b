// SPDX-License-Identifier: MIT
// An untimed run of known length is shared out by the formula, and never into less than nothing.
#include "src/replay/estimate/interval_estimator.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

class UntimedRun {
  public:
    explicit UntimedRun(const std::vector<replay::Expectation>& expected)
        : estimator_(std::make_unique<replay::IntervalEstimator>()) {
        std::copy(expected.begin(), expected.end(), estimator_->intervals());
        estimator_->begin(expected.size());
    }
    UntimedRun& distribute(uint64_t total) {
        estimator_->distribute(total);
        return *this;
    }
    UntimedRun& distribute_behind_stop(uint64_t total, uint64_t stop) {
        estimator_->distribute_behind_stop(total, stop);
        return *this;
    }
    /// Each interval's length, as whoever walks the run sees it.
    [[nodiscard]] std::vector<uint64_t> lengths() const {
        std::vector<uint64_t> result;
        uint64_t units = 0;
        uint64_t before = 0;
        for (size_t index = 0; index < estimator_->count(); ++index) {
            units += estimator_->units(index);
            const uint64_t now = estimator_->ticks(units);
            result.push_back(now - before);
            before = now;
        }
        return result;
    }
    [[nodiscard]] uint64_t sum() const {
        uint64_t units = 0;
        for (size_t index = 0; index < estimator_->count(); ++index) {
            units += estimator_->units(index);
        }
        return estimator_->ticks(units);
    }
    [[nodiscard]] const replay::IntervalEstimator& estimator() const { return *estimator_; }

  private:
    std::unique_ptr<replay::IntervalEstimator> estimator_;  // two arrays of a chunk's size
};

using Lengths = std::vector<uint64_t>;

TEST(IntervalEstimator, SharesTheDifferenceOutByVariance) {
    // W = 600, V = 4000; D = 1000: 400 more, a quarter of them for each 1000 of variance.
    UntimedRun run({{100, 1000}, {200, 2000}, {300, 1000}});
    EXPECT_EQ(run.estimator().mean_sum(), 600);
    EXPECT_EQ(run.estimator().variance_sum(), 4000);
    EXPECT_EQ(run.distribute(1000).lengths(), (Lengths{200, 400, 400}));
    EXPECT_EQ(run.distribute(600).lengths(), (Lengths{100, 200, 300}));
    EXPECT_EQ(run.distribute(400).lengths(), (Lengths{50, 100, 250}));
}

TEST(IntervalEstimator, WhatIsKnownExactlyKeepsItsLength) {
    EXPECT_EQ(UntimedRun({{100, 0}, {200, 500}, {300, 0}}).distribute(1000).lengths(),
              (Lengths{100, 600, 300}));
}

TEST(IntervalEstimator, NothingGetsLessThanAnEighthWhileTheOthersCanGiveMore) {
    // The formula: 300 - 1200 * 9/10 < 0. So that gets 37.5, and the other gives the rest.
    EXPECT_EQ(UntimedRun({{300, 9000}, {1500, 1000}}).distribute(600).lengths(),
              (Lengths{37, 563}));
    // Of three, one is cut off; the two steady ones share what is left by their variances.
    EXPECT_EQ(UntimedRun({{100, 100}, {400, 1e6F}, {100, 300}}).distribute(160).lengths(),
              (Lengths{77, 50, 33}));
}

TEST(IntervalEstimator, SteadyIntervalsKeepTheirLengthWhereAWildKindWasShort) {
    std::vector<replay::Expectation> expected(9, {20, 25});
    expected.push_back({2000, 4e6F});
    UntimedRun run(expected);
    run.distribute(9 * 20 + 300);
    for (size_t index = 0; index < 9; ++index) {
        EXPECT_NEAR(static_cast<double>(run.lengths()[index]), 20, 1);
    }
}

TEST(IntervalEstimator, ScalesWhereThereIsFarTooLittle) {
    EXPECT_EQ(UntimedRun({{300, 9000}, {1500, 1000}}).distribute(60).lengths(), (Lengths{10, 50}));
    EXPECT_EQ(UntimedRun({{100, 10'000}, {100, 10}}).distribute(0).lengths(), (Lengths{0, 0}));
}

TEST(IntervalEstimator, WithoutVarianceTheMeansDecide) {
    EXPECT_EQ(UntimedRun({{100, 0}, {300, 0}}).distribute(4000).lengths(), (Lengths{1000, 3000}));
    EXPECT_EQ(UntimedRun({{0, 0}, {0, 0}}).distribute(4000).sum(), 0U);
    // A variance that faded away over many equal intervals is none.
    EXPECT_EQ(UntimedRun({{100, 1e-42F}, {300, 0}}).distribute(4000).lengths(),
              (Lengths{1000, 3000}));
}

TEST(IntervalEstimator, AStandingThreadHasTheTimeAndTheOthersTheirUsualLength) {
    const std::vector<replay::Expectation> expected{{100, 1000}, {200, 9000}, {300, 100}};
    EXPECT_EQ(UntimedRun(expected).distribute_behind_stop(1'000'000, 400'000).lengths(),
              (Lengths{999'500, 200, 300}));
    // No room for that behind the stop: the others share what there is.
    EXPECT_EQ(UntimedRun(expected).distribute_behind_stop(1250, 1000).lengths(),
              (Lengths{1000, 100, 150}));
    EXPECT_EQ(UntimedRun(expected).distribute_behind_stop(1000, 5000).lengths(),
              (Lengths{1000, 0, 0}));
    EXPECT_EQ(UntimedRun({{100, 1}}).distribute_behind_stop(77, 5).lengths(), Lengths{77});
}

TEST(IntervalEstimator, StartsAnewWithEachStretch) {
    replay::IntervalEstimator estimator;
    estimator.intervals()[0] = {1e6F, 1e9F};
    estimator.intervals()[1] = {1e6F, 1e9F};
    estimator.begin(2);
    estimator.distribute(5'000'000);
    estimator.intervals()[0] = {100, 10};
    estimator.begin(1);
    EXPECT_EQ(estimator.count(), 1U);
    EXPECT_EQ(estimator.mean_sum(), 100);
    EXPECT_EQ(estimator.variance_sum(), 10);
    estimator.begin(0);
    estimator.distribute(10);
    EXPECT_EQ(estimator.mean_sum(), 0);
}

TEST(IntervalEstimator, HoldsAWholeChunkAndNoMore) {
    const std::vector<replay::Expectation> whole(replay::IntervalEstimator::kMaxIntervals,
                                                 {40, 400});
    UntimedRun run(whole);
    const uint64_t total = whole.size() * 60;
    run.distribute(total);
    for (const uint64_t length : run.lengths()) {
        ASSERT_NEAR(static_cast<double>(length), 60, 1);
    }
    replay::IntervalEstimator estimator;
    estimator.begin(replay::IntervalEstimator::kMaxIntervals + 100);
    EXPECT_EQ(estimator.count(), replay::IntervalEstimator::kMaxIntervals);
}

/// Totals of every size, down to nothing and up to where its ticks end.
uint64_t any_total(std::mt19937_64& random) {
    return (random() >> (random() % 64)) >> 2;
}

TEST(IntervalEstimator, LengthsOfAnyStretchAddUpToItsTotal) {
    std::mt19937_64 random(1);
    for (int round = 0; round < 3000; ++round) {
        std::vector<replay::Expectation> expected(1 + random() % 300);
        const double size = std::ldexp(1.0, static_cast<int>(random() % 18));
        for (replay::Expectation& one : expected) {
            const auto mean = static_cast<float>(size * static_cast<double>(random() % 1000) / 500);
            one = {mean, mean * mean * static_cast<float>(random() % 100) / 100};
        }
        UntimedRun run(expected);
        const uint64_t total = any_total(random);
        const bool stopped = random() % 4 == 0;
        if (stopped) {
            run.distribute_behind_stop(total, any_total(random));
        } else {
            run.distribute(total);
        }
        // A length is a float, and cut off to whole units: 2^-30 of the total, or a 64th of a tick.
        const auto exact = static_cast<double>(total);
        const auto count = static_cast<double>(expected.size());
        const double slack = 1 + count / 64 + exact * (1e-6 + count * 0x1p-29);
        const auto sum = static_cast<double>(run.sum());
        if (run.estimator().mean_sum() > 0) {
            ASSERT_NEAR(sum, exact, slack) << "round " << round << " stopped " << stopped;
        }
        for (size_t index = 0; index < expected.size(); ++index) {
            ASSERT_LE(run.estimator().units(index), 1U << 31) << "round " << round;
        }
    }
}

TEST(IntervalEstimator, ErrorsAreAsLargeAsItsVarianceSays) {
    // Exponential intervals of known kinds, 20 an untimed run: the squared error of the estimate is
    // on average v * (1 - v / V), and that of any other share-out is larger.
    std::mt19937_64 random(7);
    const std::vector<float> means{20, 200, 50, 1000, 30};
    std::vector<replay::Expectation> expected;
    double variances = 0;
    for (int index = 0; index < 20; ++index) {
        const float mean = means[static_cast<size_t>(index) % means.size()];
        expected.push_back({mean, mean * mean});
        variances += static_cast<double>(mean) * static_cast<double>(mean);
    }
    const double v = 1000.0 * 1000.0;
    double squares = 0;
    double by_means = 0;
    constexpr int kRounds = 4000;
    for (int round = 0; round < kRounds; ++round) {
        std::vector<double> real;
        double total = 0;
        for (const replay::Expectation& one : expected) {
            real.push_back(
                std::exponential_distribution<double>(1 / static_cast<double>(one.mean))(random));
            total += real.back();
        }
        UntimedRun run(expected);
        run.distribute(static_cast<uint64_t>(total));
        const double error = static_cast<double>(run.lengths()[3]) - real[3];
        squares += error * error;
        const double other = 1000 * total / run.estimator().mean_sum() - real[3];
        by_means += other * other;
    }
    const double stated = v * (1 - v / variances);
    EXPECT_NEAR(squares / kRounds / stated, 1, 0.15);
    EXPECT_LT(squares, by_means);
}

}  // namespace
}  // namespace umbra::collector
