// SPDX-License-Identifier: MIT
// Threads, names, compilations and snapshots of a whole session.
#include "src/collector/state/session_state.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "src/collector/tables/profile_builder.h"
#include "src/replay/linear_clock.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::RecordStream;
using testing::Replayed;

TEST(SessionState, ASnapshotCutsOpenCallsOffAndDisturbsNothing) {
    Replayed replayed("10 enter A 100, 20 enter B 90, 25 leave B 90, 30 enter B 90");
    EXPECT_EQ(replayed.tree(50), "A 1 40/15 +1\n  B 2 25/25 +1\n");
    const profile::Profile open = replayed.profile(50);
    EXPECT_EQ(open.calltree[1].times.min_ns, 5U);
    EXPECT_EQ(open.calltree[1].times.max_ns, 20U);
    EXPECT_EQ(open.threads[0].covered_ns, 40U);
    EXPECT_EQ(open.session.wall_ns, 50U);
    uint64_t in_histograms = 0;
    for (const profile::HistogramBucket& bucket : open.histograms) {
        in_histograms += bucket.calls;
    }
    EXPECT_EQ(in_histograms, 1U) << "calls under way have no time yet";

    replayed.feed("90 leave B 90, 110 leave A 100");
    EXPECT_EQ(replayed.tree(200), "A 1 100/35\n  B 2 65/65\n");
}

TEST(SessionState, CallsOpenAtTheEndOfAThreadLastUntilThen) {
    Replayed replayed("10 enter A 100, 20 enter B 90");
    replayed.current().end(60);
    EXPECT_EQ(replayed.tree(1000), "A 1 50/10 +1\n  B 1 40/40 +1\n");
    EXPECT_EQ(replayed.profile(1000).threads[0].end_ns, 60U);
}

TEST(SessionState, RecordsMayFollowTheEndOfTheirThread) {
    Replayed replayed("10 enter A 100, 20 enter B 90");
    replayed.current().end(25);
    replayed.feed("40 leave B 90, 70 leave A 100, 80 enter C 100");
    EXPECT_EQ(replayed.tree(1000), "A 1 60/40\n  B 1 20/20\nC 1 0/0 +1\n");
    EXPECT_EQ(replayed.profile(1000).threads[0].repairs, 0U);
}

TEST(SessionState, AnUnfinishedChunkIsTakenUpWhereItStopped) {
    const RecordStream stream(
        "10 enter A 100, 20 waited 12, 25 enter B 90, 30 leave B 90, 40 leave A 100");
    const std::vector<uint64_t>& whole = stream.slots();
    // The producer writes one record at a time; a record is there when its first slot is.
    Replayed replayed;
    replayed.thread();
    std::vector<uint64_t> chunk(64, 0);
    size_t consumed = 0;
    const size_t records[] = {0, 2, 5, 7, 9, 11};
    for (size_t written = 0; written < std::size(records); ++written) {
        std::copy_n(whole.begin(), records[written], chunk.begin());
        consumed += replayed.current().consume(std::span(chunk).subspan(consumed), false);
        ASSERT_EQ(consumed, records[written]);
    }
    consumed += replayed.current().consume(std::span(chunk).subspan(consumed), true);
    EXPECT_EQ(consumed, chunk.size());
    EXPECT_EQ(replayed.tree(), "A 1 22/17\n  B 1 5/5\n");  // without the wait
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.calltree[0].times.raw.total_ns, 30U);
    EXPECT_EQ(p.threads[0].waits, 1U);
    EXPECT_EQ(p.threads[0].wait_ns, 8U);
    EXPECT_EQ(p.session.counts.waits, 1U);
    EXPECT_EQ(p.session.counts.events, 5U);
}

TEST(SessionState, ThreadsHaveTreesOfTheirOwn) {
    Replayed replayed("10 enter A 100, 20 leave A 100");
    replayed.thread(2);
    replayed.feed("15 enter A 100, 50 leave A 100");
    EXPECT_EQ(replayed.tree(), "A 1 10/10\n--\nA 1 35/35\n");
    const profile::Profile p = replayed.profile();
    EXPECT_EQ(p.functions[0].times.calls, 2U);
    EXPECT_EQ(p.functions[0].times.total_ns, 45U);
    ASSERT_EQ(p.thread_functions.size(), 2U);
    EXPECT_EQ(p.thread_functions[1].times.total_ns, 35U);
}

