// SPDX-License-Identifier: MIT
// The call tree as a report shows it: threads together, pieces with their methods, small paths left
// out.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

struct TreeLimits {
    std::size_t depth = 30;  ///< levels shown
    double min_percent = 1;  ///< of the wall time of all outermost calls; paths below are left out
};

/// A path of calls: `hot.function` called by the last row above of a smaller `depth`.
struct TreeRow {
    std::size_t depth = 0;     ///< 0: called from outside
    HotFunction hot;           ///< share_percent is that of the whole wall time
    std::size_t left_out = 0;  ///< callees not shown, below the limits
};

/// Parents before children; those of one caller in the order of the view. Paths on which neither a
/// method nor anything it calls is taken by the view's filter are left out.
[[nodiscard]] std::vector<TreeRow> tree_view(const Profile& profile, const View& view,
                                             const TreeLimits& limits);

}  // namespace umbra::profile
