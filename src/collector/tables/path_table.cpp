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

/// What lies below places without a row, which most places have nothing of.
class SumsBelow {
  public:
    explicit SumsBelow(size_t places) : rows_(places) {}

    /// Null: nothing.
    [[nodiscard]] const Sum* find(size_t place) const {
        return rows_[place] == 0 ? nullptr : &sums_[rows_[place] - 1];
    }
    /// Made if need be. Good until the next is.
    Sum& at(size_t place) {
        if (rows_[place] == 0) {
            sums_.emplace_back();
            rows_[place] = static_cast<uint32_t>(sums_.size());
        }
        return sums_[rows_[place] - 1];
    }
    [[nodiscard]] std::span<Sum> all() { return sums_; }

  private:
    std::vector<uint32_t> rows_;  ///< in `sums_`, from 1, by place
    std::vector<Sum> sums_;
};

class Paths {
  public:
    explicit Paths(const TableInput& in) : in_(in) {}

    PathTable run() {
        PathTable tables;
        tables.truncated.resize(in_.functions);
        const std::vector<replay::Place>& places = in_.all.tree.places;
        const std::vector<Calls> without_path = calls_without_path();
        std::vector<Sum> sums(places.size());
        std::vector<Sum> of_functions(without_path.size());
        SumsBelow below(places.size());
        OwnTimes(in_.least).of([&](const auto& visit) { for_each_row(without_path, visit); },
                               [&](const Sum& own, Of of, uint32_t number) {
                                   Sum& sum = of == Of::kPlace   ? sums[number]
                                              : of == Of::kBelow ? below.at(number)
                                                                 : of_functions[number];
                                   sum.add_own(own);
                               });
        share_out(below.all(), of_functions);
        for (Sum& sum : below.all()) {
            sum.total = sum.self;
        }
        std::vector<bool> used(places.size());
        for (size_t place = places.size(); place-- > 1;) {
            const Sum* left = below.find(place);
            sums[place].total += sums[place].self;
            if (left != nullptr) {
                sums[place].total += left->total;
            }
            used[place] = used[place] || sums[place].calls != 0 || left != nullptr;
            const uint32_t parent = places[place].parent;
            used[parent] = used[parent] || used[place];
            sums[parent].total += sums[place].total;
        }
        const std::vector<Sum> gone = truncate(sums, below, used);
        std::vector<RoundedSelf> rounded(in_.functions + 1);
        tables.calltree.reserve(static_cast<size_t>(std::ranges::count(used, true)) +
                                below.all().size());
        tables.path_rows.assign(places.size(), kNone);
        for (uint32_t place = 1; place < places.size(); ++place) {
            if (!used[place]) {
                continue;
            }
            const bool root = places[place].function == CallTree::kNoFunction;  // is not a call
            if (!root) {
                tables.path_rows[place] = static_cast<Row>(tables.calltree.size());
                const Row function = in_.function_rows[places[place].function];
                add_path(tables, place, function, sums[place], rounded[function]);
            }
            if (const Sum* left = below.find(place); left != nullptr) {
                tables.truncated_row = static_cast<Row>(in_.functions);
                add_truncated(tables, place, *left, rounded.back());
            }
        }
        for (size_t index = 0; index < of_functions.size(); ++index) {
            const Row function = in_.function_rows[without_path[index].function];
            add_own(tables.truncated[function],
                    in_.row_times.of(of_functions[index], rounded[function]), false);
        }
        for (uint32_t index = 0; index < gone.size(); ++index) {
            if (gone[index].any()) {
                const Row function = in_.function_rows[index];
                add_own(tables.truncated[function],
                        in_.row_times.of(gone[index], rounded[function]), false);
            }
        }
        even_out(tables);
        return tables;
    }

  private:
    /// Of a place; the threads of a snapshot are in the order of their numbers.
    [[nodiscard]] Row thread_row(uint32_t number) const {
        const auto row =
            std::ranges::lower_bound(in_.snapshot.threads, number, {}, &Snapshot::Thread::number);
        return row != in_.snapshot.threads.end() && row->number == number
                   ? static_cast<Row>(row - in_.snapshot.threads.begin())
                   : kNone;
    }

    /// Which sum a row goes to: of a place, of what lies below it without a row, of a function.
    enum class Of : uint8_t { kPlace, kBelow, kFunction };

    /// Rows of a function in paths that are gone, less what gone_here has of it: with it each
    /// function bears its cost as a whole.
    [[nodiscard]] std::vector<Calls> calls_without_path() const {
        const ShardSnapshot::Tree& tree = in_.all.tree;
        std::vector<Calls> by_function(in_.function_rows.size());
        for (uint32_t edge = 1; edge < tree.gone_by_edge.size(); ++edge) {
            const uint32_t function = tree.edges[edge].callee;
            by_function[function].function = function;
            by_function[function] +=
                calls_of(function, tree.gone_by_edge[edge],
                         deduction_of(in_.all.deductions.gone_by_edge(), edge));
        }
        for_each_gone_here(
            [&](const Calls& calls, uint32_t /*place*/) { by_function[calls.function] -= calls; });
        std::erase_if(by_function, [](const Calls& calls) { return calls.function == 0; });
        return by_function;
    }

