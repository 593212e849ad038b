// SPDX-License-Identifier: MIT
#include "src/base/time_namespace.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <system_error>

#include "src/base/read_file.h"

namespace umbra {
namespace {

// Centuries; more does not go into nanoseconds.
constexpr int64_t kMostSeconds = 9'000'000'000;
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr size_t kMaxBytes = 4096;  // two lines

/// Takes the next word off the text, and the blanks and line ends before it; empty at the end.
std::string_view take_word(std::string_view& text) {
    constexpr std::string_view kBlanks = " \t\n";
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
    text.remove_prefix(word.size());
    return word;
}

std::optional<int64_t> take_number(std::string_view& text) {
    const std::string_view word = take_word(text);
    int64_t number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    return error == std::errc() && end == word.data() + word.size() ? std::optional(number)
                                                                    : std::nullopt;
}

}  // namespace

ClockOffsets parse_clock_offsets(std::string_view text) {
    ClockOffsets offsets;
    for (;;) {
        const std::string_view clock = take_word(text);
        const std::optional<int64_t> seconds = take_number(text);
        const std::optional<int64_t> nanoseconds = take_number(text);
        if (!seconds || !nanoseconds) {
            return offsets;
        }
        if (*seconds < -kMostSeconds || *seconds > kMostSeconds || *nanoseconds < -kSecondNs ||
            *nanoseconds > kSecondNs) {
            continue;
        }
        const int64_t offset_ns = *seconds * kSecondNs + *nanoseconds;
        if (clock == "monotonic") {
            offsets.monotonic_ns = offset_ns;
        } else if (clock == "boottime") {
            offsets.boottime_ns = offset_ns;
        }
    }
}

ClockOffsets clock_offsets(pid_t pid) {
    const std::string process = pid == 0 ? "self" : std::to_string(pid);
    return parse_clock_offsets(
        read_file("/proc/" + process + "/timens_offsets", kMaxBytes).value_or(""));
}

}  // namespace umbra
