// SPDX-License-Identifier: MIT
// Makes a call tree smaller for those who draw it.
#pragma once

#include <cstddef>

#include "src/profile/profile.h"

namespace umbra::profile {

/// Drops the rows of the call tree that take, with all below them, less than `share` (0 to 1) of
/// the wall time of all threads. Their times go to the caller's own (wall, raw, CPU, paused), so
/// all sums stay; their calls are not counted there, and leave the time line. Outermost calls stay.
/// What derive() has made of the whole tree is left as it is.
void drop_small(Profile& profile, double share);

/// Drops, in the same way, the rows that take least, until at most `rows` are left, and outermost
/// calls, which stay however small. Rows as large as each other stay or go together.
void keep_largest(Profile& profile, std::size_t rows);

}  // namespace umbra::profile
