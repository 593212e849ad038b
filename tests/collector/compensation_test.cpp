// SPDX-License-Identifier: MIT
// What is left of measured times when the probes' cost is taken out.
#include "src/collector/tables/compensation.h"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/random_program.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::Replayed;

constexpr hotpath::ProbeCosts kCosts{.inside = 20, .outside = 24};

struct Compensated {
    std::vector<uint64_t> self_ticks;
    std::vector<uint32_t> clamped;
};

/// Taken out twice, as a table does it: that must make no difference.
Compensated compensate(const std::vector<MeasuredSelf>& rows) {
    Compensation compensation;
    for (const MeasuredSelf& row : rows) {
        compensation.add(row);
    }
    Compensated first;
    Compensated again;
    for (Compensated* out : {&first, &again}) {
        for (const MeasuredSelf& row : rows) {
            out->self_ticks.push_back(compensation.take_out(row));
        }
        compensation.begin_again();
    }
    EXPECT_EQ(first.self_ticks, again.self_ticks);
    first.clamped = compensation.clamped();
    return first;
}

TEST(Compensation, TakesOutWhatTheProbesCost) {
    const Compensated out = compensate(std::vector<MeasuredSelf>{{1, 1'000, 264}, {2, 500, 200}});
    EXPECT_EQ(out.self_ticks, (std::vector<uint64_t>{736, 300}));
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

TEST(Compensation, LeavesCallsTheLeastTheyCanHaveTaken) {
    // Two arcs of 3 and 5 calls: the first is left with its least, the other bears the rest.
    const Compensated out =
        compensate(std::vector<MeasuredSelf>{{1, 150, 200, 3}, {1, 650, 200, 5}, {2, 90, 100, 7}});
    EXPECT_EQ(out.self_ticks, (std::vector<uint64_t>{3, 397, 7}));
    EXPECT_EQ(out.clamped, std::vector<uint32_t>{2});
    // No more than was measured.
    EXPECT_EQ(compensate(std::vector<MeasuredSelf>{{1, 4, 100, 7}}).self_ticks[0], 4U);
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
    replayed.feed("0 enter A 100, 200 enter B 90, 1000 leave B 90, 2000 leave A 100");
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

/// A calls B for 100 ticks, for 340, 40 of which B waits for the collector, and for 12, less than
/// the probes cost, then C. It waits 1,000 in its own time, too.
void run_single_calls(Replayed& replayed) {
    replayed.thread();
    replayed.state().set_probe_costs(kCosts);
    replayed.feed(
        "0 enter A 100, 1000 enter B 90, 1100 leave B 90, 2000 enter B 90, 2140 waited 2100, "
        "2340 leave B 90, 4000 waited 3000, 5000 enter B 90, 5012 leave B 90, 6000 enter C 90, "
        "6500 leave C 90");
}

std::map<std::string, uint64_t> buckets(const profile::Profile& p) {
    std::map<std::string, uint64_t> calls;
    for (const profile::HistogramBucket& bucket : p.histograms) {
        const std::string name = Replayed::name(p, bucket.function);
        calls[name + ' ' + std::to_string(bucket.lower_ns)] += bucket.calls;
    }
    return calls;
}

TEST(Compensation, TakesSingleCallsAsItTakesSums) {
    Replayed replayed;
    run_single_calls(replayed);
    replayed.feed("10000 leave A 100");
    const profile::Profile p = replayed.profile(10'000);
    const profile::CallTimes& b = p.functions[1].times;
    EXPECT_EQ(b.raw.total_ns, 100U + 340 + 12);
    EXPECT_EQ(b.total_ns, 452U - 40 - 3 * 20);
    EXPECT_EQ(b.min_ns, 1U) << "it has run";
    EXPECT_EQ(b.max_ns, 340U - 40 - 20);
    const profile::CallTimes& c = p.functions[2].times;
    EXPECT_EQ(c.min_ns, 480U);
    EXPECT_EQ(c.max_ns, c.total_ns);
    const profile::CallTimes& a = p.functions[0].times;
    EXPECT_EQ(a.total_ns, 10'000U - 1'040 - 5 * 20 - 4 * 24);
    EXPECT_EQ(a.min_ns, a.total_ns);
    EXPECT_EQ(a.max_ns, a.total_ns);
    EXPECT_EQ(a.self_ns, a.total_ns - b.total_ns - c.total_ns);
    EXPECT_EQ(p.session.counts.wait_ns, 1'040U);
    // 80 and 1, 280 and 480.
    EXPECT_EQ(buckets(p), (std::map<std::string, uint64_t>{
                              {"A 8192", 1}, {"B 0", 1}, {"B 80", 1}, {"B 256", 1}, {"C 448", 1}}));
}

TEST(Compensation, TakesOpenCallsLikewise) {
    Replayed replayed;
    run_single_calls(replayed);
    const profile::Profile p = replayed.profile(8'000);
    const profile::CallTimes& a = p.functions[0].times;
    EXPECT_EQ(a.unfinished, 1U);
    EXPECT_EQ(a.raw.total_ns, 8'000U);
    // Its own leave probe is still to come: half of a pair's inside.
    EXPECT_EQ(a.total_ns, 8'000U - 1'040 - 4 * 44 - 10);
    EXPECT_EQ(a.max_ns, a.total_ns);
    EXPECT_EQ(a.min_ns, a.total_ns);
}

/// No program can have run so.
void expect_possible(const profile::CallTimes& times) {
    EXPECT_LE(times.self_ns, times.total_ns);
    EXPECT_LE(times.cpu.self_ns, times.self_ns);
    EXPECT_LE(times.cpu.total_ns, times.total_ns);
    EXPECT_LE(times.paused.total_ns, times.total_ns);
    EXPECT_LE(times.total_ns, times.raw.total_ns);
    EXPECT_LE(times.min_ns, times.max_ns);
    EXPECT_LE(times.total_ns / times.calls, times.max_ns);
    // Where the clock has moved on.
    EXPECT_EQ(times.self_ns == 0, times.raw.self_ns == 0);
    EXPECT_EQ(times.cpu.self_ns == 0, times.raw.self_ns == 0);
    EXPECT_EQ(times.min_ns == 0, times.total_ns < times.calls);
}

/// The same of rows whose inclusive time is that of all their calls.
void expect_possible_mean(const profile::CallTimes& times) {
    EXPECT_LE(times.min_ns, times.total_ns / times.calls);
    EXPECT_LE(times.max_ns, times.total_ns);
}

TEST(Compensation, LeavesNoRowAsNoProgramCanHaveRun) {
    // Tiny calls, of which the probes cost as much as was measured, and more.
    uint64_t clamped = 0;
    for (uint64_t seed = 1; seed <= 200; ++seed) {
        SCOPED_TRACE(seed);
        testing::RandomProgram program(seed);
        program.run(15);
        Replayed replayed(seed % 2 == 0 ? testing::full_tree() : testing::folded_tree(seed / 2));
        auto& thread = replayed.thread();
        replayed.state().set_probe_costs(
            {.inside = static_cast<float>(seed % 200), .outside = static_cast<float>(seed % 150)});
        for (uint64_t at = 0; at < program.now; at += 500) {
            thread.add_off_cpu(at, at + seed);
        }
        replayed.feed(program.stream);
        const profile::Profile p = replayed.profile(program.now);
        clamped += p.session.probes.clamped_functions;
        for (const profile::CallNode& node : p.calltree) {
            expect_possible(node.times);
            if (p.session.settings.tree == "full") {
                expect_possible_mean(node.times);
            }
        }
        for (const profile::Function& function : p.functions) {
            function.times.calls != 0 ? expect_possible(function.times) : void();
        }
        for (const profile::Edge& edge : p.edges) {
            expect_possible(edge.times);
        }
        for (const profile::ThreadFunction& row : p.thread_functions) {
            expect_possible(row.times);
        }
        if (::testing::Test::HasFailure()) {
            return;
        }
    }
    EXPECT_GT(clamped, 50U) << "or nothing is tested";
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
