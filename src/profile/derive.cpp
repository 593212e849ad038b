// SPDX-License-Identifier: MIT
// One pass over the rows for what simply adds up, one walk along the paths for inclusive times.
#include "src/profile/derive.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "src/profile/tree_walk.h"

namespace umbra::profile {
namespace {

/// Adds all but the inclusive times.
void add_flat(CallTimes& sum, const CallTimes& times) {
    if (times.calls == 0) {
        return;
    }
    sum.min_ns = sum.calls == 0 ? times.min_ns : std::min(sum.min_ns, times.min_ns);
    sum.max_ns = std::max(sum.max_ns, times.max_ns);
    sum.calls += times.calls;
    sum.unfinished += times.unfinished;
    sum.self_ns += times.self_ns;
    sum.raw.self_ns += times.raw.self_ns;
    sum.cpu.self_ns += times.cpu.self_ns;
    sum.paused.self_ns += times.paused.self_ns;
}

void add_inclusive(CallTimes& sum, const CallTimes& times) {
    sum.total_ns += times.total_ns;
    sum.raw.total_ns += times.raw.total_ns;
    sum.cpu.total_ns += times.cpu.total_ns;
    sum.paused.total_ns += times.paused.total_ns;
}

/// Numbers pairs of rows in the order they are first seen.
class PairNumbers {
  public:
    /// The number of (a, b); `is_new` says whether it was given out just now.
    Row number(Row a, Row b, bool& is_new) {
        const auto [place, inserted] =
            numbers_.try_emplace((uint64_t{a} << 32) | b, static_cast<Row>(numbers_.size()));
        is_new = inserted;
        return place->second;
    }

  private:
    std::unordered_map<uint64_t, Row> numbers_;
};

class Derivation {
  public:
    explicit Derivation(Profile& profile)
        : profile_(profile),
          tree_(profile.calltree),
          edge_of_(tree_.size()),
          thread_function_of_(tree_.size()) {}

    void run() {
        clear();
        for (Row row = 0; row < tree_.size(); ++row) {
            add_row(row);
        }
        functions_on_path_.assign(profile_.functions.size(), 0);
        edges_on_path_.assign(profile_.edges.size(), 0);
        walk(
            tree_, TreeLinks(tree_), [this](Row row) { return enter(row); },
            [this](Row row) { leave(row); });
    }

  private:
    void clear() {
        profile_.edges.clear();
        profile_.thread_functions.clear();
        for (Function& function : profile_.functions) {
            function.times = {};
        }
        for (Thread& thread : profile_.threads) {
            thread.covered_ns = 0;
            thread.calls = 0;
        }
    }

    void add_row(Row row) {
        const CallNode& node = tree_[row];
        const Row caller = node.parent == kNone ? kNone : tree_[node.parent].function;
        bool is_new = false;
        edge_of_[row] = edge_numbers_.number(caller, node.function, is_new);
        if (is_new) {
            profile_.edges.push_back({.caller = caller, .callee = node.function, .times = {}});
        }
        thread_function_of_[row] =
            thread_function_numbers_.number(node.thread, node.function, is_new);
        if (is_new) {
            profile_.thread_functions.push_back(
                {.thread = node.thread, .function = node.function, .times = {}});
        }
        add_flat(profile_.functions[node.function].times, node.times);
        add_flat(profile_.edges[edge_of_[row]].times, node.times);
        add_flat(profile_.thread_functions[thread_function_of_[row]].times, node.times);
        profile_.threads[node.thread].calls += node.times.calls;
        if (node.parent == kNone) {
            profile_.threads[node.thread].covered_ns += node.times.raw.total_ns;
        }
    }

    bool enter(Row row) {
        const CallNode& node = tree_[row];
        // A path lies within one thread, so what is outermost for a function is so for the pair.
        if (functions_on_path_[node.function]++ == 0) {
            add_inclusive(profile_.functions[node.function].times, node.times);
            add_inclusive(profile_.thread_functions[thread_function_of_[row]].times, node.times);
        }
        if (edges_on_path_[edge_of_[row]]++ == 0) {
            add_inclusive(profile_.edges[edge_of_[row]].times, node.times);
        }
        return true;
    }

    void leave(Row row) {
        --functions_on_path_[tree_[row].function];
        --edges_on_path_[edge_of_[row]];
    }

    Profile& profile_;
    const std::vector<CallNode>& tree_;
    PairNumbers edge_numbers_;
    PairNumbers thread_function_numbers_;
    std::vector<Row> edge_of_;  ///< by row of the call tree
    std::vector<Row> thread_function_of_;
    std::vector<uint32_t> functions_on_path_;
    std::vector<uint32_t> edges_on_path_;
};

}  // namespace

void derive(Profile& profile) {
    Derivation(profile).run();
}

std::vector<double> inclusive_sums(const Profile& profile, std::span<const double> own) {
    const std::vector<CallNode>& tree = profile.calltree;
    std::vector<double> below(own.begin(), own.end());
    for (size_t row = tree.size(); row-- > 0;) {
        if (tree[row].parent != kNone) {
            below[tree[row].parent] += below[row];
        }
    }
    std::vector<double> sums(profile.functions.size());
    std::vector<uint32_t> on_path(profile.functions.size());
    walk(
        tree, TreeLinks(tree),
        [&](Row row) {
            if (on_path[tree[row].function]++ == 0) {
                sums[tree[row].function] += below[row];
            }
            return true;
        },
        [&](Row row) { --on_path[tree[row].function]; });
    return sums;
}

}  // namespace umbra::profile
