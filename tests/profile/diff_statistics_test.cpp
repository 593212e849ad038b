// SPDX-License-Identifier: MIT
// The statistics of a comparison, by figures from elsewhere and by what they are made for.
#include <cmath>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "src/profile/diff/statistics.h"

namespace umbra::profile {
namespace {

TEST(DiffStatistics, MediansAndQuantilesAreOfRanks) {
    EXPECT_EQ(median({}), 0);
    EXPECT_EQ(median({3, 1, 2}), 2);
    EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
    EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 0.5), 3);
    EXPECT_EQ(quantile({5, 1, 4, 2, 3}, 0.95), 4);
    EXPECT_EQ(quantile({}, 0.95), 0);
}

TEST(DiffStatistics, ChancesAreThoseOfTheTables) {
    // Two-sided: t = 2.776 at 4 degrees is 5 %, 4.604 is 1 %; 1.960 of a normal distribution is 5
    // %.
    EXPECT_NEAR(chance_of(2.776, 0, 1, 4), 0.05, 1e-4);
    EXPECT_NEAR(chance_of(-4.604, 0, 1, 4), 0.01, 1e-4);
    EXPECT_NEAR(chance_of(1.96, 0, 1, 1e9), 0.05, 2e-3);
    EXPECT_NEAR(distance_of(0.01, 2, 4), 9.208, 1e-3);
    // A difference of less than the margin is nothing at all.
    EXPECT_GT(chance_of(0.01, 0.02, 0.001, 10), 0.99);
    EXPECT_EQ(chance_of(0, 0, 1, 10), 1);
    EXPECT_NEAR(mean_square_95(1), 3.8415, 1e-4);
    EXPECT_NEAR(mean_square_95(4), 9.4877 / 4, 1e-4);
}

TEST(DiffStatistics, BenjaminiAndHochbergRejectStepByStep) {
    // Their own example (1995, section 3.2): of fifteen, four are rejected at 5 %.
    const std::vector<double> probabilities = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201,
                                               0.0278, 0.0298, 0.0344, 0.0459, 0.3240,
                                               0.4262, 0.5719, 0.6528, 0.7590, 1.0000};
    const std::vector<bool> result = rejected(probabilities, 0.05);
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
        EXPECT_EQ(result[i], i < 4) << i;
    }
    EXPECT_EQ(rejected({}, 0.05), std::vector<bool>());
}

TEST(DiffStatistics, ThePriorOfVariancesIsFound) {
    // s^2 = prior * (chi^2 of 4 / 4) / (chi^2 of 6 / 6): six degrees of prior knowledge.
    std::mt19937_64 random(1);
    std::chi_squared_distribution<double> of_runs(4);
    std::chi_squared_distribution<double> of_methods(6);
    std::vector<double> variances;
    for (int i = 0; i < 20'000; ++i) {
        variances.push_back(0.04 * (of_runs(random) / 4) / (of_methods(random) / 6));
    }
    const VariancePrior prior = fit_variance_prior(variances, 4);
    EXPECT_NEAR(prior.freedom, 6, 0.5);
    EXPECT_NEAR(prior.variance, 0.04, 0.002);
    // All alike: one variance, as good as known.
    std::vector<double> alike;
    for (int i = 0; i < 2'000; ++i) {
        alike.push_back(of_runs(random) / 4);
    }
    EXPECT_GT(fit_variance_prior(alike, 4).freedom, 30);
    EXPECT_GT(fit_variance_prior({0, 0, 0}, 4).variance, 0);
}

}  // namespace
}  // namespace umbra::profile
