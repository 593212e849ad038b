// SPDX-License-Identifier: MIT
// ByteWriter: little-endian numbers, one behind the other.
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "src/il/opcodes.h"

namespace umbra::il {

static_assert(std::endian::native == std::endian::little);

class ByteWriter {
  public:
    void reserve(size_t bytes) { bytes_.reserve(bytes); }
    [[nodiscard]] size_t size() const { return bytes_.size(); }
    [[nodiscard]] Bytes bytes() const { return bytes_; }

    void put(std::integral auto value) {
        const size_t at = bytes_.size();
        bytes_.resize(at + sizeof value);
        std::memcpy(bytes_.data() + at, &value, sizeof value);
    }
    void put_bytes(Bytes more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
    void put(Opcode opcode) {
        const auto value = static_cast<uint16_t>(opcode);
        if (value > 0xff) {
            put(static_cast<uint8_t>(value >> 8));
        }
        put(static_cast<uint8_t>(value));
    }
    void put(Opcode opcode, std::integral auto operand) {
        put(opcode);
        put(operand);
    }
    void align_to_4() { bytes_.resize((bytes_.size() + 3) & ~size_t{3}); }
    /// Four bytes that have been put before; `at` is where.
    void set(size_t at, uint32_t value) { std::memcpy(bytes_.data() + at, &value, sizeof value); }

    /// Answers where its distance lies, which end_branch() fills in.
    size_t branch(Opcode opcode) {
        put(opcode, uint32_t{0});
        return size() - sizeof(uint32_t);
    }
    /// The branch leads to here.
    void end_branch(size_t distance) {
        set(distance, static_cast<uint32_t>(size() - distance - sizeof(uint32_t)));
    }

    [[nodiscard]] std::vector<uint8_t> take() && { return std::move(bytes_); }

  private:
    std::vector<uint8_t> bytes_;
};

}  // namespace umbra::il
