// SPDX-License-Identifier: MIT
#include "src/collector/tables/path_table.h"

#include <algorithm>
#include <functional>

#include "src/collector/tables/rounded_times.h"
#include "src/profile/call_sums.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;
using replay::CallTree;
using replay::Deduction;

/// Whether arcs that are gone have left anything. A thread that has changed its worker ends its
/// calls there: what they had called here has no calls above it.
bool any(const replay::GoneCalls& sum, const Deduction& deduction) {
    return sum.calls != 0 || replay::ticks_of(sum.self) != 0 || !deduction.empty();
}

class Paths {
  public:
    Paths(const Snapshot& snapshot, const ShardSnapshot& all, std::span<const Calls> calls,
          std::span<const Row> function_rows, size_t functions, LeastTime least, RowTimes row_times)
        : snapshot_(snapshot),
          all_(all),
          calls_(calls),
          function_rows_(function_rows),
          functions_(functions),
          least_(least),
          row_times_(row_times) {}

    PathTable run() {
        PathTable tables;
        tables.truncated.resize(functions_);
        const std::vector<replay::Place>& places = all_.tree.places;
        PathCalls paths = path_calls();
        Own own(paths.calls, least_);
        share_out(own.rows, paths);
        const std::vector<Calls> of_functions(
            paths.calls.begin() + static_cast<ptrdiff_t>(paths.functions), paths.calls.end());
        paths.calls = {};  // as large as the tree
        std::vector<Sum> sums(places.size());
        std::vector<Sum> below(places.size());
        for (size_t row = 1; row < paths.places.size(); ++row) {
            (row < paths.below ? sums : below)[paths.places[row]].add_own(own.rows[row]);
        }
        std::vector<bool> used(places.size());
        for (size_t place = places.size(); place-- > 1;) {
            below[place].total = below[place].self;
            sums[place].total += sums[place].self;
            sums[place].total += below[place].total;
            used[place] = used[place] || sums[place].calls != 0 || below[place].any();
            const uint32_t parent = places[place].parent;
            used[parent] = used[parent] || used[place];
            sums[parent].total += sums[place].total;
        }
        const std::vector<Sum> gone = truncate(sums, below, used);
        std::vector<RoundedSelf> rounded(functions_ + 1);
        tables.path_rows.assign(places.size(), kNone);
        for (uint32_t place = 1; place < places.size(); ++place) {
            if (!used[place]) {
                continue;
            }
            const bool root = places[place].function == CallTree::kNoFunction;  // is not a call
            if (!root) {
                tables.path_rows[place] = static_cast<Row>(tables.calltree.size());
                const Row function = function_rows_[places[place].function];
                add_path(tables, place, function, sums[place], rounded[function]);
            }
            if (below[place].any()) {
                tables.truncated_row = static_cast<Row>(functions_);
                add_truncated(tables, place, below[place], rounded.back());
            }
        }
        for (size_t index = 0; index < of_functions.size(); ++index) {
            const Row function = function_rows_[of_functions[index].function];
            add_own(tables.truncated[function],
                    row_times_.of(own.rows[paths.functions + index], rounded[function]), false);
        }
        for (uint32_t index = 0; index < gone.size(); ++index) {
            if (gone[index].any()) {
                const Row function = function_rows_[index];
                add_own(tables.truncated[function], row_times_.of(gone[index], rounded[function]),
                        false);
            }
        }
        even_out(tables);
        return tables;
    }

  private:
    /// Of a place; the threads of a snapshot are in the order of their numbers.
    [[nodiscard]] Row thread_row(uint32_t number) const {
        const auto row =
            std::ranges::lower_bound(snapshot_.threads, number, {}, &Snapshot::Thread::number);
        return row != snapshot_.threads.end() && row->number == number
                   ? static_cast<Row>(row - snapshot_.threads.begin())
                   : kNone;
    }

