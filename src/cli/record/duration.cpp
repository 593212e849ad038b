// SPDX-License-Identifier: MIT
#include "src/cli/record/duration.h"

#include <array>
#include <charconv>
#include <utility>

#include <fmt/format.h>

namespace umbra::cli {

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, double>, 5> kUnits = {
        {{"", 1e3}, {"ms", 1}, {"s", 1e3}, {"m", 60e3}, {"h", 3600e3}}};
    constexpr double kYear = 365.0 * 24 * 3600e3;
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view unit = text.substr(static_cast<size_t>(end - text.data()));
    for (const auto& [name, ms] : kUnits) {
        if (error == std::errc() && unit == name && value * ms >= 1 && value * ms <= kYear) {
            return std::chrono::milliseconds(static_cast<int64_t>(value * ms));
        }
    }
    return std::nullopt;
}

std::string check_duration(const std::string& text) {
    return parse_duration(text)
               ? ""
               : fmt::format("'{}' is no length of time (like 30s, 500ms, 5m)", text);
}

}  // namespace umbra::cli
