// SPDX-License-Identifier: MIT
// Everything in a profile that follows from its call tree.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

/// A row of the call tree without its times.
struct Path {
    Row parent = kNone;  ///< a smaller row
    Row function = kNone;
    Row thread = kNone;
};

/// What follows from the shape of a call tree, whatever its times: which edges there are, and where
/// along each path a function or an edge comes for the first time. A plain value.
class TreeShape {
  public:
    /// `paths` has a row for each row of the call tree. Functions are 0 to `functions` - 1. Paths
    /// may be of any depth. `own` has a value for each row, or none.
    TreeShape(const std::vector<Path>& paths, std::size_t functions, std::vector<double> own = {});

    /// By function: sum of `own` over all its calls and everything below them, recursion counted
    /// once. Zeros without `own`.
    [[nodiscard]] std::span<const double> inclusive_sums() const { return inclusive_; }

    /// The edges of profile.calltree, whose shape this is, in the order of their first row.
    [[nodiscard]] std::vector<Edge> edges(const Profile& profile) const;

  private:
    friend void derive(Profile& profile, const TreeShape& shape);
    /// Bits of `outermost_`: no call of the same function, of the same edge, lies around the row.
    static constexpr uint8_t kFunction = 1;
    static constexpr uint8_t kEdge = 2;

    void number(const std::vector<Path>& paths);
    void walk_paths(const std::vector<Path>& paths, std::size_t functions, std::vector<double> own);

    // By row:
    std::vector<Row> edge_of_;
    std::vector<Row> thread_function_of_;
    std::vector<uint8_t> outermost_;
    // In the order of their first row:
    std::vector<std::pair<Row, Row>> edges_;             ///< caller, callee
    std::vector<std::pair<Row, Row>> thread_functions_;  ///< thread, function
    std::vector<double> inclusive_;
};

/// The edges of profile.calltree. Unlike those of the table, their inclusive times have all that
/// the tree has below them: where a method that is not async called an async one, also what that
/// ran after the method had returned, or on other threads.
[[nodiscard]] std::vector<Edge> edges_of_tree(const Profile& profile);

/// Fills anew, from profile.calltree: the times of functions, edges, thread_functions, and
/// covered_ns and calls of threads. Inclusive times count recursion once: a call inside another
/// call of the same function (or along the same edge) adds nothing to total_ns.
///
/// The rows of calltree must refer to each other, to functions and to threads as profile.h says.
/// Edges and thread_functions come in the order of their first row in the call tree.
void derive(Profile& profile);

/// Fills anew what follows from profile.calltree, as derive(profile) does: times of functions,
/// edges and thread_functions, covered_ns and calls of threads. `shape`: that of profile.calltree,
/// made before.
void derive(Profile& profile, const TreeShape& shape);

}  // namespace umbra::profile
