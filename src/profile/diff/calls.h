// SPDX-License-Identifier: MIT
// How often methods were called in the runs of two sides. Calls are exact: what differs is no
// error.
#pragma once

#include <cstddef>

#include "src/profile/diff/table.h"

namespace umbra::profile {

/// A smaller part more or fewer calls is passed over.
inline constexpr double kTellingCalls = 0.01;

/// Whether a method was called more or less often in NEW: by more than a hundredth, and by more
/// than three times what the runs of a side differ by.
[[nodiscard]] bool calls_differ(const ByRun& calls, const Sides& sides, std::size_t method);

/// What the calls of a method differ by from run to run, as a part of them: within the sides, or
/// with one run of each between the two.
[[nodiscard]] double calls_differ_by(const ByRun& calls, const Sides& sides, std::size_t method);

}  // namespace umbra::profile
