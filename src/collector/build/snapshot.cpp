// SPDX-License-Identifier: MIT
// From the session's own numbers and ticks to the rows and nanoseconds of a profile.
#include "src/collector/build/snapshot.h"

#include <algorithm>
#include <cstddef>
#include <future>
#include <limits>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "src/collector/build/compensation.h"
#include "src/collector/build/error_statement.h"
#include "src/profile/derive.h"
#include "src/profile/display_name.h"

namespace umbra::collector {
namespace {

using profile::kNone;
using profile::Row;

std::string_view file_name(std::string_view path) {
    const size_t slash = path.find_last_of("/\\");
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// By COR_PRF_SUSPEND_REASON.
std::string suspend_reason(uint32_t reason) {
    switch (reason) {
        case 1:
            return "gc";
        case 2:
            return "appdomain-shutdown";
        case 3:
            return "code-pitching";
        case 4:
            return "shutdown";
        case 6:
            return "debugger";
        case 7:
            return "gc-prep";
        case 8:
            return "rejit";
        case 9:
            return "profiler";
        default:
            return "other";
    }
}

}  // namespace

void set_display_name(const protocol::FunctionNamed& named, profile::Function& function) {
    profile::set_display_name({.namespace_ = named.namespace_,
                               .type = named.type,
                               .method = named.method,
                               .method_args = named.method_args,
                               .parameters = named.parameters,
                               .user_parameters = named.user_parameters,
                               .return_type = named.return_type,
                               .is_static = named.is_static},
                              function);
}

namespace {

class Builder {
  public:
    Builder(Snapshot& snapshot, const replay::LinearClock& clock, profile::Session session)
        : snapshot_(snapshot), clock_(clock) {
        profile_.session = std::move(session);
    }

    profile::Profile run() {
        add_modules();
        cut_open_calls();
        number_functions();
        add_threads();
        number_paths();
        measure_selves();
        profile_.calltree.reserve(paths_.size());
        // What follows from the paths and what from the times: neither needs the other.
        std::future<void> shaped =
            std::async(std::launch::async | std::launch::deferred, [this] { shape_tree(); });
        add_functions();
        add_histograms();
        add_compilations();
        add_pauses();
        add_exceptions();
        mark_limited();
        sum_extras();
        compensate_nodes();
        add_calltree();
        add_timeline();
        add_sums();
        shaped.get();
        forget_nodes();
        profile::derive(profile_, *shape_);
        errors_->state(shape_->inclusive_sums(), compensated_.error_ticks, clock_,
                       profile_.functions);
        return std::move(profile_);
    }

  private:
    void add_modules() {
        module_rows_.assign(snapshot_.names.module_end(), kNone);
        for (uint32_t index = 0; index < module_rows_.size(); ++index) {
            if (const protocol::ModuleLoaded* module = snapshot_.names.module(index)) {
                module_rows_[index] = static_cast<Row>(profile_.modules.size());
                profile_.modules.push_back({.name = std::string(file_name(module->path)),
                                            .path = module->path,
                                            .framework = module->framework});
            }
        }
    }

    /// A row for each function that has a name or is mentioned anywhere.
    void number_functions() {
        for (uint32_t index = 0; index < snapshot_.names.function_end(); ++index) {
            if (snapshot_.names.function(index) != nullptr) {
                mention(index);
            }
        }
        for (const replay::CallTreeNode& node : snapshot_.nodes) {
            if (node.function != replay::CallTree::kNoFunction) {
                mention(node.function);
            }
        }
        for (const replay::CompilationTicks& compilation : snapshot_.compilations) {
            mention(compilation.function);
        }
        for (const auto& [key, count] : snapshot_.exceptions) {
            mention(key.thrown_in);
            mention(key.caught_in);
        }
        for (const uint32_t function : snapshot_.limited) {
            mention(function);
        }
        Row next = 0;
        for (Row& row : function_rows_) {
            row = row == kNone ? kNone : next++;
        }
        profile_.functions.resize(next);
    }

    void mention(uint32_t function) {
        if (function == 0) {
            return;
        }
        if (function >= function_rows_.size()) {
            function_rows_.resize(size_t{function} + 1, kNone);
        }
        function_rows_[function] = 0;
    }

    [[nodiscard]] Row function_row(uint32_t index) const {
        return index < function_rows_.size() ? function_rows_[index] : kNone;
    }

    void add_functions() {
        for (uint32_t index = 0; index < function_rows_.size(); ++index) {
            if (function_rows_[index] == kNone) {
                continue;
            }
            profile::Function& function = profile_.functions[function_rows_[index]];
            if (const protocol::FunctionNamed* named = snapshot_.names.function(index)) {
                describe(*named, function);
            } else {
                function.name = "function " + std::to_string(index) + " (name unknown)";
                function.raw_name = function.name;
            }
        }
    }

