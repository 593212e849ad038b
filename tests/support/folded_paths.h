// SPDX-License-Identifier: MIT
// FoldedPaths: the paths of a call tree with each function once, and how two trees agree on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/base/pair_index.h"
#include "src/profile/profile.h"

namespace umbra::testing {

/// The paths of all threads together. A call of a function that is on the path goes back to where
/// it is, with all that it calls. What has no row of its own belongs to the path it left.
class FoldedPaths {
  public:
    struct Path {
        uint32_t parent = 0;  ///< a smaller number; 0: none
        profile::Row function = profile::kNone;
        uint64_t self_ns = 0;
        uint64_t total_ns = 0;  ///< own time of it and of all paths that begin with it
        uint64_t net_ns = 0;    ///< the same, without what probes cost
        uint64_t rows = 0;      ///< whose own times these are, each rounded
    };

    explicit FoldedPaths(const profile::Profile& p) : paths_(1) {
        std::vector<uint32_t> path_of(p.calltree.size());
        for (size_t row = 0; row < path_of.size(); ++row) {
            const profile::CallNode& node = p.calltree[row];
            const uint32_t caller = node.parent == profile::kNone ? 0 : path_of[node.parent];
            path_of[row] = node.truncated ? caller : called(caller, node.function);
            Path& path = paths_[path_of[row]];
            path.self_ns += node.truncated ? 0 : node.times.raw.self_ns;
            path.total_ns += node.times.raw.self_ns;
            path.net_ns += node.times.self_ns;
            ++path.rows;
        }
        for (size_t path = paths_.size(); path-- > 1;) {
            paths_[paths_[path].parent].total_ns += paths_[path].total_ns;
            paths_[paths_[path].parent].net_ns += paths_[path].net_ns;
            paths_[paths_[path].parent].rows += paths_[path].rows;
        }
    }

    /// By number, from 1; number 0 stands for all.
    [[nodiscard]] const std::vector<Path>& paths() const { return paths_; }
    /// 0: there is none.
    [[nodiscard]] uint32_t find(uint32_t caller, profile::Row function) const {
        return index_.find(caller, function);
    }

  private:
    uint32_t called(uint32_t caller, profile::Row function) {
        for (uint32_t above = caller; above != 0; above = paths_[above].parent) {
            if (paths_[above].function == function) {
                return above;
            }
        }
        uint32_t& path = index_.at(caller, function);
        if (path == 0) {
            path = static_cast<uint32_t>(paths_.size());
            paths_.push_back({.parent = caller, .function = function});
        }
        return path;
    }

    std::vector<Path> paths_;
    PairIndex index_;
};

/// How a tree of folded paths agrees with a full one, of the same functions.
struct PathsCompared {
    uint64_t worth = 0;    ///< paths that took the share asked for, or more
    uint64_t missing = 0;  ///< of these, paths without a row
    uint64_t apart =
        0;  ///< of these, paths whose inclusive times differ by more than the tolerance
    double farthest = 0;    ///< greatest part by which one of these differs
    uint64_t too_long = 0;  ///< paths of any size with more time than the full tree has of them
};

/// `share` (0 to 1) of all time without what probes cost, as a profile shows it; `tolerance`: part
/// of a path's inclusive time.
[[nodiscard]] inline PathsCompared compare_paths(const profile::Profile& full,
                                                 const profile::Profile& folded, double share,
                                                 double tolerance) {
    const FoldedPaths expected(full);
    const FoldedPaths found(folded);
    const double least = share * static_cast<double>(expected.paths()[0].net_ns);
    PathsCompared compared;
    std::vector<uint32_t> same(expected.paths().size());
    for (size_t number = 1; number < same.size(); ++number) {
        const FoldedPaths::Path& path = expected.paths()[number];
        const uint32_t caller = same[path.parent];
        same[number] = caller != 0 || path.parent == 0 ? found.find(caller, path.function) : 0;
        const FoldedPaths::Path& other = found.paths()[same[number]];
        const uint64_t total_ns = same[number] == 0 ? 0 : other.total_ns;
        // Roundings of many rows mostly cancel out.
        const auto slack_ns =
            static_cast<uint64_t>(std::sqrt(static_cast<double>(path.rows + other.rows)));
        compared.too_long +=
            total_ns > path.total_ns + path.total_ns / 1'000'000 + 100 + slack_ns ? 1U : 0U;
        if (path.total_ns == 0 || static_cast<double>(path.net_ns) < least) {
            continue;
        }
        ++compared.worth;
        const auto wanted = static_cast<double>(path.total_ns);
        const double apart = std::abs(static_cast<double>(total_ns) - wanted) / wanted;
        compared.missing += same[number] == 0 ? 1U : 0U;
        compared.apart += same[number] != 0 && apart > tolerance ? 1U : 0U;
        compared.farthest =
            same[number] == 0 ? compared.farthest : std::max(compared.farthest, apart);
    }
    return compared;
}

}  // namespace umbra::testing
