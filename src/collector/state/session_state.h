// SPDX-License-Identifier: MIT
// One profiled process as the collector knows it: threads, call tree, names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/collector/state/ended_threads.h"
#include "src/collector/state/event_sink.h"
#include "src/collector/state/name_tables.h"
#include "src/collector/state/names_ahead.h"
#include "src/collector/state/profiled_thread.h"
#include "src/collector/state/shard.h"
#include "src/collector/state/snapshot.h"
#include "src/protocol/messages.h"
#include "src/replay/async/async_merge.h"
#include "src/replay/thread_replay.h"
#include "src/replay/tree/limits.h"

namespace umbra::collector {

/// Fed by the workers with records and by the session with messages; gives snapshots. Does no I/O,
/// takes any input.
///
/// One thread, the session's drain thread, which also is the first worker; the shards of others are
/// theirs, and what is said to need their gates locks them. With all gates locked the drain
/// thread is alone.
class SessionState {
  public:
    /// `one_shard`: there will never be a second one.
    explicit SessionState(const replay::Limits& limits = {}, bool one_shard = true);

    /// Hears of threads that begin from now on, and of names; null: nobody does. Must outlive the
    /// state.
    void set_sink(EventSink* sink) { sink_ = sink; }

    /// The first is there from the start.
    [[nodiscard]] std::deque<Shard>& shards() { return shards_; }
    [[nodiscard]] const std::deque<Shard>& shards() const { return shards_; }
    /// Makes another, which knows what all shards know. Locks all gates. std::bad_alloc: there is
    /// no room.
    Shard& add_shard();
    /// Whoever has them is alone with the session.
    using AllGates = std::vector<std::unique_lock<Gate>>;
    [[nodiscard]] AllGates lock_all() const;
    /// A thread that goes on elsewhere. With all gates locked.
    void move(ProfiledThread& thread, Shard& to);
    /// See SlowCallTable::watch. Before any record; what is given must outlive the state.
    void watch(std::span<const uint8_t> marks);
    /// Async calls are followed, see AsyncFacts::follow. Before any record.
    void follow_async(const replay::AsyncFunctions& functions);
    /// What the workers have told of async calls before `watermark_ticks` becomes calls; what comes
    /// earlier has all been told. See AsyncMerge::merge. Locks each gate in turn.
    void merge_async(uint64_t watermark_ticks, uint64_t longest_wait_ticks);
    /// Some shard has little room left for facts: merge_async() should take them.
    [[nodiscard]] bool async_crowded() const;

    /// A thread has begun, in a shard (null: the first), whose gate it locks. Null: there have
    /// been Limits::max_threads already.
    /// `older`: it had begun before the session, and is inside something that umbra cannot name;
    /// what it calls stands below "(running before start)".
    ProfiledThread* add_thread(uint32_t os_tid, uint64_t start_ticks, bool older = false,
                               Shard* shard = nullptr);
    /// Threads that have ended become sums, but for the last ones, and the heaviest: see
    /// EndedThreads. Nobody may hold a reference to one that has ended. Now and then.
    void retire_ended();
    /// The runtime stopped all its threads. To be told before any thread consumes events behind
    /// it; pauses come in order. By any worker, one at a time.
    void note_pause(const replay::PauseTicks& pause);
    /// So many more suspensions happened and cannot be told. By any worker, one at a time.
    void note_lost_pauses(uint64_t count) { lost_pauses_ += count; }
    void note(const protocol::FunctionNamed& message);
    void note(const protocol::RuntimeStarted& message) { names_.note(message); }
    void note(const protocol::ModuleLoaded& message) { names_.note(message); }
    void note(const protocol::TypeNamed& message) { names_.note(message); }
    void note(const protocol::AsyncTypeNamed& message) { names_.note(message); }
    void note(const protocol::ArgumentNamed& message) { names_.note(message); }
    /// May come before the thread it names.
    void note(const protocol::ThreadNamed& message);
    void note(const protocol::HooksRemoved& message);
    void note(const protocol::Inlined& message) { names_.note(message); }
    /// The budget has had the hooks of a function taken out.
    [[nodiscard]] bool deinstrumented(uint32_t function) const {
        return deinstrumented_.contains(function);
    }

    /// Everything up to here, with open calls cut off at `now_ticks`; the session goes on. Copies
    /// memory and does no more: about 5 ms for 200,000 nodes. Locks all gates.
    /// `final`: with the time line, if there is one.
    [[nodiscard]] Snapshot copy_out(uint64_t now_ticks, bool final = false) const;

    /// Records decoded, as far as the workers have said.
    [[nodiscard]] Progress progress() const;
    /// What the probes cost, as the target says; before any record. Locks each gate in turn.
    void set_probe_costs(const hotpath::ProbeCosts& costs);
    // Of the first shard:
    [[nodiscard]] uint64_t events() const { return tables().events; }
    [[nodiscard]] const replay::CallTree& tree() const { return tables().tree; }
    [[nodiscard]] const replay::SharedTables& tables() const { return shards_.front().tables; }
    /// By their numbers, from 0, in the order they were found; those that ended last, too.
    using Threads = std::map<uint32_t, ProfiledThread>;
    [[nodiscard]] Threads& threads() { return threads_; }
    [[nodiscard]] const Threads& threads() const { return threads_; }
    /// Those that ended before.
    [[nodiscard]] const EndedThreads& ended() const { return ended_; }
    [[nodiscard]] const NameTables& names() const { return names_; }

  private:
    static ShardSnapshot copy_shard(const replay::SharedTables& tables);
    void copy_threads(Snapshot& snapshot, uint64_t now_ticks) const;
    /// With all gates locked.
    void retire(ProfiledThread& thread);
    void forget_owners();
    void copy_calls(Snapshot& snapshot, uint64_t now_ticks) const;

    const replay::Limits limits_;
    const bool one_shard_;
    std::deque<Shard> shards_;  ///< grows with all gates locked
    EventSink* sink_ = nullptr;
    Threads threads_;
    NameTables names_;
    EndedThreads ended_;
    std::deque<ProfiledThread*> waiting_;  ///< to become sums
    uint32_t next_number_ = 0;
    replay::TimeSlices<ThreadSlice> thread_slices_;  ///< ends: of threads that are no more
    std::set<uint32_t> deinstrumented_;              ///< functions whose hooks are gone
    std::unordered_map<uint32_t, ProfiledThread*> by_os_tid_;  ///< the last that had the id
    NamesAhead names_ahead_;
    uint64_t lost_pauses_ = 0;
    hotpath::ProbeCosts probe_costs_;  ///< as told
    std::span<const uint8_t> watched_;
    replay::AsyncFunctions async_functions_;
    std::unique_ptr<replay::AsyncMerge> async_;  ///< null: async calls are not followed
};

}  // namespace umbra::collector
