// SPDX-License-Identifier: MIT
// A folded tree beside a full one of the same records: all that is said by function, by caller and
// callee, and by thread is the same to the tick, and so is the time of every path that stays.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/collector/tables/profile_builder.h"
#include "src/replay/linear_clock.h"
#include "tests/collector/random_program.h"
#include "tests/collector/record_stream.h"
#include "tests/support/full.h"
#include "tests/support/same_sums.h"

namespace umbra::collector {
namespace {

using testing::RandomProgram;
using testing::RecordStream;
using testing::Replayed;
using testing::whole_records;

/// Of one path, functions in the order they were called: calls, own and inclusive time as measured.
struct PathSum {
    uint64_t calls = 0;
    uint64_t self_ns = 0;
    uint64_t total_ns = 0;
    bool operator==(const PathSum&) const = default;
};
using PathSums = std::map<std::string, PathSum>;

/// The paths of a tree by what they are called, each function once: one that is on the path already
/// goes back to where it is. "*": what has no row. Inclusive times are sums of own ones.
PathSums path_sums(const profile::Profile& p) {
    PathSums sums;
    std::vector<std::string> paths(p.calltree.size());
    for (profile::Row row = 0; row < p.calltree.size(); ++row) {
        const profile::CallNode& node = p.calltree[row];
        std::string path = node.parent == profile::kNone ? "" : paths[node.parent];
        const std::string name = node.truncated ? "*" : Replayed::name(p, node.function);
        const size_t above = path.find(name);
        path = above == std::string::npos ? path + name : path.substr(0, above + 1);
        paths[row] = path;
        sums[path].calls += node.times.calls;
        sums[path].self_ns += node.times.raw.self_ns;
        for (size_t end = 1; end <= path.size(); ++end) {
            sums[path.substr(0, end)].total_ns += node.times.raw.self_ns;
        }
    }
    return sums;
}

/// A path that stays has all of its time, or, where it had gone and came back, what it has since
/// then: the rest stands below a path above it.
void expect_paths_of(const PathSums& full, const PathSums& folded) {
    bool truncated = false;
    uint64_t whole = 0;
    uint64_t of_folded = 0;
    for (const auto& [path, sum] : full) {
        whole += sum.self_ns;
    }
    for (const auto& [path, sum] : folded) {
        of_folded += sum.self_ns;
        if (path.back() == '*') {
            truncated = true;  // perhaps calls that took no time
            continue;
        }
        const auto same = full.find(path);
        ASSERT_NE(same, full.end()) << path;
        ASSERT_LE(sum.calls, same->second.calls) << path;
        ASSERT_LE(sum.self_ns, same->second.self_ns) << path;
        ASSERT_LE(sum.total_ns, same->second.total_ns) << path;
        if (path.size() == 1 && !folded.contains("*")) {
            ASSERT_EQ(sum.total_ns, same->second.total_ns) << path;
        }
    }
    ASSERT_EQ(whole, of_folded);
    if (!truncated) {
        ASSERT_TRUE(full == folded);
    }
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
    return umbra::testing::full() ? 10'000 : 150;
}

TEST(FoldedTree, SaysTheSameAsAFullOneByFunctionEdgeAndThread) {
    uint64_t recursive = 0;
    uint64_t truncated = 0;
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
        truncated += of_folded.session.truncated_ns != 0 ? 1U : 0U;
        ASSERT_LE(of_folded.calltree.size(), of_full.calltree.size());
        ASSERT_NO_FATAL_FAILURE(expect_paths_of(path_sums(of_full), path_sums(of_folded)));
        // The probes' costs are parts of ticks, and rows are whole ones.
        const umbra::testing::SumsCompared compared =
            umbra::testing::compare_sums(of_full, of_folded, seed % 2 == 0 ? 2 : 0);
        ASSERT_TRUE(compared.same()) << compared.first;
        ASSERT_EQ(umbra::testing::uncovered_ns(of_full), 0U);
        ASSERT_EQ(umbra::testing::uncovered_ns(of_folded), 0U);
    }
    EXPECT_GT(recursive, seeds() / 2);
    EXPECT_GT(truncated, seeds() / 4);
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

TEST(CallTables, ACallWithinAStepOfTheClockTookANanosecond) {
    // Ticks of 0.38 ns, and a counter that moves by 26 of them, or by one.
    for (const char* records :
         {"0 enter A 100, 26 enter B 90, 27 leave B 90, 104 leave A 100",
          "0 enter A 100, 26 enter B 90, 52 enter B 80, 53 leave B 80, "
          "104 leave B 90, 130 enter C 90, 131 leave C 90, 156 leave A 100"}) {
        Replayed replayed(RecordStream(records), replay::Limits{});
        const profile::Profile p =
            build(replayed.state().copy_out(200), replay::LinearClock(0, 2.6e9), {});
        for (const auto& row : p.functions) {
            EXPECT_GE(row.times.self_ns, row.times.calls) << records;
            EXPECT_GE(row.times.min_ns, row.times.calls != 0 ? 1U : 0U) << records;
        }
        for (const auto& row : p.calltree) {
            EXPECT_GE(row.times.self_ns, row.times.calls) << records;
        }
        for (const auto& row : p.edges) {
            EXPECT_GE(row.times.self_ns, row.times.calls) << records;
        }
        EXPECT_LE(umbra::testing::uncovered_ns(p), 2U) << records;
    }
}

TEST(CallTables, OwnTimesOfAFunctionAreRoundedOnceHoweverManyThreadsCallIt) {
    Replayed replayed(replay::Limits{}, false);
    constexpr uint32_t kThreads = 2'000;
    RecordStream stream("0 enter A 100, 2 leave A 100");
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
    const Replayed replayed(
        "0 enter A 100, 10 enter B 90, 20 enter A 80, 25 enter C 70, 30 leave C 70, 40 leave A 80, "
        "60 leave B 90, 100 leave A 100",
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

TEST(FoldedTree, PathsThatAreOpenOrWorthItStayAndAreExact) {
    // Room for no more than a few arcs. Main calls a loop that never ends, which calls Hot again
    // and again, by way of Step, and each time something else on a path of its own.
    replay::Limits limits;
    limits.folded_arcs = 4;
    limits.least_share = 0.001;
    Replayed folded(limits);
    Replayed full(testing::full_tree());
    for (Replayed* replayed : {&full, &folded}) {
        replayed->thread();
        replayed->feed(RecordStream().enter_index(1, 100, 0).enter_index(2, 90, 10));
        for (uint64_t round = 0; round < 300; ++round) {
            const uint64_t at = 100 + round * 1'000;
            const auto other = static_cast<uint32_t>(5 + round % 20);
            replayed->feed(RecordStream()
                               .enter_index(3, 80, at)
                               .enter_index(4, 70, at + 10)
                               .leave_index(4, 70, at + 400)
                               .enter_index(other, 70, at + 410)
                               .enter_index(2, 60, at + 411)   // back to the loop
                               .enter_index(26, 50, at + 412)  // below the loop
                               .leave_index(26, 50, at + 414)
                               .leave_index(2, 60, at + 415)
                               .leave_index(other, 70, at + 417)
                               .leave_index(3, 80, at + 500));
        }
    }
    const uint64_t end = 301'000;
    const profile::Profile of_full = full.profile(end);
    const profile::Profile of_folded = folded.profile(end);
    const PathSums expected = path_sums(of_full);
    const PathSums found = path_sums(of_folded);
    for (const char* path : {"A", "AB", "ABC", "ABCD", "ABZ"}) {
        SCOPED_TRACE(path);
        ASSERT_TRUE(found.contains(path));
        EXPECT_EQ(found.at(path).total_ns, expected.at(path).total_ns);
        EXPECT_EQ(found.at(path).self_ns, expected.at(path).self_ns);
        EXPECT_EQ(found.at(path).calls, expected.at(path).calls);
    }
    ASSERT_TRUE(found.contains("ABC*"));
    EXPECT_FALSE(found.contains("*") || found.contains("A*"));
    uint64_t others = 0;
    for (const auto& [path, sum] : found) {
        others += path.size() == 4 && path.starts_with("ABC") && path != "ABCD" ? sum.total_ns : 0;
    }
    EXPECT_EQ(others, 300U * 3) << "what is below the loop again is not theirs";
    const umbra::testing::SumsCompared compared =
        umbra::testing::compare_sums(of_full, of_folded, 0);
    EXPECT_TRUE(compared.same()) << compared.first;
    const auto row = std::ranges::find_if(of_folded.calltree, &profile::CallNode::truncated);
    ASSERT_NE(row, of_folded.calltree.end());
    EXPECT_EQ(of_folded.functions[row->function].name, profile::kTruncatedPaths);
    EXPECT_EQ(of_folded.functions[row->function].times.calls, 0U);
    EXPECT_LE(row->times.min_ns * row->times.calls, row->times.raw.total_ns);
    EXPECT_EQ(row->times.total_ns, row->times.self_ns);
    EXPECT_EQ(of_folded.session.truncated_ns, found.at("ABC*").self_ns);
}

TEST(FoldedTree, ACallIsOnItsPathFromWhenSomebodyAsksWhereItStands) {
    // Once there are too many paths, A calls B, which calls C, which calls D: too short to be worth
    // paths. The thread is off the processors in the second call of D, and the third comes back to
    // A, which is on the path.
    replay::Limits limits;
    limits.folded_arcs = 40;
    limits.least_share = 10;
    Replayed folded(limits);
    Replayed full(testing::full_tree());
    for (Replayed* replayed : {&full, &folded}) {
        ProfiledThread& thread = replayed->thread();
        RecordStream others;
        others.enter('A', 100, 0);
        for (uint32_t other = 0; other < 20; ++other) {
            const uint32_t inner = 6 + (other + 1) % 20;
            const uint64_t at = 1'000 + 2'000 * other;
            others.enter_index(6 + other, 90, at).enter_index(inner, 80, at + 1);
            others.leave_index(inner, 80, at + 1'000).leave_index(6 + other, 90, at + 1'900);
        }
        replayed->feed(others.enter('Z', 90, 50'000).leave('Z', 90, 100'000));
        thread.add_off_cpu(200'110, 200'120);
        RecordStream calls;
        for (const uint64_t at : {100'100U, 200'100U, 300'100U}) {
            calls.enter('B', 90, at).enter('C', 80, at + 1).enter('D', 70, at + 2);
            if (at == 300'100U) {
                calls.enter('A', 60, at + 3).enter('E', 50, at + 4).leave('E', 50, at + 6);
                calls.leave('A', 60, at + 7);
            }
            calls.leave('D', 70, at + 30).leave('C', 80, at + 31).leave('B', 90, at + 40);
        }
        replayed->feed(calls.leave('A', 100, 400'000));
    }
    const PathSums expected = path_sums(full.profile(400'000));
    const PathSums found = path_sums(folded.profile(400'000));
    for (const char* path : {"A", "AB"}) {
        SCOPED_TRACE(path);
        ASSERT_TRUE(found.contains(path));
        EXPECT_EQ(found.at(path).total_ns, expected.at(path).total_ns);
        EXPECT_EQ(found.at(path).calls, expected.at(path).calls);
    }
    ASSERT_TRUE(found.contains("AB*")) << "of the first call";
    EXPECT_EQ(found.at("AB*").total_ns, 30U);
    ASSERT_TRUE(found.contains("ABCD"));
    EXPECT_EQ(found.at("ABCD").calls, 2U);
    EXPECT_EQ(found.at("ABCD").total_ns, 28U + 28 - 4) << "less what A took again";
    ASSERT_TRUE(found.contains("AE")) << "what was called again is where it was called first";
    EXPECT_EQ(found.at("AE").total_ns, 2U);
}

TEST(FoldedTree, WhatIsLaidOverCallsStaysWithTheirPathsWhenTheyGo) {
    // The thread is off the processors for half of each call, and half of the calls have no row.
    replay::Limits limits;
    limits.folded_arcs = 1;
    limits.least_share = 0.2;
    Replayed replayed(limits);
    ProfiledThread& thread = replayed.thread();
    replayed.feed("0 enter A 100");
    for (uint64_t round = 0; round < 20; ++round) {
        const uint64_t at = 100 * (round + 1);
        const auto other = static_cast<char>('D' + round);
        thread.add_off_cpu(at + 20, at + 30);
        thread.add_off_cpu(at + 50, at + 60);
        replayed.feed(RecordStream()
                          .enter('B', 90, at + 15)
                          .leave('B', 90, at + 35)
                          .enter(other, 90, at + 45)
                          .enter('C', 80, at + 48)
                          .leave('C', 80, at + 62)
                          .leave(other, 90, at + 65));
    }
    replayed.feed("2200 leave A 100");
    profile::Session session;
    session.cpu.source = "switches";
    const profile::Profile p =
        build(replayed.state().copy_out(2'200), replay::LinearClock(0, 1e9), session);
    uint64_t cpu_ns = 0;
    uint64_t truncated = 0;
    for (const profile::CallNode& node : p.calltree) {
        cpu_ns += node.times.cpu.self_ns;
        if (node.truncated) {
            ++truncated;
            EXPECT_EQ(node.times.self_ns, 20 * node.times.calls);
            EXPECT_EQ(node.times.cpu.self_ns, 10 * node.times.calls);
        }
    }
    EXPECT_EQ(truncated, 1U);
    EXPECT_EQ(cpu_ns, 2'200U - 20 * 20);
    EXPECT_EQ(p.functions[2].times.cpu.self_ns, 20 * 4U) << "of C, wherever it was called";
    for (const profile::Edge& edge : p.edges) {
        if (edge.callee == 2) {
            EXPECT_EQ(edge.times.cpu.self_ns, 4 * edge.times.calls);
        }
    }
}

}  // namespace
}  // namespace umbra::collector
