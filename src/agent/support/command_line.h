// SPDX-License-Identifier: MIT
// The arguments of the program the agent is in.
#pragma once

#include <cstddef>
#include <string>

#include "src/base/command_line.h"
#include "src/base/read_file.h"

namespace umbra::agent {

/// As line_of_arguments() has them; what is beyond 16 KiB is cut.
[[nodiscard]] inline std::string own_command_line() {
    constexpr size_t kMaxBytes = size_t{16} * 1024;
    return line_of_arguments(read_file("/proc/self/cmdline", kMaxBytes).value_or(""));
}

}  // namespace umbra::agent
