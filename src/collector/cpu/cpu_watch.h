// SPDX-License-Identifier: MIT
// CpuWatch: tells a session when its threads were not on a processor, and what the kernel says.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "hotpath/segment.h"
#include "src/collector/cpu/clock_line.h"
#include "src/collector/cpu/cpu_source.h"
#include "src/collector/cpu/off_cpu_pairs.h"
#include "src/collector/cpu/schedstat.h"
#include "src/collector/cpu/switch_trace.h"
#include "src/collector/state/profiled_thread.h"

namespace umbra::collector {

/// Any thread: one lock, held for a few microseconds at a time. Its making is to come before the
/// process is told to go on: switches are recorded from then on.
class CpuWatch {
  public:
    using Clock = std::chrono::steady_clock;

    /// `running`: the process was there before; its threads are looked at, see take_older_thread().
    CpuWatch(uint32_t pid, CpuSource wanted, hotpath::ClockSource clock, bool running = false);

    /// A thread of a process that was running before.
    struct OlderThread {
        uint64_t seen_ticks = 0;  ///< when it was looked at
        uint64_t cpu_ns = 0;      ///< its CPU time then; 0: not known
    };
    /// Nothing for a thread that has begun since. Asked once: its number may come to mean another.
    std::optional<OlderThread> take_older_thread(uint32_t os_tid);

    /// From now on `thread` is told when it was off the processors. `start_cpu_ns`: what it says
    /// its CPU time was when it started; any number, 0 if it does not say.
    /// `older`: that was not its beginning.
    void open_thread(ProfiledThread& thread, uint64_t start_cpu_ns, bool older = false);
    /// `thread` has ended, at `end_ticks`; call it before the thread is told. `end_cpu_ns`: what it
    /// says its CPU time was then; any number, 0 if it does not say.
    void close_thread(ProfiledThread& thread, uint64_t end_ticks, uint64_t end_cpu_ns);

    /// Tells the threads of the switches so far. To be called between seeing what a thread has
    /// written and replaying it: what the thread went through before is then known.
    void poll() {
        if (trace_) {
            const std::lock_guard lock(mutex_);
            read_switches();
        }
    }
    /// Keeps the clocks tied, and reads the CPU time of threads whose turn it is. Call it about
    /// once a millisecond.
    void poll_figures(Clock::time_point now);
    /// False: nothing is lost when looks are seldom.
    /// The thread's that calls poll_figures().
    [[nodiscard]] bool needs_polling() const { return source_ == CpuSource::kSchedstat && moving_; }
    /// Reads the kernel's figures of all threads, due or not. The thread's that calls
    /// poll_figures().
    void read_all();

    /// "perf", "schedstat" or "none".
    [[nodiscard]] std::string source() const;
    /// Why it is not the one asked for first; empty if it is.
    [[nodiscard]] const std::string& refusal() const { return refusal_; }
    [[nodiscard]] uint64_t lost_switches() const {
        const std::lock_guard lock(mutex_);
        return trace_ ? trace_->lost() : 0;
    }

  private:
    struct Watched {
        ProfiledThread& thread;
        Schedstat stat;
        bool kept_open;
        uint64_t cpu_before_ns = 0;  ///< what the kernel's figure was when it started
        uint64_t not_ours_ns = 0;    ///< of an older thread: that as well, not to be shown
        uint64_t cpu_ns = 0;         ///< its latest
        uint64_t read_ticks = 0;     ///< when that was read
        bool idle = false;           ///< which was that of the reading before
        uint64_t events = 0;         ///< of the thread, when it was read last
        Clock::duration wait{};      ///< between two readings
        Clock::time_point next{};
    };
    static constexpr size_t kMaxOpenFiles = 256;

    void choose(CpuSource wanted);
    void read_switches() {
        clock_.refresh();
        switches_.clear();
        trace_->read([this](const SwitchRecord& record) { switches_.push_back(record); });
        pairs_.apply(switches_, clock_);
    }
    /// Calls `visit` with each thread, the lock held for one at a time.
    template <typename Visit>
    void for_each_thread(const Visit& visit);
    void read_if_due(Watched& watched, Clock::time_point now);
    void record_older();
    /// Reads a thread; while it is off the processors, what a switch costs can be learned.
    void learn_switches(Watched& watched);
    /// `stands`: the thread may be off the processors; whether it is shall be found out.
    void read(Watched& watched, bool stands);
    /// The thread has had `cpu_ns` at `ticks`.
    void note(Watched& watched, uint64_t ticks, uint64_t cpu_ns, bool exact);
    [[nodiscard]] uint64_t ns_to_ticks(uint64_t ns) const;
    [[nodiscard]] uint64_t ticks_to_ns(uint64_t ticks) const;

    mutable std::mutex mutex_;  ///< of all that changes
    uint32_t pid_;
    hotpath::ClockSource clock_source_;
    CpuSource source_ = CpuSource::kNone;
    std::string refusal_;
    std::unique_ptr<SwitchTrace> trace_;
    RawToTicks clock_;
    OffCpuPairs pairs_;
    std::unordered_map<uint32_t, OlderThread> older_;  ///< by OS thread
    std::unordered_map<const ProfiledThread*, Watched> threads_;
    std::vector<const ProfiledThread*> visited_;  ///< kept for its memory
    std::vector<SwitchRecord> switches_;          ///< kept for its memory
    size_t open_files_ = 0;
    bool moving_ = true;  ///< some thread ran not long ago
    Clock::time_point next_reading_{};
};

}  // namespace umbra::collector
