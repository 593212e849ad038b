// SPDX-License-Identifier: MIT
// UTF-8 made from what other processes and files give us, so that every later reader may rely on
// it.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

namespace umbra {

inline constexpr char32_t kReplacementCharacter = 0xfffd;

/// Appends one code point; surrogates and values beyond Unicode become U+FFFD.
inline void append_utf8(std::string& out, char32_t c) {
    if (c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff)) {
        c = kReplacementCharacter;
    }
    const auto continuation = [&](int shift) {
        out.push_back(static_cast<char>(0x80U | ((c >> shift) & 0x3fU)));
    };
    if (c < 0x80) {
        out.push_back(static_cast<char>(c));
    } else if (c < 0x800) {
        out.push_back(static_cast<char>(0xc0U | (c >> 6)));
        continuation(0);
    } else if (c < 0x10000) {
        out.push_back(static_cast<char>(0xe0U | (c >> 12)));
        continuation(6);
        continuation(0);
    } else {
        out.push_back(static_cast<char>(0xf0U | (c >> 18)));
        continuation(12);
        continuation(6);
        continuation(0);
    }
}

/// Appends what stands for a code point that cannot be shown or written: "\u202e", "\U000e0001".
inline void append_code_point(std::string& out, char32_t c) {
    const int digits = c > 0xffff ? 8 : 4;
    out += digits == 8 ? "\\U" : "\\u";
    for (int digit = digits; digit-- > 0;) {
        out += "0123456789abcdef"[c >> (4 * digit) & 15U];
    }
}

/// `text` with the characters that append_code_point() stood for; halves of surrogate pairs, which
/// UTF-8 does not have, stay as they are written.
inline std::string read_code_points(std::string_view text) {
    std::string out;
    for (size_t at = text.find('\\'); at != std::string_view::npos; at = text.find('\\')) {
        const std::string_view rest = text.substr(at + 1);
        const size_t digits = rest.starts_with('u') ? 4 : rest.starts_with('U') ? 8 : 0;
        const std::string_view hex = rest.substr(0, digits + 1).substr(rest.empty() ? 0 : 1);
        uint32_t c = 0;
        const auto read = std::from_chars(hex.data(), hex.data() + hex.size(), c, 16);
        const bool whole = digits != 0 && hex.size() == digits && read.ec == std::errc() &&
                           read.ptr == hex.data() + digits;
        const bool sound = whole && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
        out.append(text.substr(0, sound ? at : at + 1));
        if (sound) {
            append_utf8(out, c);
        }
        text.remove_prefix(sound ? at + 2 + digits : at + 1);
    }
    return out.append(text);
}

/// UTF-16 to UTF-8; a lone surrogate is written as "\ud83d".
inline std::string to_utf8(std::u16string_view text) {
    std::string out;
    out.reserve(text.size());
    for (size_t i = 0; i < text.size(); ++i) {
        char32_t c = text[i];
        const bool high = c >= 0xd800 && c <= 0xdbff;
        if (high && i + 1 < text.size() && text[i + 1] >= 0xdc00 && text[i + 1] <= 0xdfff) {
            c = 0x10000 + ((c - 0xd800) << 10) + (text[i + 1] - 0xdc00U);
            ++i;
        }
        if (c >= 0xd800 && c <= 0xdfff) {
            append_code_point(out, c);
        } else {
            append_utf8(out, c);
        }
    }
    return out;
}

/// The lone surrogate that a text begins with, as it would be in UTF-8 if it were allowed there
/// (three bytes); 0: it begins with something else.
inline char32_t surrogate_at(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const bool is_one = text.size() >= 3 && byte(0) == 0xed && (byte(1) & 0xe0U) == 0xa0 &&
                        (byte(2) & 0xc0U) == 0x80;
    return is_one ? 0xd000U | (byte(1) & 0x3fU) << 6 | (byte(2) & 0x3fU) : 0;
}

/// Takes one code point off the front of `text`, which must not be empty; of a malformed sequence
/// one byte, as U+FFFD.
inline char32_t take_utf8(std::string_view& text) {
    const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    size_t length = 1;
    char32_t c = first;
    char32_t least = 0;  // a smaller value in this many bytes is an overlong spelling
    if (first >= 0xc0 && first < 0xe0) {
        length = 2, c = first & 0x1fU, least = 0x80;
    } else if (first >= 0xe0 && first < 0xf0) {
        length = 3, c = first & 0x0fU, least = 0x800;
    } else if (first >= 0xf0 && first < 0xf8) {
        length = 4, c = first & 0x07U, least = 0x10000;
    } else if (first >= 0x80) {
        c = kReplacementCharacter;
    }
    bool sound = length <= text.size();
    for (size_t i = 1; sound && i < length; ++i) {
        sound = (byte(i) & 0xc0U) == 0x80;
        c = (c << 6) | (byte(i) & 0x3fU);
    }
    sound = sound && c >= least && c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);
    text.remove_prefix(sound ? length : 1);
    return sound ? c : kReplacementCharacter;
}

/// The first `bytes` bytes of `text`, or a few less, so that no code point is cut.
inline std::string_view cut_utf8(std::string_view text, size_t bytes) {
    if (text.size() <= bytes) {
        return text;
    }
    while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xc0U) == 0x80) {
        --bytes;
    }
    return text.substr(0, bytes);
}

/// `text` as valid UTF-8 fit for a terminal, a JSON string and an HDF5 string: control characters
/// other than tab and newline, and halves of surrogate pairs, are written as "\u001b", other
/// malformed bytes become U+FFFD.
inline std::string printable_utf8(std::string_view text) {
    const bool plain =
        std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
    if (plain) {  // nearly every name
        return std::string(text);
    }
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        if (const char32_t alone = surrogate_at(text)) {
            append_code_point(out, alone);
            text.remove_prefix(3);
            continue;
        }
        const char32_t c = take_utf8(text);
        if ((c < 0x20 && c != '\t' && c != '\n') || (c >= 0x7f && c < 0xa0)) {
            append_code_point(out, c);
        } else {
            append_utf8(out, c);
        }
    }
    return out;
}

}  // namespace umbra