    /// Calls by place and what lies below it without a row; then, by function, what these rows are
    /// of, so that each function bears its cost as a whole.
    struct PathCalls {
        std::vector<Calls> calls;
        std::vector<uint32_t> places;  ///< of each
        size_t below = 0;              ///< calls from there lie below their places
        size_t functions = 0;          ///< calls from there are of functions, in no path
    };
    [[nodiscard]] PathCalls path_calls() const {
        const ShardSnapshot::Tree& tree = all_.tree;
        std::vector<Calls> truncated(function_rows_.size());
        for (uint32_t edge = 1; edge < tree.gone_by_edge.size(); ++edge) {
            const uint32_t function = tree.edges[edge].callee;
            truncated[function].function = function;
            truncated[function] += calls_of(function, tree.gone_by_edge[edge],
                                            deduction_of(all_.deductions.gone_by_edge(), edge));
        }
        PathCalls paths{.calls = {calls_.begin(), calls_.end()}, .places = tree.targets};
        for (uint32_t place = 1; place < tree.gone_here.size(); ++place) {
            const uint32_t function = tree.places[place].function;
            const Deduction& deduction = deduction_of(all_.deductions.gone_here(), place);
            if (any(tree.gone_here[place], deduction)) {
                paths.calls.push_back(calls_of(function, tree.gone_here[place], deduction));
                paths.places.push_back(place);
                truncated[function] -= paths.calls.back();
            }
        }
        paths.below = paths.calls.size();
        for (uint32_t place = 1; place < tree.gone_below.size(); ++place) {
            const Deduction& deduction = deduction_of(all_.deductions.gone_below(), place);
            if (any(tree.gone_below[place], deduction)) {
                paths.calls.push_back(calls_of(static_cast<uint32_t>(function_rows_.size()),
                                               tree.gone_below[place], deduction));
                paths.places.push_back(place);
            }
        }
        paths.functions = paths.calls.size();
        for (const Calls& function : truncated) {
            if (function.function != 0) {
                paths.calls.push_back(function);
            }
        }
        return paths;
    }

    /// Leaves rows to the paths that took most: written_paths, and all that took least_share.
    /// What the others took stands below the path that they leave. Calls that are open have rows.
    /// Returns the own times of those without a row, by function.
    std::vector<Sum> truncate(std::span<const Sum> sums, std::vector<Sum>& below,
                              std::vector<bool>& used) const {
        std::vector<Sum> gone;
        const auto used_places = static_cast<size_t>(std::ranges::count(used, true));
        if (used_places <= snapshot_.written_paths) {
            return gone;
        }
        gone.resize(function_rows_.size());
        std::vector<uint64_t> totals;
        totals.reserve(used_places);
        for (size_t place = 0; place < used.size(); ++place) {
            if (used[place]) {
                totals.push_back(sums[place].total.net);
            }
        }
        const auto last = totals.begin() + static_cast<ptrdiff_t>(snapshot_.written_paths);
        std::ranges::nth_element(totals, last, std::greater());
        const double worth = snapshot_.least_share * static_cast<double>(sums[0].total.net);
        const std::vector<replay::Place>& places = all_.tree.places;
        std::vector<bool> shown(places.size());
        for (size_t place = places.size(); place-- > 1;) {
            const auto total = sums[place].total.net;
            shown[place] = shown[place] || places[place].function == CallTree::kNoFunction ||
                           sums[place].unfinished != 0 || total > *last ||
                           (total != 0 && static_cast<double>(total) >= worth);
            if (shown[place]) {
                shown[places[place].parent] = true;
            }
        }
        for (size_t place = places.size(); place-- > 1;) {
            if (!used[place] || shown[place]) {
                continue;
            }
            used[place] = false;
            gone[places[place].function].add_own(sums[place]);
            if (const uint32_t parent = places[place].parent; shown[parent]) {
                Sum& left = below[parent];
                replay::add_counts(left, sums[place]);
                left.self += sums[place].total;
                left.total = left.self;
            }
        }
        return gone;
    }

