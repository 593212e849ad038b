// SPDX-License-Identifier: MIT
// Completions of a command line in the shells bash, zsh and fish.
#pragma once

#include <string>
#include <string_view>

#include "src/manual/command_line.h"

namespace umbra::manual {

/// A script for `shell`, which is "bash", "zsh" or "fish". The shell loads it from the place that
/// cmake --install gives it, or reads it by `source <(umbra completion SHELL)`. It asks `umbra ps`
/// for numbers of processes, and has all else in itself.
[[nodiscard]] std::string completion(const Command& program, std::string_view shell);

}  // namespace umbra::manual
