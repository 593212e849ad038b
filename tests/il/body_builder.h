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
inline constexpr Probes kProbes{.client_id = 0x1122334455667788,
                                .enter = 0x7f0000001000,
                                .leave = 0x7f0000002000,
                                .signature = 0x11000042};
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
    out.put(Opcode::kLdcI8);
    out.put(kProbes.client_id);
    out.put(Opcode::kLdloca);
    out.put(marker);
    out.put(Opcode::kConvU);
    out.put(Opcode::kLdcI8);
    out.put(function);
    out.put(Opcode::kConvI);
    out.put(Opcode::kCalli);
    out.put(kProbes.signature);
    return std::move(out).take();
}
inline std::vector<uint8_t> enter(uint16_t marker) {
    return probe(kProbes.enter, marker);
}
inline std::vector<uint8_t> leave(uint16_t marker) {
    return probe(kProbes.leave, marker);
}

/// A body without locals and clauses.
inline MethodBody body_of(std::span<const uint8_t> code) {
    MethodBody body;
    body.max_stack = 8;
    body.code = code;
    return body;
}

}  // namespace umbra::il::testing
