// SPDX-License-Identifier: MIT
// Sums of ticks first, nanoseconds last, so that nothing is rounded twice.
#include "src/collector/tables/call_tables.h"

#include <algorithm>
#include <functional>
#include <span>

#include "src/collector/tables/own_times.h"
#include "src/collector/tables/rounded_times.h"
#include "src/profile/call_sums.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;
using replay::Arc;
using replay::CallTree;
using replay::Deduction;

const Deduction& deduction_of(const auto& sums, auto number) {
    static constexpr Deduction kNothing;
    const auto found = sums.rows().find(number);
    return found == sums.rows().end() ? kNothing : found->second;
}

class Tables {
  public:
    Tables(const Snapshot& snapshot, const ShardSnapshot& all, std::span<const Row> function_rows,
           size_t functions, const replay::LinearClock& clock, bool cpu_known)
        : snapshot_(snapshot),
          all_(all),
          function_rows_(function_rows),
          functions_(functions),
          clock_(clock),
          cpu_known_(cpu_known),
          calls_(calls_by_arc()),
          truncated_(functions) {}

    CallTables run() {
        CallTables tables;
        add_paths(tables);
        add_edges(tables.edges);
        add_functions(tables);
        take_over_rounding(tables);
        return tables;
    }

  private:
    [[nodiscard]] std::vector<Calls> calls_by_arc() const {
        std::vector<Calls> calls(all_.tree.arcs.size());
        for (size_t arc = 1; arc < calls.size(); ++arc) {
            const Arc& row = all_.tree.arcs[arc];
            calls[arc] = {.function = CallTree::function(row),
                          .calls = all_.tree.calls[arc],
                          .min_ticks = row.min_ticks,
                          .max_ticks = row.max_ticks,
                          .self = row.self};
        }
        for (const auto& [arc, deduction] : all_.deductions.self().rows()) {
            calls[arc].deduction = deduction;
        }
        calls[0] = {};  // nothing timed was on top
        for (const auto& [arc, unfinished] : all_.tree.unfinished) {
            calls[arc].unfinished = unfinished;
        }
        return calls;
    }

