// SPDX-License-Identifier: MIT
// The instructions of IL and how long they are (ECMA-335 III.1.2, VI.C).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace umbra::il {

using Bytes = std::span<const uint8_t>;

/// Those that mean something here; two-byte ones have 0xfe in their high half.
enum class Opcode : uint16_t {
    kNop = 0x00,
    kLdarg0 = 0x02,
    kLdarg3 = 0x05,
    kLdloc0 = 0x06,
    kLdloc3 = 0x09,
    kStloc0 = 0x0a,
    kStloc3 = 0x0d,
    kLdargS = 0x0e,
    kLdlocS = 0x11,
    kLdlocaS = 0x12,
    kStlocS = 0x13,
    kLdnull = 0x14,
    kLdcI4 = 0x20,
    kLdcI8 = 0x21,
    kDup = 0x25,
    kPop = 0x26,
    kJmp = 0x27,
    kCall = 0x28,
    kCalli = 0x29,
    kRet = 0x2a,
    kBrS = 0x2b,
    kBltUnS = 0x37,
    kBr = 0x38,
    kBrtrue = 0x3a,
    kSwitch = 0x45,
    kLdindRef = 0x50,
    kOr = 0x60,
    kConvI8 = 0x6a,
    kConvR8 = 0x6c,
    kConvU4 = 0x6d,
    kConvU8 = 0x6e,
    kCallvirt = 0x6f,
    kLdstr = 0x72,
    kNewobj = 0x73,
    kIsinst = 0x75,
    kThrow = 0x7a,
    kLdfld = 0x7b,
    kLdflda = 0x7c,
    kStfld = 0x7d,
    kBox = 0x8c,
    kNewarr = 0x8d,
    kConvI = 0xd3,
    kEndfinally = 0xdc,
    kLeave = 0xdd,
    kLeaveS = 0xde,
    kConvU = 0xe0,
    kLdftn = 0xfe06,
    kLdarg = 0xfe09,
    kLdarga = 0xfe0a,
    kLdloc = 0xfe0c,
    kLdloca = 0xfe0d,
    kStloc = 0xfe0e,
    kLocalloc = 0xfe0f,
    kEndfilter = 0xfe11,
    kUnaligned = 0xfe12,
    kVolatile = 0xfe13,
    kTail = 0xfe14,
    kConstrained = 0xfe16,
    kCpblk = 0xfe17,
    kInitblk = 0xfe18,
    kNo = 0xfe19,
    kRethrow = 0xfe1a,
    kReadonly = 0xfe1e,
};

/// What follows the opcode.
enum class Operand : uint8_t {
    kUndefined,  ///< no such instruction
    kNone,
    kOneByte,
    kTwoBytes,
    kFourBytes,
    kEightBytes,
    kShortTarget,  ///< one byte: distance from the end of the instruction
    kTarget,       ///< four bytes: distance from the end of the instruction
    kTargets,      ///< a count, and as many distances: switch
};
[[nodiscard]] Operand operand_of(Opcode opcode);

/// One instruction of a body's code.
struct Instruction {
    Opcode opcode{};
    Operand operand{};
    uint32_t begin = 0;  ///< offset of the opcode
    uint32_t end = 0;    ///< offset of the next instruction

    [[nodiscard]] bool is_call() const {
        return opcode == Opcode::kCall || opcode == Opcode::kCallvirt || opcode == Opcode::kCalli;
    }
    /// A prefix: the next instruction belongs to it.
    [[nodiscard]] bool is_prefix() const;
    /// What follows it is reached by a branch or not at all.
    [[nodiscard]] bool ends_flow() const;
    [[nodiscard]] uint32_t opcode_bytes() const {
        return static_cast<uint16_t>(opcode) > 0xff ? 2 : 1;
    }
    /// Its operand, a token or a number without sign; 0 where it has none of at most four bytes.
    [[nodiscard]] uint32_t number(Bytes code) const;
    /// The local variable it is about if it is `form` (kLdloc, kLdloca, kStloc) or a short one of
    /// that; none: it is not.
    [[nodiscard]] std::optional<uint32_t> local(Bytes code, Opcode form) const;
    /// How many instructions it may branch to, and which: offsets, not checked.
    [[nodiscard]] uint32_t target_count(Bytes code) const;
    [[nodiscard]] int64_t target(Bytes code, uint32_t number) const;
};

/// The instruction at `offset`; none: there is no such opcode, or it reaches beyond the end.
[[nodiscard]] std::optional<Instruction> decode(Bytes code, uint32_t offset);

/// Calls `visit(instruction)` from the first to the last that can be read.
template <typename Visit>
void for_instructions(Bytes code, const Visit& visit) {
    uint32_t at = 0;
    while (const std::optional<Instruction> instruction = decode(code, at)) {
        visit(*instruction);
        at = instruction->end;
    }
}

/// The short form of a branch in its long one; others as they are.
[[nodiscard]] Opcode long_form(Opcode opcode);

}  // namespace umbra::il
