// SPDX-License-Identifier: MIT
// A folded tree beside a full one of the same records: all that is said by function, by caller and
// callee, and by thread is the same to the tick.
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/random_program.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using testing::RandomProgram;
using testing::RecordStream;
using testing::Replayed;
using testing::stripped;

using Figures = std::vector<uint64_t>;

Figures figures(const profile::CallTimes& times) {
    return {times.calls,        times.unfinished,  times.total_ns,        times.self_ns,
            times.min_ns,       times.max_ns,      times.raw.total_ns,    times.raw.self_ns,
            times.cpu.total_ns, times.cpu.self_ns, times.paused.total_ns, times.paused.self_ns};
}

/// Everything but paths, in a form that does not depend on the order of rows.
struct Tables {
    std::map<std::string, Figures> functions;
    std::map<std::pair<std::string, std::string>, Figures> edges;
    std::map<std::pair<profile::Row, std::string>, Figures> thread_functions;
    std::vector<Figures> threads;

    bool operator==(const Tables&) const = default;
};

Tables tables(const profile::Profile& p) {
    Tables tables;
    for (const profile::Function& function : p.functions) {
        tables.functions[function.method] = figures(function.times);
    }
    for (const profile::Edge& edge : p.edges) {
        tables.edges[{Replayed::name(p, edge.caller), Replayed::name(p, edge.callee)}] =
            figures(edge.times);
    }
    for (const profile::ThreadFunction& row : p.thread_functions) {
        tables.thread_functions[{row.thread, Replayed::name(p, row.function)}] = figures(row.times);
    }
    for (const profile::Thread& thread : p.threads) {
        tables.threads.push_back(
            {thread.calls, thread.covered_ns, thread.cpu_ns, thread.paused_ns, thread.events});
    }
    return tables;
}

/// Of each function over the rows of the tree: calls, self time.
std::map<std::string, std::pair<uint64_t, uint64_t>> path_sums(const profile::Profile& p) {
    std::map<std::string, std::pair<uint64_t, uint64_t>> sums;
    for (const profile::CallNode& node : p.calltree) {
        auto& [calls, self] = sums[Replayed::name(p, node.function)];
        calls += node.times.calls;
        self += node.times.raw.self_ns;
    }
    return sums;
}

bool has_recursion(const profile::Profile& p) {
    for (const profile::CallNode& node : p.calltree) {
        for (profile::Row row = node.parent; row != profile::kNone; row = p.calltree[row].parent) {
            if (p.calltree[row].function == node.function) {
                return true;
            }
        }
    }
    return false;
}

/// One of the shapes a folded tree takes, by what limits it meets.
replay::Limits limits(uint64_t seed) {
    replay::Limits limits;
    switch (seed % 4) {
        case 0:
            break;  // every path that is not recursive is kept
        case 1:
            limits.eager_places = static_cast<uint32_t>(seed / 4 % 8);
            limits.least_share = 0.02;
            break;
        case 2:
            limits.eager_places = 0;
            limits.least_share = 10;  // nothing is
            break;
        default:
            limits.max_folded_arcs = 150 + static_cast<uint32_t>(seed / 4 % 100);
            break;
    }
    return limits;
}