    /// What has no path was rounded by function and by place: rows of the tree get a nanosecond
    /// more or less, the longest first, until both add up to the same.
    void even_out(PathTable& tables) const {
        std::vector<profile::CallTimes*> rows;
        for (profile::CallNode& node : tables.calltree) {
            if (node.truncated) {
                rows.push_back(&node.times);
            }
        }
        std::ranges::sort(rows,
                          [](const auto* a, const auto* b) { return a->self_ns > b->self_ns; });
        profile::CallTimes wanted;
        profile::CallTimes had;
        for (const profile::CallTimes& times : tables.truncated) {
            add_own(wanted, times, false);
        }
        for (const profile::CallTimes* times : rows) {
            add_own(had, *times, false);
        }
        const auto even = [&](uint64_t more, uint64_t less, const auto& self_of,
                              const auto& total_of) {
            const bool up = more > less;
            uint64_t left = up ? more - less : less - more;
            for (size_t row = 0; left > 0 && row < rows.size(); ++row) {
                uint64_t& self_ns = self_of(*rows[row]);
                uint64_t& total_ns = total_of(*rows[row]);
                if (up || self_ns > 1) {
                    self_ns = up ? self_ns + 1 : self_ns - 1;
                    total_ns = std::max(total_ns, self_ns);
                    --left;
                }
            }
        };
        using profile::CallTimes;
        even(
            wanted.self_ns, had.self_ns, [](CallTimes& t) -> uint64_t& { return t.self_ns; },
            [](CallTimes& t) -> uint64_t& { return t.total_ns; });
        for (profile::Span CallTimes::*span :
             {&CallTimes::raw, &CallTimes::cpu, &CallTimes::paused}) {
            even((wanted.*span).self_ns, (had.*span).self_ns,
                 [span](CallTimes& t) -> uint64_t& { return (t.*span).self_ns; },
                 [span](CallTimes& t) -> uint64_t& { return (t.*span).total_ns; });
        }
        for (profile::CallTimes* times : rows) {
            fit_parts(*times);
        }
    }

    /// Probes and pauses are taken out of all calls of a function together, and what lies below a
    /// place is of many: that adds up to what these functions have left there, too.
    static void share_out(std::vector<Sum>& rows, const PathCalls& paths) {
        std::vector<Measure*> below;
        for (size_t row = paths.below; row < paths.functions; ++row) {
            below.push_back(&rows[row].self);
        }
        std::ranges::sort(below, std::greater(), &Measure::raw);
        const auto even = [&](uint64_t Measure::*part, uint64_t Measure::*whole) {
            uint64_t wanted = 0;
            uint64_t had = 0;
            for (size_t row = paths.functions; row < rows.size(); ++row) {
                wanted += rows[row].self.*part;
            }
            for (Measure* self : below) {
                self->*part = std::min(self->*part, self->*whole);
                had += self->*part;
            }
            uint64_t more = wanted - std::min(wanted, had);
            uint64_t less = had - std::min(wanted, had);
            for (Measure* self : below) {
                const uint64_t added = std::min(more, self->*whole - self->*part);
                const uint64_t taken = std::min(less, self->*part);
                self->*part += added - taken;
                more -= added;
                less -= taken;
            }
        };
        even(&Measure::net, &Measure::raw);
        even(&Measure::cpu, &Measure::net);
        even(&Measure::paused, &Measure::net);
    }

    void add_path(PathTable& tables, uint32_t place, Row function, const Sum& sum,
                  RoundedSelf& rounded) const {
        tables.calltree.push_back({.parent = tables.path_rows[all_.tree.places[place].parent],
                                   .function = function,
                                   .thread = thread_row(all_.tree.places[place].thread),
                                   .times = row_times_.of(sum, rounded)});
    }

    void add_truncated(PathTable& tables, uint32_t place, Sum sum, RoundedSelf& rounded) const {
        // Calls that came back to a function further up the path took longer than what stands here.
        const uint64_t mean = sum.total.raw / std::max(sum.calls, uint64_t{1});
        sum.min_ticks = std::min(sum.min_ticks, static_cast<float>(mean));
        tables.calltree.push_back({.parent = tables.path_rows[place],
                                   .function = tables.truncated_row,
                                   .thread = thread_row(all_.tree.places[place].thread),
                                   .times = row_times_.of(sum, rounded),
                                   .truncated = true});
    }

    const Snapshot& snapshot_;
    const ShardSnapshot& all_;
    std::span<const Calls> calls_;  ///< by arc
    std::span<const Row> function_rows_;
    size_t functions_;
    LeastTime least_;
    RowTimes row_times_;
};

}  // namespace

PathTable path_table(const Snapshot& snapshot, const ShardSnapshot& all,
                     std::span<const Calls> calls, std::span<const Row> function_rows,
                     size_t functions, const LeastTime& least, const RowTimes& row_times) {
    return Paths(snapshot, all, calls, function_rows, functions, least, row_times).run();
}

}  // namespace umbra::collector
