// SPDX-License-Identifier: MIT
// Small files as strings, without streams: what the agent uses brings no locale into the program it
// is a guest of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace umbra {

/// Reads an open file from where it stands to its end, or `max_bytes` of it, into a string that is
/// empty before. False where reading failed: what came before that is in the string, and errno says
/// why. Any thread.
[[nodiscard]] bool read_up_to(int file, size_t max_bytes, std::string& text);

/// The first `max_bytes` bytes of a file, or all of it where it is shorter; files of /proc too,
/// whose size is not known before. Nothing where it cannot be opened or read; errno then says why.
/// Any thread.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path, size_t max_bytes);

}  // namespace umbra
