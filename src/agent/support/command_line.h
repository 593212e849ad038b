// SPDX-License-Identifier: MIT
// The arguments of the program the agent is in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

#include "src/base/read_file.h"

namespace umbra::agent {

/// One blank between the arguments; cut at 16 KiB.
[[nodiscard]] inline std::string own_command_line() {
    constexpr size_t kMaxBytes = size_t{16} * 1024;
    std::string text = read_file("/proc/self/cmdline", kMaxBytes).value_or("");
    if (!text.empty() && text.back() == '\0') {
        text.pop_back();
    }
    std::replace(text.begin(), text.end(), '\0', ' ');
    return text;
}

}  // namespace umbra::agent
