// SPDX-License-Identifier: MIT
// Texts of /proc taken apart: words, numbers, fields of stat and status. A text may be anything.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
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

/// Field `number` of a /proc/PID/stat or /proc/PID/task/TID/stat, as proc(5) counts them from 1,
/// and from 3 on: field 2 is the name in brackets, which may hold anything. Empty where there is
/// none. Takes no memory.
[[nodiscard]] inline std::string_view stat_field(std::string_view stat, int number) {
    const size_t name_end = stat.rfind(')');
    if (name_end == std::string_view::npos || number < 3) {
        return {};
    }
    std::string_view rest = stat.substr(name_end + 1);
    for (int field = 2; field < number; ++field) {
        const size_t begin = rest.find(' ');
        if (begin == std::string_view::npos) {
            return {};
        }
        rest.remove_prefix(begin + 1);
    }
    return rest.substr(0, rest.find_first_of(" \n"));
}

/// When a process started, by its /proc/PID/stat, in clock ticks since the machine did: with the
/// number of a process it names one process for ever. Nothing for a text that is none.
[[nodiscard]] inline std::optional<uint64_t> start_time_of(std::string_view stat) {
    constexpr int kStartTime = 22;
    return number_of<uint64_t>(stat_field(stat, kStartTime));
}

/// The words behind "Name:" in a /proc/PID/status.
[[nodiscard]] inline std::vector<std::string_view> status_field(std::string_view status,
                                                                std::string_view name) {
    while (!status.empty()) {
        const std::string_view line = status.substr(0, status.find('\n'));
        if (line.starts_with(name) && line.substr(name.size()).starts_with(':')) {
            return words(line.substr(name.size() + 1));
        }
        status.remove_prefix(std::min(status.size(), line.size() + 1));
    }
    return {};
}

}  // namespace umbra
