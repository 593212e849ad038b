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
/// instruction of the process.
[[nodiscard]] Result<Segment> create_segment(hotpath::ClockSource clock);

}  // namespace umbra::agent
