// SPDX-License-Identifier: MIT
// Everything in a profile that follows from its call tree.
#pragma once

#include <span>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// Fills anew, from profile.calltree: the times of functions, edges, thread_functions, and
/// covered_ns and calls of threads. Inclusive times count recursion once: a call inside another
/// call of the same function (or along the same edge) adds nothing to total_ns.
///
/// The rows of calltree must refer to each other, to functions and to threads as profile.h says.
/// Paths may be of any depth. Edges and thread_functions come in the order of their first row in
/// the call tree.
void derive(Profile& profile);

/// By function: sum of `own`, which has a value for each row of calltree, over all its calls and
/// everything below them, recursion counted once.
[[nodiscard]] std::vector<double> inclusive_sums(const Profile& profile,
                                                 std::span<const double> own);

}  // namespace umbra::profile
