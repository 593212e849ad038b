// SPDX-License-Identifier: MIT
#include "src/collector/session.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <new>
#include <system_error>
#include <utility>
#include <variant>

#include <sched.h>

#include "hotpath/clock.h"
#include "src/base/utf8.h"
#include "src/collector/drain.h"
#include "src/collector/state/function_names.h"
#include "src/collector/state/host_info.h"

namespace umbra::collector {
namespace {

using std::chrono::steady_clock;

constexpr auto kIdleSleep = std::chrono::milliseconds(10);
constexpr auto kHouseKeeping = std::chrono::seconds(1);
constexpr auto kFirstKeeping = std::chrono::milliseconds(5);  // gives the clock's rate
constexpr auto kLook = std::chrono::milliseconds(1);
constexpr double kUsualTicksPerNs = 2.5;  // for the first milliseconds

// What reading the clock adds to one event, in ticks. The header may hold anything.
float timed_extra(const hotpath::ProbeCosts& costs) {
    constexpr float kMost = 10'000;
    const float pair = costs.timed_inside + costs.timed_outside - costs.untimed;
    return std::isfinite(pair) ? std::clamp(pair / 2, 0.0F, kMost) : 0;
}

// Whether the kernel says that a thread waits for something other than a processor.
bool is_waiting(uint32_t pid, uint32_t os_tid) {
    std::ifstream file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(os_tid) +
                       "/stat");
    std::string line;
    std::getline(file, line);
    const size_t name_end = line.rfind(')');
    if (name_end == std::string::npos || name_end + 2 >= line.size()) {
        return false;
    }
    const char state = line[name_end + 2];
    return state == 'S' || state == 'D';
}

std::string joined(const std::vector<std::string>& patterns) {
    std::string text;
    for (const std::string& pattern : patterns) {
        text += (text.empty() ? "" : ";") + pattern;
    }
    return text;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::start(const protocol::Hello& hello,
                                                const protocol::Welcome& welcome,
                                                UniqueFd segment_fd, Options options) {
    Result<SharedSegment> segment = SharedSegment::open(std::move(segment_fd));
    if (!segment) {
        return tl::unexpected<Error>(segment.error());
    }
    profile::Session facts;
    facts.tool_version = UMBRA_VERSION;
    facts.created_utc = utc_now();
    facts.host = host_name();
    facts.command_line = printable_utf8(hello.command_line);
    facts.program = program_of(facts.command_line);
    facts.runtime = printable_utf8(hello.runtime);
    facts.pid = options.pid != 0 ? options.pid : hello.pid;
    facts.mode = welcome.framework ? "whole" : "selective";
    facts.window = hello.running;
    facts.include = joined(welcome.include);
    facts.exclude = joined(welcome.exclude);
    facts.inlining = !welcome.no_inlining;
    facts.overflow = welcome.drop ? "drop" : "wait";
    facts.clock = segment->header().clock == hotpath::ClockSource::kOs ? "os" : "tsc";
    facts.max_overhead_percent = options.max_overhead_percent;
    facts.clocking = welcome.adaptive ? "adaptive" : "every";
    facts.ended = "running";
    try {
        return std::unique_ptr<Session>(new Session(std::move(*segment), std::move(facts),
                                                    welcome.adaptive, hello.running,
                                                    std::move(options)));
    } catch (const std::system_error& error) {
        return fail(ErrorCode::kSystem,
                    "a thread to read its events cannot be started (a limit of processes and "
                    "threads may be too small: ulimit -u, pids.max of the control group)",
                    error.code().value());
    } catch (const std::bad_alloc&) {
        return fail(ErrorCode::kSystem, "memory for its call tree cannot be had");
    }
}

Session::Session(SharedSegment segment, profile::Session facts, bool adaptive, bool running,
                 Options options)
    : segment_(std::move(segment)),
      facts_(std::move(facts)),
      options_(std::move(options)),
      start_ticks_(segment_.header().start_ticks),
      clock_source_(facts_.clock == "os" ? hotpath::ClockSource::kOs : hotpath::ClockSource::kTsc),
      adaptive_(adaptive),
      state_({.max_logged_calls = options_.max_logged_calls, .tree = options_.tree}, adaptive),
      clock_(clock_source_),
      cpu_(facts_.pid, options_.cpu, clock_source_, running),
      ids_(facts_.pid),
      policy_(segment_.controls()),
      process_cpu_before_ns_(running ? process_cpu_ns(facts_.pid).value_or(0) : 0),
      thread_([this] { run(); }) {
}

Session::~Session() {
    if (thread_.joinable()) {
        finish("abandoned", false);
    }
}

void Session::post(protocol::ProcessFact fact) {
    const std::lock_guard lock(mutex_);
    facts_told_.push_back(std::move(fact));
}

void Session::note_shutdown() {
    shut_down_.store(true);
    Drain::interrupt(segment_);
}

void Session::finish(std::string ended, bool complete) {
    stop_.store(true);
    Drain::interrupt(segment_);
    thread_.join();
    facts_.ended = std::move(ended);
    facts_.complete = complete;
    checkpoint(hotpath::read_clock(clock_source_), true);
}

void Session::apply_facts() {
    std::vector<protocol::ProcessFact> told;
    {
        const std::lock_guard lock(mutex_);
        told.swap(facts_told_);
    }
    for (protocol::ProcessFact& fact : told) {
        std::visit([this](auto& kind) { apply(kind); }, fact);
    }
}

void Session::apply(protocol::ThreadNamed& fact) {
    fact.os_tid = ids_.here(fact.os_tid);
    state_.note(fact);
}

void Session::apply(const protocol::HooksRemoved& fact) {
    state_.note(fact);
    if (budget_) {
        budget_->note(fact);
    }
}

void Session::name_thread(ProfiledThread& thread) {
    std::ifstream file("/proc/" + std::to_string(facts_.pid) + "/task/" +
                       std::to_string(thread.os_tid()) + "/comm");
    std::string name;
    if (std::getline(file, name)) {
        thread.set_kernel_name(printable_utf8(name));
    }
}

void Session::stands_still(const ProfiledThread& thread) {
    // A thread that only waits for a processor says nothing about the function it is in.
    if (is_waiting(facts_.pid, thread.os_tid())) {
        policy_.waits(thread.top_function());
    }
}

void Session::steer(Drain& drain, bool moved) {
    if (!adaptive_) {
        if (!moved) {
            drain.read_tails();
            drain.sleep(cpu_.wants_looks() ? kLook : kIdleSleep);
        }
        return;
    }
    const steady_clock::time_point now = steady_clock::now();
    if (now >= next_look_) {
        looking_ = drain.look();
        next_look_ = now + kLook;
    }
    const double hz = clock_.ticks_hz();
    policy_.run(state_.intervals(), hz > 0 ? hz * 1e-9 : kUsualTicksPerNs, now);
    if (!moved) {
        drain.sleep(looking_ || cpu_.wants_looks() ? std::chrono::nanoseconds(kLook) : kIdleSleep);
    }
}

void Session::run() {
    Drain drain(
        segment_, state_, cpu_, ids_, [this](ProfiledThread& thread) { name_thread(thread); },
        [this](const ProfiledThread& thread) { stands_still(thread); });
    state_.set_sink(options_.sink.get());
    if (options_.watch) {
        watch_.emplace(state_, start_ticks_,
                       [this](uint32_t os_tid) { return is_waiting(facts_.pid, os_tid); });
    }
    steady_clock::time_point next_checkpoint = steady_clock::now() + options_.checkpoint;
    steady_clock::time_point next_keeping = steady_clock::now() + kFirstKeeping;
    bool last_figures = false;
    while (!stop_.load()) {
        apply_facts();
        take_probe_costs();
        steer(drain, drain.take_chunks());
        live_.events.store(state_.events(), std::memory_order_relaxed);
        live_.threads.store(drain.live_threads(), std::memory_order_relaxed);
        const steady_clock::time_point now = steady_clock::now();
        cpu_.look(now);
        if (!last_figures && shut_down_.load()) {
            cpu_.read_all();
            last_figures = true;
        }
        if (budget_) {
            keep_budget(now);
        }
        if (watch_ && watch_->due(now)) {
            keep_figures(now);
        }
        if (now >= next_keeping) {
            clock_.sample();
            keep_process_cpu();
            drain.reclaim_from_quiet(now);
            next_keeping = now + kHouseKeeping;
        }
        if (now >= next_checkpoint) {
            cpu_.read_all();
            drain.read_tails();
            apply_facts();
            checkpoint(hotpath::read_clock(clock_source_), false);
            next_checkpoint = steady_clock::now() + options_.checkpoint;
        }
    }
    take_probe_costs();
    drain.read_out();
    apply_facts();
}

void Session::take_probe_costs() {
    if (probe_costs_taken_) {
        return;
    }
    // The agent measures them before any thread records, but after the session has begun.
    const hotpath::ProbeCosts costs = segment_.header().probe_costs;
    if (!(costs.timed_inside > 0) && segment_.threads_seen() == 0 && !stop_.load()) {
        return;
    }
    probe_costs_taken_ = true;
    state_.set_probe_costs(costs);
    state_.intervals().set_timed_extra(timed_extra(costs));
    if (options_.max_overhead_percent > 0 && options_.limit) {
        budget_.emplace(options_.max_overhead_percent, costs, state_, options_.limit,
                        [this] { return processor_use(); });
    }
}

ProcessorUse Session::processor_use() const {
    cpu_set_t allowed;
    const std::optional<uint64_t> program_ns = process_cpu_ns(facts_.pid);
    if (!program_ns ||
        sched_getaffinity(static_cast<pid_t>(facts_.pid), sizeof allowed, &allowed) != 0) {
        return {};
    }
    return {.program_ns = *program_ns,
            .collector_ns = hotpath::read_thread_cpu_ns(),
            .processors = static_cast<uint32_t>(CPU_COUNT(&allowed))};
}

void Session::keep_budget(steady_clock::time_point now) {
    if (clock_.ticks_hz() == 0 && now - started_ >= Budget::kWindow) {
        clock_.sample();
    }
    budget_->step(now, clock_.ticks_hz());
}

void Session::keep_figures(steady_clock::time_point now) {
    if (!watch_->step(now, hotpath::read_clock(clock_source_))) {
        return;
    }
    Figures figures{.known = true, .moment = watch_->moment(), .hottest = {}};
    figures.moment.lost += segment_.header().lost_no_slot.load(std::memory_order_relaxed);
    if (const protocol::FunctionNamed* named = state_.names().function(figures.moment.hottest)) {
        profile::Function function;
        set_display_name(*named, function);
        figures.hottest = printable_utf8(function.name);
    }
    const std::lock_guard lock(figures_mutex_);
    figures_ = std::move(figures);
}

Session::Figures Session::figures() const {
    const std::lock_guard lock(figures_mutex_);
    return figures_;
}

void Session::keep_process_cpu() {
    uint64_t ns = process_cpu_ns(facts_.pid).value_or(0);
    ns -= std::min(process_cpu_before_ns_, ns);
    uint64_t known = process_cpu_ns_.load();
    while (ns > known && !process_cpu_ns_.compare_exchange_weak(known, ns)) {
    }
}

void Session::add_cpu_facts(profile::Session& facts) {
    facts.cpu_source = cpu_.source();
    facts.cpu_refusal = cpu_.refusal();
    facts.losses.switches = cpu_.lost_switches();
    facts.process_cpu_ns = process_cpu_ns_.load();
}

void Session::checkpoint(uint64_t now_ticks, bool final) {
    clock_.sample();
    profile::Session facts = facts_;
    facts.ticks_hz = clock_.ticks_hz();
    facts.clock_residual_ns = clock_.residual_ns();
    add_cpu_facts(facts);
    const hotpath::SegmentHeader& header = segment_.header();
    facts.missed_hooks = header.missed_hooks.load(std::memory_order_relaxed);
    facts.losses.no_thread_slot = header.lost_no_slot.load(std::memory_order_relaxed);
    facts.losses.no_function_slot = header.functions_refused.load(std::memory_order_relaxed);
    Snapshot snapshot = state_.copy_out(now_ticks, final);
    options_.deliver(SnapshotParcel{std::move(snapshot),
                                    replay::LinearClock(start_ticks_, facts.ticks_hz),
                                    std::move(facts), final});
}

}  // namespace umbra::collector
