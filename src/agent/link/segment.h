// SPDX-License-Identifier: MIT
// Makes the shared segment: a sealed memfd, mapped whole.
#pragma once

#include "hotpath/segment.h"
#include "src/base/result.h"
#include "src/base/unique_fd.h"

namespace umbra::agent {

struct Segment {
    UniqueFd fd;
    hotpath::SegmentHeader* header = nullptr;  ///< the whole segment, mapped for good
};

/// Creates the segment of this process. The mapping is never undone: probes may run until the last
/// instruction of the process. `in_place_of`: where that of an earlier capture was mapped, so that
/// captures do not use up addresses; a thread of the agent that still holds a pointer into it finds
/// the new one. Code compiled with probes holds none. Null: anywhere.
[[nodiscard]] Result<Segment> create_segment(hotpath::ClockSource clock,
                                             hotpath::SegmentHeader* in_place_of = nullptr);

/// Gives the segment's memory back and leaves zeros at its addresses, which cost nothing until they
/// are written. Nobody may be recording.
void empty_segment(hotpath::SegmentHeader* header) noexcept;

}  // namespace umbra::agent