    void describe(const protocol::FunctionNamed& named, profile::Function& function) const {
        set_display_name(named, function);
        function.module = named.module < module_rows_.size() ? module_rows_[named.module] : kNone;
        function.token = named.token;
        function.instrumented = named.instrumented;
    }

    void add_threads() {
        for (const Snapshot::Thread& thread : snapshot_.threads) {
            const replay::ThreadCounts& counts = thread.counts;
            profile_.threads.push_back({.name = thread.name,
                                        .os_tid = thread.os_tid,
                                        .start_ns = clock_.time_ns(thread.start_ticks),
                                        .end_ns = clock_.time_ns(thread.end_ticks),
                                        .covered_ns = 0,
                                        .events = counts.events,
                                        .calls = 0,
                                        .lost_events = counts.lost_events,
                                        .waits = counts.waits,
                                        .wait_ns = clock_.duration_ns(counts.wait_ticks),
                                        .repairs = counts.stack.repairs,
                                        .unmatched_leaves = counts.stack.unmatched_leaves,
                                        .decode_errors = counts.decode_errors,
                                        .cpu_ns = 0,
                                        .kernel_cpu_ns = thread.kernel_cpu_ns,
                                        .paused_ns = 0,
                                        .timed_events = counts.timed_events});
        }
    }

    void cut_open_calls() {
        for (const Snapshot::OpenCall& open : snapshot_.open_calls) {
            replay::CallTreeNode& node = snapshot_.nodes[open.node];
            ++node.calls;
            node.total_ticks += open.elapsed_ticks;
            // How long it will have taken is not known, but no less than this. The shortest call
            // is not touched, unless there is no other.
            node.max_ticks = std::max(node.max_ticks, open.elapsed_ticks);
            if (node.calls == 1) {
                node.min_ticks = open.elapsed_ticks;
            }
        }
    }

    void number_paths() {
        const std::vector<replay::CallTreeNode>& nodes = snapshot_.nodes;
        for (Row thread = 0; thread < snapshot_.threads.size(); ++thread) {
            threads_by_root_[snapshot_.threads[thread].root] = thread;
        }
        rows_.assign(nodes.size(), kNone);
        paths_.reserve(nodes.size());
        for (size_t index = 1; index < nodes.size(); ++index) {
            const replay::CallTreeNode& node = nodes[index];
            if (node.function == replay::CallTree::kNoFunction) {
                continue;  // a root is not a call
            }
            const Row parent = rows_[node.parent];
            rows_[index] = static_cast<Row>(paths_.size());
            paths_.push_back(
                {.parent = parent,
                 .function = function_rows_[node.function],
                 .thread = parent == kNone ? thread_of_root(node.parent) : paths_[parent].thread});
        }
    }

    [[nodiscard]] Row thread_of_root(uint32_t node) const {
        const auto found = threads_by_root_.find(node);
        return found == threads_by_root_.end() ? kNone : found->second;
    }

    void measure_selves() {
        const std::vector<replay::CallTreeNode>& nodes = snapshot_.nodes;
        raw_selves_.resize(nodes.size());
        for (size_t index = nodes.size(); index-- > 1;) {
            // What has been taken out until now are the callees, which come later.
            raw_selves_[index] += nodes[index].total_ticks;
            raw_selves_[nodes[index].parent] -= nodes[index].total_ticks;
        }
    }

    /// On another thread; touches what nobody else writes meanwhile.
    void shape_tree() {
        errors_.emplace(snapshot_, raw_selves_, function_rows_, profile_.functions.size());
        shape_.emplace(paths_, profile_.functions.size(), errors_->take_variances());
        paths_ = {};
    }

    /// Own off-CPU, paused and waited ticks of the few nodes that have any, and inclusive paused
    /// ones of all. Own ones never exceed self time, which is without the waits for the collector,
    /// nor does off-CPU time contain any.
    void sum_extras() {
        const std::vector<replay::CallTreeNode>& nodes = snapshot_.nodes;
        extras_ = std::move(snapshot_.extras);
        std::ranges::sort(extras_, {}, [](const auto& row) { return row.first; });
        selves_ = raw_selves_;
        paused_.assign(nodes.size(), 0);
        for (auto& [node, own] : extras_) {
            own.waited_ticks = std::min(own.waited_ticks, raw_selves_[node]);
            selves_[node] -= own.waited_ticks;
            own.off_cpu_ticks -= std::min(own.off_cpu_ticks, own.waited_off_ticks);
            own.off_cpu_ticks = std::min(own.off_cpu_ticks, selves_[node]);
            own.paused_ticks = std::min(own.paused_ticks, selves_[node]);
            paused_[node] = own.paused_ticks;
        }
        for (size_t index = nodes.size(); index-- > 1;) {
            paused_[nodes[index].parent] += paused_[index];
        }
    }

