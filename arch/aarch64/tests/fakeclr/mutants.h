// SPDX-License-Identifier: MIT
// The hooks of mutant_hooks.S, each named like the one register it changes.
#pragma once

#include <array>
#include <string_view>

// Version 14 of the formatter never agrees with itself on this list.
// clang-format off
#define UMBRA_MUTANTS(X) \
    X(x0) X(x1) X(x2) X(x3) X(x4) X(x5) X(x6) X(x7) X(x8) X(x9) X(x10) X(x11) X(x12) X(x13) X(x14) \
    X(x15) X(x16) X(x17) X(x19) X(x20) X(x21) X(x22) X(x23) X(x24) X(x25) X(x26) X(x27) X(x28) \
    X(x29) X(sp) X(v0) X(v1) X(v2) X(v3) X(v4) X(v5) X(v6) X(v7) X(v8) X(v15) X(v16) X(v31) \
    X(q0) X(q7) X(q8) X(q15) X(q16) X(q31) X(flags) X(fpcr)
// clang-format on

namespace umbra::fakeclr {

/// Those of registers that every hook has to preserve, those that hold arguments, and results.
inline constexpr std::array<std::string_view, 15> kMutantsOfAlwaysKept = {
    "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
    "x27", "x28", "x29", "sp",  "v8",  "v15", "fpcr"};
inline constexpr std::array<std::string_view, 19> kMutantsOfArguments = {
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "v0",
    "v1", "v2", "v3", "v4", "v5", "v6", "v7", "q0", "q7"};
/// The JIT counts the same registers as kept at Leave and Tailcall.
inline constexpr std::array<std::string_view, 19> kMutantsOfResults = kMutantsOfArguments;
inline constexpr bool kEnterAndLeaveKeepTheSame = true;

/// Whether a mutant cannot but change another register too: whatever writes to v3 without SVE
/// clears what SVE has of it beyond.
constexpr bool comes_with(std::string_view changed, std::string_view mutant) {
    return changed[0] == 'z' && (mutant[0] == 'v' || mutant[0] == 'q') &&
           changed.substr(1) == mutant.substr(1);
}

}  // namespace umbra::fakeclr
