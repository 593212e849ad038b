// SPDX-License-Identifier: MIT
// Makes a profile out of a snapshot: from the session's own numbers and ticks to rows and
// nanoseconds.
#pragma once

#include "src/collector/state/snapshot.h"
#include "src/profile/profile.h"
#include "src/replay/linear_clock.h"

namespace umbra::collector {

/// `session` carries what the replay does not know (program, runtime, ...);
/// event sums, losses, deinstrumented_functions and wall_ns are filled in, losses added to the ones
/// given. What is large in the snapshot is freed on the way, once it has rows. Any thread.
[[nodiscard]] profile::Profile build(Snapshot snapshot, const replay::LinearClock& clock,
                                     profile::Session session);

}  // namespace umbra::collector
