// SPDX-License-Identifier: MIT
#include "src/profile/async/fold.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "src/profile/call_sums.h"
#include "src/profile/methods.h"
#include "src/profile/neighbours.h"
#include "src/profile/report.h"

namespace umbra::profile {
namespace {

/// Sums of rows by two keys, in the order in which they were first met.
template <typename RowOf, typename Key>
class Merged {
  public:
    /// The row of a key; `made` where there is none.
    RowOf& at(const Key& key, const RowOf& made) {
        const auto [place, is_new] = places_.try_emplace(key, rows_.size());
        if (is_new) {
            rows_.push_back(made);
        }
        return rows_[place->second];
    }
    [[nodiscard]] std::vector<RowOf> take() { return std::move(rows_); }

  private:
    std::map<Key, std::size_t> places_;
    std::vector<RowOf> rows_;
};

class Folding {
  public:
    explicit Folding(Profile& profile) : profile_(profile), methods_(methods(profile, true)) {}

    void run() {
        fold_functions();
        fold_tree();
        fold_edges();
        fold_thread_functions();
        fold_histograms();
    }

  private:
    [[nodiscard]] Row method_of(Row function) const {
        return function == kNone ? kNone : methods_.method_of[function];
    }
    /// A method that goes on within the call that started it.
    [[nodiscard]] bool continues(Row caller, Row callee) const {
        return caller != kNone && method_of(caller) == method_of(callee) &&
               methods_.piece[callee] && !methods_.piece[caller];
    }
    static void add(CallTimes& sum, const CallTimes& times, bool counts) {
        add_own(sum, times, counts);
        add_extremes(sum, times);
        add_inclusive(sum, times);
    }

    void fold_functions() {
        View view;
        view.top = std::numeric_limits<std::size_t>::max();
        view.before_start = true;
        std::vector<CallTimes> times(profile_.functions.size());
        for (const HotFunction& hot : hot_list(profile_, view).functions) {
            const auto row = static_cast<Row>(hot.function - profile_.functions.data());
            times[method_of(row)] = hot.stored;
        }
        for (Row row = 0; row < times.size(); ++row) {
            Function& function = profile_.functions[row];
            Function& method = profile_.functions[method_of(row)];
            method.deinstrumented = method.deinstrumented || function.deinstrumented;
            if (method_of(row) != row || is_truncated_paths(function)) {
                function.times = {};
            } else {
                function.times = times[row];
            }
        }
    }

    void fold_tree() {
        std::vector<CallNode> kept;
        std::vector<Row> moved(profile_.calltree.size());
        for (std::size_t row = 0; row < profile_.calltree.size(); ++row) {
            CallNode node = profile_.calltree[row];
            const Row parent = node.parent;
            const bool goes_on = parent != kNone && !node.truncated &&
                                 continues(profile_.calltree[parent].function, node.function);
            node.parent = parent == kNone ? kNone : moved[parent];
            if (goes_on) {
                // Its inclusive time is in that of the call already.
                moved[row] = node.parent;
                add_own(kept[node.parent].times, node.times, false);
                continue;
            }
            moved[row] = static_cast<Row>(kept.size());
            if (!methods_.counts_calls[node.function]) {
                node.times.calls = 0;
            }
            node.function = method_of(node.function);
            kept.push_back(node);
        }
        profile_.calltree = std::move(kept);
    }

    void fold_edges() {
        Merged<Edge, std::pair<Row, Row>> merged;
        for (const Edge& edge : profile_.edges) {
            if (continues(edge.caller, edge.callee)) {
                continue;
            }
            const std::pair ends(method_of(edge.caller), method_of(edge.callee));
            add(merged.at(ends, {.caller = ends.first, .callee = ends.second, .times = {}}).times,
                edge.times, methods_.counts_calls[edge.callee]);
        }
        profile_.edges = merged.take();
    }

    void fold_thread_functions() {
        Merged<ThreadFunction, std::pair<Row, Row>> merged;
        for (const ThreadFunction& row : profile_.thread_functions) {
            const Row method = method_of(row.function);
            add(merged
                    .at({row.thread, method},
                        {.thread = row.thread, .function = method, .times = {}})
                    .times,
                row.times, methods_.counts_calls[row.function]);
        }
        profile_.thread_functions = merged.take();
    }

    void fold_histograms() {
        std::vector<bool> is_async(profile_.functions.size(), false);
        for (const AsyncMethod& method : profile_.async_methods) {
            is_async[method_of(method.function)] = true;
        }
        Merged<HistogramBucket, std::tuple<Row, uint64_t, uint64_t>> merged;
        bool moved = false;
        for (const HistogramBucket& bucket : profile_.histograms) {
            const Row method = method_of(bucket.function);
            if (is_async[method] || !methods_.counts_calls[bucket.function]) {
                continue;
            }
            moved = moved || method != bucket.function;
            merged
                .at({method, bucket.lower_ns, bucket.upper_ns}, {.function = method,
                                                                 .lower_ns = bucket.lower_ns,
                                                                 .upper_ns = bucket.upper_ns,
                                                                 .calls = 0})
                .calls += bucket.calls;
        }
        profile_.histograms = merged.take();
        if (!moved) {
            return;
        }
        std::ranges::stable_sort(profile_.histograms, [](const auto& a, const auto& b) {
            return std::tuple(a.function, a.lower_ns) < std::tuple(b.function, b.lower_ns);
        });
    }

    Profile& profile_;
    const Methods methods_;
};

}  // namespace

void set_whole_calls(std::vector<Edge>& edges, const Profile& profile) {
    const auto whole = logical_edges(profile, methods(profile, true));
    for (Edge& edge : edges) {
        if (const auto counts = whole.find({edge.caller, edge.callee}); counts != whole.end()) {
            set_logical_times(edge.times, counts->second);
        }
    }
}

void fold_pieces(Profile& profile) {
    if (std::ranges::any_of(profile.functions, is_piece)) {
        Folding(profile).run();
    }
}

}  // namespace umbra::profile
