// SPDX-License-Identifier: MIT
// Which callbacks are asked of the runtime, and when.
#pragma once

#include <cstdint>

#include "src/clr/types.h"

namespace umbra::agent {

/// The two halves of SetEventMask2, without ENTERLEAVE: see CompileGate.
struct EventMask {
    uint32_t low;
    uint32_t high;
};

/// While calls are timed. Of collections without their details: the flag that gives those takes
/// background collection away.
inline constexpr EventMask kActiveMask{
    clr::COR_PRF_MONITOR_JIT_COMPILATION | clr::COR_PRF_MONITOR_CACHE_SEARCHES |
        clr::COR_PRF_MONITOR_MODULE_LOADS | clr::COR_PRF_MONITOR_FUNCTION_UNLOADS |
        clr::COR_PRF_MONITOR_EXCEPTIONS | clr::COR_PRF_MONITOR_THREADS |
        clr::COR_PRF_MONITOR_SUSPENDS | clr::COR_PRF_ENABLE_REJIT,
    clr::COR_PRF_HIGH_BASIC_GC};

/// Between two captures: what can only be asked for at start (ENABLE_REJIT), what a capture needs
/// to have seen, and nothing that costs.
inline constexpr EventMask kDormantMask{clr::COR_PRF_MONITOR_JIT_COMPILATION |
                                            clr::COR_PRF_MONITOR_MODULE_LOADS |
                                            clr::COR_PRF_ENABLE_REJIT,
                                        0};

/// While calls are timed by probes in the methods' IL: what a runtime takes that was attached to,
/// too. Once ENABLE_REJIT has been asked for, it lets no profiler go any more.
inline constexpr EventMask kIlActiveMask{
    clr::COR_PRF_MONITOR_JIT_COMPILATION | clr::COR_PRF_MONITOR_MODULE_LOADS |
        clr::COR_PRF_MONITOR_THREADS | clr::COR_PRF_MONITOR_SUSPENDS | clr::COR_PRF_ENABLE_REJIT,
    clr::COR_PRF_HIGH_BASIC_GC};

}  // namespace umbra::agent
