// SPDX-License-Identifier: MIT
// The arguments of the program the agent is in.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <string>

namespace umbra::agent {

/// One blank between the arguments; cut at 16 KiB.
[[nodiscard]] inline std::string own_command_line() {
    constexpr size_t kMaxBytes = size_t{16} * 1024;
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::string text{std::istreambuf_iterator<char>(file), {}};
    if (!text.empty() && text.back() == '\0') {
        text.pop_back();
    }
    std::replace(text.begin(), text.end(), '\0', ' ');
    text.resize(std::min(text.size(), kMaxBytes));
    return text;
}

}  // namespace umbra::agent
