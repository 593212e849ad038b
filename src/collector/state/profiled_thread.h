// SPDX-License-Identifier: MIT
// ProfiledThread: what the collector knows of one thread of the profiled process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "src/collector/state/event_sink.h"
#include "src/collector/state/shard.h"
#include "src/replay/thread_replay.h"

namespace umbra::collector {

/// From the thread's first record until some time after its end (SessionState::retire_ended).
/// Whoever deals with a thread holds a reference to it; SessionState owns it, and its address does
/// not change. Its shard's worker replays it; what others may call says so.
class ProfiledThread {
  public:
    /// `number` stands for the thread, and no other, for `sink` (null: nobody listens),
    /// `replayed_as` in the tables of `shard`; both outlive it. `inside`: see ThreadReplay.
    ProfiledThread(Shard& shard, EventSink* sink, uint32_t number, uint32_t replayed_as,
                   uint32_t os_tid, uint64_t start_ticks, uint32_t inside);
    ProfiledThread(const ProfiledThread&) = delete;
    ProfiledThread& operator=(const ProfiledThread&) = delete;
    ~ProfiledThread() = default;

    /// See ThreadReplay::consume.
    size_t consume(std::span<const uint64_t> slots, bool complete);
    /// It was off the processors in [begin, end). To be told before it consumes events behind
    /// `begin_ticks`; intervals come in order.
    void add_off_cpu(uint64_t begin_ticks, uint64_t end_ticks);
    /// See ThreadReplay::end.
    void end(uint64_t ticks);

    // From any thread, one at a time; what they tell comes to the replay with Shard::apply_inbox().
    void tell_off_cpu(uint64_t begin_ticks, uint64_t end_ticks);
    /// See ThreadOverlays::set_off_since.
    void tell_off_since(uint64_t ticks);
    /// See CpuWindows::note. Of no effect without ThreadReplay::use_cpu_windows().
    void tell_cpu(uint64_t ticks, uint64_t off_ticks, bool exact);
    /// Records decoded up to the last consume() or so. Any thread.
    [[nodiscard]] uint64_t events() const { return events_.load(std::memory_order_relaxed); }

    [[nodiscard]] Shard& shard() const { return *shard_; }
    /// Goes on in another shard; neither has anything in its inbox, nobody tells anything
    /// meanwhile, and both gates are locked. Not with a sink.
    void move_to(Shard& shard);

    [[nodiscard]] replay::ThreadReplay& replay() { return replay_; }
    [[nodiscard]] const replay::ThreadReplay& replay() const { return replay_; }
    [[nodiscard]] uint32_t number() const { return number_; }
    [[nodiscard]] uint32_t os_tid() const { return os_tid_; }
    /// See ThreadReplay.
    [[nodiscard]] bool waits() const { return replay_.waits(); }
    void wait_no_longer() { replay_.wait_no_longer(); }
    /// Function of its innermost call; 0: none.
    [[nodiscard]] uint32_t top_function() const { return replay_.stack().top_function(); }

    /// What the program calls it; empty: nothing, and the kernel's name for it stands in.
    void set_name(std::string name) { name_ = std::move(name); }
    void set_kernel_name(std::string name) { kernel_name_ = std::move(name); }
    [[nodiscard]] const std::string& name() const { return name_.empty() ? kernel_name_ : name_; }

    /// CPU time of the whole thread, as the kernel has it, in nanoseconds.
    void set_kernel_cpu_ns(uint64_t ns) { kernel_cpu_ns_ = ns; }
    [[nodiscard]] uint64_t kernel_cpu_ns() const { return kernel_cpu_ns_; }

  private:
    Shard* shard_;
    replay::ThreadReplay replay_;
    EventSink* sink_;
    uint32_t number_;
    uint32_t os_tid_;
    std::string name_;
    std::string kernel_name_;
    uint64_t kernel_cpu_ns_ = 0;
    std::atomic<uint64_t> events_{0};
};

}  // namespace umbra::collector
