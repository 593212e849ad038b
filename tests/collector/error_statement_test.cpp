// SPDX-License-Identifier: MIT
// How exact a function's times are said to be.
#include "src/collector/build/error_statement.h"

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

TEST(ErrorStatement, HasTheStepsOfTheClock) {
    ErrorTerms terms;
    terms.calls = 4;
    terms.timed = 8;
    terms.readings = 12;  // a uniform distribution 40 ns wide has 40^2 / 12 of variance
    const replay::LinearClock clock(0, 25e6);
    profile::Function function;
    set_errors(terms, 0, clock, 40, function);
    EXPECT_DOUBLE_EQ(function.self_error_ns, 40);
    terms.probe_error = 0.75;  // ticks of 40 ns
    set_errors(terms, 0, clock, 40, function);
    EXPECT_DOUBLE_EQ(function.self_error_ns, 50);
    set_errors(terms, 0, clock, 0, function);
    EXPECT_DOUBLE_EQ(function.self_error_ns, 30);
}

}  // namespace
}  // namespace umbra::collector
