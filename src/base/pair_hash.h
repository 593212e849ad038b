// SPDX-License-Identifier: MIT
// A hash of two numbers, for tables with open addressing.
#pragma once

#include <cstdint>

namespace umbra {

/// Multiplying moves every input bit up; folding brings the best mixed ones down to the index.
constexpr uint64_t pair_hash(uint32_t a, uint32_t b) {
    uint64_t value = (uint64_t{a} << 32 | b) * 0x9e3779b97f4a7c15ULL;
    value ^= value >> 32;
    return value * 0xd6e8feb86659fd93ULL;
}

}  // namespace umbra
