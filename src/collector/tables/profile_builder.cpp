// SPDX-License-Identifier: MIT
#include "src/collector/tables/profile_builder.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "src/collector/tables/argument_tables.h"
#include "src/collector/tables/async_tables.h"
#include "src/collector/tables/call_tables.h"
#include "src/collector/tables/merge_shards.h"
#include "src/collector/tables/slow_call_tables.h"
#include "src/profile/derive.h"
#include "src/profile/names/display_name.h"
#include "src/profile/report.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;

std::string_view file_name(std::string_view path) {
    const size_t slash = path.find_last_of("/\\");
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// By clr::SuspendReason, COR_PRF_SUSPEND_REASON.
std::string suspend_reason(uint32_t reason) {
    static constexpr std::string_view kReasons[] = {
        "other",    "gc",      "appdomain-shutdown", "code-pitching",
        "shutdown", "other",   "debugger",           "gc-prep",
        "rejit",    "profiler"};
    return std::string(kReasons[reason < std::size(kReasons) ? reason : 0]);
}

Row row_at(const std::vector<Row>& rows, uint32_t index) {
    return index < rows.size() ? rows[index] : kNone;
}

/// Rows of the profile by the agent's numbers, of threads by umbra's; kNone where there is none.
struct Rows {
    std::unordered_map<uint32_t, Row> threads;
    std::vector<Row> runtimes;
    std::vector<Row> modules;
    std::vector<Row> functions;
    size_t function_count = 0;

    [[nodiscard]] Row function(uint32_t index) const { return row_at(functions, index); }
    [[nodiscard]] Row thread(uint32_t number) const {
        const auto row = threads.find(number);
        return row == threads.end() ? kNone : row->second;
    }
};

std::pair<std::vector<profile::Runtime>, std::vector<Row>> runtimes(const NameTables& names) {
    std::vector<profile::Runtime> runtimes;
    std::vector<Row> rows(names.runtime_end(), kNone);
    for (uint32_t index = 0; index < rows.size(); ++index) {
        if (const protocol::RuntimeStarted* runtime = names.runtime(index)) {
            rows[index] = static_cast<Row>(runtimes.size());
            runtimes.push_back({.version = runtime->version});
        }
    }
    return {std::move(runtimes), std::move(rows)};
}

std::pair<std::vector<profile::Module>, std::vector<Row>> modules(
    const NameTables& names, const std::vector<Row>& runtimes) {
    std::vector<profile::Module> modules;
    std::vector<Row> rows(names.module_end(), kNone);
    for (uint32_t index = 0; index < rows.size(); ++index) {
        if (const protocol::ModuleLoaded* module = names.module(index)) {
            rows[index] = static_cast<Row>(modules.size());
            modules.push_back({.name = std::string(file_name(module->path)),
                               .path = module->path,
                               .framework = module->framework,
                               .runtime = row_at(runtimes, module->runtime)});
        }
    }
    return {std::move(modules), std::move(rows)};
}

std::unordered_map<uint32_t, Row> thread_rows(const Snapshot& snapshot) {
    std::unordered_map<uint32_t, Row> rows;
    for (Row row = 0; row < snapshot.threads.size(); ++row) {
        rows[snapshot.threads[row].number] = row;
    }
    for (const auto& [number, owner] : snapshot.owners) {
        const auto row = rows.find(owner);
        if (row != rows.end()) {
            rows.emplace(number, row->second);
        }
    }
    return rows;
}

/// A row for each function that has a name or is mentioned anywhere.
std::vector<Row> function_rows(const Snapshot& snapshot, const ShardSnapshot& all, size_t& count) {
    std::vector<Row> rows;
    const auto mention = [&rows](uint32_t function) {
        if (function != 0) {
            rows.resize(std::max(rows.size(), size_t{function} + 1), kNone);
            rows[function] = 0;
        }
    };
    for (uint32_t index = 0; index < snapshot.names.function_end(); ++index) {
        if (snapshot.names.function(index) != nullptr) {
            mention(index);
        }
    }
    for (size_t edge = 1; edge < all.tree.edges.size(); ++edge) {
        mention(all.tree.edges[edge].callee);
    }
    for (const auto& [function, sum] : snapshot.compilations.sums) {
        mention(function);
    }
    for (const auto& [key, number] : snapshot.exceptions) {
        mention(key.thrown_in);
        mention(key.caught_in);
    }
    for (const uint32_t function : snapshot.deinstrumented) {
        mention(function);
    }
    for (const auto& [function, into] : snapshot.names.inlined()) {
        mention(function);
    }
    for_each_slow_function(snapshot, mention);
    for_each_async_function(snapshot.async, mention);
    for_each_argument_function(snapshot.names, all.arguments, mention);
    Row next = 0;
    for (Row& row : rows) {
        row = row == kNone ? kNone : next++;
    }
    count = next;
    return rows;
}

void describe(const protocol::FunctionNamed& named, const Rows& rows, profile::Function& function) {
    set_display_name(named, function);
    function.module = row_at(rows.modules, named.module);
    function.runtime = row_at(rows.runtimes, named.runtime);
    function.token = named.token;
    function.instrumented = named.instrumented;
    function.runtime_async = named.suspended;
    function.trivial = named.trivial;
}

/// "Acme.Cart.Total(), Acme.Cart.Add(Item) and more"
std::string names_of(const std::vector<uint32_t>& into,
                     const std::vector<profile::Function>& functions, const Rows& rows) {
    std::string text;
    for (const uint32_t index : into) {
        const Row row = rows.function(index);
        text += text.empty() ? "" : ", ";
        text += row == kNone ? "code made at run time" : functions[row].name;
    }
    return into.size() == protocol::kMostInlinedInto ? text + " and more" : text;
}

std::vector<profile::Function> functions(const Snapshot& snapshot, const Rows& rows) {
    std::vector<profile::Function> functions(rows.function_count);
    for (uint32_t index = 0; index < rows.functions.size(); ++index) {
        if (rows.functions[index] == kNone) {
            continue;
        }
        profile::Function& function = functions[rows.functions[index]];
        const protocol::FunctionNamed* named = snapshot.names.function(index);
        if (named != nullptr) {
            describe(*named, rows, function);
        }
        if (function.method.empty()) {
            function.name = "function " + std::to_string(index) + " (name unknown)";
            function.raw_name = function.name;
        }
    }
    for (const uint32_t index : snapshot.deinstrumented) {
        functions[rows.function(index)].deinstrumented = true;
    }
    for (const auto& [index, into] : snapshot.names.inlined()) {
        functions[rows.function(index)].inlined_into = names_of(into, functions, rows);
    }
    return functions;
}

std::vector<profile::Thread> threads(const Snapshot& snapshot, const CallTables& tables,
                                     const replay::LinearClock& clock) {
    std::vector<profile::Thread> threads;
    for (size_t index = 0; index < snapshot.threads.size(); ++index) {
        const Snapshot::Thread& thread = snapshot.threads[index];
        const replay::ThreadCounts& counts = thread.counts;
        const profile::CallTimes& times = tables.threads[index];
        threads.push_back({.name = thread.name,
                           .os_tid = thread.os_tid,
                           .start_ns = clock.time_ns(thread.start_ticks),
                           .end_ns = clock.time_ns(thread.end_ticks),
                           .covered_ns = times.raw.self_ns,
                           .events = counts.events,
                           .calls = times.calls,
                           .lost_events = counts.lost_events,
                           .waits = counts.waits,
                           .wait_ns = clock.duration_ns(counts.wait_ticks),
                           .repairs = counts.stack.repairs,
                           .unmatched_leaves = counts.stack.unmatched_leaves,
                           .decode_errors = counts.decode_errors,
                           .cpu_ns = times.cpu.self_ns,
                           .kernel_cpu_ns = thread.kernel_cpu_ns,
                           .paused_ns = times.paused.self_ns,
                           .compilations = counts.compilations,
                           .compiling_ns = clock.duration_ns(counts.compiling_ticks),
                           .threads = thread.threads});
    }
    return threads;
}

std::vector<profile::HistogramBucket> histograms(const ShardSnapshot& all, const Rows& rows,
                                                 const replay::LinearClock& clock) {
    using Buckets = replay::HistogramBuckets;
    std::vector<profile::HistogramBucket> buckets;
    for (const replay::HistogramCount& count : all.histograms) {
        const bool last = count.bucket + 1 == Buckets::kBuckets;
        buckets.push_back(
            {.function = rows.function(count.function),
             .lower_ns = clock.duration_ns(Buckets::lower_ticks(count.bucket)),
             .upper_ns = last ? std::numeric_limits<uint64_t>::max()
                              : clock.duration_ns(Buckets::lower_ticks(count.bucket + 1)),
             .calls = count.calls});
    }
    return buckets;
}

std::vector<profile::TimedCall> timeline(const ShardSnapshot& all, const CallTables& tables,
                                         const replay::LinearClock& clock) {
    std::vector<profile::TimedCall> timeline;
    timeline.reserve(all.log.size());
    for (const replay::LoggedCall& call : all.log) {
        timeline.push_back({.node = tables.paths.path_rows[all.tree.targets[call.node]],
                            .start_ns = clock.time_ns(call.begin_ticks),
                            .duration_ns = clock.duration_ns(call.duration_ticks)});
    }
    return timeline;
}

std::vector<profile::Compilation> compilations(const Snapshot& snapshot, const Rows& rows,
                                               const replay::LinearClock& clock) {
    std::vector<profile::Compilation> compilations;
    compilations.reserve(snapshot.compilations.rows.size());
    for (const replay::CompilationTicks& compilation : snapshot.compilations.rows) {
        compilations.push_back({.function = rows.function(compilation.function),
                                .thread = rows.thread(compilation.thread),
                                .start_ns = clock.time_ns(compilation.start_ticks),
                                .duration_ns = clock.duration_ns(compilation.duration_ticks),
                                .version = compilation.version});
    }
    return compilations;
}

std::vector<profile::CompilationSum> compilation_sums(const Snapshot& snapshot, const Rows& rows,
                                                      const replay::LinearClock& clock) {
    std::vector<profile::CompilationSum> sums;
    for (const auto& [function, sum] : snapshot.compilations.sums) {
        sums.push_back({.function = rows.function(function),
                        .count = sum.count,
                        .duration_ns = clock.duration_ns(sum.ticks),
                        .longest_ns = clock.duration_ns(sum.longest_ticks)});
    }
    std::ranges::sort(sums, {}, &profile::CompilationSum::function);
    return sums;
}

/// The thread that had an id at a moment: ids are used again.
class ThreadsById {
  public:
    explicit ThreadsById(const std::vector<Snapshot::Thread>& threads) : threads_(threads) {
        for (Row row = 0; row < threads.size(); ++row) {
            if (threads[row].threads == 1) {
                rows_[threads[row].os_tid].push_back(row);
            }
        }
    }
    [[nodiscard]] Row at(uint32_t os_tid, uint64_t ticks) const {
        const auto rows = rows_.find(os_tid);
        if (rows == rows_.end()) {
            return kNone;
        }
        const auto row = std::ranges::find_if(
            rows->second, [&](Row thread) { return threads_[thread].end_ticks >= ticks; });
        return row == rows->second.end() ? kNone : *row;
    }

  private:
    const std::vector<Snapshot::Thread>& threads_;
    std::unordered_map<uint32_t, std::vector<Row>> rows_;
};

std::vector<profile::Pause> pauses(const Snapshot& snapshot, const replay::LinearClock& clock) {
    const ThreadsById threads(snapshot.threads);
    std::vector<profile::Pause> pauses;
    pauses.reserve(snapshot.pauses.size());
    for (const replay::PauseTicks& pause : snapshot.pauses) {
        pauses.push_back(
            {.reason = suspend_reason(pause.reason),
             .generations = pause.generations,
             .thread = threads.at(pause.os_tid, pause.begin_ticks),
             .os_tid = pause.os_tid,
             .start_ns = clock.time_ns(pause.begin_ticks),
             .duration_ns = clock.duration_ns(pause.ticks()),
             .stopping_ns = clock.duration_ns(pause.suspended_ticks - pause.begin_ticks),
             .threads = pause.threads});
    }
    return pauses;
}

std::vector<profile::PauseSum> pause_sums(const Snapshot& snapshot,
                                          const replay::LinearClock& clock) {
    std::vector<profile::PauseSum> sums;
    for (const replay::PauseSum& sum : snapshot.pause_sums) {
        sums.push_back({.reason = suspend_reason(sum.reason),
                        .generations = sum.generations,
                        .count = sum.count,
                        .duration_ns = clock.duration_ns(sum.ticks),
                        .stopping_ns = clock.duration_ns(sum.stopping_ticks),
                        .longest_ns = clock.duration_ns(sum.longest_ticks)});
    }
    std::ranges::stable_sort(sums, std::greater<>(), &profile::PauseSum::duration_ns);
    return sums;
}

/// In ticks, of everything.
struct SliceSums {
    replay::PauseSlice pauses;
    replay::CompilationSlice compilations;
    ThreadSlice threads;

    SliceSums& operator+=(const SliceSums& other) {
        pauses += other.pauses;
        compilations += other.compilations;
        threads += other.threads;
        return *this;
    }
};

std::vector<profile::TimeSlice> time_slices(const Snapshot& snapshot,
                                            const replay::LinearClock& clock) {
    replay::TimeSlices<SliceSums> sums;
    sums.add(snapshot.pause_slices,
             [](SliceSums& sum, const replay::PauseSlice& slice) { sum.pauses += slice; });
    sums.add(
        snapshot.compilations.slices,
        [](SliceSums& sum, const replay::CompilationSlice& slice) { sum.compilations += slice; });
    sums.add(snapshot.thread_slices,
             [](SliceSums& sum, const ThreadSlice& slice) { sum.threads += slice; });
    std::vector<profile::TimeSlice> slices;
    sums.for_each([&](uint64_t begin_ticks, const SliceSums& sum) {
        const uint64_t start_ns = clock.time_ns(begin_ticks);
        slices.push_back({.start_ns = start_ns,
                          .duration_ns = clock.time_ns(begin_ticks + sums.width()) - start_ns,
                          .pauses = sum.pauses.count,
                          .paused_ns = clock.duration_ns(sum.pauses.ticks),
                          .longest_pause_ns = clock.duration_ns(sum.pauses.longest_ticks),
                          .compilations = sum.compilations.count,
                          .compiling_ns = clock.duration_ns(sum.compilations.ticks),
                          .threads_begun = sum.threads.began,
                          .threads_ended = sum.threads.ended});
    });
    return slices;
}

std::vector<profile::ExceptionCount> exceptions(const Snapshot& snapshot, const Rows& rows) {
    std::vector<profile::ExceptionCount> exceptions;
    for (const auto& [key, count] : snapshot.exceptions) {
        const protocol::TypeNamed* type = snapshot.names.type(key.type);
        exceptions.push_back({.type = type == nullptr ? "(unknown)" : type->name,
                              .thrown_in = rows.function(key.thrown_in),
                              .caught_in = rows.function(key.caught_in),
                              .count = count});
    }
    return exceptions;
}

void add_sums(const Snapshot& snapshot, const CallTables& tables, const replay::LinearClock& clock,
              profile::Profile& profile) {
    profile::Session& session = profile.session;
    session.wall_ns = clock.time_ns(snapshot.taken_ticks);
    for (size_t index = 0; index < profile.threads.size(); ++index) {
        const profile::Thread& thread = profile.threads[index];
        session.counts.events += thread.events;
        session.counts.waits += thread.waits;
        session.counts.wait_ns += thread.wait_ns;
        session.losses.ring_full += thread.lost_events;
        session.losses.decode_errors += thread.decode_errors;
        session.losses.depth += snapshot.threads[index].counts.stack.too_deep;
        if (session.cpu.source != "none") {
            session.cpu.on_ns += thread.cpu_ns;
            session.cpu.off_ns += tables.threads[index].self_ns - thread.cpu_ns;
        }
    }
    // What the threads of a running program did before their first timed call is not time in one.
    const auto before = std::ranges::find_if(profile.functions, profile::is_before_start);
    if (before != profile.functions.end() && session.cpu.source != "none") {
        const profile::CallTimes& times = before->times;
        session.cpu.on_ns -= std::min(session.cpu.on_ns, times.cpu.self_ns);
        session.cpu.off_ns -= std::min(
            session.cpu.off_ns, times.raw.self_ns - std::min(times.raw.self_ns, times.cpu.self_ns));
    }
    session.losses.no_thread_slot += snapshot.losses.no_thread_slot;
    session.losses.nodes += snapshot.losses.nodes;
    session.losses.pauses += snapshot.losses.pauses;
    session.losses.rows += snapshot.losses.rows;
    session.probes.deinstrumented_functions = snapshot.deinstrumented.size();
    session.probes.clamped_functions = tables.clamped_functions;
    session.settings.tree = snapshot.folded ? "folded" : "full";
    for (const profile::CallNode& node : profile.calltree) {
        session.truncated_ns += node.truncated ? node.times.self_ns : 0;
    }
    const hotpath::ProbeCosts& costs = snapshot.probe_costs;
    session.probes.inside_ns = clock.exact_ns(costs.inside);
    session.probes.outside_ns = clock.exact_ns(costs.outside);
}

void set_runtimes_of_threads(profile::Profile& profile) {
    std::vector<bool> several(profile.threads.size(), false);
    for (const profile::ThreadFunction& row : profile.thread_functions) {
        const Row runtime = profile.functions[row.function].runtime;
        Row& known = profile.threads[row.thread].runtime;
        if (runtime == kNone || several[row.thread]) {
            continue;
        }
        several[row.thread] = known != kNone && known != runtime;
        known = several[row.thread] ? kNone : runtime;
    }
}

}  // namespace

