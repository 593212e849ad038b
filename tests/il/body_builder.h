// SPDX-License-Identifier: MIT
// Writes bodies of methods by hand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

#include "src/il/byte_writer.h"
#include "src/il/instrument.h"
#include "src/il/method_body.h"

namespace umbra::il::testing {

/// What the tests' probes call, and with what.
inline const Probes kProbes{.client_id = 0x1122334455667788,
                            .enter = 0x7f0000001000,
                            .leave = 0x7f0000002000,
                            .signature = 0x11000042,
                            .arguments = {},
                            .arguments_end = {.address = 0x7f0000003000, .signature = 0x11000042},
                            .function = 77};
inline constexpr uint32_t kLocalSignature = 0x11000043;

inline std::vector<uint8_t> bytes(std::initializer_list<int> values) {
    return {values.begin(), values.end()};
}

/// One after the other.
inline std::vector<uint8_t> joined(std::initializer_list<std::vector<uint8_t>> parts) {
    std::vector<uint8_t> all;
    for (const std::vector<uint8_t>& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

inline std::vector<uint8_t> probe(uint64_t function, uint16_t marker) {
    ByteWriter out;
    out.put(Opcode::kLdcI8, kProbes.client_id);
    out.put(Opcode::kLdloca, marker);
    out.put(Opcode::kConvU);
    out.put(Opcode::kLdcI8, function);
    out.put(Opcode::kConvI);
    out.put(Opcode::kCalli, kProbes.signature);
    return std::move(out).take();
}
inline std::vector<uint8_t> enter(uint16_t marker) {
    return probe(kProbes.enter, marker);
}
inline std::vector<uint8_t> leave(uint16_t marker) {
    return probe(kProbes.leave, marker);
}

inline void put_call(ByteWriter& out, const NativeFunction& function) {
    out.put(Opcode::kLdcI8, function.address);
    out.put(Opcode::kConvI);
    out.put(Opcode::kCalli, function.signature);
}
inline std::vector<uint8_t> two_numbers(uint64_t first, const NativeFunction& function) {
    ByteWriter out;
    out.put(Opcode::kLdcI8, first);
    out.put(Opcode::kLdcI8, uint64_t{0});
    put_call(out, function);
    return std::move(out).take();
}

/// What tells one value.
inline std::vector<uint8_t> told(const ArgumentProbe& argument, const ProbeLocals& locals) {
    constexpr int kForms[] = {0, 0x6a, 0x6e, 0x6c, 0xe0};  // conv.i8, .u8, .r8, .u
    const int form = kForms[static_cast<size_t>(argument.form)];
    ByteWriter load;
    load.put(argument.source == ArgumentProbe::kResult
                 ? (form == 0xe0 ? Opcode::kLdloca : Opcode::kLdloc)
                 : (form == 0xe0 ? Opcode::kLdarga : Opcode::kLdarg));
    load.put(argument.source == ArgumentProbe::kResult ? locals.result : argument.source);
    ByteWriter value;
    value.put(Opcode::kLdcI8, argument.number);
    value.put_bytes(load.bytes());
    if (argument.getter != 0) {
        value.put(Opcode::kCallvirt, argument.getter);
    }
    if (form != 0) {
        value.put(static_cast<uint8_t>(form));
    }
    put_call(value, argument.function);
    if (argument.getter == 0) {
        return std::move(value).take();
    }
    const std::vector<uint8_t> null = two_numbers(argument.number, argument.null_function);
    ByteWriter out;
    out.put_bytes(load.bytes());
    out.put(Opcode::kBrtrue, static_cast<uint32_t>(null.size() + 5));
    out.put_bytes(null);
    out.put(Opcode::kBr, static_cast<uint32_t>(value.size()));
    out.put_bytes(value.bytes());
    return std::move(out).take();
}

/// All arguments, or what is given back.
inline std::vector<uint8_t> told(const Probes& probes, const ProbeLocals& locals, bool result) {
    std::vector<uint8_t> all;
    for (const ArgumentProbe& argument : probes.arguments) {
        if ((argument.source == ArgumentProbe::kResult) == result) {
            all = joined({all, told(argument, locals)});
        }
    }
    return all;
}

/// From the offset of one instruction to that of another.
struct Region {
    uint32_t begin;
    uint32_t end;
};
inline Clause clause(Clause::Kind kind, Region guarded, Region handler,
                     uint32_t type_or_filter = 0) {
    return {.kind = kind,
            .try_begin = guarded.begin,
            .try_end = guarded.end,
            .handler_begin = handler.begin,
            .handler_end = handler.end,
            .type_or_filter = type_or_filter};
}

/// A body without locals and clauses.
inline MethodBody body_of(std::span<const uint8_t> code) {
    MethodBody body;
    body.max_stack = 8;
    body.code = code;
    return body;
}

}  // namespace umbra::il::testing