    void compensate_nodes() {
        compensated_ = compensate({.nodes = snapshot_.nodes,
                                   .self_ticks = std::move(selves_),
                                   .extras = extras_,
                                   .adaptive = snapshot_.adaptive},
                                  snapshot_.probe_costs);
        profile::Session& session = profile_.session;
        const hotpath::ProbeCosts& costs = snapshot_.probe_costs;
        session.probe_timed_inside_ns = clock_.exact_ns(costs.timed_inside);
        session.probe_timed_outside_ns = clock_.exact_ns(costs.timed_outside);
        session.probe_untimed_ns = clock_.exact_ns(costs.untimed);
        session.probe_error_ns = clock_.exact_ns(costs.timed_error);
        session.clamped_functions = compensated_.clamped.size();
    }

    /// Without what was off the processors only in the total.
    [[nodiscard]] profile::Span cpu_span(size_t node) const {
        if (profile_.session.cpu_source == "none") {
            return {};  // nothing is known without a source
        }
        return {.total_ns = clock_.duration_ns(compensated_.cpu_total_ticks[node]),
                .self_ns = clock_.duration_ns(compensated_.self_ticks[node])};
    }

    void add_calltree() {
        const std::vector<replay::CallTreeNode>& nodes = snapshot_.nodes;
        for (size_t index = 1; index < nodes.size(); ++index) {
            const replay::CallTreeNode& node = nodes[index];
            if (rows_[index] == kNone) {
                continue;
            }
            const Row parent = rows_[node.parent];
            profile_.calltree.push_back(
                {.parent = parent,
                 .function = function_rows_[node.function],
                 .thread = parent == kNone ? thread_of_root(node.parent)
                                           : profile_.calltree[parent].thread,
                 .times = {
                     .calls = node.calls,
                     .unfinished = 0,
                     .total_ns = clock_.duration_ns(compensated_.total_ticks[index]),
                     .self_ns = clock_.duration_ns(compensated_.self_ticks[index]),
                     .min_ns = clock_.duration_ns(node.min_ticks),
                     .max_ns = clock_.duration_ns(node.max_ticks),
                     .raw = {.total_ns = clock_.duration_ns(node.total_ticks),
                             .self_ns = clock_.duration_ns(raw_selves_[index])},
                     .cpu = cpu_span(index),
                     .paused = {.total_ns = clock_.duration_ns(paused_[index]), .self_ns = 0}}});
            if (parent == kNone) {
                add_times(profile_.threads[profile_.calltree.back().thread],
                          profile_.calltree.back().times);
            }
        }
        for (const Snapshot::OpenCall& open : snapshot_.open_calls) {
            if (rows_[open.node] != kNone) {
                ++profile_.calltree[rows_[open.node]].times.unfinished;
            }
        }
        for (const auto& [node, own] : extras_) {
            if (rows_[node] == kNone) {
                continue;
            }
            profile::CallTimes& times = profile_.calltree[rows_[node]].times;
            times.paused.self_ns = clock_.duration_ns(own.paused_ticks);
            if (profile_.session.cpu_source != "none") {
                const uint64_t self = compensated_.self_ticks[node];
                times.cpu.self_ns = clock_.duration_ns(self - std::min(self, own.off_cpu_ticks));
            }
        }
    }

    /// Everything by node: a third of the memory there is.
    void forget_nodes() {
        snapshot_.nodes = {};
        rows_ = {};
        raw_selves_ = {};
        paused_ = {};
        compensated_.self_ticks = {};
        compensated_.total_ticks = {};
        compensated_.cpu_total_ticks = {};
    }

    /// Of an outermost call.
    void add_times(profile::Thread& thread, const profile::CallTimes& times) {
        thread.cpu_ns += times.cpu.total_ns;
        thread.paused_ns += times.paused.total_ns;
        if (profile_.session.cpu_source != "none") {
            profile_.session.on_cpu_ns += times.cpu.total_ns;
            profile_.session.off_cpu_ns += times.total_ns - times.cpu.total_ns;
        }
    }

    void add_histograms() {
        for (const replay::HistogramCount& count : snapshot_.histograms) {
            add_bucket(function_row(count.function), count.bucket, count.calls);
        }
    }

    void add_bucket(Row function, size_t bucket, uint64_t calls) {
        const bool last = bucket + 1 == replay::HistogramBuckets::kBuckets;
        profile_.histograms.push_back(
            {.function = function,
             .lower_ns = clock_.duration_ns(replay::HistogramBuckets::lower_ticks(bucket)),
             .upper_ns = last ? std::numeric_limits<uint64_t>::max()
                              : clock_.duration_ns(replay::HistogramBuckets::lower_ticks(bucket + 1)),
             .calls = calls});
    }

