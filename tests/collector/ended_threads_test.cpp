// SPDX-License-Identifier: MIT
// Threads that have ended are sums, in which nothing is lost; the heaviest stay by themselves.
#include "src/collector/state/ended_threads.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "src/profile/report.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::RecordStream;
using testing::Replayed;

/// What a thread does: A calls B; the more it is worth, the longer.
RecordStream worth(uint64_t ticks) {
    return RecordStream()
        .enter('A', 100, 1'000)
        .enter('B', 90, 1'010)
        .leave('B', 90, 1'010 + ticks)
        .leave('A', 100, 1'020 + ticks);
}

replay::Limits few_threads(replay::TreeShape tree) {
    replay::Limits limits;
    limits.tree = tree;
    limits.waiting_threads = 2;
    limits.heaviest_threads = 3;
    limits.own_trees = 5;
    return limits;
}

constexpr uint64_t kComeAndGo = 600;  // some more than are looked at together

/// Threads one after the other, the 77th of which is worth most.
void come_and_go(Replayed& replayed) {
    for (uint32_t number = 0; number < kComeAndGo; ++number) {
        ProfiledThread& thread = replayed.thread(1 + number % 20);
        thread.set_name((number % 2 == 0 ? "even " : "odd ") + std::to_string(number));
        replayed.feed(worth(number == 77 ? 5'000 : 100));
        thread.end(10'000);
        replayed.state().retire_ended();
    }
}

TEST(EndedThreads, ThreadsThatEndedBecomeSumsByNameAndTheHeaviestStay) {
    Replayed replayed(few_threads(replay::TreeShape::kFolded));
    come_and_go(replayed);
    const profile::Profile p = replayed.profile(20'000);
    EXPECT_LT(replayed.state().threads().size(), 300U);
    std::map<std::string, uint64_t> sums;
    uint64_t threads = 0;
    uint64_t calls = 0;
    uint64_t events = 0;
    for (const profile::Thread& thread : p.threads) {
        threads += thread.threads;
        calls += thread.calls;
        events += thread.events;
        if (thread.threads > 1) {
            sums[thread.name] = thread.threads;
            EXPECT_EQ(thread.calls, 2 * thread.threads);
            EXPECT_EQ(thread.covered_ns, 120 * thread.threads);
            EXPECT_EQ(thread.start_ns, 0U);
            EXPECT_EQ(thread.end_ns, 10'000U);
        }
    }
    EXPECT_EQ(threads, kComeAndGo);
    EXPECT_EQ(calls, 2 * kComeAndGo);
    EXPECT_EQ(events, 4 * kComeAndGo);
    ASSERT_EQ(sums.size(), 2U);
    EXPECT_GT(sums["even *"], 100U);
    EXPECT_GT(sums["odd *"], 100U);
    EXPECT_TRUE(std::ranges::any_of(p.threads, [](const profile::Thread& thread) {
        return thread.name == "odd 77" && thread.covered_ns == 5'020;
    }));
    EXPECT_EQ(p.functions[1].times.total_ns, 100 * (kComeAndGo - 1) + 5'000);
    EXPECT_EQ(p.functions[1].times.min_ns, 100U);
    EXPECT_EQ(p.functions[1].times.max_ns, 5'000U);
    EXPECT_EQ(p.session.losses.events(), 0U);
}

TEST(EndedThreads, InAFullTreeLaterThreadsShareTheirPaths) {
    Replayed replayed(few_threads(replay::TreeShape::kFull));
    come_and_go(replayed);
    const profile::Profile p = replayed.profile(20'000);
    ASSERT_EQ(p.threads.size(), 6U);
    EXPECT_EQ(p.threads[4].name, "even 4");
    EXPECT_EQ(p.threads[5].name, "(later threads)");
    EXPECT_EQ(p.threads[5].threads, kComeAndGo - 5);
    EXPECT_EQ(p.threads[5].calls, 2 * (kComeAndGo - 5));
    EXPECT_EQ(p.calltree.size(), 12U) << "two paths each";
    EXPECT_EQ(p.calltree.back().thread, 5U);
    EXPECT_EQ(p.calltree.back().times.calls, kComeAndGo - 5);
    EXPECT_EQ(replayed.state().ended().threads(), kComeAndGo - replayed.state().threads().size());
}

// As they would be in a snapshot taken before.
TEST(EndedThreads, WhatAThreadWasInAtItsEndStaysUnfinished) {
    for (const bool retired : {false, true}) {
        SCOPED_TRACE(retired);
        replay::Limits limits = few_threads(replay::TreeShape::kFolded);
        limits.waiting_threads = retired ? 0 : 1'000;
        limits.heaviest_threads = retired ? 0 : 1'000;
        Replayed replayed(limits);
        for (uint32_t number = 0; number < 300; ++number) {
            ProfiledThread& thread = replayed.thread(number + 1);
            replayed.state().note_pause({.begin_ticks = 500 * number + 100,
                                         .suspended_ticks = 0,
                                         .end_ticks = 500 * number + 200});
            thread.add_off_cpu(500 * number + 30, 500 * number + 50);
            replayed.feed(RecordStream()
                              .enter('A', 100, 500 * number + 10)
                              .enter('B', 90, 500 * number + 20)
                              .control(ControlType::kExceptionThrown, 3, 500 * number + 60));
            thread.end(500 * number + 300);
        }
        replayed.state().retire_ended();
        EXPECT_EQ(replayed.state().ended().threads(), retired ? 300U : 0U);
        const profile::Profile p = replayed.profile(200'000);
        const profile::CallTimes& a = p.functions[0].times;
        const profile::CallTimes& b = p.functions[1].times;
        EXPECT_EQ(a.calls, 300U);
        EXPECT_EQ(a.unfinished, 300U);
        EXPECT_EQ(a.total_ns, 300U * 290);
        EXPECT_EQ(a.self_ns, 300U * 10);
        EXPECT_EQ(b.self_ns, 300U * 280);
        EXPECT_EQ(b.min_ns, 280U);
        EXPECT_EQ(b.max_ns, 280U);
        EXPECT_EQ(b.paused.self_ns, 300U * 100);
        EXPECT_EQ(p.calltree[1].times.total_ns, 300U * 280);
        EXPECT_EQ(p.calltree[1].times.unfinished, 300U);
        ASSERT_EQ(p.pauses.size(), 300U);
        for (const profile::Pause& pause : p.pauses) {
            EXPECT_EQ(pause.threads, 1U);
        }
        ASSERT_EQ(p.exceptions.size(), 1U);
        EXPECT_EQ(p.exceptions[0].count, 300U);
        EXPECT_TRUE(p.histograms.empty());
    }
}

TEST(EndedThreads, CompilationsOfThreadsThatAreSumsAreTheirs) {
    replay::Limits limits = few_threads(replay::TreeShape::kFolded);
    limits.waiting_threads = 0;
    limits.heaviest_threads = 0;
    Replayed replayed(limits);
    for (uint32_t number = 0; number < 300; ++number) {
        ProfiledThread& thread = replayed.thread(number + 1);
        thread.set_name(number % 3 == 0 ? "" : "compiler");
        RecordStream stream;
        if (number % 3 == 0) {
            stream.tell("10 enter A 100");
        }
        stream.tell("20 compile_started B, 30 compile_finished B");
        replayed.feed(stream);
        thread.end(40);
    }
    replayed.state().retire_ended();
    const profile::Profile p = replayed.profile(50);
    ASSERT_EQ(p.threads.size(), 2U);
    ASSERT_EQ(p.compilations.size(), 300U);
    for (const profile::Compilation& compilation : p.compilations) {
        ASSERT_LT(compilation.thread, p.threads.size());
    }
    EXPECT_EQ(p.compilations[0].thread, p.compilations[3].thread);
    EXPECT_NE(p.compilations[0].thread, p.compilations[1].thread);
    EXPECT_EQ(p.threads[p.compilations[1].thread].name, "compiler");
    const profile::CompilationSums sums = profile::compilation_sums(p);
    EXPECT_EQ(sums.count, 300U);
    EXPECT_EQ(sums.background_count, 200U);
}

TEST(EndedThreads, NumbersDoNotCountInNames) {
    EXPECT_EQ(name_of_many("worker 12"), "worker *");
    EXPECT_EQ(name_of_many("7 of 100"), "* of *");
    EXPECT_EQ(name_of_many(".NET TP Worker"), ".NET TP Worker");
    EXPECT_EQ(name_of_many(""), "");
}

}  // namespace
}  // namespace umbra::collector
