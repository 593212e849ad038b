// SPDX-License-Identifier: MIT
// What keeps a reading of the counter in its place among loads.
#pragma once

namespace umbra::hotpath {

/// What was loaded before has arrived, and nothing behind is begun, the counter's reading neither:
/// one in front of read_ticks() and one behind it keep it where it stands. Tens of nanoseconds; not
/// for a probe.
inline void counter_fence() noexcept {
    // DSB waits for the loads; ISB keeps the counter, which is a system register and no memory,
    // from being read ahead.
    __asm__ volatile("dsb ishld\n\tisb" ::: "memory");
}

}  // namespace umbra::hotpath
