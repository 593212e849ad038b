// SPDX-License-Identifier: MIT
// Which process a user means: by its number, or by the name of its program.
#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
class Option;
}  // namespace CLI

namespace umbra::cli {

struct ListedProcess;

/// "4711", or the program of one of the .NET processes of this machine: "hello-shop" is
/// "dotnet hello-shop.dll" as well as "/srv/hello-shop", and, if nothing is called exactly that,
/// "Hello-Shop". Errors: kInvalid (no number that a process can have), kNotFound; where several
/// processes fit, or none, those there are stand in it.
[[nodiscard]] Result<pid_t> process_named(const std::string& text);

/// The one of `processes` whose program is called `text`: exactly, or, if none is, but for the case
/// of letters. Errors: kInvalid where several fit, kNotFound; those there are stand in it.
[[nodiscard]] Result<pid_t> process_named(const std::string& text,
                                          const std::vector<ListedProcess>& processes);

/// The positional PID of a command; the text is for process_named().
CLI::Option* add_process_argument(CLI::App& command, std::string& text);

}  // namespace umbra::cli
