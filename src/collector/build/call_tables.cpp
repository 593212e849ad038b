// SPDX-License-Identifier: MIT
// Sums of ticks first, nanoseconds last, so that nothing is rounded twice.
#include "src/collector/build/call_tables.h"

#include <algorithm>
#include <limits>

#include "src/base/pair_index.h"
#include "src/collector/build/compensation.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;
using replay::Arc;
using replay::CallTree;
using replay::NodeExtra;

/// A time as measured and what is left of it, in ticks.
struct Measure {
    uint64_t raw = 0;
    uint64_t net = 0;  ///< without probes and waits for the collector
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
        calls += other.calls;
        unfinished += other.unfinished;
        min_ticks = std::min(min_ticks, other.min_ticks);
        max_ticks = std::max(max_ticks, other.max_ticks);
        self += other.self;
    }
};

/// What is left of a time when the extras are taken out; never less than nothing.
Measure without(uint64_t raw, NodeExtra extra) {
    extra.waited_ticks = std::min(extra.waited_ticks, raw);
    const uint64_t net = raw - extra.waited_ticks;
    extra.off_cpu_ticks -= std::min(extra.off_cpu_ticks, extra.waited_off_ticks);
    // For now, the off-CPU time stands in `cpu`.
    return {.raw = raw,
            .net = net,
            .cpu = std::min(extra.off_cpu_ticks, net),
            .paused = std::min(extra.paused_ticks, net)};
}

/// Takes the probes' cost out of what without() has left. At least `self`.
Measure inclusive(replay::Lanes time, const NodeExtra& extra, const Measure& self) {
    Measure left = without(replay::ticks_of(time), extra);
    const auto cost = static_cast<uint64_t>(replay::cost_of(time));
    left.net = std::max(left.net - std::min(left.net, cost), self.net);
    left.cpu = std::max(left.net - std::min(left.net, left.cpu), self.cpu);
    left.paused = std::max(left.paused, self.paused);
    return left;
}

/// An extreme, which was rounded to 24 bits: no longer than `all`, if that explains it.
uint64_t rounded_back(float extreme, uint64_t all) {
    constexpr double kRounding = 1e-7;
    const double ticks{extreme};
    const auto most = static_cast<double>(all);
    return ticks > most && ticks <= most * (1 + kRounding) + 1 ? all : static_cast<uint64_t>(ticks);
}

const NodeExtra& extra_of(const auto& sums, auto number) {
    static constexpr NodeExtra kNothing;
    const auto found = sums.rows().find(number);
    return found == sums.rows().end() ? kNothing : found->second;
}

class Tables {
  public:
    Tables(const Snapshot& snapshot, std::span<const Row> function_rows, size_t functions,
           const replay::LinearClock& clock, bool cpu_known)
        : snapshot_(snapshot),
          function_rows_(function_rows),
          functions_(functions),
          clock_(clock),
          cpu_known_(cpu_known),
          arcs_(own_sums()) {}

    CallTables run() {
        CallTables tables;
        tables.clamped_functions = clamped_;
        tables.path_rows = add_paths(tables.calltree);
        add_edges(tables.edges);
        add_functions(tables);
        take_over_rounding(tables);
        return tables;
    }

  private:
    /// Of each arc, without inclusive times.
    std::vector<Sum> own_sums() {
        std::vector<Sum> sums(snapshot_.arcs.size());
        for (size_t arc = 1; arc < sums.size(); ++arc) {
            Sum& sum = sums[arc];
            sum.calls = snapshot_.calls[arc];
            sum.min_ticks = snapshot_.arcs[arc].min_ticks;
            sum.max_ticks = snapshot_.arcs[arc].max_ticks;
            sum.self = without(replay::ticks_of(snapshot_.arcs[arc].self), {});
        }
        for (const auto& [arc, extra] : snapshot_.extras.self().rows()) {
            sums[arc].self = without(sums[arc].self.raw, extra);
        }
        for (const auto& [arc, calls] : snapshot_.unfinished) {
            sums[arc].unfinished = calls;
        }
        take_out_probes(sums);
        return sums;
    }

    void take_out_probes(std::vector<Sum>& sums) {
        std::vector<MeasuredSelf> measured;
        measured.reserve(sums.size());
        for (size_t arc = 1; arc < sums.size(); ++arc) {
            measured.push_back({.function = CallTree::function(snapshot_.arcs[arc]),
                                .ticks = sums[arc].self.net,
                                .cost_ticks = replay::cost_of(snapshot_.arcs[arc].self)});
        }
        const Compensated compensated = compensate(measured);
        clamped_ = compensated.clamped.size();
        for (size_t arc = 1; arc < sums.size(); ++arc) {
            Measure& self = sums[arc].self;
            self.net = compensated.self_ticks[arc - 1];
            self.cpu = self.net - std::min(self.net, self.cpu);
        }
    }

    [[nodiscard]] Row function_row(const Arc& arc) const {
        return function_rows_[CallTree::function(arc)];
    }
    [[nodiscard]] Row caller_row(const Arc& arc) const {
        const uint32_t caller = snapshot_.places[CallTree::source(arc)].function;
        return caller == CallTree::kNoFunction ? kNone : function_rows_[caller];
    }

