// SPDX-License-Identifier: MIT
// Calls and times by path, and what lies below a path without a row of its own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "src/collector/state/snapshot.h"
#include "src/collector/tables/own_times.h"
#include "src/collector/tables/row_times.h"
#include "src/profile/profile.h"

namespace umbra::collector {

/// What tables of calls are made of.
struct TableInput {
    const Snapshot& snapshot;
    const ShardSnapshot& all;                     ///< calls of all shards
    std::span<const profile::Row> function_rows;  ///< by function index
    size_t functions;                             ///< rows of them
    LeastTime least;
    RowTimes row_times;
};

struct PathTable {
    std::vector<profile::CallNode> calltree;
    std::vector<profile::Row> path_rows;        ///< of the calltree, by place; kNone: none
    std::vector<profile::CallTimes> truncated;  ///< by row of functions: own times without a path
    /// The row behind those of all functions, which rows of the calltree name that stand for paths
    /// without a row; kNone: there are none.
    profile::Row truncated_row = profile::kNone;
};

/// Along an arc, from 1.
[[nodiscard]] Calls calls_of(const ShardSnapshot& all, uint32_t arc);

/// Of a folded tree the paths that took most have rows: Limits::written_paths, and all that took
/// Limits::least_share.
[[nodiscard]] PathTable path_table(const TableInput& in);

}  // namespace umbra::collector
