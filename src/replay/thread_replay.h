// SPDX-License-Identifier: MIT
// Replays the records of one thread: calls, exceptions, compilations, losses and waits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "src/replay/argument_table.h"
#include "src/replay/argument_tracker.h"
#include "src/replay/async/async_fact.h"
#include "src/replay/call_log.h"
#include "src/replay/cpu_windows.h"
#include "src/replay/deductions.h"
#include "src/replay/exception_tracker.h"
#include "src/replay/overlays.h"
#include "src/replay/record_decoder.h"
#include "src/replay/shadow_stack.h"
#include "src/replay/slowest/slow_call_recorder.h"
#include "src/replay/slowest/slow_call_table.h"
#include "src/replay/tree/call_tree.h"
#include "src/replay/tree/compilation_table.h"
#include "src/replay/tree/cut_calls.h"
#include "src/replay/tree/lanes.h"
#include "src/replay/tree/limits.h"
#include "src/replay/tree/pause_timeline.h"

namespace umbra::replay {

class ThreadReplay;

/// What all threads that are replayed together write to.
// Fields: one table for each kind of thing that is added up, and what is known of all threads; each
// is a class of its own where it does more than count.
struct SharedTables {
    explicit SharedTables(const Limits& limit_values)
        : limits(limit_values),
          tree(limits),
          log(limits.max_logged_calls == 0 ? nullptr
                                           : std::make_unique<CallLog>(limits.max_logged_calls)),
          exceptions(limits.max_exception_rows),
          pauses(limits.pauses),
          compilations(limits.longest_compilations),
          frames(limits.max_frames),
          arguments(limits.max_arguments, limits.max_argument_values),
          slowest(limits.slowest) {}

    /// Takes the paths that took least out of a tree that has too many. No thread is in the middle
    /// of its records.
    void prune_paths();

    Limits limits;
    CallTree tree;
    std::unique_ptr<CallLog> log;  ///< null: no time line is wanted
    ExceptionCounts exceptions;
    CallDeductions deductions;
    PauseTimeline pauses;
    CompilationTable compilations;
    FrameBudget frames;
    EventCosts costs;
    uint64_t events = 0;         ///< records decoded, of all threads
    uint64_t wait_ticks = 0;     ///< all threads' waits for the collector
    uint64_t covered_ticks = 0;  ///< of all threads, from their start to their last record
    ArgumentTable arguments;
    SlowCallTable slowest;
    std::vector<ThreadReplay*> threads;  ///< that are replayed together; they see to it
    /// Calls in which threads have ended that are no more, by arc.
    std::unordered_map<uint32_t, CutCalls> cut_calls;
    AsyncFacts async;
};

/// What is counted for one thread.
struct ThreadCounts {
    uint64_t events = 0;  ///< records decoded
    uint64_t lost_events = 0;
    uint64_t waits = 0;
    uint64_t wait_ticks = 0;
    uint64_t decode_errors = 0;
    uint64_t compilations = 0;  ///< that the runtime made on it
    uint64_t compiling_ticks = 0;
    StackCounts stack;

    ThreadCounts& operator+=(const ThreadCounts& more) {
        events += more.events;
        lost_events += more.lost_events;
        waits += more.waits;
        wait_ticks += more.wait_ticks;
        decode_errors += more.decode_errors;
        compilations += more.compilations;
        compiling_ticks += more.compiling_ticks;
        stack.repairs += more.stack.repairs;
        stack.unmatched_leaves += more.stack.unmatched_leaves;
        stack.too_deep += more.stack.too_deep;
        stack.bad_functions += more.stack.bad_functions;
        return *this;
    }
};

/// The state of one thread. `shared` must outlive it. One thread of ours.
// Fields: where the last event left the thread, read and written at every event; in one object they
// lie in few cache lines. What can be told apart (stack, exceptions, overlays) has its own class.
class ThreadReplay {
  public:
    /// `number` stands for the thread in shared tables. `start_ticks`: no record is earlier.
    /// `inside`: function index of what the thread was in before; 0: it has just begun.
    ThreadReplay(SharedTables& shared, uint32_t number, uint64_t start_ticks, uint32_t inside = 0);
    ~ThreadReplay() { leave_tables(); }
    ThreadReplay(const ThreadReplay&) = delete;  // the tables point at it
    ThreadReplay(ThreadReplay&&) = delete;
    ThreadReplay& operator=(const ThreadReplay&) = delete;
    ThreadReplay& operator=(ThreadReplay&&) = delete;

