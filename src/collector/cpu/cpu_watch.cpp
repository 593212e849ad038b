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

CpuWatch::CpuWatch(uint32_t pid, CpuSource wanted, hotpath::ClockSource clock, bool running)
    : pid_(pid), clock_source_(clock), clock_(clock), pairs_(pid) {
    choose(wanted);
    if (running) {
        record_older();
    }
}

void CpuWatch::record_older() {
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
                // Asked before: one that has come back meanwhile came back later than that.
                const uint64_t now_ns = hotpath::read_os_ns();
                pairs_.note_older(tid, thread_state(pid_, tid) == 'R' ? 0 : now_ns);
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

void CpuWatch::open_thread(ProfiledThread& thread, uint64_t start_cpu_ns, bool older) {
    const std::lock_guard lock(mutex_);
    clock_.refresh();
    const bool keep_open = source_ == CpuSource::kSchedstat && open_files_ < kMaxOpenFiles;
    open_files_ += keep_open ? 1U : 0U;
    Watched watched{.thread = thread,
                    .stat = Schedstat(pid_, thread.os_tid(), keep_open),
                    .kept_open = keep_open,
                    .not_ours_ns = older ? start_cpu_ns : 0,
                    .wait = kShortestWait};
    if (source_ == CpuSource::kSchedstat) {
        // If it does not say what it had used when it began: no more than it has now, and unless it
        // was off a processor since, this less the time since.
        const uint64_t cpu_ns = std::max(watched.stat.cpu_ns().value_or(0), start_cpu_ns);
        const uint64_t start_ticks = thread.replay().start_ticks();
        const uint64_t now = std::max(hotpath::read_clock(clock_source_), start_ticks);
        const uint64_t since_ns = ticks_to_ns(now - start_ticks);
        watched.cpu_before_ns =
            start_cpu_ns != 0 ? start_cpu_ns : cpu_ns - std::min(since_ns, cpu_ns);
        thread.replay().use_cpu_windows(
            {.ticks_per_ns = clock_.ticks_per_ns(), .timer_ns = kernel_timer_ns()});
    } else if (trace_) {
        pairs_.open_thread(thread, clock_);
    }
    read(threads_.emplace(&thread, std::move(watched)).first->second, false);
}

void CpuWatch::close_thread(ProfiledThread& thread, uint64_t end_ticks, uint64_t end_cpu_ns) {
    const std::lock_guard lock(mutex_);
    const auto place = threads_.find(&thread);
    if (place == threads_.end()) {
        return;
    }
    Watched& watched = place->second;
    // A figure that cannot be is left alone: below the kernel's, or more than there was time for.
    end_ticks = std::min(end_ticks, hotpath::read_clock(clock_source_));
    const uint64_t since = end_ticks - std::min(watched.read_ticks, end_ticks);
    if (end_cpu_ns != 0 && end_cpu_ns >= watched.cpu_ns &&
        end_cpu_ns - watched.cpu_ns <= kMostBehindNs + ticks_to_ns(since)) {
        note(watched, end_ticks, end_cpu_ns, true);
    } else {
        read(watched, true);
    }
    pairs_.close_thread(thread);
    open_files_ -= watched.kept_open ? 1U : 0U;
    threads_.erase(place);
}

void CpuWatch::read(Watched& watched, bool stands) {
    // Asked first: the figure of a thread that does not run is exact from then on.
    const bool exact = stands && source_ == CpuSource::kSchedstat &&
                       thread_state(pid_, watched.thread.os_tid()) != 'R';
    const uint64_t before = hotpath::read_clock(clock_source_);
    const std::optional<uint64_t> cpu_ns = watched.stat.cpu_ns();
    if (!cpu_ns) {
        return;
    }
    note(watched, before + (hotpath::read_clock(clock_source_) - before) / 2, *cpu_ns, exact);
}

void CpuWatch::note(Watched& watched, uint64_t ticks, uint64_t cpu_ns, bool exact) {
    watched.cpu_ns = cpu_ns;
    watched.read_ticks = ticks;
    watched.thread.set_kernel_cpu_ns(cpu_ns - std::min(watched.not_ours_ns, cpu_ns));
    const uint64_t start_ticks = watched.thread.replay().start_ticks();
    if (source_ == CpuSource::kSchedstat && ticks > start_ticks) {
        const uint64_t since = ticks - start_ticks;
        const uint64_t on = ns_to_ticks(cpu_ns - std::min(watched.cpu_before_ns, cpu_ns));
        watched.thread.tell_cpu(ticks, since - std::min(on, since), exact);
    }
}

template <typename Visit>
void CpuWatch::for_each_thread(const Visit& visit) {
    {
        const std::lock_guard lock(mutex_);
        visited_.clear();
        for (const auto& [thread, watched] : threads_) {
            visited_.push_back(thread);
        }
    }
    for (const ProfiledThread* thread : visited_) {
        const std::lock_guard lock(mutex_);
        if (const auto place = threads_.find(thread); place != threads_.end()) {
            visit(place->second);
        }
    }
}

void CpuWatch::poll_figures(Clock::time_point now) {
    if (now < next_reading_) {
        const std::lock_guard lock(mutex_);
        return clock_.refresh();
    }
    if (source_ != CpuSource::kSchedstat) {
        size_t threads = 0;
        for_each_thread([&](Watched& watched) {
            learn_switches(watched);
            ++threads;
        });
        next_reading_ = now + std::max<Clock::duration>(kKernelFigures, threads * kWaitAThread);
        return;
    }
    next_reading_ = now + kShortestWait;
    moving_ = false;
    for_each_thread([&](Watched& watched) { read_if_due(watched, now); });
}

void CpuWatch::read_if_due(Watched& watched, Clock::time_point now) {
    clock_.refresh();
    if (now >= watched.next) {
        const uint64_t cpu_ns = watched.cpu_ns;
        const uint64_t events = watched.thread.events();
        read(watched, watched.idle);
        watched.idle = watched.cpu_ns == cpu_ns;
        const bool moved = !watched.idle || events != watched.events;
        watched.events = events;
        watched.wait = moved ? Clock::duration(kShortestWait)
                             : std::min<Clock::duration>(watched.wait * 2, kLongestWait);
        watched.next = now + watched.wait;
    }
    moving_ = moving_ || watched.wait < kLongestWait;
}

void CpuWatch::learn_switches(Watched& watched) {
    const uint32_t os_tid = watched.thread.os_tid();
    if (trace_) {
        read_switches();
    }
    const uint64_t off_since = pairs_.off_since_ns(os_tid);
    read(watched, false);
    if (off_since == 0 || !trace_) {
        return;
    }
    read_switches();
    if (pairs_.off_since_ns(os_tid) == off_since) {
        pairs_.learn(os_tid, watched.cpu_ns);
    }
}

void CpuWatch::read_all() {
    for_each_thread([this](Watched& watched) { read(watched, true); });
}

}  // namespace umbra::collector