TEST(SessionState, ThreadNamesComeBeforeOrAfterTheirThreads) {
    SessionState state;
    state.note(protocol::ThreadNamed{.os_tid = 7, .name = "early"});
    ProfiledThread* first = state.add_thread(7, 0);
    ProfiledThread* second = state.add_thread(8, 0);
    ProfiledThread* third = state.add_thread(9, 0);
    second->set_kernel_name("kernel 8");
    third->set_kernel_name("kernel 9");
    state.note(protocol::ThreadNamed{.os_tid = 8, .name = "late"});
    first->end(10);
    state.add_thread(7, 20);
    state.note(protocol::ThreadNamed{.os_tid = 7, .name = "second user of 7"});
    const Snapshot snapshot = state.copy_out(30);
    EXPECT_EQ(snapshot.threads[0].name, "early");
    EXPECT_EQ(snapshot.threads[1].name, "late");
    EXPECT_EQ(snapshot.threads[2].name, "kernel 9");
    EXPECT_EQ(snapshot.threads[3].name, "second user of 7");
}

TEST(SessionState, ThreadsBeyondTheLimitAreCountedAsLost) {
    SessionState state(replay::Limits{.max_threads = 1});
    EXPECT_NE(state.add_thread(1, 0), nullptr);
    EXPECT_EQ(state.add_thread(2, 0), nullptr);
    const RecordStream stream("1 enter A 100, 2 leave A 100");
    EXPECT_EQ(state.shards().front().skip(stream.slots(), true), stream.slots().size());
    const profile::Profile p = build(state.copy_out(5), replay::LinearClock(0, 1e9), {});
    EXPECT_EQ(p.session.losses.no_thread_slot, 2U);
    EXPECT_TRUE(p.calltree.empty());
}

TEST(SessionState, ThreadsThatEndedTakeRoomForWhatTheyCalledOnly) {
    Replayed replayed;
    RecordStream stream;
    for (uint32_t call = 0; call < 50; ++call) {  // one function in each page of rows
        stream.record(hotpath::Kind::kEnter, 64 * call + 1, 100, 2 * call)
            .record(hotpath::Kind::kLeave, 64 * call + 1, 100, 2 * call + 1);
    }
    ProfiledThread& thread = replayed.thread();
    thread.consume(stream.slots(), true);
    const auto& functions = thread.replay().stack().functions();
    EXPECT_GT(functions.bytes(), 50 * 64 * sizeof(replay::ThreadFunction));
    thread.end(100);
    EXPECT_LE(functions.bytes(), 51 * (sizeof(replay::ThreadFunction) + sizeof(uint32_t)));
    EXPECT_EQ(replayed.profile().thread_functions.size(), 50U);
}

TEST(SessionState, CompilationsNestAndBelongToTheirThread) {
    const Replayed replayed(
        "5 compile_finished I, 10 compile_started A, 20 compile_started B, 30 compile_finished B, "
        "40 compile_started C, 50 compile_finished A, 60 compile_finished C, 70 compile_started A, "
        "75 compile_finished A");
    const profile::Profile p = replayed.profile();
    using Row = std::array<uint64_t, 5>;  // thread, function, version, begin, length
    std::vector<Row> rows;
    for (const profile::Compilation& row : p.compilations) {
        rows.push_back({row.thread, row.function, row.version, row.start_ns, row.duration_ns});
    }
    EXPECT_EQ(rows, (std::vector<Row>{{0, 1, 1, 20, 10}, {0, 0, 1, 10, 40}, {0, 0, 2, 70, 5}}));
}

