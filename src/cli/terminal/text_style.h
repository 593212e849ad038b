// SPDX-License-Identifier: MIT
// Width and colours of what goes to a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace umbra::cli {

struct TextStyle {
    std::size_t columns = 120;  ///< no line of the hot list is longer, unless names are whole
    bool colour = false;
    bool whole_names = false;  ///< names are not shortened, however long the line
    bool details = false;      ///< the whole footer: how the figures came about
};

inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kRed = "\x1b[1;31m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kPlain = "\x1b[0m";

/// `text` in `colour`, one of the above; as it is where that is empty or not wanted.
[[nodiscard]] inline std::string coloured(std::string_view text, std::string_view colour,
                                          const TextStyle& style) {
    return style.colour && !colour.empty() ? fmt::format("{}{}{}", colour, text, kPlain)
                                           : std::string(text);
}

}  // namespace umbra::cli
