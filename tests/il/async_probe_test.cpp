// SPDX-License-Identifier: MIT
// Probes that tell of async calls, in bodies made by hand.
#include "src/il/async_probe.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "src/il/opcodes.h"
#include "tests/il/body_builder.h"

namespace umbra::il {
namespace {

using testing::body_of;
using testing::bytes;
using testing::clause;
using testing::joined;
using testing::kLocalSignature;

constexpr CoreTokens kTokens{.task = 0x02000001,
                             .get_id = 0x06000002,
                             .get_hash_code = 0x06000003,
                             .void_builder = 0x04000004,
                             .stack = {.state = 0x04000005,
                                       .task_continuation = 0x04000006,
                                       .continuation_task = 0x04000007,
                                       .source_continuation = 0x04000008,
                                       .continuation_source = 0x04000009}};
const ProbeLocals kMarkerOnly{.signature = {}, .marker = 5, .result = 5};
const ProbeLocals kWithResult{.signature = {}, .marker = 5, .result = 6};

const std::vector<uint8_t> kMarker = bytes({0xfe, 0x0d, 5, 0, 0xe0});  // ldloca 5; conv.u
const std::vector<uint8_t> kRuntime = bytes({0x20, 9, 0, 0, 0});       // ldc.i4 9
const std::vector<uint8_t> kNoKey = bytes({0x20, 0, 0, 0, 0});
const std::vector<uint8_t> kNull = bytes({0x14});
const std::vector<uint8_t> kArgument0 = bytes({0xfe, 0x09, 0, 0});
const std::vector<uint8_t> kArgument1 = bytes({0xfe, 0x09, 1, 0});

/// ldc.i8 address; conv.i; calli
std::vector<uint8_t> call(uint8_t address, uint8_t signature) {
    return bytes({0x21, address, 0, 0, 0, 0, 0x7f, 0, 0, 0xd3, 0x29, signature, 0, 0, 0x11});
}
const std::vector<uint8_t> kBegin = call(0x10, 0x42);
const std::vector<uint8_t> kEnd =
    joined({bytes({0x21, 0, 0, 0, 0, 0, 0, 0, 0}), kMarker, call(0x20, 0x43)});

/// Task.Id of what `load` loads, or its hash code.
std::vector<uint8_t> key(const std::vector<uint8_t>& load) {
    const auto on_stack = static_cast<int>(load.size());
    return joined(
        {load, bytes({0x75, 1, 0, 0, 2, 0x25, 0x3a, on_stack + 17, 0, 0, 0, 0x26}), load,
         bytes({0x28, 3, 0, 0, 6, 0x20, 0, 0, 0, 0x80, 0x60, 0x38, 5, 0, 0, 0, 0x28, 2, 0, 0, 6})});
}

AsyncProbe probe(ObjectSource first, ObjectSource second = ObjectSource::kNone,
                 SecondKey second_key = SecondKey::kOwn) {
    return {.first = first,
            .second = second,
            .second_key = second_key,
            .begin = {.address = 0x7f0000000010, .signature = 0x11000042},
            .end = {},
            .runtime = 9};
}
AsyncProbe with_end(AsyncProbe probe) {
    probe.end = {.address = 0x7f0000000020, .signature = 0x11000043};
    return probe;
}

MethodBody rewritten(const MethodBody& body, const AsyncProbe& probe,
                     const ProbeLocals& locals = kMarkerOnly) {
    static std::vector<uint8_t> bytes;
    const auto made = instrument(body, probe, kTokens, locals, kLocalSignature);
    EXPECT_TRUE(made);
    bytes = made ? made->body : std::vector<uint8_t>();
    return MethodBody::parse(bytes).value_or(MethodBody());
}

std::vector<uint8_t> code_of(const MethodBody& body) {
    return {body.code.begin(), body.code.end()};
}

const std::vector<uint8_t> kReturn = bytes({0x2a});

TEST(AsyncProbe, AnObjectIsHandedOverWithItsKey) {
    const MethodBody made = rewritten(body_of(kReturn), probe(ObjectSource::kArgument1));
    EXPECT_EQ(code_of(made), joined({key(kArgument1), kArgument1, kNoKey, kNull, kMarker, kRuntime,
                                     kBegin, kReturn}));
    EXPECT_EQ(made.max_stack, 8) << "the body's own is enough";
    EXPECT_EQ(made.local_signature, kLocalSignature);
    EXPECT_TRUE(made.clauses.empty());
}

TEST(AsyncProbe, BothObjectsAre) {
    const std::vector<uint8_t> awaited =
        bytes({0x02, 0x7c, 1, 0, 0, 4, 0x7b, 2, 0, 0, 4});  // ldarg.0; ldflda; ldfld
    const std::vector<uint8_t> code = joined({awaited, bytes({0x26, 0x2a})});
    const MethodBody made =
        rewritten(body_of(code), probe(ObjectSource::kArgument1, ObjectSource::kAwaited));
    EXPECT_EQ(code_of(made), joined({key(kArgument1), kArgument1, key(awaited), awaited, kMarker,
                                     kRuntime, kBegin, code}));
}

TEST(AsyncProbe, WhatAnAwaiterWaitsForMustBeginItsCode) {
    for (const auto& code : {bytes({0x2a}), bytes({0x03, 0x7c, 1, 0, 0, 4, 0x7b, 2, 0, 0, 4, 0x2a}),
                             bytes({0x02, 0x7c, 1, 0, 0, 4, 0x7d, 2, 0, 0, 4, 0x2a})}) {
        EXPECT_FALSE(begins_with_awaited(code));
        EXPECT_FALSE(instrument(body_of(code),
                                probe(ObjectSource::kArgument1, ObjectSource::kAwaited), kTokens,
                                kMarkerOnly, kLocalSignature));
    }
}

TEST(AsyncProbe, AFaultTellsWhereTheTasksFieldLies) {
    const std::vector<uint8_t> task = joined({kArgument1, bytes({0x50})});  // ldind.ref
    EXPECT_EQ(
        code_of(rewritten(body_of(kReturn), probe(ObjectSource::kReferenced1,
                                                  ObjectSource::kArgument0, SecondKey::kField))),
        joined({key(task), task, kArgument1, bytes({0xe0, 0x6d}), kArgument0, kMarker, kRuntime,
                kBegin, kReturn}));
    const std::vector<uint8_t> builder = joined({kArgument0, bytes({0x7c, 4, 0, 0, 4})});
    const std::vector<uint8_t> void_task = joined({builder, bytes({0x50})});  // ldind.ref
    EXPECT_EQ(
        code_of(rewritten(body_of(kReturn), probe(ObjectSource::kVoidTask, ObjectSource::kArgument1,
                                                  SecondKey::kField))),
        joined({key(void_task), void_task, builder, bytes({0xe0, 0x6d}), kArgument1, kMarker,
                kRuntime, kBegin, kReturn}));
    EXPECT_EQ(
        code_of(rewritten(body_of(kReturn), probe(ObjectSource::kArgument0,
                                                  ObjectSource::kArgument1, SecondKey::kNone))),
        joined(
            {key(kArgument0), kArgument0, kNoKey, kArgument1, kMarker, kRuntime, kBegin, kReturn}));
}

TEST(AsyncProbe, AStackThatIsSuspendedTellsWhereItBeginsAndWhatItAwaits) {
    AsyncProbe of_stack = probe(ObjectSource::kArgument0, ObjectSource::kStackAwaited);
    of_stack.frame_field = kTokens.stack.state;
    const std::vector<uint8_t> state = joined({kArgument1, bytes({0x7b, 5, 0, 0, 4})});
    const std::vector<uint8_t> awaited =
        joined({state, bytes({0x7b, 6, 0, 0, 4, 0x25, 0x3a, 28, 0, 0, 0, 0x26}),  // of a task
                state, bytes({0x7b, 8, 0, 0, 4, 0x25, 0x3a, 17, 0, 0, 0, 0x26}),  // of a source
                bytes({0x14, 0x38, 15, 0, 0, 0}),                                 // of neither
                bytes({0x7b, 7, 0, 0, 4, 0x38, 5, 0, 0, 0}), bytes({0x7b, 9, 0, 0, 4})});
    EXPECT_EQ(code_of(rewritten(body_of(kReturn), of_stack)),
              joined({key(kArgument0), kArgument0, key(awaited), awaited, state, bytes({0xe0}),
                      kRuntime, kBegin, kReturn}));
}

TEST(AsyncProbe, TheBodyBehindAProbeStaysAsItIs) {
    // 0 nop; 1 leave.s 8; 3 pop; 4 leave.s 8; 6 endfinally; 7 nop; 8 br.s 0; filter 3..4
    const std::vector<uint8_t> code =
        bytes({0x00, 0xde, 0x05, 0x26, 0xde, 0x02, 0xdc, 0x00, 0x2b, 0xf6});
    MethodBody body = body_of(code);
    body.max_stack = 1;
    body.init_locals = true;
    body.clauses = {clause(Clause::kFilter, {0, 3}, {4, 7}, 3),
                    clause(Clause::kCatch, {0, 3}, {3, 7}, 0x01000001)};
    const auto made =
        instrument(body, probe(ObjectSource::kNone), kTokens, kMarkerOnly, kLocalSignature);
    ASSERT_TRUE(made);
    const auto after = MethodBody::parse(made->body);
    const std::vector<uint8_t> front =
        joined({kNoKey, kNull, kNoKey, kNull, kMarker, kRuntime, kBegin});
    const auto by = static_cast<uint32_t>(front.size());
    EXPECT_EQ(code_of(*after), joined({front, code}));
    EXPECT_EQ(after->max_stack, 7);
    EXPECT_TRUE(after->init_locals);
    for (Clause& clause : body.clauses) {
        clause.try_begin += by;
        clause.try_end += by;
        clause.handler_begin += by;
        clause.handler_end += by;
        clause.type_or_filter += clause.kind == Clause::kFilter ? by : 0;
    }
    EXPECT_EQ(after->clauses, body.clauses);
    ASSERT_EQ(made->moved.size(), 7U);
    for (const MovedOffset& moved : made->moved) {
        EXPECT_EQ(moved.to, moved.from + by);
    }
}

TEST(AsyncProbe, AnEndIsToldHoweverTheFrameGoes) {
    const std::vector<uint8_t> code = bytes({0x17, 0x2a});  // ldc.i4.1; ret
    const MethodBody made =
        rewritten(body_of(code), with_end(probe(ObjectSource::kArgument0)), kWithResult);
    const std::vector<uint8_t> front =
        joined({key(kArgument0), kArgument0, kNoKey, kNull, kMarker, kRuntime, kBegin});
    const auto size = static_cast<uint32_t>(front.size());
    const auto end = static_cast<uint32_t>(kEnd.size());
    EXPECT_EQ(
        code_of(made),
        joined({front, bytes({0x17, 0xfe, 0x0e, 6, 0, 0xdd, static_cast<int>(end) + 1, 0, 0, 0}),
                kEnd, bytes({0xdc}), kEnd, bytes({0xfe, 0x0c, 6, 0, 0x2a})}));
    const Clause fault =
        clause(Clause::kFault, {size, size + 10}, {size + 10, size + 10 + end + 1});
    EXPECT_EQ(made.clauses, std::vector{fault});
    EXPECT_EQ(made.max_stack, 8 + 3);
}

TEST(AsyncProbe, WhatIsNoCodeIsRefused) {
    const std::vector<uint8_t> code = bytes({0x24, 0x2a});  // no such instruction
    const auto made = instrument(body_of(code), probe(ObjectSource::kArgument0), kTokens,
                                 kMarkerOnly, kLocalSignature);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), Refusal::kMalformed);
}

}  // namespace
}  // namespace umbra::il
