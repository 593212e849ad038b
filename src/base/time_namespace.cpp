// SPDX-License-Identifier: MIT
#include "src/base/time_namespace.h"

#include <fstream>
#include <sstream>
#include <string>

namespace umbra {
namespace {

// Centuries; more does not go into nanoseconds.
constexpr int64_t kMostSeconds = 9'000'000'000;
constexpr int64_t kSecondNs = 1'000'000'000;

}  // namespace

ClockOffsets parse_clock_offsets(std::string_view text) {
    ClockOffsets offsets;
    std::istringstream lines{std::string(text)};
    std::string clock;
    int64_t seconds = 0;
    int64_t nanoseconds = 0;
    while (lines >> clock >> seconds >> nanoseconds) {
        if (seconds < -kMostSeconds || seconds > kMostSeconds || nanoseconds < -kSecondNs ||
            nanoseconds > kSecondNs) {
            continue;
        }
        const int64_t offset_ns = seconds * kSecondNs + nanoseconds;
        if (clock == "monotonic") {
            offsets.monotonic_ns = offset_ns;
        } else if (clock == "boottime") {
            offsets.boottime_ns = offset_ns;
        }
    }
    return offsets;
}

ClockOffsets clock_offsets(pid_t pid) {
    std::ifstream file("/proc/" + (pid == 0 ? "self" : std::to_string(pid)) + "/timens_offsets");
    std::ostringstream text;
    text << file.rdbuf();
    return parse_clock_offsets(text.str());
}

}  // namespace umbra
