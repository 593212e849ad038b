// SPDX-License-Identifier: MIT
// Replaces a file as a whole: a reader sees the old one or the new one, at any instant.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "src/base/result.h"

namespace umbra {

/// Puts `bytes` at `path` through a temporary file beside it (mode 0600), fsync and rename, and
/// syncs the folder. On an error the old file is untouched and the temporary one removed. Refuses
/// to replace what is not a regular file. Errors: kSystem, kNotFound (no such folder), kInvalid.
[[nodiscard]] Status replace_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace umbra
