// SPDX-License-Identifier: MIT
// One way of writing for each kind of argument.
#include "src/collector/tables/argument_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "src/base/utf8.h"
#include "src/profile/names/seen_text.h"

namespace umbra::collector {
namespace {

using protocol::ArgumentNamed;
using protocol::EnumConstant;
using replay::ArgumentContent;

template <typename Number>
std::string shortest(Number number) {
    std::array<char, 40> text{};
    const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), number);
    return {text.data(), end.ptr};
}

void append_hex(std::string& out, uint64_t value, int digits) {
    while (digits-- > 0) {
        out += "0123456789abcdef"[value >> (4 * digits) & 15U];
    }
}

void append_escaped(std::string& out, char32_t c, char quote) {
    constexpr std::string_view kLetters = "0tnr";
    constexpr std::string_view kMeanings("\0\t\n\r", 4);
    const size_t letter = c < 0x80 ? kMeanings.find(static_cast<char>(c)) : std::string_view::npos;
    if (c == static_cast<char32_t>(quote) || c == '\\') {
        out += '\\';
        out += static_cast<char>(c);
    } else if (letter != std::string_view::npos) {
        out += '\\';
        out += kLetters[letter];
    } else {
        profile::append_seen(out, c);
    }
}

std::string text(const ArgumentContent& content) {
    std::string_view rest(content.text.data(),
                          std::min<size_t>(hotpath::text_bytes(content.bits), content.text.size()));
    std::string out = "\"";
    uint32_t code_units = 0;
    while (!rest.empty()) {
        const auto first = static_cast<unsigned char>(rest.front());
        const size_t before = rest.size();
        ++code_units;
        if (const char32_t alone = surrogate_at(rest)) {
            append_escaped(out, alone, '"');
            rest.remove_prefix(3);
            continue;
        }
        const char32_t c = take_utf8(rest);
        if (first >= 0x80 && before - rest.size() == 1) {
            out += "\\x";  // no agent of ours sends such bytes
            append_hex(out, first, 2);
            continue;
        }
        code_units += c > 0xffff ? 1U : 0U;
        append_escaped(out, c, '"');
    }
    out += '"';
    const uint32_t whole = hotpath::text_code_units(content.bits);
    if (whole == code_units) {
        return out;
    }
    return out + (whole > code_units ? "..." : "") + " (" + shortest(whole) + " chars)";
}

/// The name of the constant that is the value; with `combined`, else the names of those that
/// together are it, bit for bit. "" where there are none.
std::string constant_names(uint64_t value, const std::vector<EnumConstant>& constants,
                           bool combined) {
    std::vector<const EnumConstant*> sorted;
    for (const EnumConstant& constant : constants) {
        if (constant.name.empty()) {
            continue;
        }
        if (constant.value == value) {
            return printable_utf8(constant.name);
        }
        sorted.push_back(&constant);
    }
    if (!combined) {
        return "";
    }
    std::ranges::stable_sort(sorted, std::ranges::greater(),
                             [](const EnumConstant* constant) { return constant->value; });
    std::string names;
    uint64_t left = value;
    for (const EnumConstant* constant : sorted) {
        if (constant->value != 0 && (left & constant->value) == constant->value) {
            left ^= constant->value;
            names.insert(0, names.empty() ? "" : " | ");
            names.insert(0, printable_utf8(constant->name));
        }
    }
    return left == 0 ? names : "";
}

std::string real(uint64_t bits, bool single) {
    const auto value = std::bit_cast<double>(bits);
    if (std::isnan(value)) {
        constexpr uint64_t kUsual = 0xfff8'0000'0000'0000;  // double.NaN
        std::string out = "NaN";
        if (bits != kUsual) {
            out += " (0x";
            append_hex(out, bits, 16);
            out += ')';
        }
        return out;
    }
    if (std::isinf(value)) {
        return value < 0 ? "-Infinity" : "Infinity";
    }
    if (single && std::abs(value) <= double{std::numeric_limits<float>::max()}) {
        const auto narrow = static_cast<float>(value);
        if (double{narrow} == value) {
            return shortest(narrow);
        }
    }
    return shortest(value);
}

std::string number(uint64_t bits, const ArgumentNamed& named) {
    switch (named.kind) {
        case ArgumentNamed::kSigned:
        case ArgumentNamed::kFlags: {
            const std::string names =
                constant_names(bits, named.constants, named.kind == ArgumentNamed::kFlags);
            return names.empty() ? shortest(static_cast<int64_t>(bits)) : names;
        }
        case ArgumentNamed::kBoolean:
            return bits == 0 ? "false" : bits == 1 ? "true" : "true (" + shortest(bits) + ")";
        case ArgumentNamed::kCharacter:
            if (bits <= 0xffff) {
                std::string out = "'";
                append_escaped(out, static_cast<char32_t>(bits), '\'');
                return out + '\'';
            }
            break;
        case ArgumentNamed::kReal:
            return real(bits, named.type == "float");
        default:
            break;
    }
    return shortest(bits);
}

}  // namespace

std::string argument_text(const ArgumentContent& content, const ArgumentNamed* named) {
    static const ArgumentNamed unnamed;
    switch (content.kind) {
        case ArgumentContent::kNull:
            return "null";
        case ArgumentContent::kNumber:
            return number(content.bits, named == nullptr ? unnamed : *named);
        case ArgumentContent::kText:
            return text(content);
        case ArgumentContent::kRest:
            break;
    }
    return "";
}

}  // namespace umbra::collector
