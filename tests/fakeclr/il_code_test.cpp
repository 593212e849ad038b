// SPDX-License-Identifier: MIT
// The IL of a profiler, run around what a made-up method does: probes of the agent's own rewriter,
// and code made by hand.
#include "src/fakeclr/il_code.h"

#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/fakeclr/fake_model.h"
#include "src/il/instrument.h"

namespace umbra::fakeclr {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr uint64_t kFrame = 0x7000;
constexpr uint32_t kProbeToken = 0x11000001;
constexpr uint32_t kRealToken = 0x11000002;

std::vector<std::pair<char, uint64_t>> g_calls;
void entered(uint64_t id, uint64_t frame) {
    EXPECT_EQ(id, 77U);
    g_calls.emplace_back('e', frame);
}
void left(uint64_t id, uint64_t frame) {
    EXPECT_EQ(id, 77U);
    g_calls.emplace_back('l', frame);
}

il::Bytes signature_of(uint32_t token) {
    return token == kProbeToken  ? il::Bytes(il::kProbeSignature)
           : token == kRealToken ? il::Bytes(il::kRealSignature)
                                 : il::Bytes();
}

Blob joined(std::initializer_list<Blob> parts) {
    Blob all;
    for (const Blob& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

/// ldc.i8 77; ldloca 1; ldc.i8 function; calli token
Blob call_of(void (*function)(uint64_t, uint64_t), uint32_t token = kProbeToken) {
    Blob code{0x21, 77, 0, 0, 0, 0, 0, 0, 0, 0xfe, 0x0d, 1, 0, 0x21};
    const auto address = reinterpret_cast<uintptr_t>(function);
    for (int shift = 0; shift < 64; shift += 8) {
        code.push_back(static_cast<uint8_t>(address >> shift));
    }
    code.push_back(0x29);
    for (int shift = 0; shift < 32; shift += 8) {
        code.push_back(static_cast<uint8_t>(token >> shift));
    }
    return code;
}

Blob body_of(const Blob& code, std::vector<il::Clause> clauses = {}) {
    il::MethodBody body;
    body.max_stack = 8;
    body.code = code;
    body.clauses = std::move(clauses);
    return body.encode();
}

class IlCodeOf : public testing::TestWithParam<Blob> {
  protected:
    void SetUp() override { g_calls.clear(); }
};

TEST_P(IlCodeOf, ARewrittenMethodRunsTheProbesAroundItsBody) {
    const Blob signature = method_signature(true, GetParam());
    const auto own = il::MethodBody::parse(own_il(signature));
    ASSERT_TRUE(own);
    const auto locals = il::probe_locals({}, *il::return_type(signature));
    il::Probes probes;
    probes.client_id = 77;
    probes.enter = reinterpret_cast<uintptr_t>(&entered);
    probes.leave = reinterpret_cast<uintptr_t>(&left);
    probes.signature = kProbeToken;
    const auto made = il::instrument(*own, probes, *locals, 0);
    ASSERT_TRUE(made);
    const Result<IlCode> code = IlCode::parse(made->body, signature_of);
    ASSERT_TRUE(code) << code.error().context;
    const uint64_t marker = kFrame + 8U * locals->marker;
    code->enter(kFrame);
    EXPECT_THAT(g_calls, ElementsAre(std::pair('e', marker)));
    code->leave(kFrame);
    EXPECT_THAT(g_calls, ElementsAre(std::pair('e', marker), std::pair('l', marker)));
    code->unwind(kFrame);
    EXPECT_EQ(g_calls.size(), 3U);
    EXPECT_EQ(g_calls.back(), std::pair('l', marker));
}

INSTANTIATE_TEST_SUITE_P(Results, IlCodeOf,
                         testing::Values(Blob{clr::ELEMENT_TYPE_VOID},
                                         Blob{clr::ELEMENT_TYPE_BOOLEAN},
                                         Blob{clr::ELEMENT_TYPE_I4}, Blob{clr::ELEMENT_TYPE_U8},
                                         Blob{clr::ELEMENT_TYPE_STRING},
                                         class_signature(0x02000002),
                                         Blob{clr::ELEMENT_TYPE_SZARRAY, clr::ELEMENT_TYPE_I4}));

TEST(IlCode, MethodsThatGiveBackStructuresHaveNone) {
    EXPECT_TRUE(own_il(method_signature(false, {clr::ELEMENT_TYPE_VALUETYPE, 8})).empty());
    EXPECT_TRUE(own_il(method_signature(false, {clr::ELEMENT_TYPE_R8})).empty());
    EXPECT_TRUE(own_il({}).empty());
    EXPECT_FALSE(own_il(method_signature(true, {clr::ELEMENT_TYPE_VOID}, {}, 2)).empty());
}

TEST(IlCode, FinallyBlocksRunWhenTheirTryIsLeftAndWhenAnExceptionPasses) {
    g_calls.clear();
    // .try { break; leave.s END } finally { call; endfinally } END: nop; ret
    const Blob handler = joined({call_of(left), {0xdc}});
    const auto handler_end = static_cast<uint32_t>(3 + handler.size());
    const Blob code =
        joined({{0x01, 0xde, static_cast<uint8_t>(handler.size())}, handler, {0x00, 0x2a}});
    const Result<IlCode> run = IlCode::parse(body_of(code, {{.kind = il::Clause::kFinally,
                                                             .try_begin = 0,
                                                             .try_end = 3,
                                                             .handler_begin = 3,
                                                             .handler_end = handler_end,
                                                             .type_or_filter = 0}}),
                                             signature_of);
    ASSERT_TRUE(run) << run.error().context;
    run->enter(kFrame);
    EXPECT_TRUE(g_calls.empty());
    run->leave(kFrame);
    EXPECT_EQ(g_calls.size(), 1U);
    run->unwind(kFrame);
    EXPECT_EQ(g_calls.size(), 2U);
}

TEST(IlCode, WhatCannotBeRunIsNamed) {
    const Blob body_and_return{0x01, 0x2a};
    for (const auto& [code, why] : std::vector<std::pair<Blob, const char*>>{
             {{0x02, 0x01, 0x2a}, "instruction 2 at offset 0"},               // ldarg.0
             {{0x16, 0x2d, 0x00, 0x01, 0x2a}, "instruction 45 at offset 1"},  // brtrue.s
             {{0x01, 0x28, 1, 0, 0, 6, 0x2a}, "instruction 40 at offset 1"},  // call
             {{0x26, 0x01, 0x2a}, "finds no value"},                          // pop
             {joined({call_of(left, kRealToken), body_and_return}), "a signature"},
             {joined({call_of(left, 0x11000003), body_and_return}), "a signature"},
             {joined({call_of(nullptr), body_and_return}), "a call of nothing"},
             {{0x2b, 0xfe}, "reached too often"},        // br.s to itself
             {{0x2a}, "instruction 42 at offset 0"},     // no body
             {{0x01, 0x2b, 0x10}, "no instruction"}}) {  // br.s to nowhere
        const Result<IlCode> run = IlCode::parse(body_of(code), signature_of);
        ASSERT_FALSE(run) << why;
        EXPECT_THAT(run.error().context, HasSubstr(why));
    }
    EXPECT_FALSE(IlCode::parse({}, signature_of));
}

}  // namespace
}  // namespace umbra::fakeclr
