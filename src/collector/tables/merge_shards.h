// SPDX-License-Identifier: MIT
// Adds up what the shards of a session have seen, each with numbers of its own.
#pragma once

#include <vector>

#include "src/collector/state/snapshot.h"

namespace umbra::collector {

/// As if one shard had replayed all threads: paths that are the same become one, and so do the arcs
/// between them. What a path has without a row in one tree, which another may have with one, stays
/// below the path that it left; calls and times by function and by edge are those of all. A single
/// shard stays as it is. One at least; each is freed when it has been added.
[[nodiscard]] ShardSnapshot merge(std::vector<ShardSnapshot> shards);

}  // namespace umbra::collector
