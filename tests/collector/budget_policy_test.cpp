// SPDX-License-Identifier: MIT
// Which functions the budget names: none below it, the fewest above it, never one with long calls.
#include "src/collector/live/budget_policy.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

constexpr hotpath::ProbeCosts kCosts{.inside = 15, .outside = 35};
constexpr double kPair = 50;

using Loads = std::vector<FunctionLoad>;
using Named = std::vector<uint32_t>;

/// So many calls of so many ticks each, of which all is self time.
FunctionLoad leaf(uint32_t function, uint64_t calls, uint64_t mean) {
    return {.function = function,
            .calls = calls,
            .total_ticks = calls * (mean + static_cast<uint64_t>(kCosts.inside)),
            .self_ticks = calls * mean};
}

double cost_of(const BudgetPolicy& policy, const Loads& loads) {
    double cost = 0;
    for (const FunctionLoad& load : loads) {
        cost += policy.cost(load.calls);
    }
    return cost;
}

/// All self time, and the probes.
WindowLoad window_of(const BudgetPolicy& policy, const Loads& loads) {
    auto covered = static_cast<uint64_t>(cost_of(policy, loads));
    for (const FunctionLoad& load : loads) {
        covered += load.self_ticks;
    }
    return {.covered_ticks = covered, .wait_ticks = 0};
}

/// What two such windows in succession lead to.
Named decide_twice(BudgetPolicy& policy, const Loads& loads, const WindowLoad& window) {
    EXPECT_EQ(policy.decide(loads, window), Named());
    return policy.decide(loads, window);
}
Named decide_twice(BudgetPolicy& policy, const Loads& loads) {
    return decide_twice(policy, loads, window_of(policy, loads));
}

