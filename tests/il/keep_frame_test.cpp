// SPDX-License-Identifier: MIT
// Calls at a method's end that are to stay calls, in bodies made by hand and in random ones.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "src/il/instrument.h"
#include "tests/il/body_builder.h"

namespace umbra::il {
namespace {

using testing::body_of;
using testing::bytes;
using testing::clause;

constexpr uint32_t kOwn = 0x06000007;
constexpr uint32_t kOther = 0x06000009;

bool is_own(uint32_t token) {
    return token == kOwn;
}

std::vector<uint8_t> kept(const std::vector<uint8_t>& code) {
    const auto made = keep_frame(body_of(code), is_own);
    const auto body = made ? MethodBody::parse(made->body) : std::nullopt;
    return body ? std::vector<uint8_t>(body->code.begin(), body->code.end())
                : std::vector<uint8_t>();
}

bool stays(const std::vector<uint8_t>& code) {
    return !keep_frame(body_of(code), is_own).has_value();
}

TEST(KeepFrame, ACallBeforeAReturnGetsANopBehindIt) {
    EXPECT_EQ(kept(bytes({0x28, 9, 0, 0, 6, 0x2a})), bytes({0x28, 9, 0, 0, 6, 0x00, 0x2a}));
    EXPECT_EQ(kept(bytes({0x6f, 9, 0, 0, 6, 0x2a})), bytes({0x6f, 9, 0, 0, 6, 0x00, 0x2a}));
    // calli, whose operand is a signature's token
    EXPECT_EQ(kept(bytes({0x29, 7, 0, 0, 6, 0x2a})), bytes({0x29, 7, 0, 0, 6, 0x00, 0x2a}));
    EXPECT_TRUE(may_end_in_call(bytes({0x29, 7, 0, 0, 6, 0x2a})));
    EXPECT_TRUE(may_end_in_call(bytes({0x28, 9, 0, 0, 6, 0x2a})));
    EXPECT_TRUE(may_end_in_call(bytes({0x6f, 9, 0, 0, 6, 0x2a})));
}

TEST(KeepFrame, WhatIsNoCallOfAnotherBeforeAReturnStays) {
    EXPECT_TRUE(stays(bytes({0x2a})));
    EXPECT_TRUE(stays(bytes({0x28, 7, 0, 0, 6, 0x2a})));              // the method itself
    EXPECT_TRUE(stays(bytes({0xfe, 0x14, 0x28, 9, 0, 0, 6, 0x2a})));  // tail. call
    EXPECT_TRUE(stays(bytes({0xfe, 0x14, 0xfe, 0x16, 1, 0, 0, 2,      // tail. constrained. callvirt
                             0x6f, 9, 0, 0, 6, 0x2a})));
    EXPECT_TRUE(stays(bytes({0x28, 9, 0, 0, 6, 0x26, 0x2a})));  // pop between them
    EXPECT_TRUE(stays(bytes({0x73, 9, 0, 0, 6, 0x2a})));        // newobj
    EXPECT_FALSE(may_end_in_call(bytes({0x2a})));
    EXPECT_FALSE(may_end_in_call(bytes({0x28, 9, 0, 0, 6, 0x26, 0x2a})));
    EXPECT_FALSE(may_end_in_call({}));
}

TEST(KeepFrame, WhatMakesNoSenseStays) {
    EXPECT_TRUE(stays({}));
    EXPECT_TRUE(stays(bytes({0x28, 9, 0, 0, 6, 0x2a, 0x28})));              // half an instruction
    EXPECT_TRUE(stays(bytes({0x28, 9, 0, 0, 6, 0x2a, 0x00})));              // falls off
    EXPECT_TRUE(stays(bytes({0x2b, 1, 0x28, 9, 0, 0, 6, 0x2a})));           // into an instruction
    EXPECT_TRUE(stays(bytes({0x28, 9, 0, 0, 6, 0x2a, 0x27, 9, 0, 0, 6})));  // jmp
}

TEST(KeepFrame, OneOfTwoEndsMayBeTheMethodsOwn) {
    // brfalse.s OTHER; call own; ret; OTHER: call other; ret
    const std::vector<uint8_t> code =
        bytes({0x2c, 6, 0x28, 7, 0, 0, 6, 0x2a, 0x28, 9, 0, 0, 6, 0x2a});
    EXPECT_EQ(kept(code),
              bytes({0x39, 6, 0, 0, 0, 0x28, 7, 0, 0, 6, 0x2a, 0x28, 9, 0, 0, 6, 0x00, 0x2a}));
}

TEST(KeepFrame, WhoBranchesToTheReturnComesByTheNop) {
    // brtrue.s RET; call other; RET: ret
    const auto made = keep_frame(body_of(bytes({0x2d, 5, 0x28, 9, 0, 0, 6, 0x2a})), is_own);
    ASSERT_TRUE(made);
    const auto body = MethodBody::parse(made->body);
    EXPECT_EQ(std::vector<uint8_t>(body->code.begin(), body->code.end()),
              bytes({0x3a, 5, 0, 0, 0, 0x28, 9, 0, 0, 6, 0x00, 0x2a}));
    ASSERT_EQ(made->moved.size(), 3U);
    EXPECT_EQ(made->moved[1].to, 5U);
    EXPECT_EQ(made->moved[2].from, 7U);
    EXPECT_EQ(made->moved[2].to, 10U);
}

TEST(KeepFrame, HeaderAndClausesGoAlong) {
    // .try { nop; leave.s END } finally { endfinally } END: brtrue.s BACK; BACK: call other; ret
    const std::vector<uint8_t> code = bytes({0x00, 0xde, 1, 0xdc, 0x2d, 0, 0x28, 9, 0, 0, 6, 0x2a});
    MethodBody body = body_of(code);
    body.max_stack = 3;
    body.init_locals = true;
    body.local_signature = 0x11000002;
    body.clauses = {clause(Clause::kFinally, {0, 3}, {3, 4})};
    const auto made = keep_frame(body, is_own);
    ASSERT_TRUE(made);
    const auto parsed = MethodBody::parse(made->body);
    ASSERT_TRUE(parsed);
    EXPECT_EQ(parsed->max_stack, 3);
    EXPECT_TRUE(parsed->init_locals);
    EXPECT_EQ(parsed->local_signature, 0x11000002U);
    EXPECT_EQ(parsed->clauses, std::vector{clause(Clause::kFinally, {0, 6}, {6, 7})});
}

std::vector<Instruction> instructions_of(Bytes code) {
    std::vector<Instruction> all;
    for_instructions(code, [&](const Instruction& one) { all.push_back(one); });
    return all;
}

/// Calls of the method and of others, with and without `tail.`, returns, and branches anywhere.
std::vector<uint8_t> random_code(std::mt19937& random) {
    ByteWriter out;
    std::vector<uint32_t> starts;
    std::vector<size_t> branches;
    for (auto count = 1 + random() % 40; count > 0; --count) {
        starts.push_back(static_cast<uint32_t>(out.size()));
        switch (random() % 5) {
            case 0:
                out.put(Opcode::kBrtrue);
                branches.push_back(out.size());
                out.put(uint32_t{0});
                break;
            case 1:
                out.put(Opcode::kTail);
                out.put(Opcode::kCall, kOther);
                break;
            case 2:
                out.put(random() % 2 == 0 ? Opcode::kCall : Opcode::kCallvirt,
                        random() % 4 == 0 ? kOwn : kOther);
                break;
            case 3:
                out.put(Opcode::kNop);
                break;
            default:
                out.put(Opcode::kRet);
                break;
        }
    }
    starts.push_back(static_cast<uint32_t>(out.size()));
    out.put(Opcode::kRet);
    for (const size_t at : branches) {
        const uint32_t target = starts[random() % starts.size()];
        out.set(at, target - static_cast<uint32_t>(at + 4));
    }
    return std::move(out).take();
}

TEST(KeepFrame, RandomCodeIsTheSameButForTheNops) {
    std::mt19937 random(5);
    int changed = 0;
    for (int round = 0; round < 20'000; ++round) {
        const std::vector<uint8_t> code = random_code(random);
        const std::vector<Instruction> before = instructions_of(code);
        std::vector<bool> nop(before.size());  // in front of this one
        for (size_t i = 1; i < before.size(); ++i) {
            nop[i] = before[i].opcode == Opcode::kRet && before[i - 1].is_call() &&
                     before[i - 1].number(code) != kOwn &&
                     (i < 2 || before[i - 2].opcode != Opcode::kTail);
        }
        const auto made = keep_frame(body_of(code), is_own);
        ASSERT_EQ(made.has_value(), std::ranges::find(nop, true) != nop.end()) << round;
        if (!made) {
            continue;
        }
        ++changed;
        ASSERT_TRUE(may_end_in_call(code)) << round;
        const auto body = MethodBody::parse(made->body);
        const std::vector<Instruction> after = instructions_of(body->code);
        ASSERT_EQ(made->moved.size(), before.size()) << round;
        size_t at = 0;
        for (size_t i = 0; i < before.size(); ++i) {
            ASSERT_EQ(made->moved[i].from, before[i].begin) << round;
            ASSERT_EQ(made->moved[i].to, after[at].begin) << round;
            if (nop[i]) {
                ASSERT_EQ(after[at++].opcode, Opcode::kNop) << round;
            }
            ASSERT_EQ(after[at].opcode, long_form(before[i].opcode)) << round;
            if (before[i].target_count(code) == 1) {
                const auto target =
                    std::ranges::find(made->moved, before[i].target(code, 0), &MovedOffset::from);
                ASSERT_EQ(after[at].target(body->code, 0), target->to) << round;
            } else {
                ASSERT_EQ(after[at].number(body->code), before[i].number(code)) << round;
            }
            ++at;
        }
        ASSERT_EQ(at, after.size()) << round;
    }
    EXPECT_GT(changed, 10'000);
    EXPECT_LT(changed, 19'900);
}

}  // namespace
}  // namespace umbra::il
