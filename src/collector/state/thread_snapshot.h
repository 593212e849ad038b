// SPDX-License-Identifier: MIT
// What a snapshot has of one thread: its functions, and its open calls, cut off.
#pragma once

#include <cstdint>
#include <functional>

#include "src/collector/state/profiled_thread.h"
#include "src/collector/state/snapshot.h"
#include "src/replay/tree/cut_calls.h"

namespace umbra::collector {

/// The row of a thread whose open calls are cut off at `cut_ticks`. `book` hears of each of them,
/// by the number of its arc. With the gate of the thread's shard locked.
[[nodiscard]] Snapshot::Thread thread_row(
    const ProfiledThread& thread, uint64_t cut_ticks,
    const std::function<void(uint32_t, const replay::CutCalls&)>& book);

/// Adds calls that were cut off to an arc.
void add_cut(ShardSnapshot::Tree& tree, uint32_t arc, const replay::CutCalls& calls);

}  // namespace umbra::collector
