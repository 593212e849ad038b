// SPDX-License-Identifier: MIT
// Patterns, comparison and the list of the x86-64 registers that hooks have to preserve.
#include "src/fakeclr/register_file.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "src/fakeclr/register_check.h"
#include "src/fakeclr/register_layout.inc"

namespace umbra::fakeclr {

static_assert(offsetof(RegisterFile, zmm) == REGS_ZMM);
static_assert(offsetof(RegisterFile, gpr) == REGS_GPR);
static_assert(offsetof(RegisterFile, mask) == REGS_MASK);
static_assert(offsetof(RegisterFile, rflags) == REGS_RFLAGS);
static_assert(offsetof(RegisterFile, mxcsr) == REGS_MXCSR);
static_assert(offsetof(RegisterFile, x87) == REGS_X87);
static_assert(sizeof(RegisterFile) == REGS_BYTES);
static_assert(static_cast<uint32_t>(VectorLevel::kSse) == VECTORS_SSE);
static_assert(static_cast<uint32_t>(VectorLevel::kAvx) == VECTORS_AVX);
static_assert(static_cast<uint32_t>(VectorLevel::kAvx512) == VECTORS_AVX512);

extern "C" {
void umbra_fakeclr_checked_call(Hook hook, RegisterFile* before, RegisterFile* after,
                                uint32_t vector_level);
void umbra_fakeclr_checked_call_misaligned(Hook hook, RegisterFile* before, RegisterFile* after,
                                           uint32_t vector_level);
}

namespace {

constexpr std::string_view kGprNames[16] = {"rax", "rbx", "rcx", "rdx", "rsi", "rdi", "rbp", "rsp",
                                            "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};

constexpr uint64_t kArithmeticFlags = 0x8d5;  // CF PF AF ZF SF OF
constexpr uint64_t kDirectionFlag = 0x400;
constexpr uint64_t kFlagsAlwaysSet = 0x202;  // reserved bit 1 and IF

constexpr uint32_t kMxcsrControl = 0xffc0;      // DAZ, masks, rounding, FTZ; the rest is status
constexpr uint32_t kMxcsrPattern = 0xffc0;      // all of them: round to zero, FTZ, DAZ, masked
constexpr uint32_t kX87ControlPattern = 0xc7f;  // round to zero, 24 bits, masked
constexpr uint32_t kX87Word = 0xffff;           // of a 32-bit FNSTENV field, what the CPU defines
constexpr uint32_t kX87AllEmpty = 0xffff;

bool is_callee_saved(std::string_view name) {
    constexpr std::string_view kCalleeSaved[] = {"rbx", "rbp", "rsp",   "r12",   "r13",    "r14",
                                                 "r15", "df",  "mxcsr", "x87cw", "x87tags"};
    return std::ranges::find(kCalleeSaved, name) != std::end(kCalleeSaved);
}

/// Incoming arguments: Enter runs before the prolog has stored them.
bool is_argument(std::string_view name) {
    constexpr std::string_view kArguments[] = {"rdi",  "rsi",  "rdx",  "rcx",  "r8",
                                               "r9",   "xmm0", "xmm1", "xmm2", "xmm3",
                                               "xmm4", "xmm5", "xmm6", "xmm7"};
    return std::ranges::find(kArguments, name) != std::end(kArguments);
}

/// The return value, and RCX, in which newer JITs return an async continuation.
bool is_return_value(std::string_view name) {
    constexpr std::string_view kReturns[] = {"rax", "rdx", "rcx", "xmm0", "xmm1"};
    return std::ranges::find(kReturns, name) != std::end(kReturns);
}

}  // namespace

VectorLevel cpu_vector_level() {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
        return VectorLevel::kAvx512;
    }
    return __builtin_cpu_supports("avx") ? VectorLevel::kAvx : VectorLevel::kSse;
}

RegisterFile register_pattern(HookKind kind, uintptr_t client_id, uintptr_t caller_sp,
                              uint64_t seed) {
    RegisterFile file{};
    uint64_t state = seed;
    for (auto& vector : file.zmm) {
        for (uint64_t& word : vector) {
            word = next_pattern(state);
        }
    }
    for (uint64_t& word : file.gpr) {
        word = next_pattern(state);
    }
    for (uint64_t& word : file.mask) {
        word = next_pattern(state);
    }
    file.gpr[kind == HookKind::kEnter ? GPR_R14 : GPR_RDI] = client_id;
    file.gpr[kind == HookKind::kEnter ? GPR_R15 : GPR_RSI] = caller_sp;
    file.rflags = kArithmeticFlags | kFlagsAlwaysSet;
    file.mxcsr = kMxcsrPattern;
    file.x87[0] = kX87ControlPattern;
    file.x87[2] = kX87AllEmpty;
    return file;
}

RegisterFile il_register_pattern(uintptr_t client_id, uintptr_t marker, uint64_t seed) {
    return register_pattern(HookKind::kLeave, client_id, marker, seed);  // in the same registers
}

std::vector<uint64_t> pattern_words(const RegisterFile& file) {
    std::vector<uint64_t> words(std::begin(file.gpr), std::end(file.gpr));
    for (const auto& vector : file.zmm) {
        words.insert(words.end(), std::begin(vector), std::end(vector));
    }
    words.insert(words.end(), std::begin(file.mask), std::end(file.mask));
    return words;
}

RegisterFile checked_call(Hook hook, RegisterFile& before, StackAlignment alignment) {
    RegisterFile after = before;  // what this CPU does not have stays equal
    const auto level = static_cast<uint32_t>(cpu_vector_level());
    if (alignment == StackAlignment::kAligned) {
        umbra_fakeclr_checked_call(hook, &before, &after, level);
    } else {
        umbra_fakeclr_checked_call_misaligned(hook, &before, &after, level);
    }
    return after;
}

std::vector<std::string> changed_registers(const RegisterFile& before, const RegisterFile& after) {
    std::vector<std::string> changed;
    const auto note = [&](bool differs, std::string name) {
        if (differs) {
            changed.push_back(std::move(name));
        }
    };
    for (size_t i = 0; i < std::size(kGprNames); ++i) {
        note(before.gpr[i] != after.gpr[i], std::string(kGprNames[i]));
    }
    for (size_t i = 0; i < std::size(before.zmm); ++i) {
        const auto differs = [&](size_t first, size_t words) {
            return std::memcmp(&before.zmm[i][first], &after.zmm[i][first], words * 8) != 0;
        };
        note(differs(0, 2), "xmm" + std::to_string(i));
        note(differs(2, 2), "ymm" + std::to_string(i));
        note(differs(4, 4), "zmm" + std::to_string(i));
    }
    for (size_t i = 0; i < std::size(before.mask); ++i) {
        note(before.mask[i] != after.mask[i], "k" + std::to_string(i));
    }
    const uint64_t flags = before.rflags ^ after.rflags;
    note((flags & kArithmeticFlags) != 0, "flags");
    note((flags & kDirectionFlag) != 0, "df");
    note(((before.mxcsr ^ after.mxcsr) & kMxcsrControl) != 0, "mxcsr");
    note(((before.x87[0] ^ after.x87[0]) & kX87Word) != 0, "x87cw");
    note(((before.x87[2] ^ after.x87[2]) & kX87Word) != 0, "x87tags");
    return changed;
}

bool must_preserve(HookKind kind, std::string_view name) {
    return is_callee_saved(name) ||
           (kind == HookKind::kEnter ? is_argument(name) : is_return_value(name));
}

}  // namespace umbra::fakeclr
