// SPDX-License-Identifier: MIT
// Calls by the values of their arguments, from the records of threads.
#include <cstdint>
#include <limits>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using protocol::ArgumentNamed;
using testing::RecordStream;
using testing::Replayed;

constexpr uint64_t kEnd = 1'000'000;

ArgumentNamed named(uint32_t index, char function, uint8_t kind, std::string name) {
    return {.index = index,
            .function = RecordStream::index(function),
            .kind = kind,
            .name = std::move(name),
            .type = "",
            .reason = "",
            .constants = {}};
}

/// 1: A's id, 2: B's name, 3: what A returns.
void name_arguments(SessionState& state) {
    state.note(named(1, 'A', ArgumentNamed::kSigned, "id"));
    state.note(named(2, 'B', ArgumentNamed::kText, "name"));
    state.note(named(3, 'A', ArgumentNamed::kSigned, "return"));
}

/// "A.id 7 x3+1 90 20-70": four calls with 7, one of them unfinished, the others took 90 in sum, 20
/// the shortest and 70 the longest. "..." is the rest.
std::string values(const profile::Profile& p) {
    std::ostringstream out;
    for (const profile::ArgumentValue& row : p.argument_values) {
        const profile::Argument& argument = p.arguments[row.argument];
        out << Replayed::name(p, argument.function) << '.' << argument.name << ' '
            << (row.rest ? "..." : row.value) << " x" << row.calls - row.unfinished;
        if (row.unfinished != 0) {
            out << '+' << row.unfinished;
        }
        if (row.calls != row.unfinished) {
            out << ' ' << row.total_ns << ' ' << row.min_ns << '-' << row.max_ns;
        }
        out << '\n';
    }
    return out.str();
}

std::string values(const RecordStream& stream, const replay::Limits& limits = {}) {
    Replayed replayed(limits);
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed(stream);
    return values(replayed.profile(kEnd));
}

TEST(Arguments, ACallLastsFromItsFirstArgumentToItsEnd) {
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 10)
                         .argument(1, 7, 12)
                         .enter('B', 90, 20)
                         .text(2, "x", 21)
                         .arguments_end('B', 29)
                         .leave('B', 90, 30)
                         .argument(3, uint64_t(-1), 50)
                         .arguments_end('A', 52)
                         .leave('A', 100, 60)
                         .enter('A', 100, 70)
                         .argument(1, 7, 71)
                         .arguments_end('A', 72)
                         .leave('A', 100, 73)
                         .enter('A', 100, 80)
                         .argument(1, 8, 80)
                         .arguments_end('A', 180)
                         .leave('A', 100, 180)),
              "A.id 8 x1 100 100-100\n"
              "A.id 7 x2 41 1-40\n"
              "B.name \"x\" x1 8 8-8\n"
              "A.return -1 x1 40 40-40\n");
}

TEST(Arguments, RecursiveCallsHaveTheirOwnValues) {
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 0)
                         .argument(1, 1, 0)
                         .enter('A', 90, 10)
                         .argument(1, 2, 10)
                         .enter('A', 80, 20)
                         .argument(1, 1, 20)
                         .arguments_end('A', 25)
                         .leave('A', 80, 25)
                         .arguments_end('A', 40)
                         .leave('A', 90, 40)
                         .arguments_end('A', 100)
                         .leave('A', 100, 100)),
              "A.id 1 x2 105 5-100\n"
              "A.id 2 x1 30 30-30\n");
}

TEST(Arguments, NullAndZeroAndTheEmptyTextAreDifferentValues) {
    RecordStream stream;
    uint64_t now = 0;
    const auto call = [&](auto tell) {
        stream.enter('B', 100, ++now);
        tell();
        ++now;
        stream.arguments_end('B', now).leave('B', 100, now);
    };
    call([&] { stream.null_argument(2, now); });
    call([&] { stream.argument(2, 0, now); });
    call([&] { stream.text(2, "", now); });
    call([&] { stream.text(2, "a", now); });
    call([&] { stream.text(2, std::string_view("a\0", 2), now); });
    call([&] { stream.text(2, "a", 2, now); });
    EXPECT_EQ(values(stream),
              "B.name null x1 1 1-1\n"
              "B.name 0 x1 1 1-1\n"
              "B.name \"\" x1 1 1-1\n"
              "B.name \"a\" x1 1 1-1\n"
              "B.name \"a\"... (2 chars) x1 1 1-1\n"
              "B.name \"a\\0\" x1 1 1-1\n");
}