    void add_timeline() {
        profile_.timeline.reserve(snapshot_.calls.size());
        for (const replay::LoggedCall& call : snapshot_.calls) {
            profile_.timeline.push_back({.node = rows_[call.node],
                                         .start_ns = clock_.time_ns(call.begin_ticks),
                                         .duration_ns = clock_.duration_ns(call.duration_ticks)});
        }
        snapshot_.calls = {};
    }

    void add_compilations() {
        std::unordered_map<uint32_t, uint32_t> versions;
        profile_.compilations.reserve(snapshot_.compilations.size());
        for (const replay::CompilationTicks& compilation : snapshot_.compilations) {
            profile_.compilations.push_back(
                {.function = function_row(compilation.function),
                 .thread = compilation.thread,
                 .start_ns = clock_.time_ns(compilation.start_ticks),
                 .duration_ns = clock_.duration_ns(compilation.duration_ticks),
                 .version = compilation.function == 0 ? 0 : ++versions[compilation.function]});
        }
    }

    void add_pauses() {
        std::unordered_map<uint32_t, Row> threads;
        for (Row thread = 0; thread < snapshot_.threads.size(); ++thread) {
            threads[snapshot_.threads[thread].os_tid] = thread;
        }
        profile_.pauses.reserve(snapshot_.pauses.size());
        for (const replay::PauseTicks& pause : snapshot_.pauses) {
            const auto thread = threads.find(pause.os_tid);
            profile_.pauses.push_back(
                {.reason = suspend_reason(pause.reason),
                 .generations = pause.generations,
                 .thread = thread == threads.end() ? kNone : thread->second,
                 .os_tid = pause.os_tid,
                 .start_ns = clock_.time_ns(pause.begin_ticks),
                 .duration_ns = clock_.duration_ns(pause.end_ticks - pause.begin_ticks),
                 .stopping_ns = clock_.duration_ns(pause.suspended_ticks - pause.begin_ticks),
                 .threads = pause.threads});
        }
    }

    void add_exceptions() {
        for (const auto& [key, count] : snapshot_.exceptions) {
            const protocol::TypeNamed* type = snapshot_.names.type(key.type);
            profile_.exceptions.push_back({.type = type == nullptr ? "(unknown)" : type->name,
                                           .thrown_in = function_row(key.thrown_in),
                                           .caught_in = function_row(key.caught_in),
                                           .count = count});
        }
    }

    void mark_limited() {
        for (const uint32_t function : snapshot_.limited) {
            profile_.functions[function_row(function)].limited = true;
        }
        profile_.session.limited_functions = snapshot_.limited.size();
    }

    void add_sums() {
        profile::Session& session = profile_.session;
        session.wall_ns = clock_.time_ns(snapshot_.taken_ticks);
        for (size_t index = 0; index < profile_.threads.size(); ++index) {
            const profile::Thread& thread = profile_.threads[index];
            session.events += thread.events;
            session.timed_events += thread.timed_events;
            session.waits += thread.waits;
            session.wait_ns += thread.wait_ns;
            session.losses.ring_full += thread.lost_events;
            session.losses.decode_errors += thread.decode_errors;
            session.losses.depth += snapshot_.threads[index].counts.stack.too_deep;
        }
        session.losses.no_thread_slot += snapshot_.losses.no_thread_slot;
        session.losses.nodes += snapshot_.losses.nodes;
        session.losses.pauses += snapshot_.losses.pauses;
        session.losses.rows += snapshot_.losses.rows;
    }

    Snapshot& snapshot_;
    const replay::LinearClock& clock_;
    profile::Profile profile_;
    std::vector<Row> module_rows_;    ///< by the agent's index
    std::vector<Row> function_rows_;  ///< by the agent's index
    std::unordered_map<uint32_t, Row> threads_by_root_;
    std::vector<Row> rows_;             ///< of the call tree, by node; kNone: a root
    std::vector<profile::Path> paths_;  ///< by row of the call tree
    std::vector<uint64_t> raw_selves_;  ///< by node: ticks without its callees
    std::vector<uint64_t> selves_;      ///< by node: without the waits for the collector as well
    std::vector<std::pair<uint32_t, replay::NodeExtra>> extras_;  ///< own ones, by node number
    std::vector<uint64_t> paused_;                        ///< by node: with its callees
    std::optional<ErrorStatement> errors_;
    std::optional<profile::TreeShape> shape_;
    Compensated compensated_;
};

}  // namespace

profile::Profile build(Snapshot snapshot, const replay::LinearClock& clock, profile::Session session) {
    return Builder(snapshot, clock, std::move(session)).run();
}

}  // namespace umbra::collector
