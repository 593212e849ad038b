// SPDX-License-Identifier: MIT
// What the slowest pieces of an async method tell of its slowest calls.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/collector/tables/slow_call_tables.h"
#include "src/replay/linear_clock.h"

namespace umbra::collector {
namespace {

using profile::Row;
using replay::Slice;

constexpr uint32_t kThread = 7;
constexpr uint32_t kFirst = Slice::kNoParent;

// Function indexes, and rows. What starts a state machine and its MoveNext bear one name.
enum Method : uint32_t { kRequest = 1, kRequestBody, kPart, kPartBody, kBurn };

Slice slice(Slice::Kind kind, uint32_t function, uint32_t parent, uint64_t begin, uint64_t end) {
    return {.begin_ticks = begin,
            .ticks = end - begin,
            .function = function,
            .parent = parent,
            .calls = 1,
            .kind = kind};
}

replay::SlowFunction kept(uint32_t function, replay::SlowCall call) {
    call.function = function;
    call.thread = kThread;
    call.begin_ticks = call.slices[0].begin_ticks;
    call.ticks = call.net_ticks = call.slices[0].ticks;
    return {.function = function,
            .request = 1,
            .calls = 1,
            .kept = {std::make_shared<const replay::SlowCall>(std::move(call))}};
}

/// Request runs from 1000 to 2000 on one thread, and calls Burn and Part, which has its result at
/// once.
SlowestCalls one_request() {
    SlowestCalls slowest;
    slowest.requests = {"Acme.Request"};
    replay::SlowCall whole;
    whole.async = replay::AsyncCourse{};
    whole.calls = 1;
    whole.slices = {slice(Slice::kCall, kRequestBody, kFirst, 1'000, 2'000),
                    slice(Slice::kRunning, kThread, 0, 1'000, 1'300),
                    slice(Slice::kCall, kPartBody, 0, 1'300, 1'400),
                    slice(Slice::kRunning, kThread, 0, 1'400, 2'000)};
    slowest.async.functions.push_back(kept(kRequestBody, std::move(whole)));
    replay::SlowCall piece;
    piece.slices = {slice(Slice::kCall, kRequestBody, kFirst, 1'000, 2'001),
                    slice(Slice::kCall, kBurn, 0, 1'010, 1'100),
                    slice(Slice::kCall, kPart, 0, 1'280, 1'460),
                    slice(Slice::kCall, kPartBody, 2, 1'299, 1'401),
                    slice(Slice::kCall, kBurn, 3, 1'310, 1'390),
                    slice(Slice::kCall, kBurn, 2, 1'420, 1'450)};
    piece.compilations = {{.begin_ticks = 1'110, .end_ticks = 1'190, .function = kPart},
                          {.begin_ticks = 1'320, .end_ticks = 1'340, .function = kBurn}};
    slowest.on_threads.functions.push_back(kept(kRequestBody, std::move(piece)));
    return slowest;
}

profile::Profile profile_of(SlowestCalls slowest, bool iterator = false) {
    const replay::Limits limits;
    Snapshot snapshot{NameTables(limits)};
    snapshot.slowest = std::move(slowest);
    profile::Profile profile;
    for (const char* raw : {"(none)", "Acme.Request", "Acme/<Request>d__0.MoveNext", "Acme.Part",
                            "Acme/<Part>d__1.MoveNext", "Acme.Burn"}) {
        profile::Function& function = profile.functions.emplace_back();
        function.raw_name = raw;
        function.times.calls = 1;
    }
    profile.functions[kRequest].name = profile.functions[kRequestBody].name = "Request()";
    profile.functions[kPart].name = profile.functions[kPartBody].name = "Part()";
    profile.functions[kBurn].name = "Burn()";
    profile.threads.resize(1);
    profile.async_methods.resize(2);
    profile.async_methods[0].function = kRequestBody;
    profile.async_methods[1].function = kPartBody;
    profile.async_methods[1].iterator = iterator;
    const std::vector<Row> rows = {0, 1, 2, 3, 4, 5};
    const std::unordered_map<uint32_t, Row> threads = {{kThread, 0}};
    add_slow_calls(snapshot, rows, threads, replay::LinearClock(0, 1e9), profile);
    return profile;
}

/// "Burn() 1010+90", or the kind of an interval, in the order of the file.
std::vector<std::string> texts(const profile::Profile& profile) {
    std::vector<std::string> found;
    for (const profile::SlowSlice& one : profile.slow_slices) {
        const bool is_call = one.kind == profile::SlowSlice::kCall;
        found.push_back((is_call ? profile.functions[one.function].name : one.kind) + ' ' +
                        std::to_string(one.start_ns) + '+' + std::to_string(one.duration_ns));
    }
    return found;
}

TEST(AsyncPieces, AnAsyncCallStandsThereOnce) {
    const profile::Profile profile = profile_of(one_request());
    ASSERT_EQ(profile.slow_calls.size(), 1U);
    EXPECT_EQ(profile.slow_calls[0].calls, 3U);  // Part, and Burn twice
    std::vector<std::string> calls = texts(profile);
    calls.resize(6);
    EXPECT_EQ(calls,
              (std::vector<std::string>{"Request() 1000+1000", "running 1000+300", "Burn() 1010+90",
                                        "Part() 1300+100", "running 1400+600", "Burn() 1420+30"}));
}

TEST(AsyncPieces, WhatBeginsAnIteratorIsACall) {
    const profile::Profile profile = profile_of(one_request(), true);
    EXPECT_EQ(profile.slow_calls[0].calls, 4U);  // and Part, in either stretch
}

TEST(AsyncPieces, WhatWasCompiledInThePiecesIsKnown) {
    const profile::Profile profile = profile_of(one_request());
    EXPECT_EQ(profile.slow_calls[0].compiling_ns, 100U);
    std::vector<std::string> all = texts(profile);
    EXPECT_EQ(std::vector<std::string>(all.end() - 2, all.end()),
              (std::vector<std::string>{"compiling 1110+80", "compiling 1320+20"}));
    EXPECT_EQ(profile.slow_slices.back().function, Row{kBurn});
}

}  // namespace
}  // namespace umbra::collector
