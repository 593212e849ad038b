// SPDX-License-Identifier: MIT
// One profiled process as the collector knows it: threads, call tree, names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include "src/collector/build/snapshot.h"
#include "src/collector/event_sink.h"
#include "src/collector/name_tables.h"
#include "src/protocol/messages.h"
#include "src/replay/thread_replay.h"
#include "src/replay/tree/limits.h"

namespace umbra::collector {

/// Fed by the drain with records and by the session with messages; gives snapshots. Does no I/O,
/// takes any input. One thread.
class SessionState {
  public:
    /// A thread beyond Limits::max_threads: its records are counted as lost.
    static constexpr uint32_t kNoThread = std::numeric_limits<uint32_t>::max();

    /// `adaptive`: not every event will be timed, so the times of those that are have to be
    /// learned from.
    explicit SessionState(const replay::Limits& limits = {}, bool adaptive = false);

    /// Hears of everything below from now on; null: nobody does. Must outlive the state.
    void set_sink(EventSink* sink) { sink_ = sink; }

    /// A thread has begun. Returns its number, for the calls below.
    /// `older`: it had begun before the session, and is inside something that umbra cannot name;
    /// what it calls stands below "(running before start)".
    uint32_t add_thread(uint32_t os_tid, uint64_t start_ticks, bool older = false);
    /// See ThreadReplay::consume.
    size_t consume(uint32_t thread, std::span<const uint64_t> slots, bool complete,
                   uint64_t tail_before = 0);
    /// See ThreadReplay::stand_still.
    size_t stand_still(uint32_t thread, std::span<const uint64_t> slots, uint64_t first_seen,
                       uint64_t last_seen);
    /// See ThreadReplay::note_lost.
    void note_lost(uint32_t thread, uint64_t total);
    /// See ThreadReplay::end.
    void end_thread(uint32_t thread, uint64_t ticks);
    /// The thread was off the processors in [begin, end). To be told before it consumes events
    /// behind `begin`; intervals of a thread come in order.
    void note_off_cpu(uint32_t thread, uint64_t begin_ticks, uint64_t end_ticks);
    /// It has been since then and has not come back; UINT64_MAX: it runs.
    void note_off_since(uint32_t thread, uint64_t ticks);
    /// Off-CPU time of the thread will be told as sums; before it consumes events.
    void watch_cpu_time(uint32_t thread, const replay::CpuWindows::Rates& rates);
    /// See CpuWindows::note.
    void note_off_cpu_sum(uint32_t thread, uint64_t ticks, uint64_t off_ticks, bool exact);
    /// What the kernel says of its CPU time, whole thread.
    void set_kernel_cpu(uint32_t thread, uint64_t ns);
    /// The runtime stopped all its threads. To be told before any thread consumes events behind
    /// it; pauses come in order.
    void note_pause(const replay::PauseTicks& pause);
    /// Suspensions that happened and cannot be told.
    void note_lost_pauses(uint64_t count) { lost_pauses_ += count; }
    /// A name to use until the agent tells one: the kernel's.
    void set_kernel_name(uint32_t thread, std::string name);

    void note(const protocol::FunctionNamed& message);
    void note(const protocol::ModuleLoaded& message) { names_.note(message); }
    void note(const protocol::TypeNamed& message) { names_.note(message); }
    /// May come before the thread it names.
    void note(const protocol::ThreadNamed& message);
    void note(const protocol::HooksRemoved& message);

    /// Everything up to here, with open calls cut off at `now_ticks`; the session goes on. Copies
    /// memory and does no more: about 5 ms for 200,000 nodes.
    /// `final`: with the time line, if there is one.
    [[nodiscard]] Snapshot copy_out(uint64_t now_ticks, bool final = false) const;

    [[nodiscard]] uint64_t events() const { return events_; }  ///< records decoded
    [[nodiscard]] const replay::CallTree& tree() const { return shared_.tree; }
    [[nodiscard]] const replay::SharedTables& tables() const { return shared_; }
    /// What the probes cost, as the target says; before any record.
    void set_probe_costs(const hotpath::ProbeCosts& costs) {
        shared_.costs = replay::EventCosts(costs);
        probe_costs_ = replay::believable(costs);
    }
    /// Threads so far, ended ones too.
    [[nodiscard]] size_t thread_count() const { return threads_.size(); }
    [[nodiscard]] bool adaptive() const { return shared_.adaptive; }
    [[nodiscard]] replay::IntervalModel& intervals() { return shared_.intervals; }
    /// Function of the innermost call of a thread; 0 = none.
    [[nodiscard]] uint32_t top_function(uint32_t thread) const {
        return thread < threads_.size() ? threads_[thread].replay.stack().top_function() : 0;
    }
    [[nodiscard]] const replay::ThreadReplay& thread(uint32_t number) const {
        return threads_[number].replay;
    }
    [[nodiscard]] uint32_t os_tid(uint32_t number) const { return threads_[number].os_tid; }
    /// Records of threads beyond the limit.
    [[nodiscard]] uint64_t lost_without_thread() const { return lost_no_thread_; }
    [[nodiscard]] const NameTables& names() const { return names_; }

  private:
    struct Thread {
        Thread(replay::SharedTables& shared, uint32_t number, uint32_t tid, uint64_t start_ticks,
               uint32_t inside)
            : replay(shared, number, start_ticks, inside), os_tid(tid) {}

        replay::ThreadReplay replay;
        uint32_t os_tid;
        std::string name;
        std::string kernel_name;
        uint64_t kernel_cpu_ns = 0;
    };

    void show(uint32_t thread, std::span<const uint64_t> slots);
    size_t skip(std::span<const uint64_t> slots, bool complete);
    void copy_threads(Snapshot& snapshot, uint64_t now_ticks) const;
    static void copy_functions(const replay::ShadowStack& stack, Snapshot::Thread& thread);
    /// Ends the open calls of the thread added last, in the snapshot.
    void cut_open_calls(const replay::ShadowStack& stack, replay::Lanes cut,
                        Snapshot& snapshot) const;
    void copy_calls(Snapshot& snapshot, uint64_t now_ticks) const;

    replay::SharedTables shared_;
    EventSink* sink_ = nullptr;
    std::deque<Thread> threads_;
    NameTables names_;
    std::set<uint32_t> limited_;                             ///< functions whose hooks are gone
    std::unordered_map<uint32_t, uint32_t> by_os_tid_;       ///< the last thread that had the id
    std::unordered_map<uint32_t, std::string> names_ahead_;  ///< of OS threads not yet seen
    uint64_t events_ = 0;
    uint64_t lost_no_thread_ = 0;
    uint64_t lost_pauses_ = 0;
    hotpath::ProbeCosts probe_costs_;
};

}  // namespace umbra::collector
