// SPDX-License-Identifier: MIT
// The clocks of the event stream: the processor's counter, and the system's where that will not do.
#pragma once

#include <cstdint>
#include <ctime>

#include "hotpath/counter.h"
#include "hotpath/segment.h"

namespace umbra::hotpath {

/// CLOCK_MONOTONIC_RAW in nanoseconds. Any thread, any time.
inline uint64_t read_os_ns() noexcept {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

/// CPU time of the calling thread in nanoseconds, 0 where the kernel does not tell. Takes half a
/// microsecond: for its first and its last moment.
inline uint64_t read_thread_cpu_ns() noexcept {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// CPU time of any thread of this process in nanoseconds. 0: it has ended, or the kernel does not
/// tell.
inline uint64_t read_thread_cpu_ns(uint32_t os_tid) noexcept {
    // The kernel's own number for the CPU clock of a thread: see clock_getcpuclockid(3), which
    // knows processes only.
    constexpr uint32_t kPerThreadScheduler = 6;
    const auto id = static_cast<clockid_t>((~os_tid << 3U) | kPerThreadScheduler);
    timespec time{};
    clock_gettime(id, &time);
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

/// The present time on a segment's clock.
inline uint64_t read_clock(ClockSource source) noexcept {
    return source == ClockSource::kOs ? read_os_ns() : read_ticks();
}

}  // namespace umbra::hotpath
