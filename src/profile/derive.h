// SPDX-License-Identifier: MIT
// Everything in a profile that follows from its call tree.
#pragma once

#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// The edges of profile.calltree, in the order of their first row. Unlike those of the table, their
/// inclusive times have all that the tree has below them: where a method that is not async called
/// an async one, also what that ran after the method had returned, or on other threads.
[[nodiscard]] std::vector<Edge> edges_of_tree(const Profile& profile);

/// Fills anew, from profile.calltree: the times of functions, edges, thread_functions, and
/// covered_ns and calls of threads. Inclusive times count recursion once: a call inside another
/// call of the same function (or along the same edge) adds nothing to total_ns.
///
/// The rows of calltree must refer to each other, to functions and to threads as profile.h says.
/// Edges and thread_functions come in the order of their first row in the call tree.
void derive(Profile& profile);

}  // namespace umbra::profile
