// SPDX-License-Identifier: MIT
// Sums of ticks first, nanoseconds last, so that nothing is rounded twice.
#include "src/collector/build/call_tables.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/collector/build/compensation.h"
#include "src/collector/build/rounded_times.h"
#include "src/collector/state/shortest_call.h"
#include "src/profile/call_sums.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;
using replay::Arc;
using replay::CallTree;
using replay::Deduction;

/// A time as measured and what is left of it, in ticks.
struct Measure {
    uint64_t raw = 0;
    uint64_t net = 0;  ///< without what was umbra's: probes, and waits for the collector
    uint64_t cpu = 0;
    uint64_t paused = 0;

    Measure& operator+=(const Measure& other) {
        raw += other.raw;
        net += other.net;
        cpu += other.cpu;
        paused += other.paused;
        return *this;
    }
};

/// Calls of anything.
struct Sum {
    uint64_t calls = 0;
    uint64_t unfinished = 0;
    float min_ticks = std::numeric_limits<float>::infinity();
    float max_ticks = 0;
    Measure self;
    Measure total;

    /// All but the inclusive times.
    void add_own(const Sum& other) {
        add_shortest(*this, other);
        calls += other.calls;
        unfinished += other.unfinished;
        max_ticks = std::max(max_ticks, other.max_ticks);
        self += other.self;
    }
};

/// What is known of the calls of anything, before the parts of its time are told apart.
struct Calls {
    uint32_t function = 0;  ///< index of the callee
    uint64_t calls = 0;
    uint64_t unfinished = 0;
    float min_ticks = std::numeric_limits<float>::infinity();
    float max_ticks = 0;
    replay::Lanes self{};
    Deduction deduction{};  ///< of `self`

    Calls& operator+=(const Calls& other) {
        add_shortest(*this, other);
        calls += other.calls;
        unfinished += other.unfinished;
        max_ticks = std::max(max_ticks, other.max_ticks);
        self += other.self;
        deduction += other.deduction;
        return *this;
    }
};

/// No call takes less: it is some instructions, and a nanosecond is what a report can show.
class LeastTime {
  public:
    explicit LeastTime(const replay::LinearClock& clock) : ns_per_tick_(clock.exact_ns(1)) {}
    [[nodiscard]] uint64_t ticks(uint64_t calls) const {
        constexpr double kMostTicks = 9.2e18;
        return static_cast<uint64_t>(
            std::min(kMostTicks, std::ceil(static_cast<double>(calls) / ns_per_tick_)));
    }

  private:
    double ns_per_tick_;
};

/// Takes `cost(row)` ticks out of each of `ticks`, which goes with `calls`; see compensate().
Compensated take_out(const std::vector<Calls>& calls, const std::vector<uint64_t>& ticks,
                     const LeastTime& least, const auto& cost) {
    std::vector<MeasuredSelf> measured;
    measured.reserve(calls.size());
    for (size_t index = 0; index < calls.size(); ++index) {
        measured.push_back({.function = calls[index].function,
                            .ticks = ticks[index],
                            .cost_ticks = cost(calls[index]),
                            .least_ticks = least.ticks(calls[index].calls)});
    }
    return compensate(measured);
}

/// Without inclusive times, in the order given. However the calls of a function are divided among
/// rows (by path, by edge, by thread), the sums over it are the same.
struct Own {
    std::vector<Sum> rows;
    uint64_t clamped_functions = 0;

    Own(const std::vector<Calls>& calls, const LeastTime& least) : rows(calls.size()) {
        std::vector<uint64_t> raw;
        raw.reserve(calls.size());
        for (const Calls& row : calls) {
            raw.push_back(replay::ticks_of(row.self));
        }
        const auto cost = [](const Calls& row) { return replay::cost_of(row.self); };
        const auto off_cpu = [](const Calls& row) {
            return static_cast<double>(row.deduction.off_cpu_ticks);
        };
        const auto paused = [](const Calls& row) {
            return static_cast<double>(row.deduction.paused_ticks);
        };
        // What has run was on a processor, and not stopped, for a moment.
        const Compensated net = take_out(calls, raw, least, cost);
        const Compensated cpu = take_out(calls, net.self_ticks, least, off_cpu);
        const Compensated not_paused = take_out(calls, net.self_ticks, least, paused);
        clamped_functions = net.clamped.size();
        for (size_t index = 0; index < calls.size(); ++index) {
            const uint64_t left = net.self_ticks[index];
            rows[index] = {.calls = calls[index].calls,
                           .unfinished = calls[index].unfinished,
                           .min_ticks = calls[index].min_ticks,
                           .max_ticks = calls[index].max_ticks,
                           .self = {.raw = raw[index],
                                    .net = left,
                                    .cpu = cpu.self_ticks[index],
                                    .paused = left - not_paused.self_ticks[index]},
                           .total = {}};
        }
    }
};

/// An inclusive time, at least `self`.
Measure inclusive(replay::Lanes time, const Deduction& deduction, const Measure& self) {
    const uint64_t raw = replay::ticks_of(time);
    const auto cost = static_cast<uint64_t>(replay::cost_of(time));
    Measure left{.raw = raw, .net = raw - std::min(raw, cost)};
    left.net = std::max(left.net, self.net);
    left.cpu = std::max(left.net - std::min(left.net, deduction.off_cpu_ticks), self.cpu);
    const uint64_t most_paused = left.net - (self.net - self.paused);
    left.paused = std::clamp(deduction.paused_ticks, self.paused, most_paused);
    return left;
}

