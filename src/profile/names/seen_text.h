// SPDX-License-Identifier: MIT
// Text in which every character is seen: what has no width, turns the direction of writing or is
// no character is spelled out.
#pragma once

#include <string>
#include <string_view>

namespace umbra::profile {

/// Appends `c` if who reads it sees it as a character of its own; else its number, as "\u202e":
/// controls, blanks other than U+0020, marks of direction and format, what may be left out when
/// text is shown, halves of surrogate pairs, and what Unicode has not assigned.
void append_seen(std::string& out, char32_t c);

/// `text` with append_seen() of each character. Bytes that are no UTF-8 become U+FFFD.
[[nodiscard]] std::string seen_text(std::string_view text);

}  // namespace umbra::profile
