// SPDX-License-Identifier: MIT
// From records of several threads to the tables of logical async calls.
#include "src/collector/tables/async_tables.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/segment.h"
#include "src/collector/tables/profile_builder.h"
#include "src/profile/neighbours.h"
#include "src/replay/linear_clock.h"
#include "tests/collector/argument_values.h"
#include "tests/collector/record_stream.h"
#include "tests/collector/slow_calls.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using hotpath::RegisteredMethod;
using testing::RecordStream;
using testing::Replayed;

constexpr uint64_t kBox = 0x7000;  // types
constexpr uint64_t kDelay = 0x7100;
constexpr uint64_t kMoveNext = RegisteredMethod::pack(1, 0x0600'0001);  // of A

/// A record of async calls with keys and a type.
RecordStream& tell(RecordStream& stream, ControlType control, uint32_t operand, uint64_t ticks,
                   uint64_t keys, uint64_t type) {
    return stream.control(control, operand, ticks).payload(keys).payload(type);
}

/// A is called on one thread at 100, waits for a timer from 200, is ready at 500, goes on on
/// another thread at 600 and has its result at 700.
struct TwoThreads {
    TwoThreads() {
        first.enter('A', 900, 100);
        tell(first, ControlType::kAsyncSuspended, 800, 200, hotpath::make_async_keys(1, 0), kBox);
        tell(first, ControlType::kAsyncAwaits, 790, 201, hotpath::make_async_keys(1, 2), kDelay);
        first.leave('A', 900, 210);
        tell(second, ControlType::kWorkQueued, 900, 500, hotpath::make_async_keys(1, 0), kBox);
        tell(second, ControlType::kAsyncResumed, 950, 600, hotpath::make_async_keys(1, 0), kBox);
        second.enter('A', 900, 610);
        tell(second, ControlType::kAsyncCompleted, 800, 700, hotpath::make_async_keys(1, 0), kBox);
        second.leave('A', 900, 710).control(ControlType::kAsyncResumeEnds, 950, 720);
    }
    RecordStream first;
    RecordStream second;
};

/// Of each function.
const std::vector<RegisteredMethod>& methods() {
    static const std::vector<RegisteredMethod> all = [] {
        std::vector<RegisteredMethod> registered(64);
        registered[RecordStream::index('A')].word.store(kMoveNext);
        return registered;
    }();
    return all;
}

std::vector<uint8_t> machines() {
    std::vector<uint8_t> traits(64, 0);
    traits[RecordStream::index('A')] = hotpath::kStateMachine;
    return traits;
}

void name_types(SessionState& state) {
    state.note(protocol::AsyncTypeNamed{.address = kBox,
                                        .method = kMoveNext,
                                        .cancelled = false,
                                        .name = "Acme.Orders+<Load>d__1"});
    state.note(protocol::AsyncTypeNamed{.address = kDelay,
                                        .method = 0,
                                        .cancelled = false,
                                        .name = "System.Threading.Tasks.Task+DelayPromise"});
}

/// E begins D, its state machine.
void name_body(SessionState& state) {
    protocol::FunctionNamed body;
    body.index = RecordStream::index('D');
    body.instrumented = true;
    body.type = "T+<E>d__1";
    body.method = "MoveNext";
    body.user_parameters = "()";
    state.note(body);
}

/// What two threads have told, at `now_ticks`.
profile::Profile profile_of(Replayed& replayed, const std::vector<uint8_t>& traits,
                            const RecordStream& first, const RecordStream& second,
                            uint64_t now_ticks = 1'000) {
    replayed.state().follow_async({.traits = traits, .methods = methods()});
    replayed.thread(1);
    replayed.feed(first);
    replayed.thread(2);
    replayed.feed(second);
    name_types(replayed.state());
    replayed.state().merge_async(UINT64_MAX, 0);
    return replayed.profile(now_ticks);
}

void expect_the_call(const profile::Profile& p) {
    ASSERT_EQ(p.async_methods.size(), 1U);
    const profile::AsyncCounts& counts = p.async_methods[0].counts;
    EXPECT_EQ(Replayed::name(p, p.async_methods[0].function), "A");
    EXPECT_EQ(counts.calls, 1U);
    EXPECT_EQ(counts.results, 1U);
    EXPECT_EQ(counts.suspensions, 1U);
    EXPECT_EQ(counts.times.wall_ns, 600U);
    EXPECT_EQ(counts.times.running_ns, 200U);
    EXPECT_EQ(counts.times.outside_ns, 300U);
    EXPECT_EQ(counts.times.queued_ns, 100U);
    EXPECT_EQ(p.async_methods[0].max_ns, 600U);
    ASSERT_EQ(p.async_tree.size(), 1U);
    EXPECT_EQ(p.async_tree[0].parent, profile::kNone);
    EXPECT_EQ(p.async_tree[0].how, "root");
    ASSERT_EQ(p.async_waits.size(), 1U);
    EXPECT_EQ(p.async_waits[0].awaited, "Task.Delay");
    EXPECT_EQ(p.async_waits[0].total_ns, 300U);
}

TEST(AsyncTables, ACallOnTwoThreadsIsOneRow) {
    const std::vector<uint8_t> traits = machines();
    const TwoThreads records;
    Replayed replayed;
    const profile::Profile p = profile_of(replayed, traits, records.first, records.second);
    EXPECT_TRUE(p.session.async.followed);
    EXPECT_EQ(p.session.losses.decode_errors, 0U);
    expect_the_call(p);
}

TEST(AsyncTables, ThreadsOfTwoShardsAreMerged) {
    const std::vector<uint8_t> traits = machines();
    const TwoThreads records;
    SessionState state({}, false);
    state.follow_async({.traits = traits, .methods = methods()});
    Shard& other = state.add_shard();
    state.add_thread(2, 0, false, &other)->consume(records.second.slots(), true);
    state.add_thread(1, 0)->consume(records.first.slots(), true);
    name_types(state);
    protocol::FunctionNamed named;
    named.index = RecordStream::index('A');
    named.method = "A";
    state.note(named);
    state.merge_async(UINT64_MAX, 0);
    expect_the_call(build(state.copy_out(1'000), replay::LinearClock(0, 1e9), {}));
}

TEST(AsyncTables, TheSlowestCallIsRecordedWholeWithWhatItsPiecesRan) {
    const std::vector<uint8_t> traits = machines();
    const testing::Marks marks({'A'});
    const TwoThreads records;
    RecordStream first;
    first.enter('A', 900, 100).enter('B', 850, 120).leave('B', 850, 180);
    tell(first, ControlType::kAsyncSuspended, 800, 200, hotpath::make_async_keys(1, 0), kBox);
    tell(first, ControlType::kAsyncAwaits, 790, 201, hotpath::make_async_keys(1, 2), kDelay);
    first.leave('A', 900, 210);
    Replayed replayed(testing::keeping({2}));
    replayed.state().watch(marks.bytes());
    const profile::Profile p = profile_of(replayed, traits, first, records.second);
    EXPECT_EQ(testing::slow_text(p),
              "A 100+600 [running 100+100 [B 120+60] awaiting 200+300 queued 500+100 "
              "running 600+100]\n");
    ASSERT_EQ(p.slow_methods.size(), 1U) << "its pieces are no calls beside it";
    EXPECT_EQ(p.slow_methods[0].calls, 1U);
    const profile::SlowCall& call = p.slow_calls.at(0);
    EXPECT_EQ(call.outcome, "result");
    EXPECT_EQ(call.wall_ns, 600U);
    EXPECT_EQ(call.running_ns, 200U);
    EXPECT_EQ(call.awaiting_ns, 300U);
    EXPECT_EQ(call.queued_ns, 100U);
    EXPECT_EQ(call.calls, 1U);
    EXPECT_EQ(p.slow_slices.at(1).thread, 0U);
    EXPECT_EQ(p.slow_slices.back().thread, 1U);
    const auto awaiting =
        std::ranges::find(p.slow_slices, profile::SlowSlice::kAwaiting, &profile::SlowSlice::kind);
    ASSERT_NE(awaiting, p.slow_slices.end());
    EXPECT_EQ(awaiting->awaited, "Task.Delay");
}

/// D, which is async, hands work to the pool, in which C, which is not, calls A.
TEST(AsyncTables, ASlowCallWasCalledByWhatIsNotAsyncAsWell) {
    std::vector<uint8_t> traits = machines();
    traits[RecordStream::index('D')] = hotpath::kStateMachine;
    const testing::Marks marks({'A'});
    const uint64_t item = hotpath::make_async_keys(5, 0);
    RecordStream first;
    first.enter('D', 900, 100);
    tell(first, ControlType::kWorkQueued, 800, 110, item, kBox);
    first.leave('D', 900, 120);
    RecordStream second;
    tell(second, ControlType::kWorkRuns, 990, 200, item, kBox);
    second.enter('C', 900, 210).enter('A', 850, 220).leave('A', 850, 300).leave('C', 900, 310);
    second.control(ControlType::kWorkEnds, 990, 320);
    second.enter('A', 850, 400).leave('A', 850, 410);
    Replayed replayed(testing::keeping({2}));
    replayed.state().watch(marks.bytes());
    const profile::Profile p = profile_of(replayed, traits, first, second);
    ASSERT_EQ(p.async_tree.size(), 3U);
    EXPECT_EQ(p.async_tree[1].how, profile::AsyncNode::kSpawned);
    EXPECT_EQ(Replayed::name(p, p.async_tree[p.async_tree[1].parent].function), "D");
    ASSERT_EQ(p.slow_calls.size(), 2U);
    EXPECT_EQ(Replayed::name(p, p.slow_calls[0].caller), "C");
    EXPECT_EQ(p.slow_calls[0].caller, p.async_tree[1].caller) << "as callers are counted";
    EXPECT_EQ(p.slow_calls[1].caller, profile::kNone);
}

/// A calls B and E, which is async and whose body is D.
TEST(AsyncTables, WhatBeginsACallInASlowOneIsNotCountedBesideIt) {
    std::vector<uint8_t> traits = machines();
    traits[RecordStream::index('D')] = hotpath::kStateMachine;
    const testing::Marks marks({'A'});
    RecordStream first;
    first.enter('A', 900, 100).enter('B', 850, 120).leave('B', 850, 180);
    first.enter('E', 850, 200).enter('D', 800, 220).leave('D', 800, 250).leave('E', 850, 260);
    first.leave('A', 900, 300);
    Replayed replayed(testing::keeping({2}));
    replayed.state().watch(marks.bytes());
    name_body(replayed.state());
    const profile::Profile p = profile_of(replayed, traits, first, RecordStream());
    ASSERT_EQ(p.slow_calls.size(), 1U);
    EXPECT_EQ(p.slow_calls[0].calls, 2U);
    EXPECT_EQ(testing::slow_text(p),
              "A 100+200 [E 220+30 running 100+120 [B 120+60] running 250+50]\n");
}

/// C calls E, which calls itself twice, one call inside the other.
TEST(AsyncTables, ARecursiveCallWasMadeByItsMethod) {
    std::vector<uint8_t> traits = machines();
    traits[RecordStream::index('D')] = hotpath::kStateMachine;
    RecordStream first;
    first.enter('C', 950, 100).enter('E', 900, 110).enter('D', 850, 120);
    first.enter('E', 800, 130).enter('D', 750, 140).enter('E', 700, 150).enter('D', 650, 160);
    first.leave('D', 650, 170).leave('E', 700, 180).leave('D', 750, 190).leave('E', 800, 200);
    first.leave('D', 850, 210).leave('E', 900, 220).leave('C', 950, 230);
    Replayed replayed;
    name_body(replayed.state());
    const profile::Profile p = profile_of(replayed, traits, first, RecordStream());
    EXPECT_EQ(p.async_methods.at(0).counts.calls, 3U);
    ASSERT_EQ(p.async_tree.size(), 2U);
    EXPECT_EQ(p.async_tree[1].parent, profile::kNone) << "beside the outermost";
    std::map<std::string, uint64_t> calls;  // by caller
    for (const auto& [ends, counts] : logical_edges(p, profile::methods(p, true))) {
        EXPECT_EQ(Replayed::name(p, ends.second), "E");
        calls[Replayed::name(p, ends.first)] += counts.calls;
    }
    EXPECT_EQ(calls, (std::map<std::string, uint64_t>{{"C", 1}, {"E", 2}}));
}

/// B begins calls of A and is told an argument: the first takes from 100 to 700, the second, with
/// another value, is still open.
TEST(AsyncTables, ArgumentsHaveTheTimesOfWholeCalls) {
    const std::vector<uint8_t> traits = machines();
    const TwoThreads records;
    RecordStream first;
    const auto call = [&](uint64_t value, uint32_t key, uint64_t ticks) {
        first.enter('B', 950, ticks).argument(4, value, ticks + 5).enter('A', 900, ticks + 10);
        tell(first, ControlType::kAsyncSuspended, 800, ticks + 110,
             hotpath::make_async_keys(key, 0), kBox);
        first.leave('A', 900, ticks + 120).arguments_end('B', ticks + 130);
        first.leave('B', 950, ticks + 130);
    };
    call(42, 1, 90);
    call(43, 7, 400);
    Replayed replayed;
    replayed.state().note(testing::named(4, 'B', protocol::ArgumentNamed::kSigned, "id"));
    const profile::Profile p = profile_of(replayed, traits, first, records.second);
    ASSERT_EQ(p.argument_values.size(), 2U);
    EXPECT_EQ(p.argument_values[0].value, "42");
    EXPECT_EQ(p.argument_values[0].calls, 1U);
    EXPECT_EQ(p.argument_values[0].unfinished, 0U);
    EXPECT_EQ(p.argument_values[0].total_ns, 600U);
    EXPECT_EQ(p.argument_values[0].max_ns, 600U);
    EXPECT_EQ(p.argument_values[1].value, "43");
    EXPECT_EQ(p.argument_values[1].calls, 1U);
    EXPECT_EQ(p.argument_values[1].unfinished, 1U);
    EXPECT_EQ(p.argument_values[1].total_ns, 0U);
}

/// Nearly all calls are of one length, at the lower end of a bucket, and the longest is far longer.
TEST(AsyncTables, PercentilesAreAtMostAnEighthOff) {
    constexpr uint64_t kUsual = 2'100'000;
    constexpr uint64_t kLongest = 5'000'000;
    const std::vector<uint8_t> traits = machines();
    RecordStream stream;
    uint64_t begin = 100;
    for (uint32_t key = 1; key <= 100; ++key) {
        const uint64_t end = begin + (key == 50 ? kLongest : kUsual);
        const uint64_t keys = hotpath::make_async_keys(key, 0);
        stream.enter('A', 900, begin);
        tell(stream, ControlType::kAsyncSuspended, 800, begin + 10, keys, kBox);
        stream.leave('A', 900, begin + 20);
        tell(stream, ControlType::kAsyncResumed, 950, end - 20, keys, kBox);
        stream.enter('A', 900, end - 10);
        tell(stream, ControlType::kAsyncCompleted, 800, end, keys, kBox);
        stream.leave('A', 900, end + 10).control(ControlType::kAsyncResumeEnds, 950, end + 20);
        begin = end + 100;
    }
    Replayed replayed;
    const profile::Profile p = profile_of(replayed, traits, stream, RecordStream(), begin);
    ASSERT_EQ(p.async_methods.size(), 1U);
    const profile::AsyncMethod& method = p.async_methods[0];
    EXPECT_EQ(method.counts.calls, 100U);
    EXPECT_EQ(method.min_ns, kUsual);
    EXPECT_EQ(method.max_ns, kLongest);
    for (const uint64_t percentile : {method.p50_ns, method.p90_ns}) {
        EXPECT_GE(percentile, kUsual);
        EXPECT_LE(percentile, kUsual + kUsual / 8);
    }
}

TEST(AsyncTables, RecordsThatNobodyFollowsAreNoErrors) {
    const TwoThreads records;
    Replayed replayed;
    replayed.thread(1);
    replayed.feed(records.first);
    replayed.thread(2);
    replayed.feed(records.second);
    const profile::Profile p = replayed.profile(1'000);
    EXPECT_FALSE(p.session.async.followed);
    EXPECT_EQ(p.session.losses.decode_errors, 0U);
    EXPECT_TRUE(p.async_methods.empty());
}

}  // namespace
}  // namespace umbra::collector
