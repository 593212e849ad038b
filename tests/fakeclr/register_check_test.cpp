// SPDX-License-Identifier: MIT
// The register check finds every hook that breaks the contract, and the stubs call as the JIT does.
#include "src/fakeclr/register_check.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <unwind.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace umbra::fakeclr {

// Version 14 of the formatter never agrees with itself on this list.
// clang-format off
#define MUTANTS_OF_CPU(X) \
    X(rax) X(rbx) X(rcx) X(rdx) X(rsi) X(rdi) X(rbp) X(rsp) X(r8) X(r9) X(r10) X(r11) X(r12) \
    X(r13) X(r14) X(r15) X(xmm0) X(xmm1) X(xmm2) X(xmm3) X(xmm4) X(xmm5) X(xmm6) X(xmm7) \
    X(xmm8) X(xmm15) X(flags) X(df) X(mxcsr) X(x87cw) X(x87tags)
// clang-format on

extern "C" {
#define DECLARE(name) void mutant_##name();
MUTANTS_OF_CPU(DECLARE)
#undef DECLARE
void mutant_upper_halves();
void mutant_zmm20();
void mutant_k3();
void greedy_enter();
void greedy_leave();
void unwinding_hook();
void alignment_hook();
__attribute__((visibility("default"))) void note_backtrace();
}

namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Not;

constexpr uint64_t kSeed = 42;
constexpr uintptr_t kId = 0x1238;
constexpr uintptr_t kCallerSp = 0x7f001234'5670;

struct Mutant {
    std::string name;
    Hook hook;
};

std::vector<Mutant> mutants() {
    return {
#define LIST(name) {#name, mutant_##name},
        MUTANTS_OF_CPU(LIST)
#undef LIST
    };
}

struct Outcome {
    std::vector<std::string> changed;
    std::vector<std::string> broken;
};

Outcome try_hook(Hook hook, HookKind kind, StackAlignment alignment = StackAlignment::kAligned) {
    RegisterFile before = register_pattern(kind, kId, kCallerSp, kSeed);
    const RegisterFile after = checked_call(hook, before, alignment);
    return {changed_registers(before, after), broken_contract(kind, before, after)};
}

bool promised(HookKind kind, const std::string& name) {
    const std::vector<std::string> always = {"rbx", "rbp", "rsp",   "r12",   "r13",    "r14",
                                             "r15", "df",  "mxcsr", "x87cw", "x87tags"};
    const std::vector<std::string> arguments = {"rdi",  "rsi",  "rdx",  "rcx",  "r8",
                                                "r9",   "xmm0", "xmm1", "xmm2", "xmm3",
                                                "xmm4", "xmm5", "xmm6", "xmm7"};
    const std::vector<std::string> results = {"rax", "rdx", "rcx", "xmm0", "xmm1"};
    const auto& more = kind == HookKind::kEnter ? arguments : results;
    return std::ranges::find(always, name) != always.end() ||
           std::ranges::find(more, name) != more.end();
}

TEST(RegisterCheck, AHookThatDoesNothingChangesNothing) {
    for (const HookKind kind : {HookKind::kEnter, HookKind::kLeave, HookKind::kTailcall}) {
        for (const auto alignment : {StackAlignment::kAligned, StackAlignment::kMisaligned}) {
            EXPECT_THAT(try_hook(umbra_fakeclr_no_hook, kind, alignment).changed, IsEmpty());
        }
    }
}

TEST(RegisterCheck, EachMutantIsFoundUnderItsNameAndNoOther) {
    for (const HookKind kind : {HookKind::kEnter, HookKind::kLeave, HookKind::kTailcall}) {
        for (const auto alignment : {StackAlignment::kAligned, StackAlignment::kMisaligned}) {
            for (const Mutant& mutant : mutants()) {
                const Outcome outcome = try_hook(mutant.hook, kind, alignment);
                EXPECT_THAT(outcome.changed, ElementsAre(mutant.name));
                if (promised(kind, mutant.name)) {
                    EXPECT_THAT(outcome.broken, ElementsAre(mutant.name));
                } else {
                    EXPECT_THAT(outcome.broken, IsEmpty()) << mutant.name;
                }
            }
        }
    }
}

TEST(RegisterCheck, UpperHalvesAreSeenWhereTheCpuHasThem) {
    if (cpu_vector_level() < VectorLevel::kAvx) {
        GTEST_SKIP() << "this CPU has no AVX";
    }
    const Outcome outcome = try_hook(mutant_upper_halves, HookKind::kEnter);
    EXPECT_THAT(outcome.changed, Contains("ymm0"));
    EXPECT_THAT(outcome.changed, Contains("ymm15"));
    EXPECT_THAT(outcome.changed, Not(Contains("xmm0")));
    EXPECT_THAT(outcome.broken, IsEmpty());
}

TEST(RegisterCheck, Avx512RegistersAreSeenWhereTheCpuHasThem) {
    if (cpu_vector_level() < VectorLevel::kAvx512) {
        GTEST_SKIP() << "this CPU has no AVX-512";
    }
    EXPECT_THAT(try_hook(mutant_zmm20, HookKind::kEnter).changed,
                ElementsAre("xmm20", "ymm20", "zmm20"));
    EXPECT_THAT(try_hook(mutant_k3, HookKind::kEnter).changed, ElementsAre("k3"));
}

