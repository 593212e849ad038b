// SPDX-License-Identifier: MIT
// Writing the last profile of a recording, which cannot be made again.
#pragma once

#include <string>

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace umbra::cli {

/// Writes to `path`, or, where that fails, to a new folder (mode 0700) below TMPDIR or /tmp. Error:
/// it is not at `path`; the context is a sentence that says why and where it is instead, if
/// anywhere.
[[nodiscard]] Status write_last(const profile::Profile& profile, const std::string& path);

}  // namespace umbra::cli
