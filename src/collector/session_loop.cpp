// SPDX-License-Identifier: MIT
#include "src/collector/session_loop.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include <sched.h>

#include "hotpath/clock.h"
#include "src/base/read_file.h"
#include "src/base/utf8.h"
#include "src/collector/cpu/schedstat.h"
#include "src/collector/tables/unnamed_functions.h"

namespace umbra::collector {
namespace {

using std::chrono::steady_clock;

constexpr auto kHouseKeeping = std::chrono::seconds(1);
constexpr auto kFirstKeeping = std::chrono::milliseconds(5);       // gives the clock's rate
constexpr size_t kMostWaiting = size_t{4} * hotpath::kMaxThreads;  // threads, ended ones too
constexpr std::chrono::nanoseconds kCpuPollInterval = std::chrono::milliseconds(1);
constexpr auto kMergeInterval = std::chrono::milliseconds(50);
/// The name of a type comes this much later than its first record, at most, or it is not waited
/// for.
constexpr double kNamesBehindNs = 3e9;
constexpr double kUsualTicksPerNs = 2.5;  // for the first milliseconds

WorkerCount count_for(const SessionOptions& options) {
    const bool one = options.sink != nullptr || options.spec.max_logged_calls != 0;
    return worker_count(one ? 1 : options.spec.workers);
}

replay::Limits limits_for(const RecordingSpec& spec) {
    replay::Limits limits;
    limits.max_logged_calls = spec.max_logged_calls;
    limits.tree = spec.tree;
    limits.slowest.by = spec.slowest_by;
    for (const SlowestRequest& request : spec.slowest) {
        limits.slowest.keep.push_back(request.calls);
    }
    return limits;
}

// Whether the kernel says that a thread waits for something other than a processor.
bool is_waiting(uint32_t pid, uint32_t os_tid) {
    const char state = thread_state(pid, os_tid);
    return state == 'S' || state == 'D';
}

}  // namespace

ProcessCpu::ProcessCpu(uint32_t pid, bool running)
    : pid_(pid), before_ns_(running ? process_cpu_ns(pid).value_or(0) : 0) {
}

void ProcessCpu::read() {
    take(process_cpu_ns(pid_).value_or(0));
}

void ProcessCpu::take(uint64_t process_cpu_ns) {
    if (!std::in_range<int64_t>(process_cpu_ns)) {
        return;
    }
    const uint64_t since_ns = process_cpu_ns - std::min(before_ns_, process_cpu_ns);
    uint64_t known = ns_.load();
    while (since_ns > known && !ns_.compare_exchange_weak(known, since_ns)) {
    }
}

SessionLoop::SessionLoop(SharedSegment& segment, const SessionOptions& options,
                         const profile::Session& facts, SessionExchange& exchange,
                         ProcessCpu& process_cpu)
    : segment_(segment),
      options_(options),
      facts_(facts),
      exchange_(exchange),
      process_cpu_(process_cpu),
      start_ticks_(segment.header().start_ticks),
      clock_source_(facts.clock.source == "os" ? hotpath::ClockSource::kOs
                                               : hotpath::ClockSource::kCounter),
      worker_count_(count_for(options)),
      state_(limits_for(options.spec), worker_count_.most == 1),
      clock_(clock_source_),
      cpu_(facts.pid, options.spec.cpu, clock_source_, facts.capture),
      ids_(facts.pid) {
    state_.watch(segment.watched());
    if (options.spec.agent.async_calls) {
        state_.follow_async({.traits = segment.traits(), .methods = segment.methods()});
    }
}

void SessionLoop::apply_facts() {
    for (protocol::ProcessFact& fact : exchange_.facts.take()) {
        std::visit([this](auto& kind) { apply(kind); }, fact);
    }
}

void SessionLoop::apply(protocol::ThreadNamed& fact) {
    fact.os_tid = ids_.here(fact.os_tid);
    state_.note(fact);
}

void SessionLoop::apply(const protocol::HooksRemoved& fact) {
    state_.note(fact);
    if (budget_) {
        budget_->note(fact);
    }
}

void SessionLoop::name_thread(ProfiledThread& thread) const {
    constexpr size_t kMaxBytes = 64;  // the kernel keeps 15
    const std::optional<std::string> name =
        read_file("/proc/" + std::to_string(facts_.pid) + "/task/" +
                      std::to_string(thread.os_tid()) + "/comm",
                  kMaxBytes);
    if (name) {
        thread.set_kernel_name(printable_utf8(name->substr(0, name->find('\n'))));
    }
}

void SessionLoop::replay_step() {
    const steady_clock::time_point now = steady_clock::now();
    if (!workers_->turn()) {
        workers_->sleep(cpu_.needs_polling() ? kCpuPollInterval : Drain::kRest);
    }
    if (workers_->balance_due(now)) {
        workers_->balance(now, processor_use());
    }
}

double SessionLoop::ticks_per_ns() const {
    const double hz = clock_.ticks_hz();
    return hz > 0 ? hz * 1e-9 : kUsualTicksPerNs;
}

void SessionLoop::run() {
    state_.set_sink(options_.sink.get());
    workers_.emplace(
        segment_, state_, cpu_, ids_, [this](ProfiledThread& thread) { name_thread(thread); },
        worker_count_);
    steady_clock::time_point next_keeping = steady_clock::now() + kFirstKeeping;
    bool last_figures = false;
    while (!exchange_.stop.load()) {
        apply_facts();
        take_probe_costs();
        replay_step();
        follow_async(steady_clock::now());
        // A look at the sums goes over the threads in several steps; too many wait for no look.
        const bool in_look = (stats_ && stats_->in_look()) || (budget_ && budget_->in_look());
        if (!in_look || state_.threads().size() > kMostWaiting) {
            state_.retire_ended();
        }
        exchange_.events.store(state_.progress().events, std::memory_order_relaxed);
        exchange_.threads.store(workers_->live_threads(), std::memory_order_relaxed);
        const steady_clock::time_point now = steady_clock::now();
        cpu_.poll_figures(now);
        if (!last_figures && exchange_.shut_down.load()) {
            cpu_.read_all();
            last_figures = true;
        }
        if (budget_) {
            update_budget(now);
        }
        update_stats(now);
        if (now >= next_keeping) {
            clock_.sample();
            process_cpu_.read();
            workers_->reclaim_from_quiet(now);
            next_keeping = now + kHouseKeeping;
        }
        if (options_.deliver && checkpoints_.due(now, state_.names().function_end())) {
            cpu_.read_all();
            workers_->read_tails();
            apply_facts();
            merge_async();
            checkpoint(facts_, false);
            checkpoints_.done(steady_clock::now());
        }
    }
    take_probe_costs();
    workers_->read_out();
    apply_facts();
    state_.merge_async(UINT64_MAX, 0);
}

void SessionLoop::follow_async(steady_clock::time_point now) {
    if (options_.spec.agent.async_calls && (now >= next_merge_ || state_.async_crowded())) {
        merge_async();
        next_merge_ = steady_clock::now() + kMergeInterval;
    }
}

void SessionLoop::merge_async() {
    if (options_.spec.agent.async_calls) {
        const uint64_t read = workers_->read_tails(hotpath::read_clock(clock_source_));
        state_.merge_async(read, static_cast<uint64_t>(kNamesBehindNs * ticks_per_ns()));
    }
}

void SessionLoop::take_probe_costs() {
    if (probe_costs_taken_) {
        return;
    }
    // The agent measures them before any thread records, but after the session has begun.
    const hotpath::ProbeCosts costs = segment_.header().probe_costs;
    if (!(costs.inside > 0) && segment_.threads_seen() == 0 && !exchange_.stop.load()) {
        return;
    }
    probe_costs_taken_ = true;
    state_.set_probe_costs(costs);
    if (options_.spec.max_overhead_percent > 0 && options_.remove_hooks) {
        budget_.emplace(options_.spec.max_overhead_percent, costs, state_, options_.remove_hooks,
                        [this] { return processor_use(); });
    }
}

ProcessorUse SessionLoop::processor_use() const {
    cpu_set_t allowed;
    const std::optional<uint64_t> program_ns = process_cpu_ns(facts_.pid);
    if (!program_ns ||
        sched_getaffinity(static_cast<pid_t>(facts_.pid), sizeof allowed, &allowed) != 0) {
        return {};
    }
    return {.program_ns = *program_ns,
            .collector_ns = workers_->cpu_ns(),
            .processors = static_cast<uint32_t>(CPU_COUNT(&allowed))};
}

void SessionLoop::update_budget(steady_clock::time_point now) {
    if (clock_.ticks_hz() == 0 && now - started_ >= Budget::kWindow) {
        clock_.sample();
    }
    budget_->step(now, clock_.ticks_hz());
}

void SessionLoop::update_stats(steady_clock::time_point now) {
    const bool watched = exchange_.watched.load(std::memory_order_relaxed);
    if (!watched) {
        stats_.reset();
        return;
    }
    if (!stats_) {
        const bool from_start = now - started_ < LiveStatsTracker::kPeriod;
        stats_.emplace(state_, from_start ? std::optional(start_ticks_) : std::nullopt,
                       [this](uint32_t os_tid) { return is_waiting(facts_.pid, os_tid); });
    }
    if (stats_->due(now) && stats_->step(now, hotpath::read_clock(clock_source_), ticks_per_ns())) {
        publish_figures("");
    }
}

void SessionLoop::publish_figures(const std::string& ended) {
    auto figures = std::make_shared<protocol::LiveFigures>(stats_->figures());
    figures->pid = facts_.pid;
    figures->program = cut_utf8(facts_.program, protocol::kMaxRecordedNameBytes);
    figures->runtime = cut_utf8(facts_.runtime, protocol::kMaxRecordedNameBytes);
    figures->ended = ended;
    figures->has_cpu = cpu_.source() != "none";
    figures->time_ns = static_cast<uint64_t>((steady_clock::now() - started_).count());
    figures->threads = workers_ ? workers_->live_threads() : 0;
    figures->lost_no_thread_slot += segment_.header().lost_no_slot.load(std::memory_order_relaxed);
    const std::lock_guard lock(exchange_.mutex);
    exchange_.figures = std::move(figures);
}

void SessionLoop::last_figures(const std::string& ended) {
    if (!stats_) {
        return;
    }
    const uint64_t now_ticks = hotpath::read_clock(clock_source_);
    while (!stats_->step(steady_clock::now(), now_ticks, ticks_per_ns())) {
    }
    publish_figures(ended);
}

void SessionLoop::checkpoint(profile::Session facts, bool final) {
    if (!options_.deliver) {
        return;
    }
    const uint64_t now_ticks = hotpath::read_clock(clock_source_);
    clock_.sample();
    facts.clock.ticks_hz = clock_.ticks_hz();
    facts.clock.residual_ns = clock_.residual_ns();
    facts.clock.resolution_ns = clock_source_ == hotpath::ClockSource::kOs
                                    ? hotpath::os_clock_resolution_ns()
                                : facts.clock.ticks_hz > 0 ? 1e9 / facts.clock.ticks_hz
                                                           : 0;
    facts.cpu.source = cpu_.source();
    facts.cpu.refusal = cpu_.refusal();
    facts.losses.switches = cpu_.lost_switches();
    facts.cpu.process_ns = process_cpu_.ns();
    const RunTimes run_times = workers_->run_times();
    facts.cpu.collector_ns = run_times.cpu_ns;
    facts.cpu.collector_delay_ns = run_times.delay_ns;
    const hotpath::SegmentHeader& header = segment_.header();
    facts.probes.missed_hooks = header.missed_hooks.load(std::memory_order_relaxed);
    facts.probes.refused_methods = header.methods_refused.load(std::memory_order_relaxed);
    facts.losses.no_thread_slot = header.lost_no_slot.load(std::memory_order_relaxed);
    facts.losses.no_function_slot = header.functions_refused.load(std::memory_order_relaxed);
    Snapshot snapshot = state_.copy_out(now_ticks, final);
    snapshot.losses.rows += exchange_.facts.lost();
    for (const SlowestRequest& request : options_.spec.slowest) {
        snapshot.slowest->requests.push_back(request.text);
    }
    if (final) {
        add_unnamed(segment_.methods(), segment_.modules(), snapshot);
    }
    options_.deliver({std::move(snapshot), replay::LinearClock(start_ticks_, facts.clock.ticks_hz),
                      std::move(facts), final, checkpoints_.cost()});
}

}  // namespace umbra::collector
