// SPDX-License-Identifier: MIT
// The registers of AArch64, as the register check sets and compares them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace umbra::fakeclr {

/// Bytes of an SVE vector, as the kernel has set it for this thread; 16 where there is no SVE.
[[nodiscard]] size_t cpu_vector_bytes();

/// SP % 16 is always 0: the processor refuses to use any other.
enum class StackAlignment { kAligned };
inline constexpr std::array kStackAlignments = {StackAlignment::kAligned};
/// The stack pointer at a hook's first instruction, modulo 16.
constexpr uint64_t stack_at_hook(StackAlignment /*alignment*/) {
    return 0;
}

/// Every register a user program sees (no TPIDR_EL0, no SME). Names of what differs
/// (changed_registers()): "x9"; "sp"; "v3" for bits 0-63, "q3" for bits 64-127, "z3" for what SVE
/// has beyond, of one register; "p1", "ffr"; "flags"; "fpcr". Only callee-saved registers have a
/// "v" whose other half is not kept, so that their halves are told apart.
struct alignas(64) RegisterFile {
    static constexpr size_t kMaxVectorBytes = 256;

    uint64_t x[31];  ///< x30 is set by the call
    uint64_t sp;
    uint64_t nzcv;
    uint64_t fpcr;
    uint64_t vector_bytes;  ///< those of a vector in `z` and, times eight, in `p` that are used
    uint64_t padding[5];
    uint8_t z[32][kMaxVectorBytes];  ///< in the order of memory, `vector_bytes` apart
    uint8_t p[16][kMaxVectorBytes / 8];
    uint8_t ffr[kMaxVectorBytes / 8];
    uint8_t more_padding[32];
};

}  // namespace umbra::fakeclr
