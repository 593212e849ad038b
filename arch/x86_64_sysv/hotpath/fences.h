// SPDX-License-Identifier: MIT
// What keeps a reading of the counter in its place among loads.
#pragma once

namespace umbra::hotpath {

/// What was loaded before has arrived, and nothing behind is begun, the counter's reading neither:
/// one in front of read_ticks() and one behind it keep it where it stands. Some 20 ns; not for a
/// probe.
inline void counter_fence() noexcept {
    __builtin_ia32_lfence();
}

}  // namespace umbra::hotpath
