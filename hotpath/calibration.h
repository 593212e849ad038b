// SPDX-License-Identifier: MIT
// Calibration: what a pair of probes costs on this machine, measured on the very stubs.
#pragma once

#include "hotpath/segment.h"

namespace umbra::hotpath {

/// Runs the hooks of a clock over a private buffer, in batches, and answers the medians in ticks;
/// see ProbeCosts. Takes about 0.2 ms (with the system's clock: 5 ms).
///
/// The calling thread must not be in managed code; its cursor is put back.
[[nodiscard]] ProbeCosts calibrate(ClockSource clock) noexcept;

}  // namespace umbra::hotpath