    /// Replays the records in `slots`, which run to the end of their chunk, in order. Complete
    /// chunk: all is used up. Unfinished: up to the first slot not yet written. Returns the slots
    /// used up; the next call starts behind them. Any content is allowed.
    size_t consume(std::span<const uint64_t> slots, bool complete);

    /// The next record tells that an async call goes on, and whoever suspended it has not been read
    /// yet: consume() has left it, and what follows, even in a complete chunk. To be tried again
    /// when the records of other threads up to cut_ticks(0) have been replayed.
    [[nodiscard]] bool waits() const { return waits_; }
    /// These have been: the record waits no longer.
    void wait_no_longer() { settles_ = waits_; }

    /// The thread has ended. Records may still follow (the end is told on another channel); calls
    /// open in the end count as unfinished and last until then.
    void end(uint64_t ticks);
    /// Nothing follows any more, and this is of no use but to be looked at: what waits for calls to
    /// end goes to the shared tables, as if it had been cut off at `cut_ticks`.
    void give_up(uint64_t cut_ticks);

    /// Goes on in other tables, which know of the same pauses, have no log, and whose costs and
    /// clock are the same. Nobody else may use either meanwhile.
    void move_to(SharedTables& shared);
    /// Deeper than this a move takes long: one look-up a frame.
    static constexpr size_t kMostMoved = size_t{1} << 16;
    /// Marks the places of the tree that it needs, by number.
    void mark_places(std::vector<bool>& needed) const;
    /// The tree has been pruned, none of these places is gone.
    void renumber(const Pruned& pruned);
    [[nodiscard]] const SharedTables& tables() const { return *shared_; }

    /// Events the thread has dropped in all, as it counted itself: the last of them may have no
    /// record of loss behind them.
    void note_lost(uint64_t total) { counts_.lost_events = std::max(counts_.lost_events, total); }

    /// The moment at which open calls are cut off: the end of the thread, else `now`; never
    /// before its last record.
    [[nodiscard]] uint64_t cut_ticks(uint64_t now_ticks) const;

    [[nodiscard]] uint64_t events() const { return counts_.events; }
    [[nodiscard]] bool ended() const { return ended_; }  ///< end() has been called
    [[nodiscard]] uint64_t start_ticks() const { return start_ticks_; }
    /// What a call has to be subtracted from that lasts until `ticks`.
    [[nodiscard]] Lanes lanes_at(uint64_t ticks) const { return lanes(ticks, cost_); }
    [[nodiscard]] ThreadCounts counts() const;
    [[nodiscard]] uint32_t number() const { return number_; }
    [[nodiscard]] bool records_slow_calls() const { return recorder_ != nullptr; }
    [[nodiscard]] uint32_t root() const { return root_; }  ///< place in the tree
    [[nodiscard]] const ShadowStack& stack() const { return stack_; }
    [[nodiscard]] const ExceptionTracker& exceptions() const { return exceptions_; }
    [[nodiscard]] const ArgumentTracker& arguments() const { return arguments_; }
    /// To be told of overlays before the events behind them are consumed.
    [[nodiscard]] ThreadOverlays& overlays() { return overlays_; }
    [[nodiscard]] const ThreadOverlays& overlays() const { return overlays_; }

    /// Off-CPU time is told as sums, not as intervals. Once, before any event.
    void use_cpu_windows(const CpuWindows::Rates& rates) { windows_.emplace(start_ticks_, rates); }
    /// What concerns async calls goes to the shared tables, as of thread `number`, which no other
    /// has. Once, before any event.
    void follow_async(uint32_t number);
    /// Null without use_cpu_windows().
    [[nodiscard]] CpuWindows* windows() { return windows_ ? &*windows_ : nullptr; }

    /// Adds what a snapshot cut at `cut_ticks` has besides: of the calls the thread is in, and what
    /// waits for further readings.
    void add_open_deductions(uint64_t cut_ticks, CallDeductions& deductions) const;
    /// Adds the calls the thread is in, as unfinished ones, to the slowest of their methods in a
    /// snapshot cut at `cut_ticks`. Nothing where no slow calls are recorded.
    void add_open_slow_calls(uint64_t cut_ticks, SlowCallSums& sums) const;

