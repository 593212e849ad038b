// SPDX-License-Identifier: MIT
// Names of profiles, and whether they can be written.
#pragma once

#include <string>

#include <sys/types.h>

#include "src/base/result.h"

namespace umbra::cli {

/// "app-4711" for "app.dll": fit to be part of a file's name.
[[nodiscard]] std::string output_name(const std::string& program, pid_t pid);

/// Whether a profile can be written to this path, or, where it is empty, to the current folder.
/// Better now than after hours of recording.
[[nodiscard]] Status check_output(const std::string& path);

}  // namespace umbra::cli
