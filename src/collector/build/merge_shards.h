// SPDX-License-Identifier: MIT
// Adds up what the shards of a session have seen, each with numbers of its own.
#pragma once

#include <span>

#include "src/collector/state/snapshot.h"

namespace umbra::collector {

/// As if one shard had replayed all threads: paths that are the same become one, and so do the arcs
/// between them. (Where a path has a place of its own in one tree and is merged below a context
/// in another, both stay; calls and times by function and by edge are the same all the same.)
[[nodiscard]] ShardSnapshot merge(std::span<const ShardSnapshot> shards);

}  // namespace umbra::collector
