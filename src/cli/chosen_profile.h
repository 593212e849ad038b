// SPDX-License-Identifier: MIT
// Which profiles a command means that names none, and which of several is the newest.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "src/base/result.h"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace umbra::cli {

/// Whether a file is a profile that umbra has written, be it damaged; found out in a child process
/// where it is HDF5 at all. To be called before this process has other threads.
[[nodiscard]] bool is_profile(const std::string& file);

/// Whether a recording may write its profile there. Error: kInvalid, where a file is there that is
/// no profile, or one that is and `force` does not say to replace it. An empty file is none.
[[nodiscard]] Status may_replace(const std::string& file, bool force);

/// The profiles of the current folder that were written last, the newest first, `number` at most.
/// Only files named *.h5 are looked at. Error: kNotFound, where there are fewer than `number`.
[[nodiscard]] Result<std::vector<std::string>> newest_profiles(std::size_t number);

/// Of these files the one written last; those that are not there are passed over. Empty: none is.
[[nodiscard]] std::string newest_of(const std::vector<std::string>& files);

/// The positional FILE of a command that with_profile() runs.
void add_profile_argument(CLI::App& command, std::string& file);

/// Runs `command` with `file`, or, where that is empty, with the newest profile of the folder put
/// there, which it says on standard error. Answers what `command` answers, else kFailed.
[[nodiscard]] int with_profile(std::string& file, const std::function<int()>& command);

}  // namespace umbra::cli
