// SPDX-License-Identifier: MIT
// What is left of measured times when the probes' cost is taken out.
#include "src/collector/build/compensation.h"

#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

constexpr hotpath::ProbeCosts kCosts{.timed_inside = 20,
                                     .timed_outside = 24,
                                     .untimed = 8,
                                     .timed_error = 4.4F,
                                     .untimed_error = 0.8F};

/// One call tree node as the compensation sees it.
struct NodeSelf {
    uint32_t parent;
    uint32_t function;
    uint64_t calls;
    uint64_t untimed;
    uint64_t self_ticks;
    uint64_t off_ticks;

    static constexpr uint32_t kRoot = replay::CallTree::kNoFunction;
};
constexpr NodeSelf kScratch{0, NodeSelf::kRoot, 0, 0, 0, 0};
constexpr NodeSelf kThread{0, NodeSelf::kRoot, 0, 0, 0, 0};

Compensated compensate(const std::vector<NodeSelf>& rows, const hotpath::ProbeCosts& costs) {
    std::vector<replay::CallTreeNode> nodes;
    std::vector<uint64_t> selves;
    std::vector<std::pair<uint32_t, replay::NodeExtra>> extras;
    for (const NodeSelf& row : rows) {
        if (row.off_ticks != 0) {
            extras.push_back(
                {static_cast<uint32_t>(nodes.size()), {.off_cpu_ticks = row.off_ticks}});
        }
        replay::CallTreeNode& node = nodes.emplace_back();
        node.parent = row.parent;
        node.function = row.function;
        node.calls = row.calls;
        node.timed = 2 * row.calls - row.untimed;
        selves.push_back(row.self_ticks);
    }
    return compensate(
        NodeTimes{
            .nodes = nodes, .self_ticks = std::move(selves), .extras = extras, .adaptive = true},
        costs);
}

TEST(Compensation, TakesTheInsideFromTheCalleeAndTheOutsideFromTheCaller) {
    // Function 1 calls function 2 ten times; every event is timed.
    const std::vector<NodeSelf> nodes = {
        kScratch, kThread, {1, 1, 1, 0, 1'000, 0}, {2, 2, 10, 0, 500, 0}};
    const Compensated out = compensate(nodes, kCosts);
    EXPECT_EQ(out.self_ticks[3], 500U - 10 * 20);
    EXPECT_EQ(out.self_ticks[2], 1'000U - 20 - 10 * 24);
    EXPECT_EQ(out.total_ticks[2], out.self_ticks[2] + out.self_ticks[3]);
    EXPECT_EQ(out.total_ticks[1], out.total_ticks[2]);
    EXPECT_DOUBLE_EQ(out.cost_ticks, 10 * 20 + 20 + 10 * 24);
    EXPECT_TRUE(out.clamped.empty());
}

TEST(Compensation, ChargesPairsWithoutAReadingHalfAndHalf) {
    const std::vector<NodeSelf> nodes = {
        kScratch, kThread, {1, 1, 1, 2, 1'000, 0}, {2, 2, 10, 20, 500, 0}};
    const Compensated out = compensate(nodes, kCosts);
    EXPECT_EQ(out.self_ticks[3], 500U - 10 * 4);
    EXPECT_EQ(out.self_ticks[2], 1'000U - 4 - 10 * 4);
}

TEST(Compensation, MixesBothByTheNumberOfEvents) {
    const std::vector<NodeSelf> nodes = {kScratch, kThread, {1, 1, 10, 5, 1'000, 0}};
    const Compensated out = compensate(nodes, kCosts);
    EXPECT_EQ(out.self_ticks[2], 1'000U - 150 - 10);  // 7.5 timed pairs, 2.5 others
}

TEST(Compensation, LetsTheOtherNodesOfAFunctionBearWhatOneCannot) {
    // Function 2 under two callers: once measured below its cost, once above.
    const std::vector<NodeSelf> nodes = {kScratch,
                                         kThread,
                                         {1, 1, 1, 0, 10'000, 0},
                                         {2, 2, 10, 0, 150, 0},
                                         {1, 3, 1, 0, 10'000, 0},
                                         {4, 2, 10, 0, 650, 0}};
    const Compensated out = compensate(nodes, kCosts);
    EXPECT_EQ(out.self_ticks[3], 0U);
    EXPECT_EQ(out.self_ticks[5], 150U + 650 - 20 * 20);
    EXPECT_TRUE(out.clamped.empty());
}

TEST(Compensation, NeverGoesBelowZeroAndNamesTheFunction) {
    const std::vector<NodeSelf> nodes = {
        kScratch, kThread, {1, 1, 1, 0, 1'000, 0}, {2, 7, 10, 0, 150, 0}};
    const Compensated out = compensate(nodes, kCosts);
    EXPECT_EQ(out.self_ticks[3], 0U);
    EXPECT_EQ(out.total_ticks[3], 0U);
    EXPECT_EQ(out.clamped, std::vector<uint32_t>{7});
}

TEST(Compensation, TakesProbesFromTheTimeOnAProcessor) {
    const std::vector<NodeSelf> nodes = {
        kScratch, kThread, {1, 1, 1, 0, 1'000, 900}, {2, 2, 10, 0, 500, 0}};
    const Compensated out = compensate(nodes, kCosts);
    EXPECT_EQ(out.cpu_total_ticks[3], 300U);
    EXPECT_EQ(out.self_ticks[2], 740U);
    EXPECT_EQ(out.cpu_total_ticks[2], 300U);  // it waited for more than is left of its own
}

TEST(Compensation, StatesTheErrorOfWhatItTakesOut) {
    const std::vector<NodeSelf> nodes = {
        kScratch, kThread, {1, 1, 10, 0, 100'000, 0}, {2, 2, 10, 20, 100'000, 0}};
    const Compensated out = compensate(nodes, kCosts);
    EXPECT_NEAR(out.error_ticks[1], 10 * 4.4 + 10 * 0.8, 1e-3) << "its own pairs, its callee's";
    EXPECT_NEAR(out.error_ticks[2], 10 * 0.8, 1e-3);
}

TEST(Compensation, ChangesNothingWhereNothingIsKnown) {
    const std::vector<NodeSelf> nodes = {kScratch, kThread, {1, 1, 1, 0, 1'000, 0}};
    EXPECT_EQ(compensate(nodes, {}).self_ticks[2], 1'000U);
    EXPECT_TRUE(compensate(std::vector<NodeSelf>{}, kCosts).total_ticks.empty());
}

TEST(ProbeCosts, ThatCannotBeAreNotBelieved) {
    EXPECT_EQ(believable(kCosts).timed_inside, kCosts.timed_inside);
    for (const float bad : {-1.0F, 1e9F, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
        hotpath::ProbeCosts costs = kCosts;
        costs.untimed_error = bad;
        EXPECT_EQ(believable(costs).timed_inside, 0);
    }
}

}  // namespace
}  // namespace umbra::collector