profile::Profile build(Snapshot snapshot, const replay::LinearClock& clock,
                       profile::Session session) {
    profile::Profile profile;
    profile.session = std::move(session);
    ShardSnapshot all = merge(std::move(snapshot.shards));
    Rows rows;
    std::tie(profile.runtimes, rows.runtimes) = runtimes(snapshot.names);
    std::tie(profile.modules, rows.modules) = modules(snapshot.names, rows.runtimes);
    rows.threads = thread_rows(snapshot);
    rows.functions = function_rows(snapshot, all, rows.function_count);
    profile.functions = functions(snapshot, rows);
    CallTables tables = call_tables(snapshot, all, rows.functions, rows.function_count, clock,
                                    profile.session.cpu.source != "none");
    profile.timeline = timeline(all, tables, clock);
    all.tree = {};
    for (Snapshot::Thread& thread : snapshot.threads) {
        thread.called = {};
        thread.functions = {};
    }
    for (size_t row = 0; row < profile.functions.size(); ++row) {
        profile.functions[row].times = tables.functions[row];
    }
    if (tables.paths.truncated_row != kNone) {
        profile.functions.push_back(profile::truncated_paths());
    }
    profile.session.probes.runtime_async_methods =
        runtime_async_methods(snapshot.names, rows.functions, profile.functions);
    profile.threads = threads(snapshot, tables, clock);
    profile.calltree = std::move(tables.paths.calltree);
    profile.edges = std::move(tables.edges);
    profile.thread_functions = std::move(tables.thread_functions);
    set_runtimes_of_threads(profile);
    profile.histograms = histograms(all, rows, clock);
    profile.compilations = compilations(snapshot, rows, clock);
    profile.compilation_sums = compilation_sums(snapshot, rows, clock);
    profile.pauses = pauses(snapshot, clock);
    profile.pause_sums = pause_sums(snapshot, clock);
    profile.time_slices = time_slices(snapshot, clock);
    profile.exceptions = exceptions(snapshot, rows);
    add_arguments(snapshot.names, all.arguments, rows.functions, clock, profile);
    add_async_calls(snapshot.names, snapshot.async, rows.functions, clock, profile);
    add_slow_calls(snapshot, rows.functions, rows.threads, clock, profile);
    add_sums(snapshot, tables, clock, profile);
    profile.methods = method_rows(profile);
    return profile;
}

}  // namespace umbra::collector
