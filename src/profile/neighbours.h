// SPDX-License-Identifier: MIT
// Who calls a method, whom it calls, and which method a user means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

/// The functions of the one method that was called and that `wanted` names: its name as reports
/// show it, the same without parameters, or else a part of it; "module!" before it takes the
/// module. Error: kNotFound; in one line, with the candidates where there are several.
[[nodiscard]] Result<std::vector<Row>> find_method(const Profile& profile, std::string_view wanted,
                                                   bool fold);

enum class Direction { kCallers, kCallees };

/// A method and those next to it. Of callers, times are the method's own when called by them; of
/// callees, theirs when called by the method. Recursion along the same pair counts once.
struct Neighbours {
    Direction direction = Direction::kCallers;
    HotFunction method;
    HotList list;  ///< shares are parts of the method's total, or of its calls' CPU sorted by that
};

/// `functions`: rows of the functions of one method. What filters leave out is no neighbour.
/// "(outside)" is what called a method from outside all that was timed.
[[nodiscard]] Neighbours neighbours(const Profile& profile, const std::vector<Row>& functions,
                                    Direction direction, const View& view);

}  // namespace umbra::profile
