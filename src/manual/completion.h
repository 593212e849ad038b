// SPDX-License-Identifier: MIT
// Completions of a command line in the shells bash, zsh and fish.
#pragma once

#include <string>
#include <string_view>

#include "src/manual/command_line.h"

namespace umbra::manual {

// Each answers a script, which the shell loads from the place that cmake --install gives it, or
// reads by `source <(umbra completion SHELL)`. It asks `umbra ps` for numbers of processes.

[[nodiscard]] std::string bash_completion(const Command& program);
[[nodiscard]] std::string zsh_completion(const Command& program);
[[nodiscard]] std::string fish_completion(const Command& program);

/// The text in single quotes, as all three read it.
[[nodiscard]] std::string in_quotes(const std::string& text);

/// The program's name as part of a function's: "_umbra_runsxs".
[[nodiscard]] std::string function_name(const std::string& command);

/// The first line of an option's or command's description, as short as a list wants it: up to its
/// first semicolon, colon or bracket behind some words.
[[nodiscard]] std::string summary(const std::string& description);

/// A script with `function` where it says @, and `program` where it says # behind a blank.
[[nodiscard]] std::string filled_in(std::string_view script, const std::string& function,
                                    const std::string& program);

}  // namespace umbra::manual
