// SPDX-License-Identifier: MIT
// Texts of /proc taken apart: words between blanks, and numbers.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <system_error>
#include <vector>

namespace umbra {

/// What stands between blanks, tabs and line ends; views of the text.
[[nodiscard]] inline std::vector<std::string_view> words(std::string_view text) {
    constexpr std::string_view kBlanks = " \t\n";
    std::vector<std::string_view> found;
    for (size_t at = 0; (at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos;) {
        const size_t end = std::min(text.find_first_of(kBlanks, at), text.size());
        found.push_back(text.substr(at, end - at));
        at = end;
    }
    return found;
}

/// A decimal number that is the whole text and fits into the type.
template <typename Number>
[[nodiscard]] std::optional<Number> number_of(std::string_view text) {
    Number number{};
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end && !text.empty() ? std::optional(number)
                                                                : std::nullopt;
}

}  // namespace umbra
