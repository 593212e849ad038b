// SPDX-License-Identifier: MIT
#include "src/profile/diff/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/polygamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>

namespace umbra::profile {
namespace {

/// Beyond this a Student distribution is as good as normal.
constexpr double kMostFreedom = 200;

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The argument at which trigamma is `value`: Newton's method on its reciprocal, as Smyth (2004)
/// has it in an appendix.
double inverse_trigamma(double value) {
    double x = 0.5 + 1 / value;
    for (int step = 0; step < 50; ++step) {
        const double at = boost::math::trigamma(x);
        const double move = at * (1 - at / value) / boost::math::polygamma(2, x);
        x += move;
        if (-move / x < 1e-10) {
            break;
        }
    }
    return x;
}

boost::math::students_t student(double freedom) {
    return boost::math::students_t(std::min(freedom, kMostFreedom));
}

}  // namespace

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const std::size_t half = values.size() / 2;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(half);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) {
        return *middle;
    }
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

double quantile(std::vector<double> values, double part) {
    if (values.empty()) {
        return 0;
    }
    const auto place =
        values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, place);
    return *place;
}

VariancePrior fit_variance_prior(const std::vector<double>& variances, double freedom) {
    // A variance of 0 has no logarithm.
    constexpr double kLeast = 1e-6;
    std::vector<double> logs;
    logs.reserve(variances.size());
    for (const double variance : variances) {
        logs.push_back(std::log(std::max(variance, kLeast)) - boost::math::digamma(freedom / 2) +
                       std::log(freedom / 2));
    }
    const double centre = mean(logs);
    double squares = 0;
    for (const double value : logs) {
        squares += (value - centre) * (value - centre);
    }
    const double excess =
        squares / static_cast<double>(logs.size() - 1) - boost::math::trigamma(freedom / 2);
    const double of_prior = excess > 0 ? 2 * inverse_trigamma(excess) : kMostFreedom;
    if (of_prior >= kMostFreedom) {
        return {std::exp(centre), kMostFreedom};
    }
    return {std::exp(centre + boost::math::digamma(of_prior / 2) - std::log(of_prior / 2)),
            of_prior};
}

double chance_of(double distance, double margin, double error, double freedom) {
    const boost::math::students_t by = student(freedom);
    const auto beyond = [&](double value) {
        return boost::math::cdf(boost::math::complement(by, value / error));
    };
    return std::min(1.0, beyond(std::abs(distance) - margin) + beyond(std::abs(distance) + margin));
}

double distance_of(double probability, double error, double freedom) {
    return error *
           boost::math::quantile(boost::math::complement(student(freedom), probability / 2));
}

std::vector<bool> rejected(const std::vector<double>& probabilities, double rate) {
    std::vector<double> sorted = probabilities;
    std::ranges::sort(sorted);
    double limit = -1;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
        if (sorted[i] * static_cast<double>(sorted.size()) <= rate * static_cast<double>(i + 1)) {
            limit = sorted[i];
        }
    }
    std::vector<bool> result;
    result.reserve(probabilities.size());
    for (const double probability : probabilities) {
        result.push_back(probability <= limit);
    }
    return result;
}

double mean_square_95(double freedom) {
    const boost::math::chi_squared by(freedom);
    return boost::math::quantile(by, 0.95) / freedom;
}

}  // namespace umbra::profile
