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

/// All calls along an arc, those that have ended and those that were cut off.
[[nodiscard]] replay::CutCalls calls_along(const ShardSnapshot::Tree& tree, uint32_t arc);
/// Adds to them.
void add_calls(ShardSnapshot::Tree& tree, uint32_t arc, const replay::CutCalls& more);

}  // namespace umbra::collector
