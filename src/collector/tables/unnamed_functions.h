// SPDX-License-Identifier: MIT
// Functions whose names had not been sent when the process ended: which methods they are.
#pragma once

#include <span>

#include "hotpath/segment.h"
#include "src/collector/state/snapshot.h"

namespace umbra::collector {

/// Adds module and token of each function that the snapshot mentions and nobody has named, as far
/// as the process has registered them; the name itself stays empty, for who can read the module's
/// file. `methods` and `modules` are the target's memory and may be anything: no more of it is
/// looked at than there are such functions.
void add_unnamed(std::span<const hotpath::RegisteredMethod> methods,
                 std::span<const hotpath::RegisteredModule> modules, Snapshot& snapshot);

}  // namespace umbra::collector
