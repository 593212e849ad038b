// SPDX-License-Identifier: MIT
#include "src/profile/tree_view.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "src/profile/tree_walk.h"

namespace umbra::profile {
namespace {

/// Rows of the call tree that are one row of the view: the same path, by methods.
struct Path {
    Row method = kNone;
    std::size_t depth = 0;
    std::vector<Row> rows;
    CallTimes times;
};

class Viewing {
  public:
    Viewing(const Profile& profile, const View& view, const TreeLimits& limits)
        : profile_(profile),
          tree_(profile.calltree),
          view_(view),
          limits_(limits),
          methods_(methods(profile, view.fold)),
          links_(tree_),
          kept_(tree_.size(), true) {
        const std::vector<bool> threads = taken_threads(profile, view.filter);
        const std::vector<bool> functions = taken_functions(profile, view.filter);
        if (!view.filter.any_method()) {
            keep_only(functions);
        }
        std::map<Row, Path> roots;
        for (Row root = links_.first_root(); root != kNone; root = links_.next_sibling(root)) {
            if (!takes(threads, tree_[root])) {
                continue;
            }
            whole_ns_ += static_cast<double>(shown(times_of(root), view_).total_ns);
            if (kept_[root]) {
                add(roots[methods_.method_of[tree_[root].function]], root);
            }
        }
        push(std::move(roots), 0);
    }

    std::vector<TreeRow> run() {
        std::vector<TreeRow> view;
        while (!waiting_.empty()) {
            Path path = std::move(waiting_.back());
            waiting_.pop_back();
            std::map<Row, Path> callees = callees_of(path);
            TreeRow row{path.depth, hot(path), 0};
            row.left_out = push(std::move(callees), path.depth + 1);
            view.push_back(std::move(row));
        }
        return view;
    }

  private:
    /// Keeps the rows of `functions` and the paths to them.
    void keep_only(const std::vector<bool>& functions) {
        kept_.assign(tree_.size(), false);
        for (std::size_t row = tree_.size(); row-- > 0;) {
            kept_[row] = kept_[row] || functions[tree_[row].function];
            if (kept_[row] && tree_[row].parent != kNone) {
                kept_[tree_[row].parent] = true;
            }
        }
    }

    void add(Path& path, Row row) const {
        const CallNode& node = tree_[row];
        path.method = methods_.method_of[node.function];
        path.rows.push_back(row);
        const CallTimes times = times_of(row);
        add_own(path.times, times, methods_.counts_calls[node.function]);
        add_extremes(path.times, times);
        add_inclusive(path.times, times);
    }

    /// What stands for calls from before the start is shown with the time of timed calls alone.
    [[nodiscard]] CallTimes times_of(Row row) const {
        CallTimes times = tree_[row].times;
        if (is_before_start(profile_.functions[tree_[row].function])) {
            times.total_ns -= std::min(times.total_ns, std::exchange(times.self_ns, 0));
            for (Span* span : {&times.raw, &times.cpu, &times.paused}) {
                span->total_ns -= std::min(span->total_ns, std::exchange(span->self_ns, 0));
            }
        }
        return times;
    }

    /// By method. What a starting call runs of its own pieces becomes part of `path`.
    std::map<Row, Path> callees_of(Path& path) const {
        std::map<Row, Path> callees;
        for (std::size_t i = 0; i < path.rows.size(); ++i) {  // rows are added on the way
            const Row caller = path.rows[i];
            for (Row row = links_.first_child(caller); row != kNone;
                 row = links_.next_sibling(row)) {
                const Row function = tree_[row].function;
                if (methods_.piece[function] && !methods_.piece[tree_[caller].function] &&
                    methods_.method_of[function] == path.method) {
                    path.rows.push_back(row);
                    add_own(path.times, tree_[row].times, false);
                } else if (kept_[row]) {
                    add(callees[methods_.method_of[function]], row);
                }
            }
        }
        return callees;
    }

    [[nodiscard]] double percent(const CallTimes& times) const {
        const auto total_ns = static_cast<double>(shown(times, view_).total_ns);
        return whole_ns_ > 0 ? 100 * total_ns / whole_ns_ : 0;
    }

    [[nodiscard]] HotFunction hot(const Path& path) const {
        HotFunction hot = method_row(profile_, path.method, path.times, path.times, view_);
        hot.share_percent = percent(path.times);
        return hot;
    }

    /// Puts those within the limits in line, the first on top. Answers how many are not.
    std::size_t push(std::map<Row, Path> paths, std::size_t depth) {
        std::vector<HotFunction> order;
        std::size_t left_out = 0;
        for (const auto& [method, path] : paths) {
            if (depth >= limits_.depth || percent(path.times) < limits_.min_percent) {
                ++left_out;
            } else {
                order.push_back(hot(path));
            }
        }
        View all = view_;
        all.top = order.size();
        const HotList list =
            ranked(std::move(order), all, [](const HotFunction& one) { return one.share_percent; });
        for (auto one = list.functions.rbegin(); one != list.functions.rend(); ++one) {
            Path& path = paths[static_cast<Row>(one->function - profile_.functions.data())];
            path.depth = depth;
            waiting_.push_back(std::move(path));
        }
        return left_out;
    }

    const Profile& profile_;
    const std::vector<CallNode>& tree_;
    const View& view_;
    const TreeLimits& limits_;
    Methods methods_;
    TreeLinks links_;
    std::vector<bool> kept_;
    double whole_ns_ = 0;
    std::vector<Path> waiting_;
};

}  // namespace

std::vector<TreeRow> tree_view(const Profile& profile, const View& view, const TreeLimits& limits) {
    return Viewing(profile, view, limits).run();
}

}  // namespace umbra::profile
