// SPDX-License-Identifier: MIT
// A profile in which each method is one function.
#pragma once

#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// Puts the pieces of async methods and iterators to the functions that start them, as reports do
/// without --pieces: in functions, calltree, edges, thread_functions and histograms. A call and its
/// first piece are one row of the tree. Rows of functions stay where they are; pieces have no calls
/// and no times any more. Functions of async methods have their logical calls
/// (set_logical_calls()); paths and edges have what they took on threads. Of these methods there
/// are no histograms: the pieces' would be of other calls.
void fold_pieces(Profile& profile);

/// Gives edges of a folded profile that lead to async methods the calls and times of whole calls.
void set_whole_calls(std::vector<Edge>& edges, const Profile& profile);

}  // namespace umbra::profile
