// SPDX-License-Identifier: MIT
// Calibration: what a pair of probes costs on this machine, measured on the very stubs.
#pragma once

#include "hotpath/segment.h"

namespace umbra::hotpath {

/// Runs the hooks of the segment's clock over a private buffer, in batches, with and without clock
/// readings, and answers the medians in ticks; see ProbeCosts. Takes about 0.3 ms (with the
/// system's clock: 5 ms). `header` begins the segment's mapping; control byte 0, of no function, is
/// used and left 0.
///
/// The calling thread must not be in managed code; its cursor is put back. Zeros: no memory.
[[nodiscard]] ProbeCosts calibrate(SegmentHeader& header) noexcept;

}  // namespace umbra::hotpath
