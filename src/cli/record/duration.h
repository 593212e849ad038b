// SPDX-License-Identifier: MIT
// Lengths of time as people write them: "30s", "500ms", "5m", "1.5h".
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace umbra::cli {

/// A number and a unit (ms, s, m, h; without one, seconds); between a millisecond and a year.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// For CLI11: empty if it is one, else what is wrong.
[[nodiscard]] std::string check_duration(const std::string& text);

}  // namespace umbra::cli
