// SPDX-License-Identifier: MIT
// Profiles of any size in the shape of a real program's, for measuring what reads and writes them.
#pragma once

#include "src/profile/profile.h"

namespace umbra::benchmarks {

/// A profile with `nodes` rows in its call tree, the same at every call; one function for every 100
/// of them, from 30 up to 40,000. Paths are up to some 90 calls deep, one method in eight is async
/// (with its state machine), one call in some 30 recursive; every table has rows. Its times are
/// consistent: what is inclusive is the sum of the self times below it.
[[nodiscard]] profile::Profile synthetic_profile(profile::Row nodes);

}  // namespace umbra::benchmarks
