// SPDX-License-Identifier: MIT
// Headers tiny and fat, clauses small and fat, and bytes that are neither.
#include "src/il/method_body.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/il/body_builder.h"

namespace umbra::il {
namespace {

using testing::bytes;
using testing::clause;
using testing::joined;

TEST(MethodBody, ATinyHeaderIsOneByte) {
    const std::vector<uint8_t> tiny = bytes({0x02 | 2 << 2, 0x17, 0x2a, 0xff});
    const auto body = MethodBody::parse(tiny);
    ASSERT_TRUE(body);
    EXPECT_EQ(body->max_stack, 8U);
    EXPECT_FALSE(body->init_locals);
    EXPECT_EQ(body->local_signature, 0U);
    EXPECT_EQ(std::vector<uint8_t>(body->code.begin(), body->code.end()), bytes({0x17, 0x2a}));
    EXPECT_TRUE(body->clauses.empty());
}

// Code of 3 bytes: a section begins at the next multiple of four.
TEST(MethodBody, SmallAndFatClausesAreReadFromOneSectionAfterTheOther) {
    const std::vector<uint8_t> raw = joined({
        bytes({0x1b, 0x30, 5, 0, 3, 0, 0, 0, 7, 0, 0, 0x11}),  // fat, more, init; stack 5
        bytes({0x00, 0x00, 0x2a, 0xcc}),
        bytes({0x81, 16, 0, 0}),  // small clauses, and another section
        bytes({0, 0, 0, 0, 1, 1, 0, 1, 9, 0, 0, 2}),
        bytes({0x41, 28, 0, 0}),  // fat clauses
        bytes({1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}),
    });
    const auto body = MethodBody::parse(raw);
    ASSERT_TRUE(body);
    EXPECT_EQ(body->max_stack, 5U);
    EXPECT_TRUE(body->init_locals);
    EXPECT_EQ(body->local_signature, 0x11000007U);
    EXPECT_EQ(body->code.size(), 3U);
    const Clause first = clause(Clause::kCatch, {0, 1}, {1, 2}, 0x02000009);
    const Clause second = clause(Clause::kFilter, {1, 2}, {2, 3}, 1);
    EXPECT_EQ(body->clauses, (std::vector{first, second}));
}

TEST(MethodBody, WhatIsWrittenIsReadBack) {
    const std::vector<uint8_t> code(70'001, 0x00);
    MethodBody body;
    body.max_stack = 65'535;
    body.init_locals = true;
    body.local_signature = 0x11000001;
    body.code = code;
    for (uint32_t at = 0; at < 300; ++at) {
        body.clauses.push_back(clause(Clause::kFinally, {at, 60'000}, {60'000 + at, 70'000}));
    }
    const std::vector<uint8_t> raw = body.encode();
    const auto again = MethodBody::parse(raw);
    ASSERT_TRUE(again);
    EXPECT_EQ(again->max_stack, body.max_stack);
    EXPECT_EQ(again->init_locals, body.init_locals);
    EXPECT_EQ(again->local_signature, body.local_signature);
    EXPECT_EQ(again->code.size(), code.size());
    EXPECT_EQ(again->clauses, body.clauses);
}

TEST(MethodBody, CutShortAnywhereItIsNoBody) {
    const std::vector<uint8_t> code = bytes({0x00, 0x00, 0x00, 0x2a});
    MethodBody body = testing::body_of(code);
    body.clauses.push_back(clause(Clause::kFault, {0, 1}, {1, 2}));
    const std::vector<uint8_t> raw = body.encode();
    for (size_t size = 0; size < raw.size(); ++size) {
        EXPECT_FALSE(MethodBody::parse(Bytes(raw).first(size))) << size;
    }
    EXPECT_TRUE(MethodBody::parse(raw));
}

TEST(MethodBody, AnyBytesAreReadWithoutHarm) {
    std::mt19937 random(7);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<uint8_t> raw(random() % 64);
        for (uint8_t& byte : raw) {
            byte = static_cast<uint8_t>(random());
        }
        if (raw.size() > 1 && round % 2 == 0) {
            raw[0] = 0x0b, raw[1] = 0x30;  // fat, with sections
        }
        if (const auto body = MethodBody::parse(raw)) {
            EXPECT_FALSE(body->code.empty());
            EXPECT_LT(body->code.size(), raw.size());
        }
    }
}

}  // namespace
}  // namespace umbra::il
