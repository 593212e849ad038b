// SPDX-License-Identifier: MIT
// What is left of measured times when the probes' cost is taken out.
#include "src/collector/build/compensation.h"

#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RecordStream;
using testing::Replayed;

constexpr hotpath::ProbeCosts kCosts{.inside = 20, .outside = 24};

TEST(Compensation, TakesOutWhatTheProbesCost) {
    const Compensated out = compensate(std::vector<MeasuredSelf>{{1, 1'000, 264}, {2, 500, 200}});
    EXPECT_EQ(out.self_ticks, (std::vector<uint64_t>{736, 300}));
    EXPECT_DOUBLE_EQ(out.cost_ticks, 464);
    EXPECT_TRUE(out.clamped.empty());
}

TEST(Compensation, LetsTheOtherArcsOfAFunctionBearWhatOneCannot) {
    // Function 2 by two callers: once measured below its cost, once above.
    const Compensated out =
        compensate(std::vector<MeasuredSelf>{{1, 10'000, 44}, {2, 150, 200}, {2, 650, 200}});
    EXPECT_EQ(out.self_ticks[1], 0U);
    EXPECT_EQ(out.self_ticks[2], 150U + 650 - 400);
    EXPECT_TRUE(out.clamped.empty());
}

TEST(Compensation, NeverGoesBelowZeroAndNamesTheFunction) {
    const Compensated out = compensate(std::vector<MeasuredSelf>{{1, 1'000, 44}, {7, 150, 200}});
    EXPECT_EQ(out.self_ticks[1], 0U);
    EXPECT_EQ(out.clamped, std::vector<uint32_t>{7});
}

TEST(Compensation, ChangesNothingWhereNothingIsKnown) {
    EXPECT_EQ(compensate(std::vector<MeasuredSelf>{{1, 1'000, 0}}).self_ticks[0], 1'000U);
    EXPECT_TRUE(compensate({}).self_ticks.empty());
}

/// Two functions, the outer with one call of the inner.
profile::Profile with_costs(bool waits = false) {
    Replayed replayed;
    auto& thread = replayed.thread();
    replayed.state().set_probe_costs(kCosts);
    if (waits) {
        thread.add_off_cpu(210, 900);
    }
    replayed.feed(RecordStream()
                      .enter('A', 100, 0)
                      .enter('B', 90, 200)
                      .leave('B', 90, 1000)
                      .leave('A', 100, 2000));
    return replayed.profile(2000);
}

TEST(Compensation, TakesTheInsideFromTheCalleeAndTheOutsideFromTheCaller) {
    const profile::Profile p = with_costs();
    EXPECT_EQ(p.functions[0].times.raw.self_ns, 1200U);
    EXPECT_EQ(p.functions[0].times.self_ns, 1200U - 20 - 24);
    EXPECT_EQ(p.functions[1].times.self_ns, 800U - 20);
    EXPECT_EQ(p.functions[0].times.total_ns, 2000U - 2 * 20 - 24);
    EXPECT_EQ(p.calltree[0].times.total_ns, p.functions[0].times.total_ns);
}

TEST(Compensation, TakesProbesFromTheTimeOnAProcessor) {
    profile::Profile p = with_costs(true);
    EXPECT_EQ(p.functions[1].times.self_ns, 780U);
    EXPECT_EQ(p.functions[1].times.cpu.self_ns, 780U - 690);
    EXPECT_EQ(p.functions[0].times.cpu.total_ns, 2000U - 64 - 690);
}

TEST(ProbeCosts, ThatCannotBeAreNotBelieved) {
    EXPECT_EQ(replay::believable(kCosts).inside, kCosts.inside);
    for (const float bad : {-1.0F, 1e9F, std::numeric_limits<float>::quiet_NaN(),
                            std::numeric_limits<float>::infinity()}) {
        hotpath::ProbeCosts costs = kCosts;
        costs.outside = bad;
        EXPECT_EQ(replay::believable(costs).inside, 0);
    }
}

}  // namespace
}  // namespace umbra::collector
