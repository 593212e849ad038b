// SPDX-License-Identifier: MIT
// When and where a profile is made.
#pragma once

#include <array>
#include <ctime>
#include <string>

#include <unistd.h>

namespace umbra::collector {

/// "2026-03-01T12:30:00Z"
[[nodiscard]] inline std::string utc_now() {
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

/// The machine's name; empty if it has none.
[[nodiscard]] inline std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace umbra::collector
