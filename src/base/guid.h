// SPDX-License-Identifier: MIT
// Guid: an id of the runtime's interfaces and classes, in its layout in memory and as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace umbra {

/// 16 bytes; the layout of a Windows GUID.
struct Guid {
    uint32_t data1 = 0;
    uint16_t data2 = 0;
    uint16_t data3 = 0;
    uint8_t data4[8] = {};

    friend bool operator==(const Guid&, const Guid&) = default;
};
static_assert(sizeof(Guid) == 16);

/// "{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}". None for anything else.
[[nodiscard]] constexpr std::optional<Guid> parse_guid(std::string_view text) {
    constexpr std::string_view kShape = "{xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx}";
    if (text.size() != kShape.size()) {
        return std::nullopt;
    }
    uint64_t halves[2] = {};
    size_t digits = 0;
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (kShape[i] != 'x') {
            if (c != kShape[i]) {
                return std::nullopt;
            }
            continue;
        }
        constexpr std::string_view kDigits = "0123456789abcdef";
        const size_t digit = kDigits.find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
        if (digit == std::string_view::npos) {
            return std::nullopt;
        }
        uint64_t& half = halves[digits++ / 16];
        half = half << 4 | digit;
    }
    Guid parsed{.data1 = static_cast<uint32_t>(halves[0] >> 32),
                .data2 = static_cast<uint16_t>(halves[0] >> 16),
                .data3 = static_cast<uint16_t>(halves[0])};
    for (size_t i = 0; i < sizeof parsed.data4; ++i) {
        parsed.data4[i] = static_cast<uint8_t>(halves[1] >> (56 - 8 * i));
    }
    return parsed;
}

/// Of a text in the source. Does not compile if it is none.
consteval Guid guid(std::string_view text) {
    return parse_guid(text).value();
}

}  // namespace umbra
