// SPDX-License-Identifier: MIT
// One walk along the paths for what is inclusive, one pass over the rows for all sums.
#include "src/profile/derive.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "src/base/pair_index.h"
#include "src/profile/call_sums.h"
#include "src/profile/tree_walk.h"

namespace umbra::profile {
namespace {

/// Adds all but the inclusive times.
void add_flat(CallTimes& sum, const CallTimes& times) {
    if (times.calls == 0) {
        return;  // nothing of its own; of a sampled profile: only ever seen calling others
    }
    sum.min_ns = sum.calls == 0 ? times.min_ns : std::min(sum.min_ns, times.min_ns);
    sum.max_ns = std::max(sum.max_ns, times.max_ns);
    add_own(sum, times, true);
}

/// Numbers pairs of rows in the order they are first seen.
class PairNumbers {
  public:
    Row number(Row a, Row b) {
        uint32_t& number = index_.at(a, b);  // from 1; 0: a new pair
        if (number == 0) {
            pairs_.emplace_back(a, b);
            number = static_cast<uint32_t>(pairs_.size());
        }
        return number - 1;
    }
    std::vector<std::pair<Row, Row>> take() { return std::move(pairs_); }

  private:
    PairIndex index_;
    std::vector<std::pair<Row, Row>> pairs_;
};

void clear(Profile& profile) {
    for (Function& function : profile.functions) {
        function.times = {};
    }
    for (Thread& thread : profile.threads) {
        thread.covered_ns = 0;
        thread.calls = 0;
    }
    profile.thread_functions.clear();
}

std::vector<Path> paths_of(const Profile& profile) {
    std::vector<Path> paths;
    paths.reserve(profile.calltree.size());
    for (const CallNode& node : profile.calltree) {
        paths.push_back({node.parent, node.function, node.thread});
    }
    return paths;
}

}  // namespace

TreeShape::TreeShape(const std::vector<Path>& paths, std::size_t functions,
                     std::vector<double> own) {
    number(paths);
    walk_paths(paths, functions, std::move(own));
}

void TreeShape::number(const std::vector<Path>& paths) {
    PairNumbers edges;
    PairNumbers thread_functions;
    edge_of_.reserve(paths.size());
    thread_function_of_.reserve(paths.size());
    for (const Path& path : paths) {
        const Row caller = path.parent == kNone ? kNone : paths[path.parent].function;
        edge_of_.push_back(edges.number(caller, path.function));
        thread_function_of_.push_back(thread_functions.number(path.thread, path.function));
    }
    edges_ = edges.take();
    thread_functions_ = thread_functions.take();
}

void TreeShape::walk_paths(const std::vector<Path>& paths, std::size_t functions,
                           std::vector<double> own) {
    std::vector<double> below = std::move(own);
    for (std::size_t row = below.size(); row-- > 0;) {
        if (paths[row].parent != kNone) {
            below[paths[row].parent] += below[row];
        }
    }
    inclusive_.resize(functions);
    outermost_.resize(paths.size());
    std::vector<uint32_t> functions_on_path(functions);
    std::vector<uint32_t> edges_on_path(edges_.size());
    walk(
        paths, TreeLinks(paths),
        [&](Row row) {
            const Row function = paths[row].function;
            if (functions_on_path[function]++ == 0) {
                outermost_[row] |= kFunction;
                inclusive_[function] += below.empty() ? 0 : below[row];
            }
            if (edges_on_path[edge_of_[row]]++ == 0) {
                outermost_[row] |= kEdge;
            }
            return true;
        },
        [&](Row row) {
            --functions_on_path[paths[row].function];
            --edges_on_path[edge_of_[row]];
        });
}

void derive(Profile& profile) {
    derive(profile, TreeShape(paths_of(profile), profile.functions.size()));
}

std::vector<Edge> TreeShape::edges(const Profile& profile) const {
    std::vector<Edge> edges;
    edges.reserve(edges_.size());
    for (const auto& [caller, callee] : edges_) {
        edges.push_back({.caller = caller, .callee = callee, .times = {}});
    }
    for (std::size_t row = 0; row < profile.calltree.size(); ++row) {
        const CallTimes& times = profile.calltree[row].times;
        CallTimes& edge = edges[edge_of_[row]].times;
        add_flat(edge, times);
        if ((outermost_[row] & kEdge) != 0) {
            add_inclusive(edge, times);
        }
    }
    return edges;
}

std::vector<Edge> edges_of_tree(const Profile& profile) {
    return TreeShape(paths_of(profile), profile.functions.size()).edges(profile);
}

void derive(Profile& profile, const TreeShape& shape) {
    clear(profile);
    profile.edges = shape.edges(profile);
    for (const auto& [thread, function] : shape.thread_functions_) {
        profile.thread_functions.push_back({.thread = thread, .function = function, .times = {}});
    }
    for (std::size_t row = 0; row < profile.calltree.size(); ++row) {
        const CallNode& node = profile.calltree[row];
        CallTimes& thread_function = profile.thread_functions[shape.thread_function_of_[row]].times;
        add_flat(thread_function, node.times);
        // A path lies within one thread, so what is outermost for a function is so for the pair.
        if ((shape.outermost_[row] & TreeShape::kFunction) != 0) {
            add_inclusive(thread_function, node.times);
        }
        if (node.parent == kNone) {
            profile.threads[node.thread].covered_ns += node.times.raw.total_ns;
        }
    }
    for (const ThreadFunction& part : profile.thread_functions) {
        add_flat(profile.functions[part.function].times, part.times);
        add_inclusive(profile.functions[part.function].times, part.times);
        profile.threads[part.thread].calls += part.times.calls;
    }
}

}  // namespace umbra::profile
