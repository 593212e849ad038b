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

/// Rows of the tree by place. What a place without a row has stands below the nearest one above it
/// that has one.
struct PathRows {
    std::vector<bool> shown;          ///< by place
    std::vector<uint32_t> of_places;  ///< its own, or that of the nearest place above it
    std::vector<uint32_t> places;     ///< by row; the first is no path
};

class Paths {
  public:
    explicit Paths(const TableInput& in) : in_(in) {}

    PathTable run() {
        PathTable tables;
        tables.truncated.resize(in_.functions);
        const std::vector<replay::Place>& places = in_.all.tree.places;
        const std::vector<Calls> without_path = calls_without_path();
        const PathRows rows = path_rows();
        std::vector<Sum> sums(rows.places.size());
        std::vector<Sum> of_functions(without_path.size());
        std::vector<Sum> cut_functions(in_.function_rows.size());
        replay::SparseSums<Sum> below;  // without a path in the snapshot, by row
        replay::SparseSums<Sum> cut;    // with one there, and without a row here
        OwnTimes(in_.least).of(
            [&](const auto& visit) { for_each_row(without_path, visit); },
            [&](const Sum& own, Of of, uint32_t number) {
                if (of == Of::kFunction) {
                    of_functions[number].add_own(own);
                    return;
                }
                const uint32_t row = rows.of_places[number];
                if (of == Of::kPlace && rows.shown[number]) {
                    sums[row].add_own(own);
                    return;
                }
                Sum& left = (of == Of::kBelow ? below : cut).at(row);
                left.self += own.self;
                if (rows.shown[of == Of::kBelow ? number : places[number].parent]) {
                    replay::add_counts(left, own);
                }
                if (of == Of::kPlace) {
                    cut_functions[places[number].function].add_own(own);
                }
            });
        share_out(below.all(), of_functions);
        cut.for_each([&](uint32_t row, const Sum& sum) { below.at(row).add_own(sum); });
        for (Sum& sum : below.all()) {
            sum.total = sum.self;
        }
        for (uint32_t row = static_cast<uint32_t>(sums.size()); row-- > 1;) {
            sums[row].total += sums[row].self;
            if (const Sum* left = below.find(row); left != nullptr) {
                sums[row].total += left->total;
            }
            sums[rows.of_places[places[rows.places[row]].parent]].total += sums[row].total;
        }
        std::vector<RoundedSelf> rounded(in_.functions + 1);
        tables.calltree.reserve(sums.size() + below.all().size());
        tables.path_rows.assign(places.size(), kNone);
        for (uint32_t row = 1; row < sums.size(); ++row) {
            const uint32_t place = rows.places[row];
            const bool root = places[place].function == CallTree::kNoFunction;  // is not a call
            if (!root) {
                tables.path_rows[place] = static_cast<Row>(tables.calltree.size());
                const Row function = in_.function_rows[places[place].function];
                add_path(tables, place, function, sums[row], rounded[function]);
            }
            if (const Sum* left = below.find(row); left != nullptr) {
                tables.truncated_row = static_cast<Row>(in_.functions);
                add_truncated(tables, place, *left, rounded.back());
            }
        }
        const auto add_truncated_own = [&](uint32_t index, const Sum& sum) {
            const Row function = in_.function_rows[index];
            add_own(tables.truncated[function], in_.row_times.of(sum, rounded[function]), false);
        };
        for (size_t index = 0; index < of_functions.size(); ++index) {
            add_truncated_own(without_path[index].function, of_functions[index]);
        }
        for (uint32_t index = 0; index < cut_functions.size(); ++index) {
            if (cut_functions[index].any()) {
                add_truncated_own(index, cut_functions[index]);
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
        tree.gone_here.for_each([&](uint32_t place, const replay::GoneCalls& sum) {
            const Deduction& deduction = deduction_of(in_.all.deductions.gone_here(), place);
            if (any(sum, deduction)) {
                visit(calls_of(tree.places[place].function, sum, deduction), place);
            }
        });
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
        tree.gone_below.for_each([&](uint32_t place, const replay::GoneCalls& sum) {
            const Deduction& deduction = deduction_of(in_.all.deductions.gone_below(), place);
            if (any(sum, deduction)) {
                visit(calls_of(static_cast<uint32_t>(in_.function_rows.size()), sum, deduction),
                      Of::kBelow, place);
            }
        });
        for (uint32_t index = 0; index < without_path.size(); ++index) {
            visit(without_path[index], Of::kFunction, index);
        }
    }

    /// Rows for the paths that took most: written_paths, and all that took least_share; and for
    /// calls that are open.
    [[nodiscard]] PathRows path_rows() const {
        const std::vector<replay::Place>& places = in_.all.tree.places;
        std::vector<uint64_t> net(places.size());  // inclusive, as far as it is known by now
        std::vector<bool> used(places.size());
        std::vector<bool> open(places.size());
        for_each_row({}, [&](const Calls& calls, Of of, uint32_t place) {
            const uint64_t ticks = replay::ticks_of(calls.self);
            net[place] += ticks - std::min(ticks, calls.self[1] / replay::kCostUnits);
            used[place] = used[place] || of == Of::kBelow || calls.calls != 0;
            open[place] = open[place] || calls.unfinished != 0;
        });
        for (size_t place = places.size(); place-- > 1;) {
            const uint32_t parent = places[place].parent;
            net[parent] += net[place];
            used[parent] = used[parent] || used[place];
        }
        PathRows rows;
        rows.shown = used;
        const auto used_places = static_cast<size_t>(std::ranges::count(used, true));
        if (used_places > in_.snapshot.written_paths) {
            std::vector<uint64_t> most;
            most.reserve(used_places);
            for (size_t place = 0; place < used.size(); ++place) {
                if (used[place]) {
                    most.push_back(net[place]);
                }
            }
            const auto last = most.begin() + static_cast<ptrdiff_t>(in_.snapshot.written_paths);
            std::ranges::nth_element(most, last, std::greater());
            const double worth = in_.snapshot.least_share * static_cast<double>(net[0]);
            rows.shown.assign(places.size(), false);
            for (size_t place = places.size(); place-- > 1;) {
                rows.shown[place] = rows.shown[place] || open[place] || net[place] > *last ||
                                    places[place].function == CallTree::kNoFunction ||
                                    (net[place] != 0 && static_cast<double>(net[place]) >= worth);
                if (rows.shown[place]) {
                    rows.shown[places[place].parent] = true;
                }
            }
        }
        rows.shown[0] = true;
        rows.places.push_back(0);
        rows.of_places.push_back(0);
        for (uint32_t place = 1; place < places.size(); ++place) {
            if (rows.shown[place]) {
                rows.places.push_back(place);
            }
            rows.of_places.push_back(rows.shown[place]
                                         ? static_cast<uint32_t>(rows.places.size() - 1)
                                         : rows.of_places[places[place].parent]);
        }
        return rows;
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
    return {.function = row.function(),
            .calls = all.tree.calls(row, arc),
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