TEST(Arguments, ACallThatVanishesUntoldIsUnfinished) {
    // The same call is made again at once: its values are its own.
    EXPECT_EQ(values(RecordStream()
                         .enter('C', 200, 0)
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .thrown(1, 5)
                         .unwound('A', 6)
                         .caught('C', 7)
                         .catcher_leave(8)
                         .enter('A', 100, 10)
                         .argument(1, 9, 10)
                         .arguments_end('A', 15)
                         .leave('A', 100, 15)
                         .leave('C', 200, 20)),
              "A.id 9 x1 5 5-5\n"
              "A.id 7 x0+1\n");
}

TEST(Arguments, AnExceptionEndsACallAsItsHandlerTells) {
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .enter('B', 90, 2)
                         .text(2, "x", 2)
                         .arguments_end('B', 5)
                         .leave('B', 90, 5)
                         .arguments_end('A', 8)
                         .leave('A', 100, 8)),
              "A.id 7 x1 7 7-7\n"
              "B.name \"x\" x1 3 3-3\n");
}

TEST(Arguments, ACallDeeperThanTheTopOfTheStackIsOver) {
    // B goes without a leave (its caller SP shows it), then A ends.
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .enter('B', 90, 2)
                         .text(2, "x", 2)
                         .enter('C', 95, 4)
                         .leave('C', 95, 5)
                         .arguments_end('A', 8)
                         .leave('A', 100, 8)),
              "A.id 7 x1 7 7-7\n"
              "B.name \"x\" x0+1\n");
}

TEST(Arguments, CallsStillOpenAreUnfinishedInTheSnapshotAlone) {
    Replayed replayed;
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed(RecordStream().enter('A', 100, 1).argument(1, 7, 1));
    EXPECT_EQ(values(replayed.profile(50)), "A.id 7 x0+1\n");
    EXPECT_EQ(values(replayed.profile(60)), "A.id 7 x0+1\n");
    replayed.feed(RecordStream().arguments_end('A', 90).leave('A', 100, 91));
    EXPECT_EQ(values(replayed.profile(100)), "A.id 7 x1 89 89-89\n");
}

TEST(Arguments, AnEndOfACallThatHasToldNothingIsNothing) {
    EXPECT_EQ(values(RecordStream()
                         .arguments_end('A', 1)
                         .enter('A', 100, 2)
                         .arguments_end('A', 3)
                         .arguments_end('B', 3)
                         .argument(1, 7, 4)
                         .enter('C', 90, 5)
                         .leave('C', 90, 5)
                         .arguments_end('B', 5)
                         .control(ControlType::kArgumentsEnd, UINT32_MAX, 5)
                         .arguments_end('A', 6)
                         .arguments_end('A', 7)
                         .leave('A', 100, 8)),
              "A.id 7 x1 2 2-2\n");
}

TEST(Arguments, WhoseBeginWasLostHasNoTimeAndLeavesItsCallersAlone) {
    // B's enter record was dropped: its argument comes with A on top.
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .control(ControlType::kLost, 1, 2)
                         .text(2, "x", 3)
                         .arguments_end('B', 5)
                         .leave('B', 90, 5)
                         .enter('B', 90, 6)
                         .text(2, "x", 6)
                         .arguments_end('B', 8)
                         .leave('B', 90, 8)
                         .arguments_end('A', 9)
                         .leave('A', 100, 9)),
              "A.id 7 x1 8 8-8\n"
              "B.name \"x\" x1+1 2 2-2\n");
}

TEST(Arguments, AValueToldAgainIsNoneOfThatCalls) {
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .argument(1, 8, 2)
                         .arguments_end('A', 9)
                         .leave('A', 100, 9)),
              "A.id 7 x1 8 8-8\n"
              "A.id 8 x0+1\n");
}

TEST(Arguments, TheLeaveBehindAnEndTellsWhoseItIs) {
    // An exception has passed two calls whose ends nobody told, and A, which has caught it, returns
    // a value: its own, though both still seem to be on the stack.
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .enter('A', 90, 2)
                         .argument(1, 8, 2)
                         .enter('B', 80, 3)
                         .text(2, "x", 3)
                         .enter('C', 70, 4)
                         .argument(3, 5, 10)
                         .arguments_end('A', 11)
                         .leave('A', 100, 11)),
              "A.id 7 x1 10 10-10\n"
              "A.id 8 x0+1\n"
              "B.name \"x\" x0+1\n"
              "A.return 5 x1 10 10-10\n");
}

TEST(Arguments, OfALostBeginTheEndIsNobodyElses) {
    // The inner A's enter record was dropped.
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 1)
                         .argument(1, 7, 1)
                         .control(ControlType::kLost, 1, 2)
                         .argument(1, 8, 3)
                         .arguments_end('A', 4)
                         .leave('A', 90, 4)
                         .arguments_end('A', 9)
                         .leave('A', 100, 9)),
              "A.id 7 x1 8 8-8\n"
              "A.id 8 x0+1\n");
}