    void for_each_gone_here(const auto& visit) const {
        const ShardSnapshot::Tree& tree = in_.all.tree;
        for (uint32_t place = 1; place < tree.gone_here.size(); ++place) {
            const Deduction& deduction = deduction_of(in_.all.deductions.gone_here(), place);
            if (any(tree.gone_here[place], deduction)) {
                visit(calls_of(tree.places[place].function, tree.gone_here[place], deduction),
                      place);
            }
        }
    }

    /// Calls by place and what lies below it without a row; then what functions have without a
    /// path.
    void for_each_row(std::span<const Calls> without_path, const auto& visit) const {
        const ShardSnapshot::Tree& tree = in_.all.tree;
        for (uint32_t arc = 1; arc < tree.arcs.size(); ++arc) {
            visit(calls_of(in_.all, arc), Of::kPlace, tree.targets[arc]);
        }
        for_each_gone_here(
            [&](const Calls& calls, uint32_t place) { visit(calls, Of::kPlace, place); });
        for (uint32_t place = 1; place < tree.gone_below.size(); ++place) {
            const Deduction& deduction = deduction_of(in_.all.deductions.gone_below(), place);
            if (any(tree.gone_below[place], deduction)) {
                visit(calls_of(static_cast<uint32_t>(in_.function_rows.size()),
                               tree.gone_below[place], deduction),
                      Of::kBelow, place);
            }
        }
        for (uint32_t index = 0; index < without_path.size(); ++index) {
            visit(without_path[index], Of::kFunction, index);
        }
    }

    /// Leaves rows to the paths that took most: written_paths, and all that took least_share.
    /// What the others took stands below the path that they leave. Calls that are open have rows.
    /// Returns the own times of those without a row, by function.
    std::vector<Sum> truncate(std::span<const Sum> sums, SumsBelow& below,
                              std::vector<bool>& used) const {
        std::vector<Sum> gone;
        const auto used_places = static_cast<size_t>(std::ranges::count(used, true));
        if (used_places <= in_.snapshot.written_paths) {
            return gone;
        }
        gone.resize(in_.function_rows.size());
        std::vector<uint64_t> totals;
        totals.reserve(used_places);
        for (size_t place = 0; place < used.size(); ++place) {
            if (used[place]) {
                totals.push_back(sums[place].total.net);
            }
        }
        const auto last = totals.begin() + static_cast<ptrdiff_t>(in_.snapshot.written_paths);
        std::ranges::nth_element(totals, last, std::greater());
        const double worth = in_.snapshot.least_share * static_cast<double>(sums[0].total.net);
        const std::vector<replay::Place>& places = in_.all.tree.places;
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
                Sum& left = below.at(parent);
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
    static void share_out(std::span<Sum> sums_below, std::span<const Sum> of_functions) {
        std::vector<Measure*> below;
        for (Sum& sum : sums_below) {
            below.push_back(&sum.self);
        }
        std::ranges::sort(below, std::greater(), &Measure::raw);
        const auto even = [&](uint64_t Measure::*part, uint64_t Measure::*whole) {
            uint64_t wanted = 0;
            uint64_t had = 0;
            for (const Sum& sum : of_functions) {
                wanted += sum.self.*part;
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
        tables.calltree.push_back({.parent = tables.path_rows[in_.all.tree.places[place].parent],
                                   .function = function,
                                   .thread = thread_row(in_.all.tree.places[place].thread),
                                   .times = in_.row_times.of(sum, rounded)});
    }

    void add_truncated(PathTable& tables, uint32_t place, Sum sum, RoundedSelf& rounded) const {
        // Calls that came back to a function further up the path took longer than what stands here.
        const uint64_t mean = sum.total.raw / std::max(sum.calls, uint64_t{1});
        sum.min_ticks = std::min(sum.min_ticks, static_cast<float>(mean));
        tables.calltree.push_back({.parent = tables.path_rows[place],
                                   .function = tables.truncated_row,
                                   .thread = thread_row(in_.all.tree.places[place].thread),
                                   .times = in_.row_times.of(sum, rounded),
                                   .truncated = true});
    }

    const TableInput& in_;
};

}  // namespace

Calls calls_of(const ShardSnapshot& all, uint32_t arc) {
    const replay::Arc& row = all.tree.arcs[arc];
    const auto unfinished = all.tree.unfinished.find(arc);
    return {.function = CallTree::function(row),
            .calls = all.tree.calls[arc],
            .unfinished = unfinished == all.tree.unfinished.end() ? 0 : unfinished->second,
            .min_ticks = row.min_ticks,
            .max_ticks = row.max_ticks,
            .self = row.self,
            .deduction = deduction_of(all.deductions.self(), arc)};
}

PathTable path_table(const TableInput& in) {
    return Paths(in).run();
}

}  // namespace umbra::collector