/// Two threads run a program each, in pieces; some of it is still open at the end.
void run(Replayed& replayed, uint64_t seed, bool adaptive) {
    std::mt19937_64 random(seed);
    std::vector<std::vector<uint64_t>> streams;
    for (uint64_t thread = 0; thread < 2; ++thread) {
        RandomProgram program(2 * seed + thread);
        program.run(20);
        program.stream.enter('Y', 0x1000'0000, program.now + 10)
            .enter('Z', 0x0fff'0000, program.now + 20)
            .enter('Y', 0x0ffe'0000, program.now + 30);
        streams.push_back(adaptive ? stripped(program.stream.slots(), random)
                                   : program.stream.slots());
        replayed.thread(static_cast<uint32_t>(thread) + 1);
        uint64_t at = 0;
        for (int interval = 0; interval < 20; ++interval) {
            at += random() % 200;
            replayed.state().note_off_cpu(static_cast<uint32_t>(thread), at, at + 30);
            at += 30;
        }
    }
    // One after the other: the second finds a tree that the first has filled up to its limits.
    for (size_t thread = 0; thread < streams.size(); ++thread) {
        replayed.state().consume(static_cast<uint32_t>(thread), streams[thread], true);
    }
}

uint64_t seeds() {
    return std::getenv("UMBRA_FULL") == nullptr ? 400 : 10'000;
}

TEST(FoldedTree, SaysTheSameAsAFullOneByFunctionEdgeAndThread) {
    uint64_t recursive = 0;
    uint64_t merged = 0;
    for (uint64_t seed = 1; seed <= seeds(); ++seed) {
        SCOPED_TRACE(seed);
        const bool adaptive = seed % 3 == 0;
        Replayed full(testing::full_tree(), adaptive);
        Replayed folded(limits(seed), adaptive);
        const hotpath::ProbeCosts costs{.timed_inside = 3,
                                        .timed_outside = 4,
                                        .untimed = 2,
                                        .timed_error = 0,
                                        .untimed_error = 0};
        for (Replayed* replayed : {&full, &folded}) {
            replayed->state().set_probe_costs(seed % 2 == 0 ? costs : hotpath::ProbeCosts{});
            run(*replayed, seed, adaptive);
        }
        const profile::Profile of_full = full.profile(100'000);
        const profile::Profile of_folded = folded.profile(100'000);
        ASSERT_EQ(of_full.session.losses.nodes + of_folded.session.losses.nodes, 0U);
        ASSERT_FALSE(has_recursion(of_folded));
        recursive += has_recursion(of_full) ? 1U : 0U;
        merged += of_folded.session.merged_self_ns != 0 ? 1U : 0U;
        ASSERT_LE(of_folded.calltree.size(), of_full.calltree.size());
        ASSERT_EQ(path_sums(of_full), path_sums(of_folded));
        const Tables expected = tables(of_full);
        const Tables found = tables(of_folded);
        if (seed % 2 == 0) {
            // How a cost that is more than an arc's time is borne depends on the arcs there are.
            ASSERT_EQ(expected.functions.size(), found.functions.size());
            for (const auto& [name, row] : expected.functions) {
                ASSERT_NEAR(static_cast<double>(row[3]),
                            static_cast<double>(found.functions.at(name)[3]), 2)
                    << name;
            }
        } else {
            ASSERT_EQ(expected.functions, found.functions);
            ASSERT_EQ(expected.edges, found.edges);
            ASSERT_EQ(expected.thread_functions, found.thread_functions);
            ASSERT_EQ(expected.threads, found.threads);
        }
    }
    EXPECT_GT(recursive, seeds() / 2);
    EXPECT_GT(merged, seeds() / 4);
}

TEST(FoldedTree, RecursionEndsInTheAncestor) {
    const Replayed replayed(RecordStream()
                                .enter('A', 100, 0)
                                .enter('B', 90, 10)
                                .enter('A', 80, 20)
                                .enter('C', 70, 25)
                                .leave('C', 70, 30)
                                .leave('A', 80, 40)
                                .leave('B', 90, 60)
                                .leave('A', 100, 100),
                            replay::Limits{});
    EXPECT_EQ(replayed.tree(), "A 2 100/65\n  B 1 30/30\n  C 1 5/5\n");
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.functions[0].times.total_ns, 100U);
    EXPECT_EQ(p.functions[1].times.total_ns, 50U) << "with the call of A inside";
}

TEST(FoldedTree, TwoMillionNestedCallsAreTwoMillionCalls) {
    constexpr uint32_t kDepth = 2'000'000;
    Replayed replayed(replay::Limits{}, false);
    replayed.thread();
    for (const bool enters : {true, false}) {
        for (uint32_t done = 0; done < kDepth;) {
            RecordStream stream;
            for (uint32_t i = 0; i < 4'000; ++i, ++done) {
                const uint32_t depth = enters ? done : kDepth - 1 - done;
                const uint32_t sp = 0x7000'0000 - depth * 64;
                if (enters) {
                    stream.enter('A', sp, done);
                } else {
                    stream.leave('A', sp, kDepth + done);
                }
            }
            replayed.feed(stream);
        }
    }
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.functions[0].times.calls, kDepth);
    EXPECT_EQ(p.functions[0].times.total_ns, 2 * kDepth - 1);
    EXPECT_EQ(p.functions[0].times.self_ns, 2 * kDepth - 1);
    EXPECT_EQ(p.calltree.size(), 1U);
    EXPECT_EQ(p.session.losses.events(), 0U);
    EXPECT_EQ(p.threads[0].repairs, 0U);
}

TEST(FoldedTree, LongCallsGetTheirPathsBeforeTheyEnd) {
    // No path is kept unasked; A calls B, which calls C a thousand times. Both are open to the end.
    // The first hundred calls of C come before that is known.
    Replayed replayed(replay::Limits{.eager_places = 0, .least_share = 0.01}, false);
    replayed.thread();
    replayed.feed(RecordStream().enter('A', 100, 0).enter('B', 90, 10));
    for (uint64_t round = 0; round < 10; ++round) {
        RecordStream stream;
        for (uint64_t call = 0; call < 100; ++call) {
            const uint64_t at = 100 + (round * 100 + call) * 100;
            stream.enter('C', 80, at).leave('C', 80, at + 50);
        }
        replayed.feed(stream);
    }
    const profile::Profile p = replayed.profile(100'200);
    EXPECT_EQ(replayed.tree(100'200).substr(0, 40), "A 1 95200/10 +1\n  B 1 95190/50190 +1\n   ");
    EXPECT_EQ(p.functions[2].times.calls, 1000U);
}

}  // namespace
}  // namespace umbra::collector