    std::vector<Row> add_paths(std::vector<profile::CallNode>& calltree) const {
        const std::vector<replay::Place>& places = snapshot_.places;
        std::vector<Sum> sums(places.size());
        for (size_t arc = 1; arc < arcs_.size(); ++arc) {
            sums[snapshot_.targets[arc]].add_own(arcs_[arc]);
        }
        std::vector<bool> used(places.size());
        for (size_t place = places.size(); place-- > 1;) {
            sums[place].total += sums[place].self;
            used[place] = used[place] || sums[place].calls != 0;
            const uint32_t parent = places[place].parent;
            used[parent] = used[parent] || used[place];
            sums[parent].total += sums[place].total;
        }
        std::vector<Row> rows(places.size(), kNone);
        for (uint32_t place = 1; place < places.size(); ++place) {
            if (!used[place] || places[place].function == CallTree::kNoFunction) {
                continue;  // a root is not a call
            }
            rows[place] = static_cast<Row>(calltree.size());
            calltree.push_back({.parent = rows[places[place].parent],
                                .function = function_rows_[places[place].function],
                                .thread = places[place].thread,
                                .times = times(sums[place]),
                                .merged = places[place].merged != 0});
        }
        return rows;
    }

    void add_edges(std::vector<profile::Edge>& edges) const {
        PairIndex numbers;
        std::vector<Sum> sums;
        for (size_t arc = 1; arc < arcs_.size(); ++arc) {
            if (arcs_[arc].calls == 0) {
                continue;
            }
            const Row caller = caller_row(snapshot_.arcs[arc]);
            const Row callee = function_row(snapshot_.arcs[arc]);
            uint32_t& number = numbers.at(caller, callee);
            if (number == 0) {
                edges.push_back({.caller = caller, .callee = callee, .times = {}});
                sums.emplace_back();
                number = static_cast<uint32_t>(sums.size());
            }
            Sum& sum = sums[number - 1];
            sum.add_own(arcs_[arc]);
            sum.total +=
                inclusive(snapshot_.arcs[arc].total,
                          extra_of(snapshot_.extras.arcs(), static_cast<uint32_t>(arc)), {});
        }
        for (size_t index = 0; index < sums.size(); ++index) {
            edges[index].times = times(at_least_self(sums[index]));
        }
    }

    void add_functions(CallTables& tables) const {
        const size_t threads = snapshot_.threads.size();
        std::vector<std::vector<Sum>> by_thread(threads);
        for (size_t thread = 0; thread < threads; ++thread) {
            by_thread[thread].resize(snapshot_.threads[thread].functions.size());
        }
        for (size_t arc = 1; arc < arcs_.size(); ++arc) {
            const Arc& row = snapshot_.arcs[arc];
            by_thread[snapshot_.places[CallTree::source(row)].thread][row.thread_function].add_own(
                arcs_[arc]);
        }
        std::vector<Sum> sums(functions_);
        for (uint32_t thread = 0; thread < threads; ++thread) {
            Sum all;
            for (uint32_t row = 1; row < by_thread[thread].size(); ++row) {
                Sum& sum = by_thread[thread][row];
                if (sum.calls == 0) {
                    continue;
                }
                const replay::ThreadFunction& function = snapshot_.threads[thread].functions[row];
                sum.total = inclusive(
                    function.total,
                    extra_of(snapshot_.extras.functions(), replay::CallExtras::key(thread, row)),
                    sum.self);
                const Row function_row = function_rows_[function.function];
                tables.thread_functions.push_back(
                    {.thread = thread, .function = function_row, .times = times(sum)});
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

    /// Self times of functions are the sums of those of their paths, to the nanosecond.
    void take_over_rounding(CallTables& tables) const {
        std::vector<profile::CallTimes> sums(functions_);
        PairIndex numbers;
        std::vector<profile::CallTimes> of_threads(tables.thread_functions.size());
        for (size_t row = 0; row < tables.thread_functions.size(); ++row) {
            const profile::ThreadFunction& pair = tables.thread_functions[row];
            numbers.at(pair.thread, pair.function) = static_cast<uint32_t>(row + 1);
        }
        for (const profile::CallNode& node : tables.calltree) {
            add_self(sums[node.function], node.times);
            if (const uint32_t number = numbers.find(node.thread, node.function)) {
                add_self(of_threads[number - 1], node.times);
            }
        }
        for (size_t row = 0; row < functions_; ++row) {
            set_self(tables.functions[row], sums[row]);
        }
        for (size_t row = 0; row < of_threads.size(); ++row) {
            set_self(tables.thread_functions[row].times, of_threads[row]);
        }
    }

    static void add_self(profile::CallTimes& sum, const profile::CallTimes& times) {
        sum.self_ns += times.self_ns;
        sum.raw.self_ns += times.raw.self_ns;
        sum.cpu.self_ns += times.cpu.self_ns;
        sum.paused.self_ns += times.paused.self_ns;
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

    static Sum at_least_self(Sum sum) {
        sum.total.net = std::max(sum.total.net, sum.self.net);
        sum.total.cpu = std::max(sum.total.cpu, sum.self.cpu);
        sum.total.paused = std::max(sum.total.paused, sum.self.paused);
        return sum;
    }

    [[nodiscard]] uint64_t ns(uint64_t ticks) const { return clock_.duration_ns(ticks); }

    [[nodiscard]] profile::CallTimes times(const Sum& sum) const {
        profile::CallTimes times;
        if (sum.calls != 0) {
            const uint64_t max_ticks = rounded_back(sum.max_ticks, sum.total.raw);
            times.min_ns = ns(std::min(rounded_back(sum.min_ticks, sum.total.raw), max_ticks));
            times.max_ns = ns(max_ticks);
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
        return times;
    }

    const Snapshot& snapshot_;
    std::span<const Row> function_rows_;
    size_t functions_;
    const replay::LinearClock& clock_;
    bool cpu_known_;
    uint64_t clamped_ = 0;
    std::vector<Sum> arcs_;  ///< by arc; without inclusive times
};

}  // namespace

CallTables call_tables(const Snapshot& snapshot, std::span<const Row> function_rows,
                       size_t functions, const replay::LinearClock& clock, bool cpu_known) {
    return Tables(snapshot, function_rows, functions, clock, cpu_known).run();
}

}  // namespace umbra::collector
