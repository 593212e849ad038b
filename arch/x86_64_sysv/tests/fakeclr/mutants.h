// SPDX-License-Identifier: MIT
// The hooks of mutant_hooks.S, each named like the one register it changes.
#pragma once

#include <array>
#include <string_view>

// Version 14 of the formatter never agrees with itself on this list.
// clang-format off
#define UMBRA_MUTANTS(X) \
    X(rax) X(rbx) X(rcx) X(rdx) X(rsi) X(rdi) X(rbp) X(rsp) X(r8) X(r9) X(r10) X(r11) X(r12) \
    X(r13) X(r14) X(r15) X(xmm0) X(xmm1) X(xmm2) X(xmm3) X(xmm4) X(xmm5) X(xmm6) X(xmm7) \
    X(xmm8) X(xmm15) X(flags) X(df) X(mxcsr) X(x87cw) X(x87tags)
// clang-format on

namespace umbra::fakeclr {

/// Those of registers that every hook has to preserve, those that hold arguments, and results.
inline constexpr std::array<std::string_view, 11> kMutantsOfAlwaysKept = {
    "rbx", "rbp", "rsp", "r12", "r13", "r14", "r15", "df", "mxcsr", "x87cw", "x87tags"};
inline constexpr std::array<std::string_view, 14> kMutantsOfArguments = {
    "rdi",  "rsi",  "rdx",  "rcx",  "r8",   "r9",   "xmm0",
    "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7"};
inline constexpr std::array<std::string_view, 5> kMutantsOfResults = {"rax", "rdx", "rcx", "xmm0",
                                                                      "xmm1"};
inline constexpr bool kEnterAndLeaveKeepTheSame = false;

/// Whether a mutant cannot but change another register too.
constexpr bool comes_with(std::string_view /*changed*/, std::string_view /*mutant*/) {
    return false;
}

}  // namespace umbra::fakeclr