TEST(Arguments, WhereTheLeaveIsInTheNextChunkTheFunctionTells) {
    Replayed replayed;
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed(RecordStream()
                      .enter('A', 100, 1)
                      .argument(1, 7, 1)
                      .enter('C', 90, 2)
                      .enter('D', 80, 3)
                      .arguments_end('A', 11));
    replayed.feed(RecordStream().leave('A', 100, 11));
    EXPECT_EQ(values(replayed.profile(kEnd)), "A.id 7 x1 10 10-10\n");
}

TEST(Arguments, TheCostOfProbesAndWaitsForTheCollectorAreTakenOut) {
    Replayed replayed;
    hotpath::ProbeCosts costs{};
    costs.timed_inside = 4;
    costs.timed_outside = 6;
    replayed.state().set_probe_costs(costs);
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed(RecordStream()
                      .enter('A', 100, 0)
                      .argument(1, 7, 100)
                      .enter('C', 90, 200)
                      .leave('C', 90, 300)
                      .waited(350, 450)
                      .arguments_end('A', 600)
                      .leave('A', 100, 700));
    // C's probes lie inside, A's own outside of what is measured.
    EXPECT_EQ(values(replayed.profile(kEnd)), "A.id 7 x1 390 500-500\n");
}

TEST(Arguments, WhatHasNoRoomGoesToTheRestOfItsArgument) {
    replay::Limits limits;
    limits.max_argument_values = 4;
    RecordStream stream;
    uint64_t now = 0;
    for (uint64_t id = 0; id < 10; ++id) {
        now += 100;
        stream.enter('A', 100, now).argument(1, id, now).arguments_end('A', now + id + 1);
        stream.leave('A', 100, now + id + 1);
    }
    stream.enter('B', 100, 2000).text(2, "x", 2000).arguments_end('B', 2003).leave('B', 100, 2003);
    // One that takes all leaves room for another.
    EXPECT_EQ(values(stream, limits),
              "A.id 1 x1 2 2-2\n"
              "A.id 0 x1 1 1-1\n"
              "A.id ... x8 52 3-10\n"
              "B.name \"x\" x1 3 3-3\n");
}

