// SPDX-License-Identifier: MIT
// Who calls a method, whom it calls, and which method a user means.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/result.h"
#include "src/profile/methods.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

/// Calls of async methods from begin to result, by caller and callee, each the first function of
/// its method; caller kNone: nothing that was timed. Of the counts, calls, open ones and wall time.
[[nodiscard]] std::map<std::pair<Row, Row>, AsyncCounts> logical_edges(const Profile& profile,
                                                                       const Methods& methods);

/// A method: rows of its functions.
using MethodRows = std::vector<Row>;

/// The method that was called and that `wanted` names: its name as reports show it, the same
/// without what tells it apart (tell_apart()), without parameters too, or else the end of it from a
/// dot on, or else a part of it; "module!" before it takes the module. All methods that differ in
/// nothing but what tells them apart are found by what they share, in the order of the file. Error:
/// kNotFound; in one line, with the candidates where methods of several names fit.
[[nodiscard]] Result<std::vector<MethodRows>> find_methods(const Profile& profile,
                                                           std::string_view wanted, bool fold);

enum class Direction { kCallers, kCallees };

/// A method and those next to it. Of callers, times are the method's own when called by them; of
/// callees, theirs when called by the method. Recursion along the same pair counts once.
struct Neighbours {
    Direction direction = Direction::kCallers;
    HotFunction method;
    HotList list;  ///< shares are parts of the method's total, 100 % at most each
};

/// Of each method. What filters leave out is no neighbour. "(outside)" is what called a method from
/// outside all that was timed.
[[nodiscard]] std::vector<Neighbours> neighbours(const Profile& profile,
                                                 const std::vector<MethodRows>& of,
                                                 Direction direction, const View& view);

}  // namespace umbra::profile
