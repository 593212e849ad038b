// SPDX-License-Identifier: MIT
// What the probes cost the program, and whose probes cost most for what they tell.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// An estimate: each call is charged the same, and waits for the collector with it.
struct ProbeLoad {
    /// What probes and waits took, in percent of what the program took without them: of its time on
    /// a processor in timed calls, where that is known, else of the time in these calls.
    double percent = 0;
    /// Functions with short calls whose probes cost most, the costliest first; rows of functions.
    std::vector<Row> costly;
    double percent_without = 0;  ///< about what would be left without probes in these
};

/// `most`: functions in `costly`; fewer where fewer are enough to halve the cost. All zero where
/// nothing was measured.
[[nodiscard]] ProbeLoad probe_load(const Profile& profile, std::size_t most);

/// What `--exclude` takes for the methods of this function: "app.dll!Acme.Cart.Add".
[[nodiscard]] std::string exclude_pattern(const Profile& profile, Row function);

}  // namespace umbra::profile