TEST(RegisterCheck, HooksMayUseWhatTheContractLeavesThem) {
    EXPECT_THAT(try_hook(greedy_enter, HookKind::kEnter).broken, IsEmpty());
    EXPECT_THAT(try_hook(greedy_leave, HookKind::kLeave).broken, IsEmpty());
    EXPECT_THAT(try_hook(greedy_leave, HookKind::kTailcall).broken, IsEmpty());
    EXPECT_THAT(try_hook(greedy_leave, HookKind::kEnter).broken, Not(IsEmpty()));
}

TEST(RegisterCheck, NoTwoRegistersHoldTheSamePattern) {
    const RegisterFile file = register_pattern(HookKind::kEnter, kId, kCallerSp, kSeed);
    std::vector<uint64_t> words(std::begin(file.gpr), std::end(file.gpr));
    for (const auto& vector : file.zmm) {
        words.insert(words.end(), std::begin(vector), std::end(vector));
    }
    words.insert(words.end(), std::begin(file.mask), std::end(file.mask));
    std::ranges::sort(words);
    EXPECT_EQ(std::ranges::adjacent_find(words), words.end());
}

// ---- how the stubs call -------------------------------------------------------------------

TEST(CallStub, HooksStartOnAStackAlignedAsTheJitAligns) {
    const Hook slot = alignment_hook;
    uint64_t alignment = 0;
    umbra_fakeclr_enter(&slot, reinterpret_cast<uintptr_t>(&alignment), kCallerSp);
    EXPECT_EQ(alignment, 8U);

    const auto checked = [&](StackAlignment wanted) {
        RegisterFile before = register_pattern(
            HookKind::kEnter, reinterpret_cast<uintptr_t>(&alignment), kCallerSp, kSeed);
        (void)checked_call(alignment_hook, before, wanted);
        return alignment;
    };
    EXPECT_EQ(checked(StackAlignment::kAligned), 8U);
    EXPECT_EQ(checked(StackAlignment::kMisaligned), 0U);
}

TEST(CallStub, AMethodReturnsWhatItsBodyReturned) {
    const HookSlots slots{umbra_fakeclr_no_hook, umbra_fakeclr_no_hook, umbra_fakeclr_no_hook};
    uint64_t seven = 7;
    const auto body = [](void* context) { return *static_cast<uint64_t*>(context) * 6; };
    EXPECT_EQ(umbra_fakeclr_call(&slots, kId, body, &seven), 42U);
    EXPECT_EQ(umbra_fakeclr_fib(&slots, kId, 20), 6765U);
}

TEST(CallStub, AnExceptionOfTheBodyUnwindsTheJittedFrame) {
    const HookSlots slots{umbra_fakeclr_no_hook, umbra_fakeclr_no_hook, umbra_fakeclr_no_hook};
    const auto body = [](void*) -> uint64_t { throw 42; };
    EXPECT_THROW(umbra_fakeclr_call(&slots, kId, body, nullptr), int);
}

// ---- unwinding ------------------------------------------------------------------------------

std::vector<void*> backtrace;

_Unwind_Reason_Code note_frame(_Unwind_Context* context, void* /*unused*/) {
    constexpr size_t kDeeperThanAnyTest = 100;
    backtrace.push_back(
        _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(_Unwind_GetIP(context))));
    return backtrace.size() < kDeeperThanAnyTest ? _URC_NO_REASON : _URC_END_OF_STACK;
}

[[gnu::noinline]] void drive(const std::function<void()>& call) {
    call();
    asm volatile("" ::: "memory");  // no tail call: this frame is what the test looks for
}

TEST(CallStub, TheUnwinderFindsTheCallerFromInsideAHook) {
    const HookSlots slots{unwinding_hook, umbra_fakeclr_no_hook, umbra_fakeclr_no_hook};
    const std::vector<std::function<void()>> calls = {
        [&] { umbra_fakeclr_enter(&slots.enter, kId, kCallerSp); },
        [&] { umbra_fakeclr_leave(&slots.enter, kId, kCallerSp); },
        [&] { umbra_fakeclr_pairs(&slots, kId, 1); },
        [&] { umbra_fakeclr_fib(&slots, kId, 3); },
        [&] {
            umbra_fakeclr_call(
                &slots, kId, [](void*) -> uint64_t { return 0; }, nullptr);
        },
        [&] { (void)try_hook(unwinding_hook, HookKind::kEnter, StackAlignment::kAligned); },
        [&] { (void)try_hook(unwinding_hook, HookKind::kEnter, StackAlignment::kMisaligned); },
    };
    for (size_t i = 0; i < calls.size(); ++i) {
        backtrace.clear();
        drive(calls[i]);
        EXPECT_THAT(backtrace, Contains(reinterpret_cast<void*>(drive))) << "call " << i;
    }
}

}  // namespace

extern "C" void note_backtrace() {
    _Unwind_Backtrace(note_frame, nullptr);
}

}  // namespace umbra::fakeclr
