// SPDX-License-Identifier: MIT
// The processor's counter: the virtual count of the generic timer, which every core shares.
#pragma once

#include <cstdint>

namespace umbra::hotpath {

/// What the file calls this clock.
inline constexpr const char* kCounterName = "cntvct";

/// Ticks of CNTVCT_EL0. Not ordered against what stands around it: the stubs read it the same way.
/// Any thread, any time; where the kernel has to work around a faulty timer it traps and is slow.
inline uint64_t read_ticks() noexcept {
    uint64_t ticks = 0;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
    return ticks;
}

/// True: the architecture lets the counter run at one rate, through every power state.
inline bool ticks_are_invariant() noexcept {
    return true;
}

/// Ticks a second as the system's firmware states them (CNTFRQ_EL0): 1e9 on processors from
/// Armv8.6 on, mostly 25 to 125 million on older ones.
inline uint64_t counter_hz() noexcept {
    uint64_t hz = 0;
    __asm__("mrs %0, cntfrq_el0" : "=r"(hz));
    return hz;
}

/// What CLOCK_MONOTONIC_RAW moves on by, in nanoseconds: the kernel makes it of this counter.
inline double os_clock_resolution_ns() noexcept {
    const uint64_t hz = counter_hz();
    return hz == 0 || hz > 1'000'000'000 ? 1 : 1e9 / static_cast<double>(hz);
}

}  // namespace umbra::hotpath
