// SPDX-License-Identifier: MIT
// The processor's counter: the time stamp counter.
#pragma once

#include <cstdint>

#include <cpuid.h>
#include <x86intrin.h>

namespace umbra::hotpath {

/// What the file calls this clock.
inline constexpr const char* kCounterName = "tsc";

/// Ticks of the TSC. Not serialising: the stubs read it the same way. Any thread, any time.
inline uint64_t read_ticks() noexcept {
    return __rdtsc();
}

/// True if the TSC runs at one rate through every power state (CPUID 80000007H, EDX bit 8). Without
/// that a tick has no fixed length, and umbra does not time with it.
inline bool ticks_are_invariant() noexcept {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8)) != 0;
}

/// What CLOCK_MONOTONIC_RAW moves on by, in nanoseconds: the kernel makes it of this counter, which
/// is finer.
inline double os_clock_resolution_ns() noexcept {
    return 1;
}

}  // namespace umbra::hotpath
