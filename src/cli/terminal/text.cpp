// SPDX-License-Identifier: MIT
// Numbers and names as people read them.
#include "src/cli/terminal/text.h"

#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "src/base/utf8.h"

namespace umbra::cli {

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

std::size_t width(std::string_view text) {
    std::size_t columns = 0;
    for (; !text.empty(); take_utf8(text)) {
        ++columns;
    }
    return columns;
}

std::string one_line(std::string_view text) {
    std::string line(text);
    std::replace_if(
        line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
    return line;
}

std::string shortened(std::string_view text, std::size_t columns) {
    constexpr std::string_view kGap = "..";
    const std::size_t all = width(text);
    if (all <= columns) {
        return std::string(text);
    }
    const std::size_t kept = columns - std::min(columns, kGap.size());
    const std::size_t front = kept / 2;
    std::string out;
    std::string_view rest = text;
    for (std::size_t i = 0; i < all; ++i) {
        const std::size_t before = rest.size();
        take_utf8(rest);
        if (i < front || i >= all - (kept - front)) {
            out += text.substr(text.size() - before, before - rest.size());
        }
        if (i == front) {
            out += kGap.substr(0, columns);
        }
    }
    return out;
}

}  // namespace umbra::cli
