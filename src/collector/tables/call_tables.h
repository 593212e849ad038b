// SPDX-License-Identifier: MIT
// Calls and times by path, by caller and callee, by thread and by function, out of arcs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "src/collector/state/snapshot.h"
#include "src/collector/tables/path_table.h"
#include "src/profile/profile.h"
#include "src/replay/linear_clock.h"

namespace umbra::collector {

/// The tables of a profile that hold calls. Rows are those of the profile.
struct CallTables {
    PathTable paths;
    std::vector<profile::Edge> edges;
    std::vector<profile::ThreadFunction> thread_functions;
    std::vector<profile::CallTimes> functions;  ///< by row of functions
    std::vector<profile::CallTimes> threads;    ///< by thread: all calls, self times only
    uint64_t clamped_functions = 0;             ///< see Compensation
};

/// Self times add up exactly, whatever the table: each arc's self time is in one row of each. What
/// has no path any more is one row below the path that it left.
/// Inclusive times of functions, edges and thread_functions are what was measured, less what was
/// umbra's of it (replay::Lanes); those of the calltree are sums along the tree. `calls`: of all
/// shards. `function_rows` by function index. `cpu_known`: without, CPU times are 0.
[[nodiscard]] CallTables call_tables(const Snapshot& snapshot, const ShardSnapshot& calls,
                                     std::span<const profile::Row> function_rows, size_t functions,
                                     const replay::LinearClock& clock, bool cpu_known);

}  // namespace umbra::collector
