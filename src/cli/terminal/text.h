// SPDX-License-Identifier: MIT
// Numbers and names as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace umbra::cli {

/// A duration with three digits and its unit: "85 ns", "1.42 us", "900 ms", "12.5 s".
[[nodiscard]] std::string duration(uint64_t ns);
/// A count with separators: "635,621".
[[nodiscard]] std::string count(uint64_t number);
/// "1 call", "2,000 calls"
[[nodiscard]] std::string count(uint64_t number, const char* singular, const char* plural);

/// Columns `text` takes, one a character. Wide characters of East Asia count as one.
[[nodiscard]] std::size_t width(std::string_view text);
/// `text` with line breaks and tabs as spaces.
[[nodiscard]] std::string one_line(std::string_view text);
/// `text` in at most `columns` columns: what is left out, in the middle, becomes "..".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t columns);

}  // namespace umbra::cli
