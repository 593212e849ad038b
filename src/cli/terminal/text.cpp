// SPDX-License-Identifier: MIT
// Numbers and names as people read them.
#include "src/cli/terminal/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <utf8proc.h>

#include "src/base/utf8.h"
#include "src/profile/names/seen_text.h"

namespace umbra::cli {
namespace {

/// Each byte is a character of one column; nearly every name.
bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7f; });
}

std::size_t columns_of(char32_t c) {
    const int columns = utf8proc_charwidth(static_cast<utf8proc_int32_t>(c));
    return columns > 0 ? static_cast<std::size_t>(columns) : 0;
}

}  // namespace

std::string duration(uint64_t ns) {
    if (ns < 1000) {
        return fmt::format("{} ns", ns);
    }
    constexpr std::array<std::string_view, 3> kUnits = {"us", "ms", "s"};
    double value = static_cast<double>(ns) / 1000;
    std::size_t unit = 0;
    // 999.5 would round up to "1000": the next unit says it better.
    while (value >= 999.5 && unit + 1 < kUnits.size()) {
        value /= 1000;
        ++unit;
    }
    const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return fmt::format("{:.{}f} {}", value, decimals, kUnits[unit]);
}

std::string rough_duration(uint64_t ns, int digits) {
    const double value = std::max(static_cast<double>(ns), 1.0);
    const double step = std::max(1.0, std::pow(10.0, std::floor(std::log10(value)) + 1 - digits));
    const double rounded = std::round(static_cast<double>(ns) / step) * step;
    std::string text = duration(static_cast<uint64_t>(rounded));
    // "1.20 ms" says "1.2 ms", "9.00 s" says "9 s".
    const std::size_t point = text.find('.');
    if (point != std::string::npos) {
        std::size_t end = text.find(' ');
        while (text[end - 1] == '0') {
            text.erase(--end, 1);
        }
        if (text[end - 1] == '.') {
            text.erase(end - 1, 1);
        }
    }
    return '~' + text;
}

std::string count(uint64_t number) {
    const std::string digits = std::to_string(number);
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) {
            out += ',';
        }
        out += digits[i];
    }
    return out;
}

std::string count(uint64_t number, const char* singular, const char* plural) {
    return fmt::format("{} {}", count(number), number == 1 ? singular : plural);
}

Character take_character(std::string_view& text) {
    const std::string_view all = text;
    char32_t last = take_utf8(text);
    std::size_t columns = columns_of(last);
    utf8proc_int32_t state = 0;
    while (!text.empty()) {
        std::string_view rest = text;
        const char32_t next = take_utf8(rest);
        if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(last),
                                             static_cast<utf8proc_int32_t>(next), &state)) {
            break;
        }
        columns += columns_of(next);
        last = next;
        text = rest;
    }
    return {all.substr(0, all.size() - text.size()), columns};
}

std::size_t width(std::string_view text) {
    if (is_plain(text)) {
        return text.size();
    }
    std::size_t columns = 0;
    while (!text.empty()) {
        columns += columns_of(take_utf8(text));
    }
    return columns;
}

std::string one_line(std::string_view text) {
    if (is_plain(text)) {
        return std::string(text);
    }
    std::string line(text);
    std::ranges::replace_if(
        line, [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return profile::seen_text(line);
}

std::string shortened(std::string_view text, std::size_t columns) {
    constexpr std::string_view kCut = "..";
    const std::size_t all = width(text);
    if (all <= columns) {
        return std::string(text);
    }
    const std::size_t kept = columns - std::min(columns, kCut.size());
    const std::size_t front = kept / 2;
    const std::size_t back = kept - front;
    std::string out;
    std::string_view rest = text;
    std::size_t before = 0;  // columns in front of `rest`
    for (bool fits = true; fits;) {
        std::string_view behind = rest;
        const Character next = take_character(behind);
        fits = before + next.columns <= front;
        if (fits) {
            out += next.bytes;
            before += next.columns;
            rest = behind;
        }
    }
    out += kCut.substr(0, columns);
    while (all - before > back) {
        before += take_character(rest).columns;
    }
    return out.append(rest);
}

std::vector<std::string> wrapped(const std::vector<std::string>& parts, std::size_t columns) {
    std::vector<std::string> lines = {""};
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::string part = parts[i] + (i + 1 < parts.size() ? "," : "");
        std::string& line = lines.back();
        if (line.empty()) {
            line = part;
        } else if (width(line) + 1 + width(part) <= columns) {
            line += " " + part;
        } else {
            lines.push_back(part);
        }
    }
    return lines;
}

}  // namespace umbra::cli
