// SPDX-License-Identifier: MIT
// Checked reads of the integers in .NET files: little endian, unaligned, or compressed.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

namespace umbra::clr {

static_assert(std::endian::native == std::endian::little);

using Bytes = std::span<const uint8_t>;

/// Good as long as the text.
inline Bytes bytes_of(std::string_view text) {
    return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

/// 0 where it would reach beyond the end: for fields in which 0 means "not there".
template <typename T>
T load(Bytes bytes, size_t offset) {
    T value = 0;
    if (offset <= bytes.size() && bytes.size() - offset >= sizeof(T)) {
        std::memcpy(&value, bytes.data() + offset, sizeof(T));
    }
    return value;
}

/// Empty if any of it would lie beyond the end.
inline Bytes part(Bytes bytes, size_t offset, size_t size) {
    return offset <= bytes.size() && bytes.size() - offset >= size ? bytes.subspan(offset, size)
                                                                   : Bytes();
}

inline bool take_byte(Bytes& bytes, uint8_t& value) {
    if (bytes.empty()) {
        return false;
    }
    value = bytes.front();
    bytes = bytes.subspan(1);
    return true;
}

/// Takes an unsigned integer off the front (ECMA-335 II.23.2): one, two or four bytes, big endian.
inline bool take_compressed(Bytes& bytes, uint32_t& value) {
    uint8_t first = 0;
    if (!take_byte(bytes, first)) {
        return false;
    }
    int more = 0;
    if ((first & 0x80U) == 0) {
        value = first;
    } else if ((first & 0xc0U) == 0x80) {
        value = first & 0x3fU, more = 1;
    } else if ((first & 0xe0U) == 0xc0) {
        value = first & 0x1fU, more = 3;
    } else {
        return false;
    }
    for (; more > 0; --more) {
        uint8_t next = 0;
        if (!take_byte(bytes, next)) {
            return false;
        }
        value = (value << 8) | next;
    }
    return true;
}

}  // namespace umbra::clr
