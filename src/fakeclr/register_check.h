// SPDX-License-Identifier: MIT
// Calls a hook with a pattern in every register and says which registers it changed.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/fakeclr/call_stub.h"

namespace umbra::fakeclr {

enum class HookKind { kEnter, kLeave, kTailcall };

/// The vector registers this CPU and kernel let a program use.
enum class VectorLevel : uint32_t {
    kSse = 0,     ///< XMM0-15
    kAvx = 1,     ///< YMM0-15
    kAvx512 = 2,  ///< ZMM0-31 and K0-7
};
[[nodiscard]] VectorLevel cpu_vector_level();

/// RSP % 16 at the hook's first instruction: 8, as the JIT promises, or 0.
enum class StackAlignment { kAligned, kMisaligned };

/// Every register a user program sees (no segment, debug or AMX registers).
struct alignas(64) RegisterFile {
    uint64_t zmm[32][8];
    uint64_t gpr[16];  ///< RAX RBX RCX RDX RSI RDI RBP RSP R8..R15
    uint64_t mask[8];
    uint64_t rflags;
    uint32_t mxcsr;
    uint32_t x87[7];  ///< FNSTENV image: control, status, tag word, pointers
    uint8_t padding[24];
};

/// A file with different, never zero contents in every register, the hook's arguments where its
/// contract wants them, and unusual rounding modes. Equal seeds give equal files.
[[nodiscard]] RegisterFile register_pattern(HookKind kind, uintptr_t client_id, uintptr_t caller_sp,
                                            uint64_t seed);

/// Calls `hook` with the registers of `before` (its RSP is filled in) and returns what they were
/// when it came back. The caller's own state is restored, whatever the hook did to a register.
[[nodiscard]] RegisterFile checked_call(Hook hook, RegisterFile& before, StackAlignment alignment);

/// Names of the registers that differ: "rdi"; "xmm3", "ymm3", "zmm3" for bits 0-127, 128-255 and
/// 256-511 of one register; "k1", "flags" (arithmetic), "df", "mxcsr" and "x87cw" (control bits),
/// "x87tags" (the x87 stack is not empty).
[[nodiscard]] std::vector<std::string> changed_registers(const RegisterFile& before,
                                                         const RegisterFile& after);

/// The changed registers that a hook of this kind has to preserve. Empty: the contract holds.
[[nodiscard]] std::vector<std::string> broken_contract(HookKind kind, const RegisterFile& before,
                                                       const RegisterFile& after);

}  // namespace umbra::fakeclr
