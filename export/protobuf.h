// SPDX-License-Identifier: MIT
// Protobuf's wire format (https://protobuf.dev/programming-guides/encoding/), as much as is needed
// to write one message after the other without holding them all.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace umbra::formats {

/// The bytes of a message. Fields stand in the order they are added.
class ProtobufMessage {
  public:
    ProtobufMessage& add(uint32_t field, uint64_t value) {
        varint(uint64_t{field} << 3);
        return varint(value);
    }
    ProtobufMessage& add(uint32_t field, std::string_view bytes) {
        varint(uint64_t{field} << 3 | kLengthDelimited);
        varint(bytes.size());
        bytes_ += bytes;
        return *this;
    }
    ProtobufMessage& add(uint32_t field, const ProtobufMessage& message) {
        return add(field, std::string_view(message.bytes_));
    }
    /// A number of eight bytes (fixed64).
    ProtobufMessage& add_fixed(uint32_t field, uint64_t value) {
        varint(uint64_t{field} << 3 | kEightBytes);
        for (int byte = 0; byte < 8; ++byte, value >>= 8) {
            bytes_ += static_cast<char>(value & 0xff);
        }
        return *this;
    }
    /// A bare number, for the inside of a packed field.
    ProtobufMessage& varint(uint64_t value) {
        for (; value >= 0x80; value >>= 7) {
            bytes_ += static_cast<char>(value | 0x80);
        }
        bytes_ += static_cast<char>(value);
        return *this;
    }
    void clear() { bytes_.clear(); }
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    static constexpr uint64_t kEightBytes = 1;
    static constexpr uint64_t kLengthDelimited = 2;

    std::string bytes_;
};

}  // namespace umbra::formats
