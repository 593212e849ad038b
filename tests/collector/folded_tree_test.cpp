// SPDX-License-Identifier: MIT
// A folded tree beside a full one of the same records: all that is said by function, by caller and
// callee, and by thread is the same to the tick.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/random_program.h"
#include "tests/collector/record_stream.h"
#include "tests/support/same_sums.h"

namespace umbra::collector {
namespace {

using testing::RandomProgram;
using testing::RecordStream;
using testing::Replayed;
using testing::whole_records;

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

/// Two threads run a program each, in pieces; some of it is still open at the end.
void run(Replayed& replayed, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<std::vector<uint64_t>> streams;
    for (uint64_t thread = 0; thread < 2; ++thread) {
        RandomProgram program(2 * seed + thread);
        program.run(20);
        program.stream.enter('Y', 0x1000'0000, program.now + 10)
            .enter('Z', 0x0fff'0000, program.now + 20)
            .enter('Y', 0x0ffe'0000, program.now + 30)
            .enter('A', 0x0ffd'0000, program.now + 31)
            .enter('B', 0x0ffc'0000, program.now + 31);
        streams.push_back(program.stream.slots());
        ProfiledThread& replaying = replayed.thread(static_cast<uint32_t>(thread) + 1);
        uint64_t at = 0;
        for (int interval = 0; interval < 20; ++interval) {
            at += random() % 200;
            replaying.add_off_cpu(at, at + 30);
            at += 30;
        }
    }
    // In turn, as rings are drained: they share the tree and meet its limits together.
    std::vector<size_t> done(streams.size());
    for (size_t turn = 0; done[0] < streams[0].size() || done[1] < streams[1].size(); ++turn) {
        const auto thread = static_cast<uint32_t>(turn % 2);
        const std::span<const uint64_t> rest = std::span(streams[thread]).subspan(done[thread]);
        const size_t piece = whole_records(rest, 16 + random() % 200);
        done[thread] +=
            replayed.state().threads().at(thread).consume(rest.first(piece), piece == rest.size());
    }
}

uint64_t seeds() {
    const char* full = std::getenv("UMBRA_FULL");  // NOLINT(concurrency-mt-unsafe): not set by us
    return full == nullptr ? 400 : 10'000;
}

TEST(FoldedTree, SaysTheSameAsAFullOneByFunctionEdgeAndThread) {
    uint64_t recursive = 0;
    uint64_t merged = 0;
    for (uint64_t seed = 1; seed <= seeds(); ++seed) {
        SCOPED_TRACE(seed);
        Replayed full(testing::full_tree());
        Replayed folded(testing::folded_tree(seed));
        const hotpath::ProbeCosts costs{.inside = 3, .outside = 4};
        for (Replayed* replayed : {&full, &folded}) {
            replayed->state().set_probe_costs(seed % 2 == 0 ? costs : hotpath::ProbeCosts{});
            run(*replayed, seed);
        }
        const profile::Profile of_full = full.profile(100'000);
        const profile::Profile of_folded = folded.profile(100'000);
        ASSERT_EQ(of_full.session.losses.nodes + of_folded.session.losses.nodes, 0U);
        ASSERT_FALSE(has_recursion(of_folded));
        recursive += has_recursion(of_full) ? 1U : 0U;
        merged += of_folded.session.merged_self_ns != 0 ? 1U : 0U;
        ASSERT_LE(of_folded.calltree.size(), of_full.calltree.size());
        ASSERT_EQ(path_sums(of_full), path_sums(of_folded));
        // The probes' costs are parts of ticks, and rows are whole ones.
        const umbra::testing::SumsCompared compared =
            umbra::testing::compare_sums(of_full, of_folded, seed % 2 == 0 ? 2 : 0);
        ASSERT_TRUE(compared.same()) << compared.first;
        ASSERT_EQ(umbra::testing::uncovered_ns(of_full), 0U);
        ASSERT_EQ(umbra::testing::uncovered_ns(of_folded), 0U);
    }
    EXPECT_GT(recursive, seeds() / 2);
    EXPECT_GT(merged, seeds() / 4);
}

TEST(FoldedTree, OwnTimesOfAFunctionAreRoundedOnceHoweverManyPathsItHas) {
    // 625 paths to Z, on each of which it takes two ticks, 0.77 ns.
    RecordStream stream;
    uint64_t now = 0;
    for (char one = 'A'; one <= 'Y'; ++one) {
        for (char two = 'A'; two <= 'Y'; ++two) {
            stream.enter(one, 100, now).enter(two, 90, now).enter('Z', 80, now);
            now += 2;
            stream.leave('Z', 80, now).leave(two, 90, now).leave(one, 100, now);
        }
    }
    for (const replay::Limits& limits : {testing::full_tree(), testing::folded_tree(2)}) {
        const Replayed replayed(stream, limits);
        const profile::Profile p =
            build(replayed.state().copy_out(now), replay::LinearClock(0, 2.6e9), {});
        EXPECT_EQ(p.functions[25].times.self_ns, 481U) << "1250 ticks";
        EXPECT_LE(umbra::testing::uncovered_ns(p), 1U);
    }
}

TEST(CallTables, OwnTimesOfAFunctionAreRoundedOnceHoweverManyThreadsCallIt) {
    Replayed replayed(replay::Limits{}, false);
    constexpr uint32_t kThreads = 2'000;
    RecordStream stream;
    stream.enter('A', 100, 0).leave('A', 100, 2);
    const std::vector<uint64_t> slots = stream.slots();
    replayed.thread().consume(slots, true);
    for (uint32_t tid = 2; tid <= kThreads; ++tid) {
        replayed.state().add_thread(tid, 0, false)->consume(slots, true);
    }
    const profile::Profile p =
        build(replayed.state().copy_out(2), replay::LinearClock(0, 2.6e9), {});
    EXPECT_EQ(p.functions[0].times.self_ns, 1538U) << "4000 ticks";
    ASSERT_EQ(p.thread_functions.size(), kThreads);
    for (const profile::ThreadFunction& row : p.thread_functions) {
        ASSERT_LE(row.times.raw.self_ns, 1U) << "two ticks";
    }
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
    Replayed replayed(replay::Limits{});
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
    Replayed replayed(replay::Limits{.eager_places = 0, .least_share = 0.01});
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
