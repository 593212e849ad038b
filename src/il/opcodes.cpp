// SPDX-License-Identifier: MIT
// The table of opcodes, as ranges.
#include "src/il/opcodes.h"

#include <array>

#include "src/clr/bytes.h"

namespace umbra::il {
namespace {

using clr::load;

using Table = std::array<Operand, 256>;

constexpr void set(Table& table, size_t first, size_t last, Operand operand) {
    for (size_t opcode = first; opcode <= last; ++opcode) {
        table[opcode] = operand;
    }
}

constexpr Table one_byte_opcodes() {
    Table table{};
    set(table, 0x00, 0x0d, Operand::kNone);         // nop .. stloc.3
    set(table, 0x0e, 0x13, Operand::kOneByte);      // ldarg.s .. stloc.s
    set(table, 0x14, 0x1e, Operand::kNone);         // ldnull .. ldc.i4.8
    set(table, 0x1f, 0x1f, Operand::kOneByte);      // ldc.i4.s
    set(table, 0x20, 0x20, Operand::kFourBytes);    // ldc.i4
    set(table, 0x21, 0x21, Operand::kEightBytes);   // ldc.i8
    set(table, 0x22, 0x22, Operand::kFourBytes);    // ldc.r4
    set(table, 0x23, 0x23, Operand::kEightBytes);   // ldc.r8
    set(table, 0x25, 0x26, Operand::kNone);         // dup, pop
    set(table, 0x27, 0x29, Operand::kFourBytes);    // jmp, call, calli
    set(table, 0x2a, 0x2a, Operand::kNone);         // ret
    set(table, 0x2b, 0x37, Operand::kShortTarget);  // br.s .. blt.un.s
    set(table, 0x38, 0x44, Operand::kTarget);       // br .. blt.un
    set(table, 0x45, 0x45, Operand::kTargets);      // switch
    set(table, 0x46, 0x6e, Operand::kNone);         // ldind.i1 .. conv.u8
    set(table, 0x6f, 0x75, Operand::kFourBytes);    // callvirt .. isinst
    set(table, 0x76, 0x76, Operand::kNone);         // conv.r.un
    set(table, 0x79, 0x79, Operand::kFourBytes);    // unbox
    set(table, 0x7a, 0x7a, Operand::kNone);         // throw
    set(table, 0x7b, 0x81, Operand::kFourBytes);    // ldfld .. stobj
    set(table, 0x82, 0x8b, Operand::kNone);         // conv.ovf.i1.un .. conv.ovf.u.un
    set(table, 0x8c, 0x8d, Operand::kFourBytes);    // box, newarr
    set(table, 0x8e, 0x8e, Operand::kNone);         // ldlen
    set(table, 0x8f, 0x8f, Operand::kFourBytes);    // ldelema
    set(table, 0x90, 0xa2, Operand::kNone);         // ldelem.i1 .. stelem.ref
    set(table, 0xa3, 0xa5, Operand::kFourBytes);    // ldelem, stelem, unbox.any
    set(table, 0xb3, 0xba, Operand::kNone);         // conv.ovf.i1 .. conv.ovf.u8
    set(table, 0xc2, 0xc2, Operand::kFourBytes);    // refanyval
    set(table, 0xc3, 0xc3, Operand::kNone);         // ckfinite
    set(table, 0xc6, 0xc6, Operand::kFourBytes);    // mkrefany
    set(table, 0xd0, 0xd0, Operand::kFourBytes);    // ldtoken
    set(table, 0xd1, 0xdc, Operand::kNone);         // conv.u2 .. endfinally
    set(table, 0xdd, 0xdd, Operand::kTarget);       // leave
    set(table, 0xde, 0xde, Operand::kShortTarget);  // leave.s
    set(table, 0xdf, 0xe0, Operand::kNone);         // stind.i, conv.u
    return table;
}

constexpr Table two_byte_opcodes() {
    Table table{};
    set(table, 0x00, 0x05, Operand::kNone);       // arglist .. clt.un
    set(table, 0x06, 0x07, Operand::kFourBytes);  // ldftn, ldvirtftn
    set(table, 0x09, 0x0e, Operand::kTwoBytes);   // ldarg .. stloc
    set(table, 0x0f, 0x0f, Operand::kNone);       // localloc
    set(table, 0x11, 0x11, Operand::kNone);       // endfilter
    set(table, 0x12, 0x12, Operand::kOneByte);    // unaligned.
    set(table, 0x13, 0x14, Operand::kNone);       // volatile., tail.
    set(table, 0x15, 0x16, Operand::kFourBytes);  // initobj, constrained.
    set(table, 0x17, 0x18, Operand::kNone);       // cpblk, initblk
    set(table, 0x19, 0x19, Operand::kOneByte);    // no.
    set(table, 0x1a, 0x1a, Operand::kNone);       // rethrow
    set(table, 0x1c, 0x1c, Operand::kFourBytes);  // sizeof
    set(table, 0x1d, 0x1e, Operand::kNone);       // refanytype, readonly.
    return table;
}

constexpr uint8_t kTwoByteMark = 0xfe;
constexpr Table kOneByteOpcodes = one_byte_opcodes();
constexpr Table kTwoByteOpcodes = two_byte_opcodes();

/// How many bytes the operand at `offset` has; switch tells by its own first four.
uint64_t operand_bytes(Operand operand, Bytes code, size_t offset) {
    switch (operand) {
        case Operand::kOneByte:
        case Operand::kShortTarget:
            return 1;
        case Operand::kTwoBytes:
            return 2;
        case Operand::kFourBytes:
        case Operand::kTarget:
            return 4;
        case Operand::kEightBytes:
            return 8;
        case Operand::kTargets:
            return 4 + 4 * uint64_t{load<uint32_t>(code, offset)};
        default:
            return 0;
    }
}

}  // namespace

Operand operand_of(Opcode opcode) {
    const auto value = static_cast<uint16_t>(opcode);
    if (value <= 0xff) {
        return kOneByteOpcodes[value];
    }
    return value >> 8 == kTwoByteMark ? kTwoByteOpcodes[value & 0xff] : Operand::kUndefined;
}

std::optional<Instruction> decode(Bytes code, uint32_t offset) {
    if (offset >= code.size()) {
        return std::nullopt;
    }
    Instruction instruction;
    instruction.begin = offset;
    uint16_t opcode = code[offset];
    if (opcode == kTwoByteMark) {
        if (code.size() - offset < 2) {
            return std::nullopt;
        }
        opcode = static_cast<uint16_t>(kTwoByteMark << 8 | code[offset + 1]);
    }
    instruction.opcode = static_cast<Opcode>(opcode);
    instruction.operand = operand_of(instruction.opcode);
    const uint64_t operand = uint64_t{offset} + instruction.opcode_bytes();
    if (instruction.operand == Operand::kUndefined ||
        (instruction.operand == Operand::kTargets && code.size() < operand + 4)) {
        return std::nullopt;
    }
    const uint64_t end = operand + operand_bytes(instruction.operand, code, operand);
    if (end > code.size()) {
        return std::nullopt;
    }
    instruction.end = static_cast<uint32_t>(end);
    return instruction;
}

bool Instruction::is_prefix() const {
    switch (opcode) {
        case Opcode::kUnaligned:
        case Opcode::kVolatile:
        case Opcode::kTail:
        case Opcode::kConstrained:
        case Opcode::kNo:
        case Opcode::kReadonly:
            return true;
        default:
            return false;
    }
}

bool Instruction::ends_flow() const {
    switch (opcode) {
        case Opcode::kJmp:
        case Opcode::kRet:
        case Opcode::kBrS:
        case Opcode::kBr:
        case Opcode::kThrow:
        case Opcode::kRethrow:
        case Opcode::kEndfinally:
        case Opcode::kEndfilter:
        case Opcode::kLeave:
        case Opcode::kLeaveS:
            return true;
        default:
            return false;
    }
}

uint32_t Instruction::number(Bytes code) const {
    const size_t at = begin + opcode_bytes();
    switch (operand) {
        case Operand::kOneByte:
            return load<uint8_t>(code, at);
        case Operand::kTwoBytes:
            return load<uint16_t>(code, at);
        case Operand::kFourBytes:
            return load<uint32_t>(code, at);
        default:
            return 0;
    }
}

std::optional<uint32_t> Instruction::local(Bytes code, Opcode form) const {
    const bool loads = form == Opcode::kLdloc;
    const bool stores = form == Opcode::kStloc;
    const Opcode first = loads ? Opcode::kLdloc0 : Opcode::kStloc0;
    const Opcode last = loads ? Opcode::kLdloc3 : Opcode::kStloc3;
    if ((loads || stores) && opcode >= first && opcode <= last) {
        return static_cast<uint32_t>(opcode) - static_cast<uint32_t>(first);
    }
    const Opcode with_byte = loads ? Opcode::kLdlocS : stores ? Opcode::kStlocS : Opcode::kLdlocaS;
    return opcode == form || opcode == with_byte ? std::optional(number(code)) : std::nullopt;
}

uint32_t Instruction::target_count(Bytes code) const {
    switch (operand) {
        case Operand::kShortTarget:
        case Operand::kTarget:
            return 1;
        case Operand::kTargets:
            return load<uint32_t>(code, begin + opcode_bytes());
        default:
            return 0;
    }
}

int64_t Instruction::target(Bytes code, uint32_t number) const {
    const size_t at = begin + opcode_bytes();
    switch (operand) {
        case Operand::kShortTarget:
            return int64_t{end} + load<int8_t>(code, at);
        case Operand::kTarget:
            return int64_t{end} + load<int32_t>(code, at);
        default:
            return int64_t{end} + load<int32_t>(code, at + 4 + size_t{4} * number);
    }
}

Opcode long_form(Opcode opcode) {
    if (opcode == Opcode::kLeaveS) {
        return Opcode::kLeave;
    }
    if (opcode >= Opcode::kBrS && opcode <= Opcode::kBltUnS) {
        constexpr uint16_t kToLong =
            static_cast<uint16_t>(Opcode::kBr) - static_cast<uint16_t>(Opcode::kBrS);
        return static_cast<Opcode>(static_cast<uint16_t>(opcode) + kToLong);
    }
    return opcode;
}

}  // namespace umbra::il
