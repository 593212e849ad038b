// SPDX-License-Identifier: MIT
// The finite sizes of a session: what a broken or hostile target cannot make the collector exceed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/slowest_request.h"
#include "src/replay/tree/pause_limits.h"

namespace umbra::replay {

/// Which paths of calls get rows of their own in the call tree.
enum class TreeShape : uint8_t {
    kFolded,  ///< recursion ends in the ancestor; rare paths are cut off where they leave others
    kFull,    ///< every distinct path
};

/// Of which methods how many calls are kept, and in how much memory. A slice takes 32 bytes.
struct SlowestLimits {
    /// Calls kept of each function, by request; empty: nothing is recorded. A function's mark is
    /// the number of its request, from 1.
    std::vector<uint32_t> keep{};
    SlowestBy by = SlowestBy::kWall;

    uint32_t call_slices = 1U << 16;  ///< of one call, kept or going on; the shortest are merged
    size_t open_slices = 1U << 21;    ///< of all calls that go on, in one table
    size_t kept_slices = 1U << 21;    ///< of all calls kept
    uint32_t kept_calls = 1U << 14;   ///< of all functions; functions that come later keep none
    static constexpr size_t kLeast = 64;  ///< slices that each thread has room for, whatever comes
    /// Pauses of one call that are kept one by one, and compilations: the first.
    static constexpr size_t kMostIntervals = 1'000;
};

/// What lies beyond a limit is counted in profile::Losses; everything below it stays right.
// Fields: one number for each thing that is finite.
struct Limits {
    uint32_t max_functions = 1U << 20;    ///< greatest function index; a greater one is an error
    uint32_t max_arcs = 1U << 24;         ///< of any tree; later paths are charged to the caller
    uint32_t max_edges = 1U << 23;        ///< caller-callee pairs; more are charged to the caller
    uint32_t max_depth = 1U << 23;        ///< frames of one thread; deeper calls are not kept
    size_t max_frames = size_t{1} << 26;  ///< of all threads, 64 bytes each; deeper calls not kept
    uint32_t max_stack = 1U << 16;        ///< frames of one sampled stack
    uint32_t max_threads = 0xffff'0000;   ///< over the whole session
    uint32_t max_sampled_threads = 1U << 18;  ///< over a sampling
    uint32_t waiting_threads = 1U << 10;   ///< that ended last: what they are called may come late
    uint32_t heaviest_threads = 1U << 12;  ///< that ended before, by themselves; others are sums
    size_t heaviest_thread_functions = size_t{1} << 17;  ///< rows by function of these, together
    uint32_t thread_sums = 1U << 8;                      ///< by name
    /// Full trees: threads with paths of their own; all later ones share theirs.
    uint32_t own_trees = 1U << 12;
    size_t longest_compilations = size_t{1} << 16;  ///< kept one by one
    size_t max_exception_rows = size_t{1} << 16;    ///< later combinations are merged into one row
    uint32_t max_arguments = 1U << 12;              ///< whose values are told; greatest number
    uint32_t max_argument_values = 1U << 16;        ///< kept apart, of all arguments together
    size_t max_logged_calls = 0;                    ///< of the time line; 0: there is none
    SlowestLimits slowest{};                        ///< calls whose course is kept
    PauseLimits pauses{};                           ///< suspensions kept one by one
    size_t max_name_bytes = size_t{1} << 28;        ///< names of all functions, modules, types

    TreeShape tree = TreeShape::kFolded;
    /// Arcs of a folded tree, 64 bytes each and some 30 for finding them, and as much again for the
    /// copy that a profile is made from: behind so many, the paths that took least go ...
    uint32_t folded_arcs = 1U << 20;
    /// ... but none that took this share of all threads' time so far.
    double least_share = 1e-5;
    /// Paths of a folded tree that have rows in a profile, and all that took least_share.
    size_t written_paths = size_t{1} << 16;
};

}  // namespace umbra::replay
