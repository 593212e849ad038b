// SPDX-License-Identifier: MIT
// Arguments with their names and values in a profile, and what there is no room for.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/argument_values.h"

namespace umbra::collector {
namespace {

using protocol::ArgumentNamed;
using testing::kEnd;
using testing::name_arguments;
using testing::named;
using testing::RecordStream;
using testing::Replayed;
using testing::values;

TEST(ArgumentTables, NullAndZeroAndTheEmptyTextAreDifferentValues) {
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

TEST(ArgumentTables, WhatHasNoRoomGoesToTheRestOfItsArgument) {
    replay::Limits limits;
    limits.max_argument_values = 4;
    RecordStream stream;
    uint64_t now = 0;
    for (uint64_t id = 0; id < 10; ++id) {
        now += 100;
        stream.enter('A', 100, now).argument(1, id, now).arguments_end('A', now + id + 1);
        stream.leave('A', 100, now + id + 1);
    }
    stream.tell("2000 enter B 100, 2000 text 2 x, 2003 arguments_end B, 2003 leave B 100");
    // One that takes all leaves room for another.
    EXPECT_EQ(values(stream, limits),
              "A.id 1 x1 2 2-2\n"
              "A.id 0 x1 1 1-1\n"
              "A.id ... x8 52 3-10\n"
              "B.name \"x\" x1 3 3-3\n");
}

TEST(ArgumentTables, AFileHoldsTheLongestThousandAndTheSumOfTheOthers) {
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

TEST(ArgumentTables, PercentilesAreOfTheCallsOfOneValue) {
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

TEST(ArgumentTables, NumbersThatCannotBeAreErrorsOrCountedAsLost) {
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

TEST(ArgumentTables, AnArgumentNobodyHasNamedKeepsItsValues) {
    RecordStream stream("0 enter A 100, 2 argument 4 5, 9 arguments_end A, 9 leave A 100");
    EXPECT_EQ(values(Replayed(stream).profile(kEnd)), "A.argument 4 (name unknown) 5 x1 7 7-7\n");
}

TEST(ArgumentTables, WhatWasRefusedIsToldWithItsReason) {
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

TEST(ArgumentTables, NamesThatCannotBeAreDroppedAndCounted) {
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

TEST(ArgumentTables, TextsOfShardsAddUp) {
    Replayed replayed({}, false);
    SessionState& state = replayed.state();
    name_arguments(state);
    Shard& second = state.add_shard();
    for (Shard* shard : {&state.shards().front(), &second}) {
        ProfiledThread* thread = state.add_thread(shard->number() + 1, 0, false, shard);
        RecordStream stream(
            "0 enter B 100, 0 text 2 x, 10 arguments_end B, 10 leave B 100, 20 enter B 100, "
            "20 text 2 y, 40 arguments_end B, 40 leave B 100");
        thread->consume(stream.slots(), true);
    }
    EXPECT_EQ(values(replayed.profile(kEnd)),
              "B.name \"y\" x2 40 20-20\n"
              "B.name \"x\" x2 20 10-10\n");
}

}  // namespace
}  // namespace umbra::collector
