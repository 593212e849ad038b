// SPDX-License-Identifier: MIT
// Sums of ticks first, nanoseconds last, so that nothing is rounded twice.
#include "src/collector/tables/call_tables.h"

#include <algorithm>
#include <span>

#include "src/collector/tables/own_times.h"
#include "src/collector/tables/rounded_times.h"
#include "src/profile/call_sums.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;
using replay::CallTree;

class Tables {
  public:
    explicit Tables(const TableInput& in) : in_(in) {}

    CallTables run() {
        CallTables tables;
        tables.paths = path_table(in_);
        add_edges(tables.edges);
        add_functions(tables);
        take_over_rounding(tables);
        return tables;
    }

  private:
    void add_edges(std::vector<profile::Edge>& edges) const {
        const ShardSnapshot::Tree& tree = in_.all.tree;
        std::vector<Calls> calls(tree.edges.size());
        std::vector<replay::Lanes> totals(tree.edges.size());
        for (uint32_t edge = 1; edge < calls.size(); ++edge) {
            calls[edge].function = tree.edges[edge].callee;
            if (edge < tree.gone_by_edge.size()) {
                calls[edge] += calls_of(calls[edge].function, tree.gone_by_edge[edge],
                                        deduction_of(in_.all.deductions.gone_by_edge(), edge));
                totals[edge] += tree.gone_by_edge[edge].total;
            }
        }
        for (uint32_t arc = 1; arc < tree.arcs.size(); ++arc) {
            calls[tree.edges_of[arc]] += calls_of(in_.all, arc);
            totals[tree.edges_of[arc]] += tree.arcs[arc].total;
        }
        const auto rows = [&](const auto& visit) {
            for (uint32_t edge = 1; edge < calls.size(); ++edge) {
                visit(calls[edge], edge);
            }
        };
        edges.reserve(calls.size());
        OwnTimes(in_.least).of(rows, [&](Sum sum, uint32_t edge) {
            if (sum.calls == 0) {
                return;
            }
            sum.total =
                inclusive(totals[edge], deduction_of(in_.all.deductions.edges(), edge), sum.self);
            const uint32_t caller = tree.edges[edge].caller;
            edges.push_back(
                {.caller = caller == CallTree::kNoFunction ? kNone : in_.function_rows[caller],
                 .callee = in_.function_rows[tree.edges[edge].callee],
                 .times = in_.row_times.of(sum)});
        });
    }

    /// Of each function called in each thread, thread by thread in the snapshot's order.
    void for_each_function(const auto& visit) const {
        for (uint32_t thread = 0; thread < in_.snapshot.threads.size(); ++thread) {
            const Snapshot::Thread& rows = in_.snapshot.threads[thread];
            for (size_t row = 0; row < rows.called.size(); ++row) {
                const replay::ThreadFunction& function = rows.functions[row];
                const auto open = rows.unfinished.find(rows.called[row]);
                visit(Calls{.function = rows.called[row],
                            .calls = function.calls,
                            .unfinished = open == rows.unfinished.end() ? 0 : open->second,
                            .min_ticks = function.min_ticks,
                            .max_ticks = function.max_ticks,
                            .self = function.self,
                            .deduction = deduction_of(
                                in_.all.deductions.function_self(),
                                replay::CallDeductions::key(rows.number, rows.called[row]))},
                      rows.called[row], thread, function.total);
            }
        }
    }

    void add_functions(CallTables& tables) const {
        std::vector<Sum> sums(in_.functions);
        std::vector<RoundedSelf> rounded(in_.functions);
        std::vector<Sum> threads(in_.snapshot.threads.size());
        size_t pairs = 0;
        for (const Snapshot::Thread& rows : in_.snapshot.threads) {
            pairs += rows.called.size();
        }
        tables.thread_functions.reserve(pairs);
        tables.threads.reserve(threads.size());
        tables.functions.reserve(sums.size());
        tables.clamped_functions = OwnTimes(in_.least).of(
            [&](const auto& visit) { for_each_function(visit); },
            [&](Sum sum, uint32_t function, uint32_t thread, replay::Lanes total) {
                const uint32_t number = in_.snapshot.threads[thread].number;
                sum.total = inclusive(total,
                                      deduction_of(in_.all.deductions.functions(),
                                                   replay::CallDeductions::key(number, function)),
                                      sum.self);
                const Row function_row = in_.function_rows[function];
                tables.thread_functions.push_back(
                    {.thread = thread,
                     .function = function_row,
                     .times = in_.row_times.of(sum, rounded[function_row])});
                threads[thread].add_own(sum);
                sums[function_row].add_own(sum);
                sums[function_row].total += sum.total;
            });
        for (const Sum& sum : threads) {
            tables.threads.push_back(in_.row_times.of(sum));
        }
        for (const Sum& sum : sums) {
            tables.functions.push_back(in_.row_times.of(sum));
        }
    }

    /// Self times of functions are the sums of those of their paths, of what they have of paths
    /// without a row, and of those of the function in all threads, to the nanosecond: what rounding
    /// leaves over goes to the thread that has most.
    void take_over_rounding(CallTables& tables) const {
        std::vector<profile::CallTimes> sums = tables.paths.truncated;
        for (const profile::CallNode& node : tables.paths.calltree) {
            if (!node.truncated) {
                add_own(sums[node.function], node.times, false);
            }
        }
        std::vector<profile::CallTimes> in_threads(in_.functions);
        std::vector<size_t> most(in_.functions, SIZE_MAX);
        for (size_t row = 0; row < tables.thread_functions.size(); ++row) {
            const profile::ThreadFunction& pair = tables.thread_functions[row];
            size_t& best = most[pair.function];
            if (best == SIZE_MAX ||
                pair.times.self_ns > tables.thread_functions[best].times.self_ns) {
                best = row;
            }
            add_own(in_threads[pair.function], pair.times, false);
        }
        for (size_t row = 0; row < in_.functions; ++row) {
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

    const TableInput& in_;
};

}  // namespace

CallTables call_tables(const Snapshot& snapshot, const ShardSnapshot& calls,
                       std::span<const Row> function_rows, size_t functions,
                       const replay::LinearClock& clock, bool cpu_known) {
    return Tables({.snapshot = snapshot,
                   .all = calls,
                   .function_rows = function_rows,
                   .functions = functions,
                   .least = LeastTime(clock),
                   .row_times = RowTimes(clock, cpu_known)})
        .run();
}

}  // namespace umbra::collector
