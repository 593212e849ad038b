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

/// Which edges a call tree has, and where along each path a function or an edge comes for the first
/// time.
struct Shape {
    // By row:
    std::vector<Row> edge_of;
    std::vector<Row> thread_function_of;
    // No call of the same function, of the same edge, lies around the row:
    std::vector<bool> outermost_function;
    std::vector<bool> outermost_edge;
    // In the order of their first row:
    std::vector<std::pair<Row, Row>> edges;             ///< caller, callee
    std::vector<std::pair<Row, Row>> thread_functions;  ///< thread, function
};

Shape shape_of(const Profile& profile) {
    const std::vector<CallNode>& rows = profile.calltree;
    Shape shape;
    PairNumbers edges;
    PairNumbers thread_functions;
    for (const CallNode& node : rows) {
        const Row caller = node.parent == kNone ? kNone : rows[node.parent].function;
        shape.edge_of.push_back(edges.number(caller, node.function));
        shape.thread_function_of.push_back(thread_functions.number(node.thread, node.function));
    }
    shape.edges = edges.take();
    shape.thread_functions = thread_functions.take();

    shape.outermost_function.resize(rows.size());
    shape.outermost_edge.resize(rows.size());
    std::vector<uint32_t> functions_on_path(profile.functions.size());
    std::vector<uint32_t> edges_on_path(shape.edges.size());
    walk(
        rows, TreeLinks(rows),
        [&](Row row) {
            shape.outermost_function[row] = functions_on_path[rows[row].function]++ == 0;
            shape.outermost_edge[row] = edges_on_path[shape.edge_of[row]]++ == 0;
            return true;
        },
        [&](Row row) {
            --functions_on_path[rows[row].function];
            --edges_on_path[shape.edge_of[row]];
        });
    return shape;
}

std::vector<Edge> edges_of(const Profile& profile, const Shape& shape) {
    std::vector<Edge> edges;
    edges.reserve(shape.edges.size());
    for (const auto& [caller, callee] : shape.edges) {
        edges.push_back({.caller = caller, .callee = callee, .times = {}});
    }
    for (std::size_t row = 0; row < profile.calltree.size(); ++row) {
        const CallTimes& times = profile.calltree[row].times;
        CallTimes& edge = edges[shape.edge_of[row]].times;
        add_flat(edge, times);
        if (shape.outermost_edge[row]) {
            add_inclusive(edge, times);
        }
    }
    return edges;
}

}  // namespace

std::vector<Edge> edges_of_tree(const Profile& profile) {
    return edges_of(profile, shape_of(profile));
}

void derive(Profile& profile) {
    const Shape shape = shape_of(profile);
    clear(profile);
    profile.edges = edges_of(profile, shape);
    for (const auto& [thread, function] : shape.thread_functions) {
        profile.thread_functions.push_back({.thread = thread, .function = function, .times = {}});
    }
    for (std::size_t row = 0; row < profile.calltree.size(); ++row) {
        const CallNode& node = profile.calltree[row];
        CallTimes& thread_function = profile.thread_functions[shape.thread_function_of[row]].times;
        add_flat(thread_function, node.times);
        // A path lies within one thread, so what is outermost for a function is so for the pair.
        if (shape.outermost_function[row]) {
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
