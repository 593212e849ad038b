// SPDX-License-Identifier: MIT
// Calls a hook with a pattern in every register and says which registers it changed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/fakeclr/call_stub.h"
#include "src/fakeclr/register_file.h"

namespace umbra::fakeclr {

enum class HookKind { kEnter, kLeave, kTailcall };

// What is declared up to broken_contract() is defined for each ABI in src/fakeclr/register_file.cpp
// of its folder (arch/README.md), and so is RegisterFile: every register that a user program sees.

/// A file with different, never zero contents in every register, the hook's arguments where its
/// contract wants them, and unusual rounding modes. Equal seeds give equal files.
[[nodiscard]] RegisterFile register_pattern(HookKind kind, uintptr_t client_id, uintptr_t caller_sp,
                                            uint64_t seed);

/// A file with different, never zero contents in every register, for a probe that rewritten IL
/// calls as a function of two arguments, which stand where its contract wants them; with unusual
/// rounding modes. Equal seeds give equal files.
[[nodiscard]] RegisterFile il_register_pattern(uintptr_t client_id, uintptr_t marker,
                                               uint64_t seed);

/// What of a file holds patterns, word by word.
[[nodiscard]] std::vector<uint64_t> pattern_words(const RegisterFile& file);

/// Calls `hook` with the registers of `before` (its stack pointer is filled in) and returns what
/// they were when it came back. The caller's own state is restored, whatever the hook did to a
/// register.
[[nodiscard]] RegisterFile checked_call(Hook hook, RegisterFile& before, StackAlignment alignment);

/// Names of the registers that differ; which there are stands beside RegisterFile.
[[nodiscard]] std::vector<std::string> changed_registers(const RegisterFile& before,
                                                         const RegisterFile& after);

/// Whether a hook of this kind has to preserve a register of that name.
[[nodiscard]] bool must_preserve(HookKind kind, std::string_view name);

/// The changed registers that a hook of this kind has to preserve. Empty: the contract holds.
[[nodiscard]] std::vector<std::string> broken_contract(HookKind kind, const RegisterFile& before,
                                                       const RegisterFile& after);

/// A number for a pattern, never 0: distinct for distinct `state`, which it moves on (splitmix64).
[[nodiscard]] uint64_t next_pattern(uint64_t& state);

}  // namespace umbra::fakeclr
