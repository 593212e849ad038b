// SPDX-License-Identifier: MIT
// Where the agent says why it does not profile: the file named by UMBRA_LOG, nothing else.
#pragma once

#include <string_view>

namespace umbra::agent {

/// Appends one line (time, pid, text) to the file UMBRA_LOG names; does nothing without it. The
/// file is created with mode 0600, and a symbolic link is not followed. Any thread; never throws.
/// The agent prints nowhere else: one stray line breaks the programs that read a child's output.
void log_line(std::string_view text) noexcept;

}  // namespace umbra::agent