    /// Whether arcs that are gone have left anything. A thread that has changed its worker ends its
    /// calls there: what they had called here has no calls above it.
    static bool any(const replay::GoneCalls& sum, const Deduction& deduction) {
        return sum.calls != 0 || replay::ticks_of(sum.self) != 0 || !deduction.empty();
    }
    /// What arcs have left that are gone.
    static Calls gone(uint32_t function, const replay::GoneCalls& sum, const Deduction& deduction) {
        return {.function = function,
                .calls = sum.calls,
                .min_ticks = sum.min_ticks,
                .max_ticks = sum.max_ticks,
                .self = sum.self,
                .deduction = deduction};
    }

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
            truncated[function] += gone(function, tree.gone_by_edge[edge],
                                        deduction_of(all_.deductions.gone_by_edge(), edge));
        }
        PathCalls paths{.calls = calls_, .places = tree.targets};
        for (uint32_t place = 1; place < tree.gone_here.size(); ++place) {
            const uint32_t function = tree.places[place].function;
            const Deduction& deduction = deduction_of(all_.deductions.gone_here(), place);
            if (any(tree.gone_here[place], deduction)) {
                paths.calls.push_back(gone(function, tree.gone_here[place], deduction));
                paths.places.push_back(place);
                truncated[function] -= paths.calls.back();
            }
        }
        paths.below = paths.calls.size();
        for (uint32_t place = 1; place < tree.gone_below.size(); ++place) {
            const Deduction& deduction = deduction_of(all_.deductions.gone_below(), place);
            if (any(tree.gone_below[place], deduction)) {
                paths.calls.push_back(gone(static_cast<uint32_t>(function_rows_.size()),
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

    void add_paths(CallTables& tables) {
        const std::vector<replay::Place>& places = all_.tree.places;
        const PathCalls paths = path_calls();
        Own own(paths.calls, LeastTime(clock_));
        share_out(own.rows, paths);
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
        for (size_t row = paths.functions; row < paths.calls.size(); ++row) {
            const Row function = function_rows_[paths.calls[row].function];
            add_own(truncated_[function], row_times(own.rows[row], rounded[function]), false);
        }
        even_out(tables);
    }

    /// What has no path was rounded by function and by place: rows of the tree get a nanosecond
    /// more or less, the longest first, until both add up to the same.
    void even_out(CallTables& tables) const {
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
        for (const profile::CallTimes& times : truncated_) {
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

    void add_path(CallTables& tables, uint32_t place, Row function, const Sum& sum,
                  RoundedSelf& rounded) const {
        tables.calltree.push_back({.parent = tables.path_rows[all_.tree.places[place].parent],
                                   .function = function,
                                   .thread = thread_row(all_.tree.places[place].thread),
                                   .times = row_times(sum, rounded)});
    }

    void add_truncated(CallTables& tables, uint32_t place, Sum sum, RoundedSelf& rounded) const {
        // Calls that came back to a function further up the path took longer than what stands here.
        const uint64_t mean = sum.total.raw / std::max(sum.calls, uint64_t{1});
        sum.min_ticks = std::min(sum.min_ticks, static_cast<float>(mean));
        tables.calltree.push_back({.parent = tables.path_rows[place],
                                   .function = tables.truncated_row,
                                   .thread = thread_row(all_.tree.places[place].thread),
                                   .times = row_times(sum, rounded),
                                   .truncated = true});
    }

    void add_edges(std::vector<profile::Edge>& edges) const {
        const ShardSnapshot::Tree& tree = all_.tree;
        std::vector<Calls> calls(tree.edges.size());
        std::vector<replay::Lanes> totals(tree.edges.size());
        for (uint32_t edge = 1; edge < calls.size(); ++edge) {
            calls[edge].function = tree.edges[edge].callee;
            if (edge < tree.gone_by_edge.size()) {
                calls[edge] += gone(calls[edge].function, tree.gone_by_edge[edge],
                                    deduction_of(all_.deductions.gone_by_edge(), edge));
                totals[edge] += tree.gone_by_edge[edge].total;
            }
        }
        for (size_t arc = 1; arc < calls_.size(); ++arc) {
            calls[tree.arcs[arc].edge] += calls_[arc];
            totals[tree.arcs[arc].edge] += tree.arcs[arc].total;
        }
        Own own(calls, LeastTime(clock_));
        for (uint32_t edge = 1; edge < calls.size(); ++edge) {
            Sum& sum = own.rows[edge];
            if (sum.calls != 0) {
                sum.total =
                    inclusive(totals[edge], deduction_of(all_.deductions.edges(), edge), sum.self);
                const uint32_t caller = tree.edges[edge].caller;
                edges.push_back(
                    {.caller = caller == CallTree::kNoFunction ? kNone : function_rows_[caller],
                     .callee = function_rows_[tree.edges[edge].callee],
                     .times = times(sum)});
            }
        }
    }

    /// Of each function called in each thread, thread by thread in the snapshot's order.
    [[nodiscard]] Own own_by_thread() const {
        std::vector<Calls> calls;
        for (uint32_t thread = 0; thread < snapshot_.threads.size(); ++thread) {
            const Snapshot::Thread& rows = snapshot_.threads[thread];
            for (size_t row = 0; row < rows.called.size(); ++row) {
                const replay::ThreadFunction& function = rows.functions[row];
                const auto open = rows.unfinished.find(rows.called[row]);
                calls.push_back({.function = rows.called[row],
                                 .calls = function.calls,
                                 .unfinished = open == rows.unfinished.end() ? 0 : open->second,
                                 .min_ticks = function.min_ticks,
                                 .max_ticks = function.max_ticks,
                                 .self = function.self,
                                 .deduction = deduction_of(
                                     all_.deductions.function_self(),
                                     replay::CallDeductions::key(rows.number, rows.called[row]))});
            }
        }
        return Own(calls, LeastTime(clock_));
    }

    void add_functions(CallTables& tables) const {
        const Own own = own_by_thread();
        tables.clamped_functions = own.clamped_functions;
        std::vector<Sum> sums(functions_);
        std::vector<RoundedSelf> rounded(functions_);
        size_t next = 0;
        for (uint32_t thread = 0; thread < snapshot_.threads.size(); ++thread) {
            const Snapshot::Thread& rows = snapshot_.threads[thread];
            Sum all;
            for (size_t row = 0; row < rows.called.size(); ++row) {
                Sum sum = own.rows[next++];
                const uint32_t function = rows.called[row];
                sum.total =
                    inclusive(rows.functions[row].total,
                              deduction_of(all_.deductions.functions(),
                                           replay::CallDeductions::key(rows.number, function)),
                              sum.self);
                const Row function_row = function_rows_[function];
                tables.thread_functions.push_back({.thread = thread,
                                                   .function = function_row,
                                                   .times = row_times(sum, rounded[function_row])});
                all.add_own(sum);
                sums[function_row].add_own(sum);
                sums[function_row].total += sum.total;
            }
            tables.threads.push_back(times(all));
        }
        for (const Sum& sum : sums) {
            tables.functions.push_back(times(sum));
        }
    }

    /// Self times of functions are the sums of those of their paths, of what they have of paths
    /// without a row, and of those of the function in all threads, to the nanosecond: what rounding
    /// leaves over goes to the thread that has most.
    void take_over_rounding(CallTables& tables) const {
        std::vector<profile::CallTimes> sums = truncated_;
        for (const profile::CallNode& node : tables.calltree) {
            if (!node.truncated) {
                add_own(sums[node.function], node.times, false);
            }
        }
        std::vector<profile::CallTimes> in_threads(functions_);
        std::vector<size_t> most(functions_, SIZE_MAX);
        for (size_t row = 0; row < tables.thread_functions.size(); ++row) {
            const profile::ThreadFunction& pair = tables.thread_functions[row];
            size_t& best = most[pair.function];
            if (best == SIZE_MAX ||
                pair.times.self_ns > tables.thread_functions[best].times.self_ns) {
                best = row;
            }
            add_own(in_threads[pair.function], pair.times, false);
        }
        for (size_t row = 0; row < functions_; ++row) {
            set_self(tables.functions[row], sums[row]);
            if (most[row] != SIZE_MAX) {
                profile::CallTimes& times = tables.thread_functions[most[row]].times;
                set_self(times, shifted(times, in_threads[row], sums[row]));
                fit_parts(times);
            }
        }
    }

    /// Self times moved by as much as it is from one sum to another; never below 0.
    static profile::CallTimes shifted(profile::CallTimes times, const profile::CallTimes& from,
                                      const profile::CallTimes& to) {
        const auto shift = [](uint64_t& time, uint64_t less, uint64_t more) {
            time += more;
            time -= std::min(time, less);
        };
        shift(times.self_ns, from.self_ns, to.self_ns);
        shift(times.raw.self_ns, from.raw.self_ns, to.raw.self_ns);
        shift(times.cpu.self_ns, from.cpu.self_ns, to.cpu.self_ns);
        shift(times.paused.self_ns, from.paused.self_ns, to.paused.self_ns);
        return times;
    }

    static void set_self(profile::CallTimes& times, const profile::CallTimes& self) {
        const auto set = [](uint64_t& total, uint64_t& own, uint64_t value) {
            own = value;
            total = std::max(total, value);
        };
        set(times.total_ns, times.self_ns, self.self_ns);
        set(times.raw.total_ns, times.raw.self_ns, self.raw.self_ns);
        set(times.cpu.total_ns, times.cpu.self_ns, self.cpu.self_ns);
        set(times.paused.total_ns, times.paused.self_ns, self.paused.self_ns);
    }

    [[nodiscard]] uint64_t ns(uint64_t ticks) const { return clock_.duration_ns(ticks); }

    [[nodiscard]] profile::CallTimes times(const Sum& sum) const {
        profile::CallTimes times;
        if (sum.calls != 0) {
            times.min_ns = ns(rounded_back(sum.min_ticks, sum.total.net));
            times.max_ns = ns(rounded_back(sum.max_ticks, sum.total.net));
        }
        times.calls = sum.calls;
        times.unfinished = sum.unfinished;
        times.total_ns = ns(sum.total.net);
        times.self_ns = ns(sum.self.net);
        times.raw = {.total_ns = ns(sum.total.raw), .self_ns = ns(sum.self.raw)};
        if (cpu_known_) {
            times.cpu = {.total_ns = ns(sum.total.cpu), .self_ns = ns(sum.self.cpu)};
        }
        times.paused = {.total_ns = ns(sum.total.paused), .self_ns = ns(sum.self.paused)};
        fit_extremes(times);
        return times;
    }

    /// Of one of a function's rows, of which there is one for each of its paths, millions together,
    /// and one for each thread: own times rounded apart would add up to microseconds more or less
    /// than the function has.
    [[nodiscard]] profile::CallTimes row_times(const Sum& sum, RoundedSelf& rounded) const {
        profile::CallTimes times = this->times(sum);
        uint64_t most_ns = UINT64_MAX;
        const auto set = [&](uint64_t& total_ns, uint64_t& self_ns, RoundedSum& self_sum,
                             uint64_t total, uint64_t self) {
            self_ns = self_sum.add(self, clock_, most_ns);
            total_ns = total == self ? self_ns : std::max(total_ns, self_ns);
        };
        const Measure& total = sum.total;
        const Measure& self = sum.self;
        set(times.total_ns, times.self_ns, rounded.net, total.net, self.net);
        set(times.raw.total_ns, times.raw.self_ns, rounded.raw, total.raw, self.raw);
        most_ns = times.self_ns;
        set(times.paused.total_ns, times.paused.self_ns, rounded.paused, total.paused, self.paused);
        if (cpu_known_) {
            set(times.cpu.total_ns, times.cpu.self_ns, rounded.cpu, total.cpu, self.cpu);
        }
        fit_parts(times);
        fit_extremes(times);
        return times;
    }

    const Snapshot& snapshot_;
    const ShardSnapshot& all_;
    std::span<const Row> function_rows_;
    size_t functions_;
    const replay::LinearClock& clock_;
    bool cpu_known_;
    std::vector<Calls> calls_;                   ///< by arc
    std::vector<profile::CallTimes> truncated_;  ///< by function, on paths without a row
};

}  // namespace

CallTables call_tables(const Snapshot& snapshot, const ShardSnapshot& calls,
                       std::span<const Row> function_rows, size_t functions,
                       const replay::LinearClock& clock, bool cpu_known) {
    return Tables(snapshot, calls, function_rows, functions, clock, cpu_known).run();
}

}  // namespace umbra::collector
