// SPDX-License-Identifier: MIT
// One profiled process as the collector knows it: threads, call tree, names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <set>
#include <span>
#include <string>
#include <unordered_map>

#include "src/collector/state/event_sink.h"
#include "src/collector/state/name_tables.h"
#include "src/collector/state/profiled_thread.h"
#include "src/collector/state/snapshot.h"
#include "src/protocol/messages.h"
#include "src/replay/thread_replay.h"
#include "src/replay/tree/limits.h"

namespace umbra::collector {

/// Fed by the drain with records and by the session with messages; gives snapshots. Does no I/O,
/// takes any input. One thread.
class SessionState {
  public:
    /// `adaptive`: not every event will be timed, so the times of those that are have to be
    /// learned from.
    explicit SessionState(const replay::Limits& limits = {}, bool adaptive = false);

    /// Hears of threads that begin from now on, and of names; null: nobody does. Must outlive the
    /// state.
    void set_sink(EventSink* sink) { sink_ = sink; }

    /// A thread has begun. Null: there are Limits::max_threads already.
    /// `older`: it had begun before the session, and is inside something that umbra cannot name;
    /// what it calls stands below "(running before start)".
    ProfiledThread* add_thread(uint32_t os_tid, uint64_t start_ticks, bool older = false);
    /// Counts the records of a thread that there was no room for as lost. As
    /// ThreadReplay::consume.
    size_t skip(std::span<const uint64_t> slots, bool complete);
    /// The runtime stopped all its threads. To be told before any thread consumes events behind
    /// it; pauses come in order.
    void note_pause(const replay::PauseTicks& pause);
    /// Suspensions that happened and cannot be told.
    void note_lost_pauses(uint64_t count) { lost_pauses_ += count; }
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

    [[nodiscard]] uint64_t events() const { return shared_.events; }  ///< records decoded
    [[nodiscard]] const replay::CallTree& tree() const { return shared_.tree; }
    [[nodiscard]] const replay::SharedTables& tables() const { return shared_; }
    /// What the probes cost, as the target says; before any record.
    void set_probe_costs(const hotpath::ProbeCosts& costs) {
        shared_.costs = replay::EventCosts(costs);
        probe_costs_ = replay::believable(costs);
    }
    /// In the order they were found, ended ones too.
    [[nodiscard]] std::deque<ProfiledThread>& threads() { return threads_; }
    [[nodiscard]] const std::deque<ProfiledThread>& threads() const { return threads_; }
    [[nodiscard]] bool adaptive() const { return shared_.adaptive; }
    /// Whether the clock is read at every event for now, as far as is known; adaptive sessions.
    void set_every_event(bool every_event) { shared_.every_event = every_event; }
    [[nodiscard]] bool every_event() const { return shared_.every_event; }
    [[nodiscard]] replay::IntervalModel& intervals() { return shared_.intervals; }
    /// Records of threads beyond the limit.
    [[nodiscard]] uint64_t lost_without_thread() const { return lost_no_thread_; }
    [[nodiscard]] const NameTables& names() const { return names_; }

  private:
    void copy_threads(Snapshot& snapshot, uint64_t now_ticks) const;
    static void copy_functions(const replay::ShadowStack& stack, Snapshot::Thread& thread);
    /// Ends the open calls of the thread added last, in the snapshot.
    void cut_open_calls(const replay::ShadowStack& stack, replay::Lanes cut,
                        Snapshot& snapshot) const;
    void copy_calls(Snapshot& snapshot, uint64_t now_ticks) const;

    replay::SharedTables shared_;
    EventSink* sink_ = nullptr;
    std::deque<ProfiledThread> threads_;
    NameTables names_;
    std::set<uint32_t> limited_;                               ///< functions whose hooks are gone
    std::unordered_map<uint32_t, ProfiledThread*> by_os_tid_;  ///< the last that had the id
    std::unordered_map<uint32_t, std::string> names_ahead_;    ///< of OS threads not yet seen
    uint64_t lost_no_thread_ = 0;
    uint64_t lost_pauses_ = 0;
    hotpath::ProbeCosts probe_costs_;
};

}  // namespace umbra::collector
