// SPDX-License-Identifier: MIT
// Probes in bodies made by hand, and in random ones.
#include "src/il/instrument.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/il/body_builder.h"
#include "tests/il/same_code.h"

namespace umbra::il {
namespace {

using testing::body_of;
using testing::bytes;
using testing::clause;
using testing::enter;
using testing::joined;
using testing::kLocalSignature;
using testing::kProbes;
using testing::leave;

const ProbeLocals kVoid{.signature = {}, .marker = 0, .result = 0};
const ProbeLocals kValue{.signature = {}, .marker = 2, .result = 3};

tl::expected<Instrumented, Refusal> rewritten(const MethodBody& body, const ProbeLocals& locals) {
    return instrument(body, kProbes, locals, kLocalSignature);
}

std::vector<uint8_t> code_of(const Instrumented& made) {
    const auto body = MethodBody::parse(made.body);
    return {body->code.begin(), body->code.end()};
}

Refusal refused(const std::vector<uint8_t>& code) {
    const auto made = rewritten(body_of(code), kVoid);
    EXPECT_FALSE(made);
    return made ? Refusal::kTooLarge : made.error();
}

void expect_same_code(const MethodBody& body, const ProbeLocals& locals) {
    const auto made = rewritten(body, locals);
    ASSERT_TRUE(made) << reason(made.error());
    EXPECT_EQ(testing::SameCode(body, *made, locals).difference(), "");
}

TEST(Instrument, AMethodWithoutResultLeavesForItsEnd) {
    const std::vector<uint8_t> code = bytes({0x2a});  // ret
    const auto made = rewritten(body_of(code), kVoid);
    ASSERT_TRUE(made);
    EXPECT_EQ(code_of(*made), joined({enter(0), bytes({0xdd, 30, 0, 0, 0}), leave(0), bytes({0xdc}),
                                      leave(0), bytes({0x2a})}));
    const auto body = MethodBody::parse(made->body);
    const Clause fault = clause(Clause::kFault, {29, 34}, {34, 64});
    EXPECT_EQ(body->clauses, std::vector{fault});
    EXPECT_EQ(body->max_stack, 8 + 3);
    EXPECT_EQ(body->local_signature, kLocalSignature);
}

TEST(Instrument, AResultIsKeptInALocal) {
    const std::vector<uint8_t> code = bytes({0x17, 0x2a});  // ldc.i4.1; ret
    const auto made = rewritten(body_of(code), kValue);
    ASSERT_TRUE(made);
    EXPECT_EQ(code_of(*made),
              joined({enter(2), bytes({0x17, 0xfe, 0x0e, 3, 0, 0xdd, 30, 0, 0, 0}), leave(2),
                      bytes({0xdc}), leave(2), bytes({0xfe, 0x0c, 3, 0, 0x2a})}));
    expect_same_code(body_of(code), kValue);
}

TEST(Instrument, BranchesReachAcrossWhatHasGrown) {
    // ldarg.0; brtrue.s +3; ldc.i4.0; ret; nop; ldc.i4.1; br.s -9 (to the start)
    const std::vector<uint8_t> code = bytes({0x02, 0x2d, 0x02, 0x16, 0x2a, 0x17, 0x26, 0x2b, 0xf7});
    expect_same_code(body_of(code), kValue);
    // switch of three targets, one of them itself; then ret
    const std::vector<uint8_t> table = bytes(
        {0x16, 0x45, 3, 0, 0, 0, 0, 0, 0, 0, 0xee, 0xff, 0xff, 0xff, 0xef, 0xff, 0xff, 0xff, 0x2a});
    expect_same_code(body_of(table), kVoid);
    // switch without any target
    const std::vector<uint8_t> none = bytes({0x16, 0x45, 0, 0, 0, 0, 0x2a});
    expect_same_code(body_of(none), kVoid);
}

TEST(Instrument, ATailCallHasLeftBefore) {
    // ldarg.0; tail. call; ret
    const std::vector<uint8_t> code = bytes({0x02, 0xfe, 0x14, 0x28, 1, 0, 0, 6, 0x2a});
    const auto made = rewritten(body_of(code), kValue);
    ASSERT_TRUE(made);
    EXPECT_TRUE(made->has_tail_calls);
    EXPECT_EQ(code_of(*made), joined({enter(2), bytes({0x02}), leave(2),
                                      bytes({0xfe, 0x14, 0x28, 1, 0, 0, 6, 0x2a})}));
    EXPECT_TRUE(MethodBody::parse(made->body)->clauses.empty());
    expect_same_code(body_of(code), kValue);
}

TEST(Instrument, WhoComesToTheReturnBehindATailCallByABranchLeavesThere) {
    // ldarg.0; brtrue.s to ret; ldarg.0; tail. call; ret; ldnull; br.s to the same ret
    const std::vector<uint8_t> code =
        bytes({0x02, 0x2d, 0x08, 0x02, 0xfe, 0x14, 0x28, 1, 0, 0, 6, 0x2a, 0x14, 0x2b, 0xfc});
    const auto made = rewritten(body_of(code), kVoid);
    ASSERT_TRUE(made);
    EXPECT_EQ(code_of(*made), joined({enter(0), bytes({0x02, 0x3a, 38, 0, 0, 0, 0x02}), leave(0),
                                      bytes({0xfe, 0x14, 0x28, 1, 0, 0, 6, 0x2a}), leave(0),
                                      bytes({0x2a, 0x14, 0x38, 0xdc, 0xff, 0xff, 0xff})}));
    expect_same_code(body_of(code), kVoid);
}

TEST(Instrument, OtherPrefixesStayWithATailCall) {
    // tail. constrained. callvirt; ret, and volatile. ldsfld; pop; ret before it
    const std::vector<uint8_t> code =
        bytes({0x02, 0x2c, 0x09, 0xfe, 0x13, 0x7e, 1,    0,    0, 4, 0x26, 0x2a, 0x00, 0xfe,
               0x16, 1,    0,    0,    2,    0xfe, 0x14, 0x6f, 1, 0, 0,    10,   0x2a});
    expect_same_code(body_of(code), kVoid);
}

TEST(Instrument, ClausesMoveWithTheirCodeAndOursIsTheLast) {
    // 0 nop; 1 leave.s 8; 3 pop; 4 leave.s 8; 6 endfinally; 7 nop; 8 ret; filter 3..4
    const std::vector<uint8_t> code = bytes({0x00, 0xde, 0x05, 0x26, 0xde, 0x02, 0xdc, 0x00, 0x2a});
    MethodBody body = body_of(code);
    body.init_locals = true;
    body.clauses = {clause(Clause::kFilter, {0, 3}, {4, 6}, 3),
                    clause(Clause::kFinally, {0, 6}, {6, 9})};
    expect_same_code(body, kVoid);
    EXPECT_EQ(MethodBody::parse(rewritten(body, kVoid)->body)->clauses.size(), 3U);
}

/// Of a method that the runtime suspends.
struct Suspension {
    Probes probes = kProbes;
    ProbeLocals locals{.signature = {}, .marker = 0, .result = 0, .exception = 1};
    Suspension() {
        probes.suspension = {.awaits = {0x0a000001, 0x2b000007},
                             .failed = {.address = 0x7f0000004000, .signature = 0x11000044},
                             .runtime = 3};
    }
    /// The filter around all, and what it never comes to.
    static std::vector<uint8_t> filter() {
        ByteWriter told;
        told.put_bytes(bytes({0xfe, 0x0e, 1, 0, 0x20, 0, 0, 0, 0, 0x14}));  // stloc, ldc.i4, ldnull
        told.put_bytes(bytes({0xfe, 0x0d, 0, 0, 0xe0, 0x6d, 0xfe, 0x0c, 1, 0}));  // marker, ldloc
        told.put_bytes(bytes({0xfe, 0x0d, 0, 0, 0xe0, 0x20, 3, 0, 0, 0}));        // marker, runtime
        testing::put_call(told, {.address = 0x7f0000004000, .signature = 0x11000044});
        told.put_bytes(bytes({0x20, 0, 0, 0, 0, 0xfe, 0x11}));  // not mine
        told.put_bytes(bytes({0x26, 0xfe, 0x1a}));              // pop; rethrow
        return std::move(told).take();
    }
};

TEST(Instrument, WhatTheRuntimeSuspendsEntersAgainBehindEachAwait) {
    const Suspension method;
    // call another; call an await; call of a generic await; ret
    const std::vector<uint8_t> code =
        bytes({0x28, 2, 0, 0, 0x0a, 0x28, 1, 0, 0, 0x0a, 0x28, 7, 0, 0, 0x2b, 0x2a});
    const auto made = instrument(body_of(code), method.probes, method.locals, kLocalSignature);
    ASSERT_TRUE(made);
    const std::vector<uint8_t> filter = Suspension::filter();
    const std::vector<uint8_t> end = joined({enter(0), leave(0), bytes({0xdc})});
    const auto distance = static_cast<int>(filter.size() + end.size());
    EXPECT_EQ(code_of(*made),
              joined({enter(0), bytes({0x28, 2, 0, 0, 0x0a, 0x28, 1, 0, 0, 0x0a}), enter(0),
                      bytes({0x28, 7, 0, 0, 0x2b}), enter(0), bytes({0xdd, distance, 0, 0, 0}),
                      filter, end, leave(0), bytes({0x2a})}));
    const auto body = MethodBody::parse(made->body);
    const auto start = static_cast<uint32_t>(enter(0).size());
    const auto behind = static_cast<uint32_t>(start + 15 + 2 * start + 5);
    const auto handler = static_cast<uint32_t>(behind + filter.size());
    const Clause passes = clause(Clause::kFilter, {start, behind}, {handler - 3, handler}, behind);
    const Clause fault = clause(Clause::kFault, {start, handler},
                                {handler, static_cast<uint32_t>(handler + end.size())});
    EXPECT_EQ(body->clauses, (std::vector{passes, fault}));
    EXPECT_EQ(body->max_stack, 8 + 3);
}

TEST(Instrument, WhatTheRuntimeSuspendsEntersAgainWhereAHandlerBegins) {
    const Suspension method;
    // 0 leave.s 5; 2 pop; 3 leave.s 5; 5 ret: a catch from 2 on
    const std::vector<uint8_t> code = bytes({0xde, 0x03, 0x26, 0xde, 0x00, 0x2a});
    MethodBody body = body_of(code);
    body.max_stack = 1;
    body.clauses = {clause(Clause::kCatch, {0, 2}, {2, 5}, 0x01000001)};
    const auto made = instrument(body, method.probes, method.locals, kLocalSignature);
    ASSERT_TRUE(made);
    const auto after = MethodBody::parse(made->body);
    ASSERT_EQ(after->clauses.size(), 3U);
    const Clause& handler = after->clauses.front();
    const std::vector<uint8_t> again = enter(0);
    const auto begin = after->code.begin() + handler.handler_begin;
    EXPECT_TRUE(std::equal(again.begin(), again.end(), begin)) << "in front of the pop";
    EXPECT_EQ(begin[static_cast<std::ptrdiff_t>(again.size())], 0x26);
    EXPECT_EQ(handler.try_end, handler.handler_begin);
    EXPECT_EQ(after->max_stack, 7) << "of the filter's probe";
}

TEST(Instrument, ATailCallInWhatTheRuntimeSuspendsIsRefused) {
    const Suspension method;
    const std::vector<uint8_t> code = bytes({0xfe, 0x14, 0x28, 1, 0, 0, 6, 0x2a});
    const auto made = instrument(body_of(code), method.probes, method.locals, kLocalSignature);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error(), Refusal::kTailCall);
}

TEST(Instrument, RefusesWhatItCannotKeep) {
    EXPECT_EQ(refused(bytes({0x27, 1, 0, 0, 6})), Refusal::kJump);
    EXPECT_EQ(refused(bytes({0x00})), Refusal::kFallsOff);
    EXPECT_EQ(refused(bytes({0x16, 0x2d, 0xfd})), Refusal::kFallsOff) << "a branch that may not";
    EXPECT_EQ(refused(bytes({0x24, 0x2a})), Refusal::kMalformed) << "no such instruction";
    EXPECT_EQ(refused(bytes({0xfe})), Refusal::kMalformed);
    EXPECT_EQ(refused(bytes({0x2a, 0x20, 1, 2})), Refusal::kMalformed) << "cut short";
    EXPECT_EQ(refused(bytes({0x2b, 0x01, 0x2a})), Refusal::kMalformed) << "branch to the end";
    EXPECT_EQ(refused(bytes({0x2b, 0x01, 0x1f, 0x2a, 0x2a})), Refusal::kMalformed) << "into one";
    EXPECT_EQ(refused(bytes({0x2b, 0xfd, 0x2a})), Refusal::kMalformed) << "before the start";
    EXPECT_EQ(refused(bytes({0x45, 0xff, 0xff, 0xff, 0x7f, 0x2a})), Refusal::kMalformed);
    EXPECT_EQ(refused(bytes({0x2a, 0xfe, 0x14})), Refusal::kMalformed) << "a prefix of nothing";
    EXPECT_EQ(refused(bytes({0xfe, 0x14, 0x00, 0x2a})), Refusal::kMalformed) << "tail. nop";
    EXPECT_EQ(refused(bytes({0x2b, 0x02, 0xfe, 0x14, 0x28, 1, 0, 0, 6, 0x2a})), Refusal::kMalformed)
        << "a branch past tail.";
    const std::vector<uint8_t> code = bytes({0x00, 0x00, 0x2a});
    MethodBody body = body_of(code);
    body.max_stack = 65'533;
    EXPECT_EQ(rewritten(body, kVoid).error(), Refusal::kTooLarge);
    body = body_of(code);
    for (const Clause& clause :
         {clause(Clause::kFault, {0, 1}, {1, 4}), clause(Clause::kFault, {1, 1}, {1, 2}),
          clause(Clause::kFilter, {0, 1}, {1, 2}, 2)}) {
        body.clauses = {clause};
        EXPECT_EQ(rewritten(body, kVoid).error(), Refusal::kMalformed);
    }
}

/// Code that makes sense instruction by instruction: what is defined, branches to instructions.
std::vector<uint8_t> random_code(std::mt19937& random, std::vector<uint32_t>& starts) {
    ByteWriter out;
    std::vector<size_t> branches;  // where their targets are to be written
    const auto count = static_cast<uint32_t>(1 + random() % 40);
    bool after_prefix = false;
    for (uint32_t number = 0; number < count; ++number) {
        if (!after_prefix) {
            starts.push_back(static_cast<uint32_t>(out.size()));
        }
        after_prefix = false;
        switch (random() % 8) {
            case 0:
                out.put(static_cast<Opcode>(0x38 + random() % 13));
                branches.push_back(out.size());
                out.put(uint32_t{0});
                break;
            case 1: {
                const auto targets = static_cast<uint32_t>(random() % 4);
                out.put(Opcode::kSwitch);
                out.put(targets);
                for (uint32_t target = 0; target < targets; ++target) {
                    branches.push_back(out.size());
                    out.put(uint32_t{0});
                }
                break;
            }
            case 2:
                out.put(Opcode::kRet);
                break;
            case 3:
                out.put(Opcode::kTail);
                out.put(Opcode::kCall);
                out.put(static_cast<uint32_t>(random()));
                if (random() % 2 == 0) {
                    starts.push_back(static_cast<uint32_t>(out.size()));
                    out.put(Opcode::kRet);
                }
                break;
            case 4:
                out.put(Opcode::kVolatile);
                after_prefix = true;
                break;
            default:
                out.put(Opcode::kNop);
                break;
        }
    }
    if (after_prefix) {
        out.put(Opcode::kNop);
    }
    starts.push_back(static_cast<uint32_t>(out.size()));
    out.put(Opcode::kThrow);
    // Distances count from the end of the instruction: of a switch, the last of its targets.
    const std::vector<uint8_t> so_far(out.bytes().begin(), out.bytes().end());
    for (uint32_t offset = 0; offset < so_far.size();) {
        const Instruction one = *decode(so_far, offset);
        for (const size_t at : branches) {
            if (at >= one.begin && at < one.end) {
                out.set(at, starts[random() % starts.size()] - one.end);
            }
        }
        offset = one.end;
    }
    return std::move(out).take();
}

ArgumentProbe argument(uint64_t number, uint16_t source, ArgumentProbe::Form form) {
    ArgumentProbe probe;
    probe.number = number;
    probe.source = source;
    probe.form = form;
    probe.function = {.address = 0x7f0000004000 + number, .signature = 0x11000045};
    return probe;
}

Probes random_probes(std::mt19937& random, bool has_result) {
    Probes probes = kProbes;
    for (uint64_t number = random() % 4; number > 0; --number) {
        const bool result = has_result && random() % 2 == 0;
        ArgumentProbe probe = argument(
            number, result ? ArgumentProbe::kResult : static_cast<uint16_t>(random() % 300),
            static_cast<ArgumentProbe::Form>(random() % 5));
        if (random() % 3 == 0) {
            probe.getter = 0x0a000007;
            probe.null_function = {.address = 0x7f0000005000, .signature = 0x11000046};
        }
        probes.arguments.push_back(probe);
    }
    return probes;
}

TEST(Instrument, ArgumentsAreToldBehindTheEnterProbeAndEndBeforeEachLeave) {
    Probes probes = kProbes;
    probes.arguments = {argument(3, 1, ArgumentProbe::Form::kSigned),
                        argument(4, ArgumentProbe::kResult, ArgumentProbe::Form::kAsItIs)};
    const std::vector<uint8_t> code = bytes({0x02, 0x2a});  // ldarg.0, ret
    const MethodBody body = body_of(code);
    const auto made = instrument(body, probes, kValue, kLocalSignature);
    ASSERT_TRUE(made);
    const std::vector<uint8_t> end = testing::two_numbers(77, probes.arguments_end);
    const std::vector<uint8_t> first = joined({bytes({0x21, 3, 0, 0, 0, 0, 0, 0, 0}),  // ldc.i8 3
                                               bytes({0xfe, 0x09, 1, 0, 0x6a}),  // ldarg 1, conv.i8
                                               bytes({0x21, 3, 0x40, 0, 0, 0, 0x7f, 0, 0}),
                                               bytes({0xd3, 0x29, 0x45, 0, 0, 0x11})});  // calli
    const std::vector<uint8_t> result = joined(
        {bytes({0x21, 4, 0, 0, 0, 0, 0, 0, 0}), bytes({0xfe, 0x0c, 3, 0}),  // ldloc 3
         bytes({0x21, 4, 0x40, 0, 0, 0, 0x7f, 0, 0}), bytes({0xd3, 0x29, 0x45, 0, 0, 0x11})});
    const auto to_end = static_cast<int>(end.size() + leave(2).size() + 1);
    EXPECT_EQ(
        code_of(*made),
        joined({enter(2), first, bytes({0x02, 0xfe, 0x0e, 3, 0, 0xdd, to_end, 0, 0, 0}), end,
                leave(2), bytes({0xdc}), result, end, leave(2), bytes({0xfe, 0x0c, 3, 0, 0x2a})}));
}

TEST(Instrument, AMethodTellsSixteenValuesAtMost) {
    Probes probes = kProbes;
    probes.arguments.assign(kMaxArguments, argument(1, 0, ArgumentProbe::Form::kSigned));
    const std::vector<uint8_t> code = bytes({0x2a});
    const MethodBody body = body_of(code);
    EXPECT_TRUE(instrument(body, probes, kVoid, kLocalSignature));
    probes.arguments.push_back(argument(1, 0, ArgumentProbe::Form::kSigned));
    EXPECT_FALSE(instrument(body, probes, kVoid, kLocalSignature));
}

TEST(Instrument, RandomCodeStaysTheSameBetweenTheProbes) {
    std::mt19937 random(3);
    int with_tail_calls = 0;
    for (int round = 0; round < 20'000; ++round) {
        std::vector<uint32_t> starts;
        const std::vector<uint8_t> code = random_code(random, starts);
        MethodBody body = body_of(code);
        if (starts.size() >= 3 && round % 2 == 0) {
            const size_t middle = 1 + random() % (starts.size() - 2);
            body.clauses.push_back(clause(Clause::kCatch, {starts[0], starts[middle]},
                                          {starts[middle], static_cast<uint32_t>(code.size())},
                                          0x01000001));
        }
        const ProbeLocals& locals = round % 3 == 0 ? kVoid : kValue;
        const Probes probes = random_probes(random, &locals == &kValue);
        const auto made = instrument(body, probes, locals, kLocalSignature);
        ASSERT_TRUE(made) << round << ": " << reason(made.error());
        ASSERT_EQ(testing::SameCode(body, *made, locals, probes).difference(), "") << round;
        with_tail_calls += made->has_tail_calls ? 1 : 0;
    }
    EXPECT_GT(with_tail_calls, 5'000);
    EXPECT_LT(with_tail_calls, 19'000);
}

}  // namespace
}  // namespace umbra::il
