// SPDX-License-Identifier: MIT
// The calls of a time line as a thread went through them: begin and end, nested.
#pragma once

#include <cstdint>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::formats {

/// One end of a call.
struct TimelineEdge {
    uint32_t call : 31;  ///< row of Profile::timeline
    uint32_t ends : 1;   ///< 0: it begins
};

/// Both ends of every call, thread by thread, each thread's in the order of time and nested as the
/// call tree has it, which times alone do not tell where they are equal. Calls beyond the 2^31st
/// are left out. A call without its caller in the time line stands for itself.
[[nodiscard]] std::vector<TimelineEdge> timeline_edges(const profile::Profile& profile);

}  // namespace umbra::formats