TEST(BudgetPolicy, EstimatesPairsAgainstTheTimeWithoutThem) {
    BudgetPolicy policy(5, kCosts);
    EXPECT_EQ(policy.cost(10), 500);

    const Loads loads{leaf(1, 100, 450)};
    static_cast<void>(policy.decide(loads, {.covered_ticks = 55'000, .wait_ticks = 0}));
    EXPECT_DOUBLE_EQ(policy.overhead(), 0.1);
    static_cast<void>(policy.decide(loads, {.covered_ticks = 65'000, .wait_ticks = 10'000}));
    EXPECT_DOUBLE_EQ(policy.overhead(), 0.3) << "waiting for the collector is overhead too";
}

TEST(BudgetPolicy, BelowTheBudgetNamesNobody) {
    BudgetPolicy policy(5, kCosts);
    const Loads loads{leaf(1, 1'000, 10), leaf(2, 100, 12'000)};
    EXPECT_EQ(decide_twice(policy, loads), Named());
    EXPECT_EQ(policy.decide(loads, window_of(policy, loads)), Named());
    EXPECT_LT(policy.overhead(), 0.05);
}

TEST(BudgetPolicy, OneWindowAboveIsNotEnough) {
    BudgetPolicy policy(5, kCosts);
    const Loads above{leaf(1, 1'000'000, 10)};
    const Loads below{leaf(1, 10, 10), leaf(2, 100, 100'000)};
    for (int turn = 0; turn < 3; ++turn) {
        EXPECT_EQ(policy.decide(above, window_of(policy, above)), Named());
        EXPECT_EQ(policy.decide(below, window_of(policy, below)), Named());
    }
    EXPECT_EQ(policy.decide(above, window_of(policy, above)), Named());
    policy.restart();
    EXPECT_EQ(policy.decide(above, window_of(policy, above)), Named());
    EXPECT_EQ(policy.decide(above, window_of(policy, above)), Named{1});
}

TEST(BudgetPolicy, NamesTheFewestThatBringItToTheBudget) {
    BudgetPolicy policy(5, kCosts);
    // Without 3 the rest costs 4.95 % of 10^8 ticks.
    const Loads loads{leaf(1, 49'000, 10), leaf(2, 50'000, 10), leaf(3, 1'000'000, 10),
                      leaf(9, 10, 10'000'000)};
    EXPECT_EQ(decide_twice(policy, loads), Named{3});
}

TEST(BudgetPolicy, OfEquallyFewNamesTheOneThatTellsLeast) {
    BudgetPolicy policy(5, kCosts);
    // Any one of the three is enough; 2 costs a little less, but its calls are all probe.
    const Loads loads{leaf(1, 62'000, 300), leaf(2, 60'000, 2), leaf(3, 61'000, 200),
                      leaf(9, 10, 10'000'000)};
    EXPECT_EQ(decide_twice(policy, loads), Named{2});
}

TEST(BudgetPolicy, WhatItNamesIsEnoughAndOneFewerIsNot) {
    std::mt19937 random(20240401);
    int named_something = 0;
    for (int round = 0; round < 500; ++round) {
        BudgetPolicy policy(5, kCosts);
        Loads loads;
        for (uint32_t function = 1; function <= 40; ++function) {
            loads.push_back(leaf(function, 1 + random() % 100'000,
                                 1 + random() % (uint64_t{1} << (random() % 12))));
        }
        const WindowLoad window = window_of(policy, loads);
        const Named named = decide_twice(policy, loads);
        double cost = cost_of(policy, loads);
        const double allowed = 0.05 * (static_cast<double>(window.covered_ticks) - cost);
        double least = std::numeric_limits<double>::infinity();
        for (const uint32_t function : named) {
            const double saved = policy.cost(loads[function - 1].calls);
            cost -= saved;
            least = std::min(least, saved);
            EXPECT_LT(0.05 * static_cast<double>(loads[function - 1].self_ticks), saved);
        }
        EXPECT_LE(cost, allowed + 0.01 * allowed * 40) << "but for savings too small to count";
        if (!named.empty()) {
            ++named_something;
            EXPECT_GT(cost + least, allowed) << "all were needed";
        }
    }
    EXPECT_GT(named_something, 100);
}

TEST(BudgetPolicy, LeavesLongCallsAloneWhateverTheOthersDo) {
    BudgetPolicy policy(1, kCosts);
    // 1 is called most and costs most; a call of it takes 100 times its probes.
    Loads loads{leaf(1, 1'000'000, 5'000), leaf(2, 900'000, 20)};
    EXPECT_EQ(decide_twice(policy, loads, {.covered_ticks = 500'000'000, .wait_ticks = 0}),
              Named{2});
    // 3 does little itself, but stands above long work.
    loads = {leaf(3, 1'000, 5)};
    loads[0].total_ticks = loads[0].calls * static_cast<uint64_t>(kPair * 3'000);
    EXPECT_EQ(decide_twice(policy, loads, {.covered_ticks = 60'000, .wait_ticks = 0}), Named());
}

TEST(BudgetPolicy, ChargesWaitsToThoseWhoFillTheRings) {
    BudgetPolicy policy(5, kCosts);
    // 1.5 % of probes alone, but the collector is behind.
    const Loads loads{leaf(1, 30'000, 3'000), leaf(2, 100, 90'000)};
    WindowLoad window = window_of(policy, loads);
    EXPECT_EQ(decide_twice(policy, loads, window), Named());
    window.covered_ticks += 100'000'000;
    window.wait_ticks = 100'000'000;
    EXPECT_EQ(decide_twice(policy, loads, window), Named{1});
}

TEST(BudgetPolicy, AsksTwiceAndThenNoMore) {
    BudgetPolicy policy(5, kCosts);
    const Loads loads{leaf(1, 1'000'000, 10)};
    EXPECT_EQ(decide_twice(policy, loads), Named{1});
    EXPECT_EQ(decide_twice(policy, loads), Named{1});
    EXPECT_EQ(decide_twice(policy, loads), Named());
    EXPECT_EQ(policy.decide(loads, window_of(policy, loads)), Named());
}

TEST(BudgetPolicy, NamesNoMoreAtOnceThanAMessageHolds) {
    BudgetPolicy policy(5, kCosts);
    Loads loads;
    for (uint32_t function = 1; function <= 1'000; ++function) {
        loads.push_back(leaf(function, 100'000 + function, 10));
    }
    const Named named = decide_twice(policy, loads);
    ASSERT_EQ(named.size(), BudgetPolicy::kMaxNamed);
    EXPECT_EQ(named.front(), 1'000U) << "the costliest first";
    EXPECT_EQ(named.back(), 1'001U - BudgetPolicy::kMaxNamed);
}

TEST(BudgetPolicy, TakesAnyNumbers) {
    constexpr uint64_t kHuge = std::numeric_limits<uint64_t>::max();
    const Loads loads{{1, kHuge, kHuge, kHuge}, {2, kHuge, 0, 0}, {3, 0, 0, 0}};
    BudgetPolicy policy(5, kCosts);
    for (const uint64_t covered : {uint64_t{0}, uint64_t{1}, kHuge}) {
        for (const uint64_t waited : {uint64_t{0}, kHuge}) {
            for (int turn = 0; turn < 2; ++turn) {
                const Named named = policy.decide(loads, {covered, waited});
                EXPECT_EQ(std::count(named.begin(), named.end(), 3), 0);
                EXPECT_TRUE(std::isfinite(policy.overhead()));
            }
        }
    }
}

TEST(PlausibleCosts, AreWhatTheTargetMeasuredUnlessThatCannotBe) {
    constexpr double kHz = 2.5e9;
    const hotpath::ProbeCosts told = plausible_costs(kCosts, kHz);
    EXPECT_EQ(told.inside, kCosts.inside);
    EXPECT_EQ(told.outside, kCosts.outside);
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const hotpath::ProbeCosts& odd :
         {hotpath::ProbeCosts{}, hotpath::ProbeCosts{.inside = nan, .outside = 1},
          hotpath::ProbeCosts{.inside = -1, .outside = 5},
          hotpath::ProbeCosts{.inside = 1, .outside = 1e30F}}) {
        EXPECT_FLOAT_EQ(plausible_costs(odd, kHz).pair(), 50) << "20 ns";
    }
    EXPECT_FLOAT_EQ(plausible_costs({}, 0).pair(), 20);
}

}  // namespace
}  // namespace umbra::collector
