// SPDX-License-Identifier: MIT
// What the probes cost the program, and what to leave out for a run that costs less.
#pragma once

#include <string>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// An estimate: each call is charged the same, and waits for the collector with it.
struct ProbeLoad {
    /// What the probes took on all threads, in percent of the program's own time on a processor in
    /// timed calls, where that is known, else of the time in these.
    double probes_percent = 0;
    /// How many times as long the program took, about: as much longer as the probes made its
    /// computing, and as the waits for umbra made the time in timed calls, threads together.
    /// Threads wait at the same time, and some for others that do; so it is rather too much.
    double slower = 1;
    /// Patterns for `--exclude`: up to three methods with short calls, or where these make no
    /// difference up to two modules, the costliest first and the fewest that halve the cost. Empty
    /// where nothing of the kind saves a quarter.
    std::vector<std::string> excludes;
    double left_percent = 100;  ///< of the cost, about, that is left with these
};

/// No cost where nothing was measured.
[[nodiscard]] ProbeLoad probe_load(const Profile& profile);

/// What probes and waits of all threads took over the whole run, in percent of the time in timed
/// calls without them: what a budget holds down once it has seen what the probes cost.
[[nodiscard]] double budget_percent(const Profile& profile);

/// What `--exclude` takes for the methods of this function: "app.dll!Acme.Cart.Add".
[[nodiscard]] std::string exclude_pattern(const Profile& profile, Row function);

}  // namespace umbra::profile
