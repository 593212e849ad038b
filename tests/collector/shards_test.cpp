// SPDX-License-Identifier: MIT
// Many threads replayed by several workers, some of them handed on in the middle of their calls:
// the profile is the one that a single worker makes.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "src/collector/tables/profile_builder.h"
#include "src/replay/linear_clock.h"
#include "tests/collector/random_program.h"
#include "tests/collector/record_stream.h"
#include "tests/support/same_sums.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::add_workers;
using testing::RandomProgram;
using testing::RecordStream;
using testing::replay_by;
using testing::Replayed;
using testing::whole_records;
using umbra::testing::Figures;

constexpr size_t kThreads = 9;
constexpr uint64_t kEnd = 100'000;

/// What the threads of a program do, and what is laid over it.
struct Program {
    std::vector<std::vector<uint64_t>> streams;
    std::vector<std::vector<std::pair<uint64_t, uint64_t>>> off_cpu;  ///< by thread
    std::vector<replay::PauseTicks> pauses;
};

Program make_program(uint64_t seed) {
    std::mt19937_64 random(seed);
    Program run;
    for (uint64_t thread = 0; thread < kThreads; ++thread) {
        RandomProgram program(kThreads * seed + thread);
        program.run(12);
        program.stream.control(ControlType::kCompileStarted, 3, program.now + 5)
            .control(ControlType::kCompileFinished, 3, program.now + 9)
            .enter('Y', 0x1000'0000, program.now + 10)
            .enter('Z', 0x0fff'0000, program.now + 20)
            .enter('Y', 0x0ffe'0000, program.now + 30);
        run.streams.push_back(program.stream.slots());
        uint64_t at = 0;
        run.off_cpu.emplace_back();
        for (int interval = 0; interval < 20; ++interval) {
            at += random() % 300;
            run.off_cpu.back().emplace_back(at, at + 30);
            at += 30;
        }
    }
    uint64_t at = 0;
    for (int pause = 0; pause < 12; ++pause) {
        at += random() % 600;
        run.pauses.push_back({.begin_ticks = at, .suspended_ticks = at + 2, .end_ticks = at + 20});
        at += 20;
    }
    return run;
}

/// `workers` of them, the rings' chunks in any order; now and then a thread changes its worker, and
/// half of them come when the program runs already.
profile::Profile replayed_by(const Program& run, uint64_t seed, size_t workers,
                             const replay::Limits& limits, const hotpath::ProbeCosts& costs) {
    Replayed replayed(limits, workers == 1);
    SessionState& state = replayed.state();
    state.set_probe_costs(costs);
    std::mt19937_64 random(seed + workers);
    add_workers(state, (workers + 1) / 2, kThreads);
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
        for (const auto& [begin, end] : run.off_cpu[thread]) {
            state.threads().at(thread).tell_off_cpu(begin, end);
        }
    }
    for (const replay::PauseTicks& pause : run.pauses) {
        state.note_pause(pause);
    }
    const auto maybe_more_workers = [&] {
        if (state.shards().size() < workers && random() % 8 == 0) {
            state.add_shard();
        }
    };
    const auto next_piece = [&](ProfiledThread& thread, std::span<const uint64_t> rest) {
        thread.shard().apply_inbox();
        return whole_records(rest, 16 + random() % 120);
    };
    replay_by(workers, run.streams, state, random, next_piece, maybe_more_workers);
    return replayed.profile(kEnd);
}

/// "T.A>T.B" with its figures, of each path, all threads that share it in one row.
std::map<std::string, Figures> paths(const profile::Profile& p) {
    std::map<std::string, Figures> paths;
    std::vector<std::string> names(p.calltree.size());
    for (profile::Row row = 0; row < p.calltree.size(); ++row) {
        const profile::CallNode& node = p.calltree[row];
        names[row] = (node.parent == profile::kNone ? std::to_string(node.thread) + ':'
                                                    : names[node.parent] + '>') +
                     Replayed::name(p, node.function) + (node.truncated ? "*" : "");
        EXPECT_TRUE(paths.emplace(names[row], umbra::testing::figures(node.times)).second)
            << "two rows of one path: " << names[row];
    }
    return paths;
}

void expect_same_paths(const profile::Profile& one, const profile::Profile& several) {
    const std::map<std::string, Figures> expected = paths(one);
    const std::map<std::string, Figures> found = paths(several);
    EXPECT_EQ(expected.size(), found.size());
    for (const auto& [path, figures] : expected) {
        const auto same = found.find(path);
        ASSERT_NE(same, found.end()) << path;
        EXPECT_EQ(same->second.counts, figures.counts) << path;
        for (size_t i = 0; i < figures.times_ns.size(); ++i) {
            // A path that is off the processors all the time is left with the least that can be,
            // at the cost of others: in parts of ticks, which add up along the tree.
            EXPECT_NEAR(static_cast<double>(same->second.times_ns[i]),
                        static_cast<double>(figures.times_ns[i]), 10)
                << path;
        }
    }
}

auto histograms(const profile::Profile& p) {
    std::map<std::tuple<std::string, uint64_t>, uint64_t> rows;
    for (const profile::HistogramBucket& bucket : p.histograms) {
        rows[{Replayed::name(p, bucket.function), bucket.lower_ns}] += bucket.calls;
    }
    return rows;
}

auto others(const profile::Profile& p) {
    std::multiset<std::tuple<std::string, uint64_t, uint64_t, uint64_t>> rows;
    for (const profile::ExceptionCount& row : p.exceptions) {
        rows.insert({"exception " + row.type, row.thrown_in, row.caught_in, row.count});
    }
    for (const profile::Compilation& row : p.compilations) {
        rows.insert({"compilation", row.thread, row.start_ns, row.duration_ns});
    }
    for (const profile::Pause& row : p.pauses) {
        rows.insert({"pause", row.start_ns, row.duration_ns, row.threads});
    }
    return rows;
}

constexpr hotpath::ProbeCosts kCosts{.inside = 3, .outside = 4};

void expect_same_tables(const profile::Profile& one, const profile::Profile& several,
                        uint64_t tolerance) {
    const umbra::testing::SumsCompared compared =
        umbra::testing::compare_sums(one, several, tolerance);
    EXPECT_TRUE(compared.same()) << compared.first;
    EXPECT_GT(compared.rows, kThreads);
    EXPECT_EQ(histograms(one), histograms(several));
    EXPECT_EQ(others(one), others(several));
    EXPECT_EQ(one.session.losses.events(), 0U);
    EXPECT_EQ(several.session.losses.events(), 0U);
}

TEST(Shards, MakeTheProfileThatOneWorkerMakes) {
    for (uint64_t seed = 1; seed <= 24; ++seed) {
        const Program run = make_program(seed);
        const replay::Limits limits = seed % 2 == 0 ? replay::Limits{} : testing::full_tree();
        const hotpath::ProbeCosts costs = seed % 3 == 0 ? kCosts : hotpath::ProbeCosts{};
        const profile::Profile one = replayed_by(run, seed, 1, limits, costs);
        ASSERT_GT(one.threads[0].paused_ns, 0U);
        for (const size_t workers : {2U, 4U, 7U}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", workers " + std::to_string(workers));
            const profile::Profile several = replayed_by(run, seed, workers, limits, costs);
            // The probes' costs are parts of ticks, and rows are whole ones.
            const uint64_t tolerance = seed % 3 == 0 ? 3 : 0;
            expect_same_tables(one, several, tolerance);
            if (tolerance == 0) {
                expect_same_paths(one, several);
            }
            ASSERT_FALSE(::testing::Test::HasFailure());
        }
    }
}

// Which paths go depends on what a worker has seen; what functions, callers and threads
// did does not.
TEST(Shards, SayTheSameByFunctionEdgeAndThreadWherePathsAreTruncated) {
    uint64_t truncated = 0;
    for (uint64_t seed = 1; seed <= 16; ++seed) {
        const Program run = make_program(seed);
        replay::Limits limits;
        limits.least_share = 0.02;
        limits.folded_arcs = static_cast<uint32_t>(seed % 2 == 0 ? seed / 2 % 8 : 20 + seed % 50);
        const profile::Profile one = replayed_by(run, seed, 1, limits, kCosts);
        for (const size_t workers : {2U, 7U}) {
            SCOPED_TRACE("seed " + std::to_string(seed) + ", workers " + std::to_string(workers));
            const profile::Profile several = replayed_by(run, seed, workers, limits, kCosts);
            // The probes' costs are parts of ticks, and rows are whole ones.
            expect_same_tables(one, several, 3);
            truncated += several.session.truncated_ns != 0 ? 1U : 0U;
            ASSERT_FALSE(::testing::Test::HasFailure());
        }
    }
    EXPECT_GT(truncated, 12U);
}

TEST(Shards, AThreadGoesOnElsewhereInTheMiddleOfItsCalls) {
    Replayed replayed(replay::Limits{}, false);
    SessionState& state = replayed.state();
    ProfiledThread& thread = replayed.thread();
    Shard& second = state.add_shard();
    replayed.feed(
        "0 enter A 100, 10 enter B 90, 20 enter A 80, 25 enter B 70, 30 leave B 70, 32 enter B 70");
    {
        const SessionState::AllGates gates = state.lock_all();
        state.move(thread, second);
    }
    EXPECT_EQ(&thread.replay().tables(), &second.tables);
    replayed.feed("35 leave B 70, 40 leave A 80, 60 leave B 90, 100 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 2 100/62\n  B 3 38/38\n");
    const profile::Profile p = replayed.profile();
    // Of the edge A to B only the outermost call counts; that of the second call of A, inside B, is
    // B to A.
    EXPECT_EQ(p.functions[0].times.total_ns, 100U);
    EXPECT_EQ(p.functions[1].times.total_ns, 50U);
    ASSERT_EQ(p.edges.size(), 3U);
    for (const profile::Edge& edge : p.edges) {
        const uint64_t expected = edge.caller == profile::kNone           ? 100
                                  : Replayed::name(p, edge.callee) == "B" ? 50
                                                                          : 20;
        EXPECT_EQ(edge.times.total_ns, expected) << Replayed::name(p, edge.callee);
    }
    EXPECT_EQ(p.threads[0].repairs, 0U);
}

// The shortest of a path's calls is one that has ended, whichever worker has replayed it.
TEST(Shards, AnUnfinishedCallIsNotTheShortest) {
    for (const size_t first : {0U, 1U}) {
        Replayed replayed(replay::Limits{}, false);
        SessionState& state = replayed.state();
        Shard& second = state.add_shard();
        ProfiledThread* threads[] = {&replayed.thread(), state.add_thread(2, 0, false, &second)};
        const auto feed = [](ProfiledThread& thread, const RecordStream& stream) {
            thread.shard().apply_inbox();
            thread.consume(stream.slots(), true);
        };
        feed(*threads[first], "0 enter A 100, 40000 leave A 100");
        feed(*threads[1 - first], "90000 enter A 100");
        const profile::Profile p = replayed.profile(kEnd);
        ASSERT_EQ(Replayed::name(p, 0), "A");
        EXPECT_EQ(p.functions[0].times.unfinished, 1U);
        EXPECT_EQ(p.functions[0].times.min_ns, 40'000U);
        for (const profile::CallNode& node : p.calltree) {
            EXPECT_EQ(node.times.min_ns, 40'000U);
        }
        for (const profile::Edge& edge : p.edges) {
            EXPECT_EQ(edge.times.min_ns, 40'000U);
        }
    }
}

// What the kernel's sums say comes late, for places where the thread stood long ago.
TEST(Shards, WhatIsBookedLateFindsThePlaceInTheNewTree) {
    uint64_t off_ns[2] = {};
    for (const bool moves : {false, true}) {
        Replayed replayed(replay::Limits{}, false);
        SessionState& state = replayed.state();
        ProfiledThread& thread = replayed.thread();
        Shard& second = state.add_shard();
        thread.replay().use_cpu_windows({.ticks_per_ns = 0.001, .timer_ns = 4e3});
        replayed.feed("10 enter A 100, 1000 enter B 90, 50000 leave B 90, 50010 enter C 90");
        if (moves) {
            const SessionState::AllGates gates = state.lock_all();
            state.move(thread, second);
        }
        thread.tell_cpu(60'000, 40'000, true);
        thread.shard().apply_inbox();
        replayed.feed("80000 leave C 90, 90000 leave A 100");
        profile::Session facts;
        facts.cpu.source = "schedstat";
        const profile::Profile p =
            build(state.copy_out(90'000), replay::LinearClock(0, 1e9), facts);
        for (const profile::Edge& edge : p.edges) {
            if (Replayed::name(p, edge.callee) == "B") {
                off_ns[moves ? 1 : 0] = edge.times.total_ns - edge.times.cpu.total_ns;
            }
        }
    }
    EXPECT_GT(off_ns[0], 30'000U);
    EXPECT_EQ(off_ns[0], off_ns[1]);
}

}  // namespace
}  // namespace umbra::collector
