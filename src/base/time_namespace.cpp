// SPDX-License-Identifier: MIT
#include "src/base/time_namespace.h"

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/proc_text.h"
#include "src/base/read_file.h"

namespace umbra {
namespace {

// Centuries; more does not go into nanoseconds.
constexpr int64_t kMostSeconds = 9'000'000'000;
constexpr int64_t kSecondNs = 1'000'000'000;
constexpr size_t kMaxBytes = 4096;  // two lines

}  // namespace

ClockOffsets parse_clock_offsets(std::string_view text) {
    ClockOffsets offsets;
    const std::vector<std::string_view> found = words(text);
    for (size_t at = 0; at + 2 < found.size(); at += 3) {
        const std::string_view clock = found[at];
        const auto seconds = number_of<int64_t>(found[at + 1]);
        const auto nanoseconds = number_of<int64_t>(found[at + 2]);
        if (!seconds || !nanoseconds) {
            break;
        }
        if (*seconds < -kMostSeconds || *seconds > kMostSeconds || *nanoseconds < -kSecondNs ||
            *nanoseconds > kSecondNs) {
            continue;
        }
        const int64_t offset_ns = *seconds * kSecondNs + *nanoseconds;
        if (clock == "monotonic") {
            offsets.monotonic_ns = offset_ns;
        } else if (clock == "boottime") {
            offsets.boottime_ns = offset_ns;
        }
    }
    return offsets;
}

ClockOffsets clock_offsets(pid_t pid) {
    const std::string process = pid == 0 ? "self" : std::to_string(pid);
    return parse_clock_offsets(
        read_file("/proc/" + process + "/timens_offsets", kMaxBytes).value_or(""));
}

}  // namespace umbra
