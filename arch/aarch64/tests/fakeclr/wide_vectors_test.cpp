// SPDX-License-Identifier: MIT
// The register check sees the vector registers that not every AArch64 processor has.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/fakeclr/register_check.h"

namespace umbra::fakeclr {

extern "C" {
void mutant_z3();
void mutant_p5();
void mutant_ffr();
}

namespace {

using testing::ElementsAre;

std::vector<std::string> changed_by(Hook hook) {
    RegisterFile before = register_pattern(HookKind::kEnter, 0x1238, 0x7f00'1234'5670, 42);
    const RegisterFile after = checked_call(hook, before, StackAlignment::kAligned);
    return changed_registers(before, after);
}

TEST(RegisterCheck, ScalableRegistersAreSeenWhereTheCpuHasThem) {
    if (cpu_vector_bytes() <= 16) {
        GTEST_SKIP() << "this CPU has no SVE, or vectors of 16 bytes";
    }
    EXPECT_THAT(changed_by(mutant_z3), ElementsAre("z3"));
    EXPECT_THAT(changed_by(mutant_p5), ElementsAre("p5"));
    EXPECT_THAT(changed_by(mutant_ffr), ElementsAre("ffr"));
}

}  // namespace
}  // namespace umbra::fakeclr
