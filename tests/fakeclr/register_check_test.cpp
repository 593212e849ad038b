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

#include "tests/fakeclr/mutants.h"

namespace umbra::fakeclr {

extern "C" {
#define DECLARE(name) void mutant_##name();
UMBRA_MUTANTS(DECLARE)
#undef DECLARE
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
        UMBRA_MUTANTS(LIST)
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
    const auto is_in = [&](const auto& list) {
        return std::ranges::find(list, name) != list.end();
    };
    return is_in(kMutantsOfAlwaysKept) ||
           (kind == HookKind::kEnter ? is_in(kMutantsOfArguments) : is_in(kMutantsOfResults));
}

TEST(RegisterCheck, AHookThatDoesNothingChangesNothing) {
    for (const HookKind kind : {HookKind::kEnter, HookKind::kLeave, HookKind::kTailcall}) {
        for (const StackAlignment alignment : kStackAlignments) {
            EXPECT_THAT(try_hook(umbra_fakeclr_no_hook, kind, alignment).changed, IsEmpty());
        }
    }
}

TEST(RegisterCheck, EachMutantIsFoundUnderItsNameAndNoOther) {
    for (const HookKind kind : {HookKind::kEnter, HookKind::kLeave, HookKind::kTailcall}) {
        for (const StackAlignment alignment : kStackAlignments) {
            for (const Mutant& mutant : mutants()) {
                Outcome outcome = try_hook(mutant.hook, kind, alignment);
                std::erase_if(outcome.changed, [&](const std::string& name) {
                    return comes_with(name, mutant.name);
                });
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

TEST(RegisterCheck, HooksMayUseWhatTheContractLeavesThem) {
    EXPECT_THAT(try_hook(greedy_enter, HookKind::kEnter).broken, IsEmpty());
    EXPECT_THAT(try_hook(greedy_leave, HookKind::kLeave).broken, IsEmpty());
    EXPECT_THAT(try_hook(greedy_leave, HookKind::kTailcall).broken, IsEmpty());
    EXPECT_EQ(try_hook(greedy_leave, HookKind::kEnter).broken.empty(), kEnterAndLeaveKeepTheSame);
}

TEST(RegisterCheck, NoTwoRegistersHoldTheSamePattern) {
    const RegisterFile file = register_pattern(HookKind::kEnter, kId, kCallerSp, kSeed);
    std::vector<uint64_t> words = pattern_words(file);
    std::ranges::sort(words);
    EXPECT_EQ(std::ranges::adjacent_find(words), words.end());
}

// ---- how the stubs call -------------------------------------------------------------------

TEST(CallStub, HooksStartOnAStackAlignedAsTheJitAligns) {
    const Hook slot = alignment_hook;
    uint64_t alignment = 0;
    umbra_fakeclr_enter(&slot, reinterpret_cast<uintptr_t>(&alignment), kCallerSp);
    EXPECT_EQ(alignment, stack_at_hook(StackAlignment::kAligned));

    const auto checked = [&](StackAlignment wanted) {
        RegisterFile before = register_pattern(
            HookKind::kEnter, reinterpret_cast<uintptr_t>(&alignment), kCallerSp, kSeed);
        (void)checked_call(alignment_hook, before, wanted);
        return alignment;
    };
    for (const StackAlignment wanted : kStackAlignments) {
        EXPECT_EQ(checked(wanted), stack_at_hook(wanted));
    }
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
    std::vector<std::function<void()>> calls = {
        [&] { umbra_fakeclr_enter(&slots.enter, kId, kCallerSp); },
        [&] { umbra_fakeclr_leave(&slots.enter, kId, kCallerSp); },
        [&] { umbra_fakeclr_pairs(&slots, kId, 1); },
        [&] { umbra_fakeclr_fib(&slots, kId, 3); },
        [&] {
            umbra_fakeclr_call(
                &slots, kId, [](void*) -> uint64_t { return 0; }, nullptr);
        },
    };
    for (const StackAlignment alignment : kStackAlignments) {
        calls.emplace_back([=] { (void)try_hook(unwinding_hook, HookKind::kEnter, alignment); });
    }
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