TEST(SessionState, OfCompilationsBeyondTheLimitTheLongestHaveRowsAndAllAreInTheSums) {
    replay::Limits limits;
    limits.longest_compilations = 3;
    Replayed replayed(limits);
    replayed.thread();
    uint64_t now = 10;
    uint64_t compiled = 0;
    for (uint64_t round = 1; round <= 100; ++round) {
        const uint64_t ticks = round == 50 ? 1'000 : round == 7 ? 900 : round % 10;
        RecordStream stream;
        for (const uint32_t function : {1U, 2U}) {
            stream.control(ControlType::kCompileStarted, function, now);
            stream.control(ControlType::kCompileFinished, function, now + ticks + function);
            now += 2'000;
            compiled += ticks + function;
        }
        replayed.feed(stream);
    }
    const profile::Profile p = replayed.profile(now);
    ASSERT_EQ(p.compilations.size(), 3U);
    EXPECT_EQ(p.compilations[0].duration_ns, 902U);
    EXPECT_EQ(p.compilations[0].version, 7U);
    EXPECT_EQ(p.compilations[1].duration_ns, 1'001U);
    EXPECT_EQ(p.compilations[2].duration_ns, 1'002U);
    EXPECT_EQ(p.compilations[2].version, 50U);
    ASSERT_EQ(p.compilation_sums.size(), 2U);
    EXPECT_EQ(p.compilation_sums[0].count, 100U);
    EXPECT_EQ(p.compilation_sums[1].longest_ns, 1'002U);
    EXPECT_EQ(p.compilation_sums[0].duration_ns + p.compilation_sums[1].duration_ns, compiled);
    EXPECT_EQ(p.threads[0].compilations, 200U);
    EXPECT_EQ(p.threads[0].compiling_ns, compiled);
    uint64_t in_slices = 0;
    for (const profile::TimeSlice& slice : p.time_slices) {
        in_slices += slice.compilations;
    }
    EXPECT_EQ(in_slices, 200U);
    EXPECT_EQ(p.session.losses.rows, 0U);
}

TEST(SessionState, FramesOfAllThreadsTogetherAreBounded) {
    constexpr uint32_t kDepth = 1000;
    constexpr uint32_t kThreads = 20;
    SessionState state(replay::Limits{.max_frames = 4 * kDepth});
    for (uint32_t thread = 0; thread < kThreads; ++thread) {
        RecordStream stream;
        for (uint32_t depth = 0; depth < kDepth; ++depth) {
            stream.enter('A', 8 * (kDepth - depth), 1 + depth);
        }
        ProfiledThread* deep = state.add_thread(thread + 1, 0);
        ASSERT_NE(deep, nullptr);
        deep->consume(stream.slots(), true);
        deep->end(kDepth);  // in the middle of its calls
    }
    const profile::Profile p = build(state.copy_out(kDepth), replay::LinearClock(0, 1e9), {});
    // A few frames each thread has whatever the others hold.
    EXPECT_GE(p.session.losses.depth, uint64_t{kThreads - 5} * (kDepth - 100));
    ASSERT_EQ(p.functions.size(), 1U);
    EXPECT_EQ(p.functions[0].times.calls + p.session.losses.depth, uint64_t{kThreads} * kDepth);
}

TEST(SessionState, FramesOfCallsThatEndedAreThereForOthers) {
    constexpr uint32_t kDepth = 1000;
    SessionState state(replay::Limits{.max_frames = 2 * kDepth});
    for (uint32_t thread = 0; thread < 20; ++thread) {
        RecordStream stream;
        for (uint32_t depth = 0; depth < kDepth; ++depth) {
            stream.enter('A', 8 * (kDepth - depth), 1 + depth);
        }
        for (uint32_t depth = kDepth; depth-- > 0;) {
            stream.leave('A', 8 * (kDepth - depth), 2 * kDepth - depth);
        }
        ProfiledThread* deep = state.add_thread(thread + 1, 0);
        deep->consume(stream.slots(), true);
        deep->end(2 * kDepth);
    }
    const Snapshot snapshot = state.copy_out(2 * kDepth);
    EXPECT_EQ(build(snapshot, replay::LinearClock(0, 1e9), {}).session.losses.depth, 0U);
}

TEST(SessionState, NamesOfThreadsThatAreNeverSeenLeaveRoomForOthers) {
    SessionState state;
    for (uint32_t tid = 1; tid <= 100'000; ++tid) {
        state.note(protocol::ThreadNamed{.os_tid = tid, .name = "n" + std::to_string(tid)});
    }
    state.add_thread(100'000, 0);
    EXPECT_EQ(state.copy_out(1).threads[0].name, "n100000");
}

TEST(SessionState, TablesAreBoundedAndSayWhatTheyLeftOut) {
    replay::Limits limits;
    limits.max_name_bytes = 20'000;
    SessionState state(limits);
    state.note(protocol::TypeNamed{.index = 1, .name = std::string(100'000, 'x')});
    state.note(protocol::TypeNamed{.index = 0xffff'ffff, .name = "x"});
    state.note(protocol::ModuleLoaded{.index = 0, .path = "x", .framework = false});
    const profile::Profile p = build(state.copy_out(5), replay::LinearClock(0, 1e9), {});
    EXPECT_EQ(p.session.losses.rows, 3U);
}

TEST(SessionState, FunctionsKnowTheirNamesAndModules) {
    SessionState state;
    ProfiledThread* thread = state.add_thread(1, 0);
    state.note(protocol::ModuleLoaded{.index = 3, .path = "/opt/app/app.dll", .framework = false});
    protocol::FunctionNamed named;
    named.index = 2;
    named.module = 3;
    named.token = 0x06000001;
    named.instrumented = true;
    named.namespace_ = "Acme";
    named.type = "Cart+Line";
    named.method = "Add";
    named.parameters = "(int)";
    state.note(named);
    RecordStream stream("1 enter B 100, 2 enter A 90, 3 leave A 90, 4 leave B 100");
    thread->consume(stream.slots(), true);
    const profile::Profile p = build(state.copy_out(5), replay::LinearClock(0, 1e9), {});
    ASSERT_EQ(p.functions.size(), 2U);
    EXPECT_EQ(p.functions[0].name, "function 1 (name unknown)");
    EXPECT_EQ(p.functions[0].module, profile::kNone);
    EXPECT_EQ(p.functions[1].name, "Acme.Cart.Line.Add(int)");
    EXPECT_EQ(p.functions[1].token, 0x06000001U);
    EXPECT_TRUE(p.functions[1].instrumented);
    ASSERT_EQ(p.functions[1].module, 0U);
    EXPECT_EQ(p.modules[0].name, "app.dll");
}

TEST(SessionState, WhatAFunctionWasInlinedIntoIsToldByName) {
    SessionState state;
    for (uint32_t index = 1; index <= 12; ++index) {
        protocol::FunctionNamed named;
        named.index = index;
        named.type = "Cart";
        named.method = "M" + std::to_string(index);
        named.trivial = index == 12;
        state.note(named);
    }
    state.note(protocol::Inlined{1, 2});
    state.note(protocol::Inlined{1, 3});
    state.note(protocol::Inlined{1, 2});
    state.note(protocol::Inlined{4, 0});
    for (uint32_t into = 2; into <= 12; ++into) {
        state.note(protocol::Inlined{11, into});
    }
    state.note(protocol::Inlined{0, 2});
    state.note(protocol::Inlined{0xffff'ffff, 2});
    state.note(protocol::Inlined{2, 0xffff'ffff});
    const profile::Profile p = build(state.copy_out(5), replay::LinearClock(0, 1e9), {});
    ASSERT_EQ(p.functions.size(), 12U);
    EXPECT_EQ(p.functions[0].inlined_into, "Cart.M2, Cart.M3");
    EXPECT_EQ(p.functions[3].inlined_into, "code made at run time");
    EXPECT_EQ(p.functions[10].inlined_into,
              "Cart.M2, Cart.M3, Cart.M4, Cart.M5, Cart.M6, Cart.M7, Cart.M8, Cart.M9 and more");
    EXPECT_EQ(p.functions[1].inlined_into, "");
    EXPECT_TRUE(p.functions[11].trivial);
    EXPECT_FALSE(p.functions[0].trivial);
    EXPECT_EQ(p.session.losses.rows, 3U);
}

protocol::FunctionNamed named_of(uint32_t index, uint32_t runtime) {
    protocol::FunctionNamed named;
    named.index = index;
    named.method = "Run";
    named.runtime = runtime;
    return named;
}

TEST(SessionState, FunctionsModulesAndThreadsKnowTheirRuntimes) {
    SessionState state;
    state.note(protocol::RuntimeStarted{1, ".NET 10.0.12"});
    state.note(protocol::RuntimeStarted{2, ".NET 9.0.18"});
    state.note(
        protocol::ModuleLoaded{.index = 1, .path = "/a.dll", .framework = false, .runtime = 2});
    state.note(
        protocol::ModuleLoaded{.index = 2, .path = "/b.dll", .framework = false, .runtime = 7});
    state.note(named_of(1, 1));
    state.note(named_of(2, 2));
    state.note(named_of(3, 0));
    const std::array<std::string_view, 4> calls = {"A", "BC", "AB", "C"};  // by thread
    for (uint32_t thread = 0; thread < calls.size(); ++thread) {
        RecordStream stream;
        for (const char function : calls[thread]) {
            stream.enter(function, 100, 1).leave(function, 100, 2);
        }
        state.add_thread(thread + 1, 0)->consume(stream.slots(), true);
    }
    const profile::Profile p = build(state.copy_out(5), replay::LinearClock(0, 1e9), {});
    ASSERT_EQ(p.runtimes.size(), 2U);
    EXPECT_EQ(p.runtimes[1].version, ".NET 9.0.18");
    EXPECT_EQ(p.modules[0].runtime, 1U);
    EXPECT_EQ(p.modules[1].runtime, profile::kNone) << "never heard of";
    EXPECT_EQ(p.functions[0].runtime, 0U);
    EXPECT_EQ(p.functions[1].runtime, 1U);
    EXPECT_EQ(p.functions[2].runtime, profile::kNone);
    ASSERT_EQ(p.threads.size(), 4U);
    EXPECT_EQ(p.threads[0].runtime, 0U);
    EXPECT_EQ(p.threads[1].runtime, 1U);
    EXPECT_EQ(p.threads[2].runtime, profile::kNone) << "methods of both";
    EXPECT_EQ(p.threads[3].runtime, profile::kNone);
}

TEST(SessionState, HistogramsHoldEveryEndedCallInABucketAroundItsTime) {
    RecordStream stream;
    uint64_t now = 0;
    for (const uint64_t duration : {5U, 40U, 41U, 1000U}) {
        stream.enter('A', 100, now).leave('A', 100, now + duration);
        now += duration;
    }
    const profile::Profile p = Replayed(stream).profile();
    using Bucket = std::array<uint64_t, 3>;  // from, to, calls
    std::vector<Bucket> buckets;
    for (const profile::HistogramBucket& bucket : p.histograms) {
        buckets.push_back({bucket.lower_ns, bucket.upper_ns, bucket.calls});
    }
    EXPECT_EQ(buckets, (std::vector<Bucket>{{0, 32, 1}, {40, 48, 2}, {896, 1024, 1}}));
}

TEST(LinearClock, TakesAnyValueAndSaturates) {
    constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();
    EXPECT_EQ(replay::LinearClock(100, 2e9).time_ns(300), 100U);
    EXPECT_EQ(replay::LinearClock(100, 2e9).time_ns(50), 0U);
    EXPECT_EQ(replay::LinearClock(0, 1.0).duration_ns(kMax), kMax);
    EXPECT_EQ(replay::LinearClock(0, 0.0).duration_ns(7), 7U);
    EXPECT_EQ(replay::LinearClock(0, -5.0).duration_ns(7), 7U);
    EXPECT_EQ(replay::LinearClock(0, std::nan("")).duration_ns(7), 7U);
    EXPECT_EQ(replay::LinearClock(0, 1e9).duration_ns(kMax), kMax);
}

}  // namespace
}  // namespace umbra::collector
