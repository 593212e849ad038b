// SPDX-License-Identifier: MIT
// Times of functions, edges and threads, worked out from call trees made by hand.
#include "src/profile/derive.h"

#include <cstdint>
#include <utility>

#include <gtest/gtest.h>

namespace umbra::profile {
namespace {

constexpr Row kA = 0;
constexpr Row kB = 1;
constexpr Row kC = 2;

Profile make_profile(size_t threads = 1) {
    Profile p;
    p.functions.resize(3);
    p.threads.resize(threads);
    return p;
}

/// Adds a node; its min and max are those of calls of equal length. Raw times are 1,000 times as
/// long, times on a processor 10 times, paused ones 100 times, so that none is taken for another.
Row add(Profile& p, Row parent, Row function, uint64_t calls, uint64_t total_ns, uint64_t self_ns,
        Row thread = 0) {
    p.calltree.push_back({.parent = parent,
                          .function = function,
                          .thread = thread,
                          .times = {.calls = calls,
                                    .unfinished = 0,
                                    .total_ns = total_ns,
                                    .self_ns = self_ns,
                                    .min_ns = total_ns / calls,
                                    .max_ns = total_ns / calls,
                                    .raw = {total_ns * 1'000, self_ns * 1'000},
                                    .cpu = {total_ns * 10, self_ns * 10},
                                    .paused = {total_ns * 100, self_ns * 100}}});
    return static_cast<Row>(p.calltree.size() - 1);
}

CallTimes edge(const Profile& p, Row caller, Row callee) {
    for (const Edge& row : p.edges) {
        if (row.caller == caller && row.callee == callee) {
            return row.times;
        }
    }
    ADD_FAILURE() << "no edge " << caller << " -> " << callee;
    return {};
}

TEST(Derive, AddsPathsOfOneFunctionUp) {
    Profile p = make_profile();
    const Row a = add(p, kNone, kA, 1, 100, 40);
    add(p, a, kC, 2, 20, 20);
    const Row b = add(p, a, kB, 1, 40, 10);
    add(p, b, kC, 3, 30, 30);
    derive(p);
    EXPECT_EQ(p.functions[kA].times.total_ns, 100U);
    EXPECT_EQ(p.functions[kA].times.self_ns, 40U);
    EXPECT_EQ(p.functions[kC].times.calls, 5U);
    EXPECT_EQ(p.functions[kC].times.total_ns, 50U);
    EXPECT_EQ(p.functions[kC].times.self_ns, 50U);
    EXPECT_EQ(p.edges.size(), 4U);
    EXPECT_EQ(edge(p, kNone, kA).calls, 1U);
    EXPECT_EQ(edge(p, kA, kC).total_ns, 20U);
    EXPECT_EQ(edge(p, kB, kC).total_ns, 30U);
    EXPECT_EQ(p.threads[0].covered_ns, 100'000U) << "raw";
    EXPECT_EQ(p.threads[0].calls, 7U);
}

TEST(Derive, DirectRecursionCountsItsTimeOnce) {
    Profile p = make_profile();
    const Row first = add(p, kNone, kA, 1, 100, 30);
    const Row second = add(p, first, kA, 1, 70, 30);
    add(p, second, kA, 1, 40, 40);
    derive(p);
    EXPECT_EQ(p.functions[kA].times.calls, 3U);
    EXPECT_EQ(p.functions[kA].times.total_ns, 100U);
    EXPECT_EQ(p.functions[kA].times.self_ns, 100U);
    EXPECT_EQ(p.functions[kA].times.min_ns, 40U);
    EXPECT_EQ(p.functions[kA].times.max_ns, 100U);
    EXPECT_EQ(edge(p, kA, kA).calls, 2U);
    EXPECT_EQ(edge(p, kA, kA).total_ns, 70U);
    EXPECT_EQ(p.thread_functions[0].times.total_ns, 100U);
}

TEST(Derive, MutualRecursionCountsEachFunctionAndEachEdgeOnce) {
    Profile p = make_profile();
    const Row a1 = add(p, kNone, kA, 1, 100, 10);
    const Row b1 = add(p, a1, kB, 1, 90, 20);
    const Row a2 = add(p, b1, kA, 1, 70, 30);
    const Row b2 = add(p, a2, kB, 1, 40, 30);
    add(p, b2, kC, 1, 10, 10);
    derive(p);
    EXPECT_EQ(p.functions[kA].times.total_ns, 100U);
    EXPECT_EQ(p.functions[kB].times.total_ns, 90U);
    EXPECT_EQ(edge(p, kA, kB).total_ns, 90U);
    EXPECT_EQ(edge(p, kA, kB).calls, 2U);
    EXPECT_EQ(edge(p, kB, kA).total_ns, 70U);
    EXPECT_EQ(edge(p, kB, kC).total_ns, 10U);
    EXPECT_EQ(p.functions[kA].times.self_ns + p.functions[kB].times.self_ns +
                  p.functions[kC].times.self_ns,
              100U);
}

void expect_in_step(const CallTimes& times) {
    EXPECT_EQ(times.raw.total_ns, times.total_ns * 1'000);
    EXPECT_EQ(times.raw.self_ns, times.self_ns * 1'000);
    EXPECT_EQ(times.cpu.total_ns, times.total_ns * 10);
    EXPECT_EQ(times.cpu.self_ns, times.self_ns * 10);
    EXPECT_EQ(times.paused.total_ns, times.total_ns * 100);
    EXPECT_EQ(times.paused.self_ns, times.self_ns * 100);
}

TEST(Derive, RawProcessorAndPausedTimesAddUpLikeWallTimes) {
    Profile p = make_profile();
    const Row a1 = add(p, kNone, kA, 1, 100, 10);
    const Row b1 = add(p, a1, kB, 1, 90, 20);
    const Row a2 = add(p, b1, kA, 1, 70, 40);
    add(p, a2, kB, 1, 30, 30);
    add(p, kNone, kB, 2, 8, 8);
    derive(p);
    EXPECT_EQ(p.functions[kB].times.raw.total_ns, 98'000U);
    EXPECT_EQ(p.functions[kB].times.raw.self_ns, 58'000U);
    for (const Function& function : p.functions) {
        expect_in_step(function.times);
    }
    for (const Edge& row : p.edges) {
        expect_in_step(row.times);
    }
    for (const ThreadFunction& row : p.thread_functions) {
        expect_in_step(row.times);
    }
}

TEST(Derive, AfterARecursionItsFunctionCountsAgain) {
    Profile p = make_profile();
    const Row b = add(p, kNone, kB, 1, 100, 20);
    const Row a1 = add(p, b, kA, 1, 50, 30);
    add(p, a1, kA, 1, 20, 20);
    const Row c = add(p, b, kC, 1, 30, 10);
    add(p, c, kA, 2, 20, 20);
    derive(p);
    EXPECT_EQ(p.functions[kA].times.total_ns, 70U);
    EXPECT_EQ(p.functions[kA].times.min_ns, 10U);
}

TEST(Derive, ThreadsAreKeptApart) {
    Profile p = make_profile(2);
    const Row a0 = add(p, kNone, kA, 1, 100, 60, 0);
    const Row a1 = add(p, kNone, kA, 1, 10, 5, 1);
    add(p, a0, kB, 1, 40, 40, 0);
    add(p, a1, kB, 1, 5, 5, 1);
    add(p, kNone, kB, 1, 7, 7, 1);
    derive(p);
    EXPECT_EQ(p.threads[0].covered_ns, 100'000U);
    EXPECT_EQ(p.threads[1].covered_ns, 17'000U);
    EXPECT_EQ(p.functions[kB].times.total_ns, 52U);
    ASSERT_EQ(p.thread_functions.size(), 4U);
    for (const ThreadFunction& row : p.thread_functions) {
        if (row.thread == 1 && row.function == kB) {
            EXPECT_EQ(row.times.total_ns, 12U);
            EXPECT_EQ(row.times.calls, 2U);
        }
    }
}

TEST(Derive, WorksOutAnewWhatWasThere) {
    Profile p = make_profile();
    add(p, kNone, kA, 1, 100, 100);
    derive(p);
    const Profile once = p;
    derive(p);
    EXPECT_EQ(p.edges.size(), once.edges.size());
    EXPECT_EQ(p.functions[kA].times.total_ns, 100U);
    EXPECT_EQ(p.threads[0].covered_ns, 100'000U);
}

TEST(Derive, PathsMayBeVeryDeep) {
    Profile p = make_profile();
    constexpr Row kDepth = 200'000;
    for (Row depth = 0; depth < kDepth; ++depth) {
        add(p, depth == 0 ? kNone : depth - 1, depth % 3, 1, kDepth - depth, 1);
    }
    derive(p);
    EXPECT_EQ(p.functions[kA].times.total_ns, kDepth);
    EXPECT_EQ(p.functions[kB].times.total_ns, kDepth - 1);
    EXPECT_EQ(p.threads[0].covered_ns, uint64_t{kDepth} * 1'000);
}

TEST(Derive, AnEmptyTreeIsFine) {
    Profile p = make_profile();
    derive(p);
    EXPECT_TRUE(p.edges.empty());
    EXPECT_EQ(p.functions[kA].times.calls, 0U);
}

}  // namespace
}  // namespace umbra::profile
