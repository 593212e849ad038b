// SPDX-License-Identifier: MIT
// ClockOffsets: how clocks of processes differ that began at another time than the machine's.
#pragma once

#include <cstdint>
#include <string_view>

#include <sys/types.h>

namespace umbra {

/// How far the clocks of a process are ahead of the kernel's own, in nanoseconds: those of its time
/// namespace (time_namespaces(7)). CLOCK_MONOTONIC_RAW goes with the monotonic one. What the kernel
/// itself writes down (records of perf) is not shifted; what it shows in /proc is, for the reader.
struct ClockOffsets {
    int64_t monotonic_ns = 0;
    int64_t boottime_ns = 0;
};

/// Of a process; 0: of this one. Zeros where the kernel has no time namespaces or does not tell.
/// Any thread.
[[nodiscard]] ClockOffsets clock_offsets(pid_t pid);

/// Out of the text of /proc/PID/timens_offsets; zeros out of nonsense.
[[nodiscard]] ClockOffsets parse_clock_offsets(std::string_view text);

}  // namespace umbra