TEST(Arguments, AFileHoldsTheLongestThousandAndTheSumOfTheOthers) {
    Replayed replayed;
    name_arguments(replayed.state());
    replayed.thread();
    RecordStream stream;
    uint64_t now = 0;
    uint64_t rest_ns = 0;
    for (uint64_t id = 1; id <= 1'500; ++id) {
        stream.enter('A', 100, now).argument(1, id, now).arguments_end('A', now + id);
        stream.leave('A', 100, now += id);
        rest_ns += id <= 500 ? id : 0;
    }
    replayed.feed(stream);
    const profile::Profile p = replayed.profile(now);
    ASSERT_EQ(p.argument_values.size(), 1'001U);
    EXPECT_EQ(p.argument_values[0].value, "1500");
    EXPECT_EQ(p.argument_values[999].value, "501");
    const profile::ArgumentValue& rest = p.argument_values[1'000];
    EXPECT_TRUE(rest.rest);
    EXPECT_EQ(rest.calls, 500U);
    EXPECT_EQ(rest.total_ns, rest_ns);
    EXPECT_EQ(rest.min_ns, 1U);
    EXPECT_EQ(rest.max_ns, 500U);
    EXPECT_NEAR(static_cast<double>(rest.p50_ns), 250, 250 * 0.25);
    EXPECT_NEAR(static_cast<double>(rest.p99_ns), 495, 495 * 0.25);
    EXPECT_EQ(p.arguments[0].values, 1'500U);
    EXPECT_EQ(p.arguments[0].calls, 1'500U);
}

TEST(Arguments, PercentilesAreOfTheCallsOfOneValue) {
    Replayed replayed;
    name_arguments(replayed.state());
    replayed.thread();
    RecordStream stream;
    uint64_t now = 0;
    for (uint64_t call = 0; call < 1'000; ++call) {
        const uint64_t ticks = call % 100 < 97 ? 1'000 : 100'000;
        stream.enter('A', 100, now).argument(1, 5, now).arguments_end('A', now + ticks);
        stream.leave('A', 100, now += ticks);
        stream.enter('A', 100, now).argument(1, 6, now).arguments_end('A', now + 10);
        stream.leave('A', 100, now += 10);
    }
    replayed.feed(stream);
    const profile::Profile p = replayed.profile(now);
    const profile::ArgumentValue& slow = p.argument_values[0];
    EXPECT_EQ(slow.value, "5");
    EXPECT_NEAR(static_cast<double>(slow.p50_ns), 1'000, 250);
    EXPECT_NEAR(static_cast<double>(slow.p99_ns), 100'000, 25'000);
    EXPECT_EQ(p.argument_values[1].p99_ns, 10U);
}

TEST(Arguments, CallsBeyondTheDepthLimitHaveNoEnd) {
    replay::Limits limits;
    limits.max_depth = 2;
    EXPECT_EQ(values(RecordStream()
                         .enter('A', 100, 0)
                         .argument(1, 1, 0)
                         .enter('A', 90, 10)
                         .argument(1, 2, 10)
                         .enter('A', 80, 20)
                         .argument(1, 3, 20)
                         .arguments_end('A', 25)
                         .leave('A', 80, 25)
                         .arguments_end('A', 40)
                         .leave('A', 90, 40)
                         .arguments_end('A', 100)
                         .leave('A', 100, 100),
                     limits),
              "A.id 1 x1 100 100-100\n"
              "A.id 2 x1 30 30-30\n"
              "A.id 3 x0+1\n");
}

TEST(Arguments, OfMoreOpenCallsThanAreFollowedTheDeepestHaveNoEnd) {
    constexpr uint32_t kDepth = replay::ArgumentTracker::kMostOpen + 3;
    constexpr uint32_t kTop = 0x4000'0000;
    RecordStream stream;
    for (uint32_t depth = 0; depth < kDepth; ++depth) {
        stream.enter('A', kTop - 8 * depth, depth).argument(1, 7, depth);
    }
    for (uint32_t depth = kDepth; depth-- > 0;) {
        stream.arguments_end('A', kDepth).leave('A', kTop - 8 * depth, kDepth);
    }
    const std::string found = values(stream);
    EXPECT_EQ(found.substr(0, found.find(' ', 9)),
              "A.id 7 x" + std::to_string(replay::ArgumentTracker::kMostOpen) + "+3");
}

TEST(Arguments, OfMoreValuesThanACallMayHaveTheLastHaveNoEnd) {
    RecordStream stream;
    stream.enter('A', 100, 0);
    for (uint32_t number = 1; number <= replay::ArgumentTracker::kMostValues + 1; ++number) {
        stream.argument(number, 0, 0);
    }
    stream.arguments_end('A', 9).leave('A', 100, 9);
    Replayed replayed(stream);
    uint64_t finished = 0;
    uint64_t unfinished = 0;
    for (const profile::ArgumentValue& row : replayed.profile(kEnd).argument_values) {
        finished += row.calls - row.unfinished;
        unfinished += row.unfinished;
    }
    EXPECT_EQ(finished, replay::ArgumentTracker::kMostValues);
    EXPECT_EQ(unfinished, 1U);
}

TEST(Arguments, NumbersThatCannotBeAreErrorsOrCountedAsLost) {
    RecordStream stream;
    stream.enter('A', 100, 0)
        .argument(0, 1, 1)
        .argument(UINT32_MAX, 1, 1)
        .text(2, std::string(65, 'x'), 65, 1)  // more than a record has room for
        .argument(1, 5, 2)
        .arguments_end('A', 9)
        .leave('A', 100, 9);
    Replayed replayed(stream);
    name_arguments(replayed.state());
    const profile::Profile p = replayed.profile(kEnd);
    EXPECT_EQ(values(p), "A.id 5 x1 8 8-8\n");
    EXPECT_EQ(p.threads[0].decode_errors, 2U);
    EXPECT_EQ(p.session.losses.rows, 1U);
}

TEST(Arguments, ARecordCutOffByTheEndOfItsChunkIsAnError) {
    RecordStream stream;
    stream.enter('B', 100, 0).text(2, "x", 1);
    Replayed replayed;
    name_arguments(replayed.state());
    std::vector<uint64_t> slots = stream.slots();
    slots.pop_back();
    ProfiledThread& thread = replayed.thread();
    EXPECT_EQ(thread.consume(slots, true), slots.size());
    const profile::Profile p = replayed.profile(kEnd);
    EXPECT_EQ(values(p), "");
    EXPECT_EQ(p.threads[0].decode_errors, 1U);
}

TEST(Arguments, AnArgumentNobodyHasNamedKeepsItsValues) {
    RecordStream stream;
    stream.enter('A', 100, 0).argument(4, 5, 2).arguments_end('A', 9).leave('A', 100, 9);
    EXPECT_EQ(values(Replayed(stream).profile(kEnd)), "A.argument 4 (name unknown) 5 x1 7 7-7\n");
}

TEST(Arguments, WhatWasRefusedIsToldWithItsReason) {
    Replayed replayed;
    SessionState& state = replayed.state();
    name_arguments(state);
    ArgumentNamed refused = named(0, 'C', ArgumentNamed::kRefused, "point");
    refused.reason = "its type is a struct";
    state.note(refused);
    state.note(named(0, 0, ArgumentNamed::kRefused, "Acme.Nowhere(x)"));
    const profile::Profile p = replayed.profile(kEnd);
    ASSERT_EQ(p.arguments.size(), 5U);
    EXPECT_EQ(p.arguments[0].name, "id");
    EXPECT_EQ(p.arguments[0].refusal, "");
    EXPECT_EQ(p.arguments[0].calls, 0U);
    EXPECT_EQ(Replayed::name(p, p.arguments[3].function), "C");
    EXPECT_EQ(p.arguments[3].refusal, "its type is a struct");
    EXPECT_EQ(p.arguments[4].function, profile::kNone);
    EXPECT_EQ(p.arguments[4].refusal, "no reason given");
}

TEST(Arguments, NamesThatCannotBeAreDroppedAndCounted) {
    replay::Limits limits;
    limits.max_arguments = 2;
    limits.max_name_bytes = 1 << 20;
    Replayed replayed(limits);
    SessionState& state = replayed.state();
    const uint64_t before = state.names().dropped();
    state.note(named(3, 'A', ArgumentNamed::kSigned, "id"));
    state.note(named(UINT32_MAX, 'A', ArgumentNamed::kSigned, "id"));
    ArgumentNamed far = named(1, 'A', ArgumentNamed::kSigned, "id");
    far.function = UINT32_MAX;
    state.note(far);
    ArgumentNamed large = named(1, 'A', ArgumentNamed::kSigned, "id");
    large.constants.assign(1'024, {.value = 1, .name = std::string(1'024, 'x')});
    state.note(large);
    for (int i = 0; i < 3; ++i) {
        state.note(named(0, 'A', ArgumentNamed::kRefused, "x"));
    }
    EXPECT_EQ(state.names().dropped() - before, 5U);
    EXPECT_EQ(state.names().refused().size(), 2U);
    EXPECT_EQ(replayed.profile(kEnd).arguments.size(), 2U);
}

TEST(Arguments, AThreadTakesItsOpenCallsAlongToAnotherShard) {
    Replayed replayed({}, false, false);
    SessionState& state = replayed.state();
    name_arguments(state);
    Shard& second = state.add_shard();
    ProfiledThread& thread = replayed.thread();
    replayed.feed(RecordStream()
                      .enter('A', 100, 0)
                      .argument(1, 7, 0)
                      .arguments_end('A', 5)
                      .leave('A', 100, 5)
                      .enter('A', 100, 10)
                      .argument(1, 8, 10)
                      .enter('A', 90, 20)
                      .argument(1, 7, 20));
    {
        const SessionState::AllGates gates = state.lock_all();
        state.move(thread, second);
    }
    EXPECT_EQ(values(replayed.profile(25)), "A.id 7 x1+1 5 5-5\nA.id 8 x0+1\n");
    replayed.feed(RecordStream()
                      .arguments_end('A', 30)
                      .leave('A', 90, 30)
                      .arguments_end('A', 110)
                      .leave('A', 100, 110));
    const profile::Profile p = replayed.profile(kEnd);
    EXPECT_EQ(values(p), "A.id 8 x1 100 100-100\nA.id 7 x2 15 5-10\n");
    EXPECT_EQ(p.arguments[0].values, 2U);
}

TEST(Arguments, TextsOfShardsAddUp) {
    Replayed replayed({}, false, false);
    SessionState& state = replayed.state();
    name_arguments(state);
    Shard& second = state.add_shard();
    for (Shard* shard : {&state.shards().front(), &second}) {
        ProfiledThread* thread = state.add_thread(shard->number() + 1, 0, false, shard);
        RecordStream stream;
        stream.enter('B', 100, 0).text(2, "x", 0).arguments_end('B', 10).leave('B', 100, 10);
        stream.enter('B', 100, 20).text(2, "y", 20).arguments_end('B', 40).leave('B', 100, 40);
        thread->consume(stream.slots(), true);
    }
    EXPECT_EQ(values(replayed.profile(kEnd)),
              "B.name \"y\" x2 40 20-20\n"
              "B.name \"x\" x2 20 10-10\n");
}

}  // namespace
}  // namespace umbra::collector
