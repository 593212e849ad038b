// SPDX-License-Identifier: MIT
// The registers of x86-64, as the register checks of its ABIs set and compare them.
#pragma once

#include <array>
#include <cstdint>

namespace umbra::fakeclr {

/// The vector registers this CPU and kernel let a program use.
enum class VectorLevel : uint32_t {
    kSse = 0,     ///< XMM0-15
    kAvx = 1,     ///< YMM0-15
    kAvx512 = 2,  ///< ZMM0-31 and K0-7
};
[[nodiscard]] VectorLevel cpu_vector_level();

/// RSP % 16 at the hook's first instruction: 8, as the JIT promises, or 0.
enum class StackAlignment { kAligned, kMisaligned };
inline constexpr std::array kStackAlignments = {StackAlignment::kAligned,
                                                StackAlignment::kMisaligned};
/// The stack pointer at a hook's first instruction, modulo 16.
constexpr uint64_t stack_at_hook(StackAlignment alignment) {
    return alignment == StackAlignment::kAligned ? 8 : 0;
}

/// Every register a user program sees (no segment, debug or AMX registers). Names of what differs
/// (changed_registers()): "rdi"; "xmm3", "ymm3", "zmm3" for bits 0-127, 128-255 and 256-511 of one
/// register; "k1", "flags" (arithmetic), "df", "mxcsr" and "x87cw" (control bits), "x87tags" (the
/// x87 stack is not empty).
struct alignas(64) RegisterFile {
    uint64_t zmm[32][8];
    uint64_t gpr[16];  ///< RAX RBX RCX RDX RSI RDI RBP RSP R8..R15
    uint64_t mask[8];
    uint64_t rflags;
    uint32_t mxcsr;
    uint32_t x87[7];  ///< FNSTENV image: control, status, tag word, pointers
    uint8_t padding[24];
};

}  // namespace umbra::fakeclr