  private:
    struct OpenCompilation {
        uint32_t function;
        uint64_t start_ticks;
        size_t depth;  ///< calls the thread was in; kNoDepth: perhaps over
    };
    /// Calls suspended together, which a resumption goes on with one after the other.
    struct TakenStack {
        size_t depth;  ///< calls below the resumption
        uint32_t key;
        uint64_t ticks;  ///< when the resumption began
        AsyncStack stack;
    };
    static constexpr size_t kNoDepth = SIZE_MAX;
    /// Compilations nest when the compiler runs managed code; deeper than this it does not.
    static constexpr size_t kMaxOpenCompilations = 256;

    template <Listeners kListeners>
    void replay_records(RecordCursor& records);
    void control(RecordCursor& cursor);
    void apply_control(RecordCursor& cursor);
    /// What an exception has removed is taken from the stack before the next call's record.
    void look_ahead(RecordCursor& cursor);
    /// A record of a filter, finally or catch block.
    void block_begins(RecordCursor& cursor, uint32_t function, Lanes now);
    void compile_finished(uint32_t function, uint64_t now);
    /// A record that tells of async calls.
    void async_control(RecordCursor& cursor);
    void suspended(uint32_t key);
    /// False: it waits.
    bool resumed(uint32_t key, uint32_t sp, RecordCursor& behind);
    /// The calls in frames deeper than `address` have been suspended under a key.
    void stack_suspended(uint32_t key, uint32_t address, Lanes now);
    /// A method begins, or goes on, in the resumption on top: of calls that were suspended together
    /// the one of that function. False: there is none.
    bool take_up(uint32_t function, uint64_t ticks);
    /// Part of move_to(). Suspended calls stay where they are: each shard knows those it has read.
    void move_async_to(SharedTables& shared);
    /// What is left of the stacks of resumptions that have ended by `ticks` waits for the next one.
    void give_back_stacks(uint64_t ticks);
    /// A record that tells an argument of the call on top.
    void argument(RecordCursor& cursor);
    /// The compiler has the thread; what is called meanwhile runs its own code.
    [[nodiscard]] bool compiling_here() const {
        return !compiling_.empty() && compiling_.back().depth == stack_.depth();
    }
    /// An event later than this has overlays before it.
    [[nodiscard]] uint64_t next_overlay() const;
    /// Books the overlays before `now`, the time of an event, to the call on top; the event before
    /// was at `before`. Returns next_overlay().
    uint64_t book_overlays(uint64_t before, uint64_t now);
    /// Books the overlays before the record just read to the call on top, but for those in the wait
    /// for the collector that it may tell: they are not the program's. The event before was at
    /// `before`. Returns next_overlay().
    uint64_t book_overlays(uint64_t before, const RecordCursor& cursor);
    void add_deduction(const Deduction& deduction) {
        if (!deduction.empty()) {
            stack_.expand();
            shared_->deductions.add(number_, stack_.open_calls(), deduction);
        }
    }
    /// The thread has written nothing in [from, to), a long time, in which it was in its calls
    /// or waited for the collector: then what it was off the processors is nobody's.
    void note_stall(uint64_t from, uint64_t to, bool waited);
    /// What the windows have booked to those who stood.
    void book_late(const Deductions& late, CallDeductions& deductions) const;
    void enter_tables();
    void leave_tables();
    /// Off-CPU intervals not yet attributed, up to `to`, become slices.
    void record_off_cpu(uint64_t to);
    void shrink();

    SharedTables* shared_;
    size_t seat_ = 0;  ///< in SharedTables::threads
    uint32_t number_;
    uint32_t root_;
    uint64_t start_ticks_;
    uint64_t last_ticks_;  ///< of the last record
    uint64_t cost_ = 0;    ///< lane 1 so far: of the probes (EventCosts), and waits
    uint64_t end_ticks_ = 0;
    bool ended_ = false;
    ThreadCounts counts_;
    std::unique_ptr<SlowCallRecorder> recorder_;  ///< null: nothing is recorded
    std::unique_ptr<AsyncThread> async_;          ///< null: nobody follows async calls
    std::vector<TakenStack> taken_;               ///< the innermost last
    bool waits_ = false;                          ///< see waits()
    bool settles_ = false;                        ///< the next record that would wait does not
    ShadowStack stack_;
    ExceptionTracker exceptions_;
    ArgumentTracker arguments_;
    std::vector<OpenCompilation> compiling_;
    ThreadOverlays overlays_;
    std::optional<CpuWindows> windows_;
    /// Where the thread stood, by the numbers that windows_ knows; in ascending order.
    std::deque<std::pair<uint32_t, OpenCalls>> standing_;
    uint32_t next_standing_ = 1;
};

}  // namespace umbra::replay
