// SPDX-License-Identifier: MIT
// What the kernel's clocks say.
#pragma once

#include <cstdint>
#include <ctime>

namespace umbra::agent {

/// Nanoseconds of one of clock_gettime's clocks. Any thread.
[[nodiscard]] inline uint64_t clock_ns(clockid_t clock) {
    constexpr uint64_t kSecondNs = 1'000'000'000;
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<uint64_t>(now.tv_sec) * kSecondNs + static_cast<uint64_t>(now.tv_nsec);
}

}  // namespace umbra::agent