/// Own times of a function, row by row.
struct RoundedSelf {
    RoundedSum raw;
    RoundedSum net;
    RoundedSum cpu;
    RoundedSum paused;
};

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
          calls_(calls_by_arc()) {}

    CallTables run() {
        CallTables tables;
        tables.path_rows = add_paths(tables);
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

    [[nodiscard]] Row function_row(const Arc& arc) const {
        return function_rows_[CallTree::function(arc)];
    }
    [[nodiscard]] Row caller_row(const Arc& arc) const {
        const uint32_t caller = all_.tree.places[CallTree::source(arc)].function;
        return caller == CallTree::kNoFunction ? kNone : function_rows_[caller];
    }

    /// Of a place; the threads of a snapshot are in the order of their numbers.
    [[nodiscard]] Row thread_row(uint32_t number) const {
        const auto row =
            std::ranges::lower_bound(snapshot_.threads, number, {}, &Snapshot::Thread::number);
        return row != snapshot_.threads.end() && row->number == number
                   ? static_cast<Row>(row - snapshot_.threads.begin())
                   : kNone;
    }

    std::vector<Row> add_paths(CallTables& tables) const {
        const std::vector<replay::Place>& places = all_.tree.places;
        const Own own(calls_, LeastTime(clock_));
        tables.clamped_functions = own.clamped_functions;
        std::vector<Sum> sums(places.size());
        for (size_t arc = 1; arc < calls_.size(); ++arc) {
            sums[all_.tree.targets[arc]].add_own(own.rows[arc]);
        }
        std::vector<bool> used(places.size());
        for (size_t place = places.size(); place-- > 1;) {
            sums[place].total += sums[place].self;
            used[place] = used[place] || sums[place].calls != 0;
            const uint32_t parent = places[place].parent;
            used[parent] = used[parent] || used[place];
            sums[parent].total += sums[place].total;
        }
        std::vector<RoundedSelf> rounded(functions_);
        std::vector<Row> rows(places.size(), kNone);
        for (uint32_t place = 1; place < places.size(); ++place) {
            if (!used[place] || places[place].function == CallTree::kNoFunction) {
                continue;  // a root is not a call
            }
            rows[place] = static_cast<Row>(tables.calltree.size());
            const Row function = function_rows_[places[place].function];
            tables.calltree.push_back({.parent = rows[places[place].parent],
                                       .function = function,
                                       .thread = thread_row(places[place].thread),
                                       .times = row_times(sums[place], rounded[function]),
                                       .merged = places[place].merged != 0});
        }
        return rows;
    }

    void add_edges(std::vector<profile::Edge>& edges) const {
        std::vector<uint32_t> rows;  // by number of the edge; from 1
        std::vector<uint32_t> numbers;
        std::vector<Calls> calls;
        std::vector<replay::Lanes> totals;
        for (size_t arc = 1; arc < calls_.size(); ++arc) {
            const Arc& row = all_.tree.arcs[arc];
            rows.resize(std::max(rows.size(), size_t{row.edge} + 1));
            uint32_t& number = rows[row.edge];
            if (number == 0) {
                edges.push_back(
                    {.caller = caller_row(row), .callee = function_row(row), .times = {}});
                numbers.push_back(row.edge);
                calls.push_back({.function = CallTree::function(row)});
                totals.emplace_back();
                number = static_cast<uint32_t>(edges.size());
            }
            calls[number - 1] += calls_[arc];
            totals[number - 1] += row.total;
        }
        Own own(calls, LeastTime(clock_));
        for (size_t row = 0; row < edges.size(); ++row) {
            Sum& sum = own.rows[row];
            sum.total = inclusive(totals[row], deduction_of(all_.deductions.edges(), numbers[row]),
                                  sum.self);
            edges[row].times = times(sum);
        }
        std::erase_if(edges, [](const profile::Edge& edge) { return edge.times.calls == 0; });
    }

    /// Of each function called in each thread, thread by thread in the snapshot's order.
    [[nodiscard]] std::vector<Sum> thread_sums() const {
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
        return Own(calls, LeastTime(clock_)).rows;
    }

    void add_functions(CallTables& tables) const {
        const std::vector<Sum> own = thread_sums();
        std::vector<Sum> sums(functions_);
        std::vector<RoundedSelf> rounded(functions_);
        size_t next = 0;
        for (uint32_t thread = 0; thread < snapshot_.threads.size(); ++thread) {
            const Snapshot::Thread& rows = snapshot_.threads[thread];
            Sum all;
            for (size_t row = 0; row < rows.called.size(); ++row) {
                Sum sum = own[next++];
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

    /// Self times of functions are the sums of those of their paths, and of those of the function
    /// in all threads, to the nanosecond: what rounding leaves over goes to the thread that has
    /// most.
    void take_over_rounding(CallTables& tables) const {
        std::vector<profile::CallTimes> sums(functions_);
        for (const profile::CallNode& node : tables.calltree) {
            add_own(sums[node.function], node.times, false);
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
        const auto set = [this](uint64_t& total_ns, uint64_t& self_ns, RoundedSum& self_sum,
                                uint64_t total, uint64_t self) {
            self_ns = self_sum.add(self, clock_);
            total_ns = total == self ? self_ns : std::max(total_ns, self_ns);
        };
        const Measure& total = sum.total;
        const Measure& self = sum.self;
        set(times.total_ns, times.self_ns, rounded.net, total.net, self.net);
        set(times.raw.total_ns, times.raw.self_ns, rounded.raw, total.raw, self.raw);
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
    std::vector<Calls> calls_;  ///< by arc
};

}  // namespace

CallTables call_tables(const Snapshot& snapshot, const ShardSnapshot& calls,
                       std::span<const Row> function_rows, size_t functions,
                       const replay::LinearClock& clock, bool cpu_known) {
    return Tables(snapshot, calls, function_rows, functions, clock, cpu_known).run();
}

}  // namespace umbra::collector
