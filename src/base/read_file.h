// SPDX-License-Identifier: MIT
// read_file(): a small file as a string, without streams: what the agent uses brings no locale into
// the program it is a guest of.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace umbra {

/// The first `max_bytes` bytes of a file, or all of it where it is shorter; files of /proc too,
/// whose size is not known before. Nothing where it cannot be opened or read; errno then says why.
/// Any thread.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path, size_t max_bytes);

}  // namespace umbra
