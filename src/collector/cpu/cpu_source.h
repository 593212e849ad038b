// SPDX-License-Identifier: MIT
// CpuSource: where CPU times come from.
#pragma once

#include <cstdint>

namespace umbra::collector {

/// Where CPU times come from.
enum class CpuSource : uint8_t {
    kAuto,       ///< switches, and where the kernel refuses them, schedstat
    kPerf,       ///< context-switch records or nothing
    kSchedstat,  ///< the kernel's CPU time of each thread, read about once a millisecond
    kNone,
};

}  // namespace umbra::collector
