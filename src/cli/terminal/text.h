// SPDX-License-Identifier: MIT
// Numbers and names as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace umbra::cli {

/// A duration with three digits and its unit: "85 ns", "1.42 us", "900 ms", "12.5 s".
[[nodiscard]] std::string duration(uint64_t ns);
/// A duration of which `digits` are known, 1 or 2: "~1.4 us", "~900 ms".
[[nodiscard]] std::string rough_duration(uint64_t ns, int digits);
/// A count with separators: "635,621".
[[nodiscard]] std::string count(uint64_t number);
/// "1 call", "2,000 calls"
[[nodiscard]] std::string count(uint64_t number, const char* singular, const char* plural);

/// What a reader takes for one character: a code point and the combining marks, joiners and
/// modifiers that belong to it.
struct Character {
    std::string_view bytes;
    std::size_t columns = 0;  ///< on a terminal: the sum of those of its code points
};
/// Takes the first character off `text`, which must not be empty.
[[nodiscard]] Character take_character(std::string_view& text);

/// Columns that a terminal gives to `text`, which must be UTF-8 without control characters: two for
/// a wide character of East Asia and for an emoji, none for a combining mark.
[[nodiscard]] std::size_t width(std::string_view text);
/// `text` with line breaks and tabs as spaces, else as profile::seen_text() has it.
[[nodiscard]] std::string one_line(std::string_view text);
/// `text` in at most `columns` columns: what is left out, in the middle, becomes "..". No character
/// is cut.
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);
/// "a, b, c" in lines of at most so many columns, as far as no part is longer; at least one line.
[[nodiscard]] std::vector<std::string> wrapped(const std::vector<std::string>& parts,
                                               std::size_t columns);

}  // namespace umbra::cli
