// SPDX-License-Identifier: MIT
#include "src/collector/cpu/cpu_watch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "hotpath/clock.h"

namespace umbra::collector {
namespace {

constexpr auto kShortestWait = std::chrono::milliseconds(1);
constexpr auto kLongestWait = std::chrono::milliseconds(64);
// Where switches tell the rest, reading the kernel's figures takes at most 1 % of the time.
constexpr auto kKernelFigures = std::chrono::milliseconds(50);
constexpr uint64_t kMostBehindNs = 20'000'000;  // the kernel's figure of a thread that runs
constexpr auto kWaitAThread = std::chrono::microseconds(400);

}  // namespace

CpuWatch::CpuWatch(SessionState& state, uint32_t pid, CpuSource wanted, hotpath::ClockSource clock,
                   bool running)
    : state_(state), pid_(pid), clock_source_(clock), clock_(clock), pairs_(state, pid) {
    choose(wanted);
    if (running) {
        look_at_older();
    }
}

void CpuWatch::look_at_older() {
    for (const uint32_t tid : threads_of(pid_)) {
        older_[tid] = {.seen_ticks = hotpath::read_clock(clock_source_),
                       .cpu_ns = Schedstat(pid_, tid, false).cpu_ns().value_or(0)};
    }
}

std::optional<CpuWatch::OlderThread> CpuWatch::take_older_thread(uint32_t os_tid) {
    const auto older = older_.extract(os_tid);
    return older ? std::optional(older.mapped()) : std::nullopt;
}

void CpuWatch::choose(CpuSource wanted) {
    if (wanted == CpuSource::kAuto || wanted == CpuSource::kPerf) {
        Result<std::unique_ptr<SwitchTrace>> trace = SwitchTrace::open(pid_);
        if (trace) {
            trace_ = std::move(*trace);
            for (const uint32_t tid : trace_->older_threads()) {
                pairs_.note_older(tid, is_runnable(pid_, tid) ? 0 : hotpath::read_os_ns());
            }
            source_ = CpuSource::kPerf;
            return;
        }
        refusal_ = trace.error().context;
        if (trace.error().os_error != 0) {
            refusal_ += std::string(": ") + strerrordesc_np(trace.error().os_error);
        }
    }
    if (wanted == CpuSource::kAuto || wanted == CpuSource::kSchedstat) {
        if (Schedstat(pid_, pid_, false).cpu_ns()) {
            source_ = CpuSource::kSchedstat;
        } else if (refusal_.empty()) {
            refusal_ = "the kernel tells no CPU time of threads (/proc/PID/task/TID/schedstat)";
        }
    }
}

std::string CpuWatch::source() const {
    switch (source_) {
        case CpuSource::kPerf:
            return "perf";
        case CpuSource::kSchedstat:
            return "schedstat";
        default:
            return "none";
    }
}

uint64_t CpuWatch::ns_to_ticks(uint64_t ns) const {
    return static_cast<uint64_t>(static_cast<double>(ns) * clock_.ticks_per_ns());
}

uint64_t CpuWatch::ticks_to_ns(uint64_t ticks) const {
    return static_cast<uint64_t>(static_cast<double>(ticks) / clock_.ticks_per_ns());
}

void CpuWatch::open_thread(uint32_t number, uint32_t os_tid, uint64_t start_ticks,
                           uint64_t start_cpu_ns, bool older) {
    if (number == SessionState::kNoThread) {
        return;
    }
    clock_.refresh();
    const bool keep_open = source_ == CpuSource::kSchedstat && open_files_ < kMaxOpenFiles;
    open_files_ += keep_open ? 1U : 0U;
    Thread thread{.os_tid = os_tid,
                  .stat = Schedstat(pid_, os_tid, keep_open),
                  .kept_open = keep_open,
                  .start_ticks = start_ticks,
                  .not_ours_ns = older ? start_cpu_ns : 0,
                  .wait = kShortestWait};
    if (source_ == CpuSource::kSchedstat) {
        // If it does not say what it had used when it began: no more than it has now, and unless it
        // was off a processor since, this less the time since.
        const uint64_t cpu_ns = std::max(thread.stat.cpu_ns().value_or(0), start_cpu_ns);
        const uint64_t now = std::max(hotpath::read_clock(clock_source_), start_ticks);
        const uint64_t since_ns = ticks_to_ns(now - start_ticks);
        thread.cpu_before_ns =
            start_cpu_ns != 0 ? start_cpu_ns : cpu_ns - std::min(since_ns, cpu_ns);
        state_.watch_cpu_time(
            number, {.ticks_per_ns = clock_.ticks_per_ns(), .timer_ns = kernel_timer_ns()});
    } else if (trace_) {
        pairs_.open_thread(os_tid, number, clock_);
    }
    read(number, threads_.insert_or_assign(number, std::move(thread)).first->second, false);
}

void CpuWatch::close_thread(uint32_t number, uint64_t end_ticks, uint64_t end_cpu_ns) {
    const auto place = threads_.find(number);
    if (place == threads_.end()) {
        return;
    }
    Thread& thread = place->second;
    // A figure that cannot be is left alone: below the kernel's, or more than there was time for.
    end_ticks = std::min(end_ticks, hotpath::read_clock(clock_source_));
    const uint64_t since = end_ticks - std::min(thread.read_ticks, end_ticks);
    if (end_cpu_ns != 0 && end_cpu_ns >= thread.cpu_ns &&
        end_cpu_ns - thread.cpu_ns <= kMostBehindNs + ticks_to_ns(since)) {
        note(number, thread, end_ticks, end_cpu_ns, true);
    } else {
        read(number, thread, true);
    }
    pairs_.close_thread(place->second.os_tid, number);
    open_files_ -= place->second.kept_open ? 1U : 0U;
    threads_.erase(place);
}

void CpuWatch::read(uint32_t number, Thread& thread, bool stands) {
    // Asked first: the figure of a thread that does not run is exact from then on.
    const bool exact =
        stands && source_ == CpuSource::kSchedstat && !is_runnable(pid_, thread.os_tid);
    const uint64_t before = hotpath::read_clock(clock_source_);
    const std::optional<uint64_t> cpu_ns = thread.stat.cpu_ns();
    if (!cpu_ns) {
        return;
    }
    note(number, thread, before + (hotpath::read_clock(clock_source_) - before) / 2, *cpu_ns,
         exact);
}

void CpuWatch::note(uint32_t number, Thread& thread, uint64_t ticks, uint64_t cpu_ns, bool exact) {
    thread.cpu_ns = cpu_ns;
    thread.read_ticks = ticks;
    state_.set_kernel_cpu(number, cpu_ns - std::min(thread.not_ours_ns, cpu_ns));
    if (source_ == CpuSource::kSchedstat && ticks > thread.start_ticks) {
        const uint64_t since = ticks - thread.start_ticks;
        const uint64_t on = ns_to_ticks(cpu_ns - std::min(thread.cpu_before_ns, cpu_ns));
        state_.note_off_cpu_sum(number, ticks, since - std::min(on, since), exact);
    }
}

void CpuWatch::look(Clock::time_point now) {
    clock_.refresh();
    if (now < next_reading_) {
        return;
    }
    if (source_ != CpuSource::kSchedstat) {
        next_reading_ =
            now + std::max<Clock::duration>(kKernelFigures, threads_.size() * kWaitAThread);
        return learn_switches();
    }
    next_reading_ = now + kShortestWait;
    moving_ = false;
    for (auto& [number, thread] : threads_) {
        if (now >= thread.next) {
            const uint64_t cpu_ns = thread.cpu_ns;
            const uint64_t events = state_.thread(number).events();
            read(number, thread, thread.idle);
            thread.idle = thread.cpu_ns == cpu_ns;
            const bool moved = !thread.idle || events != thread.events;
            thread.events = events;
            thread.wait = moved ? Clock::duration(kShortestWait)
                                : std::min<Clock::duration>(thread.wait * 2, kLongestWait);
            thread.next = now + thread.wait;
        }
        moving_ = moving_ || thread.wait < kLongestWait;
    }
}

void CpuWatch::learn_switches() {
    for (auto& [number, thread] : threads_) {
        poll();
        const uint64_t off_since = pairs_.off_since_ns(thread.os_tid);
        read(number, thread, false);
        if (off_since != 0) {
            poll();
            if (pairs_.off_since_ns(thread.os_tid) == off_since) {
                pairs_.learn(thread.os_tid, thread.cpu_ns);
            }
        }
    }
}

void CpuWatch::read_all() {
    for (auto& [number, thread] : threads_) {
        read(number, thread, true);
    }
}

}  // namespace umbra::collector
