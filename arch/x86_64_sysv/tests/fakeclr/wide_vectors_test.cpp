// SPDX-License-Identifier: MIT
// The register check sees the vector registers that not every x86-64 processor has.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/fakeclr/register_check.h"

namespace umbra::fakeclr {

extern "C" {
void mutant_upper_halves();
void mutant_zmm20();
void mutant_k3();
}

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

struct Outcome {
    std::vector<std::string> changed;
    std::vector<std::string> broken;
};

Outcome try_enter(Hook hook) {
    RegisterFile before = register_pattern(HookKind::kEnter, 0x1238, 0x7f00'1234'5670, 42);
    const RegisterFile after = checked_call(hook, before, StackAlignment::kAligned);
    return {changed_registers(before, after), broken_contract(HookKind::kEnter, before, after)};
}

TEST(RegisterCheck, UpperHalvesAreSeenWhereTheCpuHasThem) {
    if (cpu_vector_level() < VectorLevel::kAvx) {
        GTEST_SKIP() << "this CPU has no AVX";
    }
    const Outcome outcome = try_enter(mutant_upper_halves);
    EXPECT_THAT(outcome.changed, Contains("ymm0"));
    EXPECT_THAT(outcome.changed, Contains("ymm15"));
    EXPECT_THAT(outcome.changed, Not(Contains("xmm0")));
    EXPECT_THAT(outcome.broken, IsEmpty());
}

TEST(RegisterCheck, Avx512RegistersAreSeenWhereTheCpuHasThem) {
    if (cpu_vector_level() < VectorLevel::kAvx512) {
        GTEST_SKIP() << "this CPU has no AVX-512";
    }
    EXPECT_THAT(try_enter(mutant_zmm20).changed, ElementsAre("xmm20", "ymm20", "zmm20"));
    EXPECT_THAT(try_enter(mutant_k3).changed, ElementsAre("k3"));
}

}  // namespace
}  // namespace umbra::fakeclr
