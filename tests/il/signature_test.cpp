// SPDX-License-Identifier: MIT
// Where types end in signatures, and the locals made of them.
#include "src/il/signature.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "tests/il/body_builder.h"

namespace umbra::il {
namespace {

using testing::bytes;

std::vector<uint8_t> copy(Bytes some) {
    return {some.begin(), some.end()};
}

TEST(Signature, ATypeEndsWhereItsLastPartEnds) {
    for (const std::vector<uint8_t>& type : {
             bytes({0x08}),                                            // int
             bytes({0x0e}),                                            // string
             bytes({0x12, 0x49}),                                      // class
             bytes({0x11, 0x80, 0x85}),                                // struct, two-byte token
             bytes({0x12, 0xc0, 0x01, 0x02, 0x03}),                    // class, four-byte token
             bytes({0x1d, 0x1d, 0x1c}),                                // object[][]
             bytes({0x14, 0x08, 0x03, 0x02, 0x04, 0x05, 0x01, 0x00}),  // int[4,5,]
             bytes({0x15, 0x12, 0x49, 0x02, 0x08, 0x1e, 0x01}),        // class<int, !!1>
             bytes({0x10, 0x13, 0x00}),                                // ref !0
             bytes({0x1f, 0x49, 0x10, 0x0e}),                          // ref readonly string
             bytes({0x1b, 0x09, 0x02, 0x01, 0x08, 0x0f, 0x01}),  // delegate*<int, void*, void>
             bytes({0x1b, 0x30, 0x01, 0x01, 0x01, 0x08}),        // ... with type variables
             bytes({0x16}),                                      // TypedReference
             bytes({0x19}),                                      // nuint
         }) {
        std::vector<uint8_t> blob = type;
        blob.push_back(0x08);
        const auto found = leading_type(blob);
        ASSERT_TRUE(found) << ::testing::PrintToString(type);
        EXPECT_EQ(copy(*found), type);
        for (size_t size = 0; size < type.size(); ++size) {
            EXPECT_FALSE(leading_type(Bytes(type).first(size)))
                << ::testing::PrintToString(type) << " cut at " << size;
        }
    }
    EXPECT_FALSE(leading_type(bytes({0x00})));
    EXPECT_FALSE(leading_type(bytes({0x17})));
    EXPECT_FALSE(leading_type(std::vector<uint8_t>(1000, 0x1d))) << "too deep";
}

TEST(Signature, WhatAMethodGivesBackIsFoundBehindItsTypeVariables) {
    const std::vector<uint8_t> generic =
        bytes({0x30, 0x02, 0x01, 0x15, 0x12, 0x49, 0x01, 0x1e, 0x00, 0x08});
    auto type = return_type(generic);
    ASSERT_TRUE(type);
    EXPECT_FALSE(type->is_void);
    EXPECT_EQ(copy(type->type), bytes({0x15, 0x12, 0x49, 0x01, 0x1e, 0x00}));
    type = return_type(bytes({0x20, 0x01, 0x01, 0x08}));
    ASSERT_TRUE(type);
    EXPECT_TRUE(type->is_void);
    // An init accessor: void modreq(IsExternalInit).
    type = return_type(bytes({0x20, 0x01, 0x1f, 0x49, 0x01, 0x08}));
    ASSERT_TRUE(type);
    EXPECT_TRUE(type->is_void);
    // void* is something.
    type = return_type(bytes({0x00, 0x00, 0x0f, 0x01}));
    ASSERT_TRUE(type);
    EXPECT_FALSE(type->is_void);
    EXPECT_FALSE(return_type(bytes({0x06, 0x08}))) << "a field";
    EXPECT_FALSE(return_type(bytes({0x07, 0x01, 0x08}))) << "locals";
    EXPECT_FALSE(return_type({}));
}

TEST(Signature, CodeThatTheRuntimeSuspendsGivesBackWhatTheTaskHolds) {
    const auto in_task = [](const std::vector<uint8_t>& type) {
        return result_in_task({.is_void = false, .type = type});
    };
    EXPECT_TRUE(in_task(bytes({0x12, 0x49}))->is_void) << "Task";
    EXPECT_TRUE(in_task(bytes({0x11, 0x49}))->is_void) << "ValueTask";
    const std::vector<uint8_t> of_number = bytes({0x15, 0x11, 0x49, 0x01, 0x08});
    EXPECT_EQ(copy(in_task(of_number)->type), bytes({0x08}));
    EXPECT_FALSE(in_task(of_number)->is_void);
    // Task<List<T>>, with a modifier in front.
    const std::vector<uint8_t> of_list =
        bytes({0x20, 0x49, 0x15, 0x12, 0x4d, 0x01, 0x15, 0x12, 0x51, 0x01, 0x13, 0x00});
    EXPECT_EQ(copy(in_task(of_list)->type), bytes({0x15, 0x12, 0x51, 0x01, 0x13, 0x00}));
    EXPECT_FALSE(in_task(bytes({0x08}))) << "a number";
    EXPECT_FALSE(in_task(bytes({0x01}))) << "nothing";
    EXPECT_FALSE(in_task(bytes({0x15, 0x12, 0x49, 0x02, 0x08, 0x08}))) << "two type arguments";
    EXPECT_FALSE(in_task(bytes({0x15, 0x12, 0x49, 0x01}))) << "cut short";
    EXPECT_FALSE(in_task({}));
}

TEST(Signature, AnExceptionHasALocalBehindTheResult) {
    const std::vector<uint8_t> number = bytes({0x08});
    auto locals = probe_locals(bytes({0x07, 0x01, 0x0e}), {.is_void = false, .type = number}, true);
    ASSERT_TRUE(locals);
    EXPECT_EQ(locals->signature, bytes({0x07, 0x04, 0x0e, 0x18, 0x08, 0x1c}));
    EXPECT_EQ(locals->exception, 3U);
    locals = probe_locals({}, {.is_void = true, .type = {}}, true);
    ASSERT_TRUE(locals);
    EXPECT_EQ(locals->signature, bytes({0x07, 0x02, 0x18, 0x1c}));
    EXPECT_EQ(locals->exception, 1U);
}

TEST(Signature, MarkerAndResultComeBehindTheMethodsOwnLocals) {
    const std::vector<uint8_t> text = bytes({0x0e});
    auto locals = probe_locals({}, {.is_void = true, .type = {}});
    ASSERT_TRUE(locals);
    EXPECT_EQ(locals->signature, bytes({0x07, 0x01, 0x18}));
    EXPECT_EQ(locals->marker, 0U);
    EXPECT_EQ(locals->result, 0U) << "there is none";
    locals =
        probe_locals(bytes({0x07, 0x02, 0x08, 0x45, 0x10, 0x05}), {.is_void = false, .type = text});
    ASSERT_TRUE(locals);
    EXPECT_EQ(locals->signature, bytes({0x07, 0x04, 0x08, 0x45, 0x10, 0x05, 0x18, 0x0e}));
    EXPECT_EQ(locals->marker, 2U);
    EXPECT_EQ(locals->result, 3U);
}

TEST(Signature, TheNumberOfLocalsTakesTheBytesItNeeds) {
    for (const uint32_t count : {126U, 127U, 128U, 0x3ffeU, 0x3fffU, 0xfffbU}) {
        ByteWriter own;
        own.put(uint8_t{0x07});
        if (count < 0x80) {
            own.put(static_cast<uint8_t>(count));
        } else if (count < 0x4000) {
            own.put_bytes(
                bytes({static_cast<int>(0x80 | count >> 8), static_cast<int>(count & 0xff)}));
        } else {
            own.put_bytes(
                bytes({0xc0, 0, static_cast<int>(count >> 8), static_cast<int>(count & 0xff)}));
        }
        own.put_bytes(std::vector<uint8_t>(count, 0x08));
        const auto locals = probe_locals(own.bytes(), {.is_void = true, .type = {}});
        ASSERT_TRUE(locals) << count;
        EXPECT_EQ(locals->marker, count);
        // Once more, on what was written.
        const auto again = probe_locals(locals->signature, {.is_void = true, .type = {}});
        ASSERT_TRUE(again) << count;
        EXPECT_EQ(again->marker, count + 1);
    }
    EXPECT_FALSE(probe_locals(bytes({0x07, 0xc0, 0, 0xff, 0xfd}), {.is_void = true, .type = {}}));
}

TEST(Signature, AnyBytesAreReadWithoutHarm) {
    std::mt19937 random(11);
    for (int round = 0; round < 50'000; ++round) {
        std::vector<uint8_t> blob(random() % 24);
        for (uint8_t& byte : blob) {
            byte = static_cast<uint8_t>(random() % 2 == 0 ? random() : random() % 0x24);
        }
        if (const auto type = leading_type(blob)) {
            EXPECT_LE(type->size(), blob.size());
        }
        const auto result = return_type(blob);
        (void)probe_locals(blob, result.value_or(ReturnType{.is_void = true, .type = {}}));
    }
}

}  // namespace
}  // namespace umbra::il
