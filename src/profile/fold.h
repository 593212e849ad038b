// SPDX-License-Identifier: MIT
// A profile in which each method is one function.
#pragma once

#include <map>
#include <utility>

#include "src/profile/methods.h"
#include "src/profile/profile.h"

namespace umbra::profile {

/// Calls of async methods from begin to result, by caller and callee, each the first function of
/// its method; caller kNone: nothing that was timed. Of the counts, calls, open ones and wall time.
[[nodiscard]] std::map<std::pair<Row, Row>, AsyncCounts> logical_edges(const Profile& profile,
                                                                       const Methods& methods);

/// Puts the pieces of async methods and iterators to the functions that start them, as reports do
/// without --pieces: in functions, calltree, edges, thread_functions and histograms. A call and its
/// first piece are one row of the tree. Rows of functions stay where they are; pieces have no calls
/// and no times any more. Functions and edges of async methods have their logical calls
/// (set_logical_calls()); paths have what they took on threads. Of these methods there are no
/// histograms: the pieces' would be of other calls.
void fold_pieces(Profile& profile);

}  // namespace umbra::profile
