// SPDX-License-Identifier: MIT
// Replays the records of one thread: calls, exceptions, compilations, losses and waits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/collector/call_tree.h"
#include "src/collector/exception_tracker.h"
#include "src/collector/limits.h"
#include "src/collector/record_decoder.h"
#include "src/collector/shadow_stack.h"

namespace umbra::collector {

/// One finished compilation.
struct CompilationTicks {
    uint32_t function;
    uint32_t thread;  ///< number of the thread that compiled
    uint64_t start_ticks;
    uint64_t duration_ticks;
};

/// What all threads of a session write to.
struct SharedTables {
    explicit SharedTables(const Limits& limit_values)
        : limits(limit_values), tree(limits), exceptions(limits.max_exception_rows) {}

    Limits limits;
    CallTree tree;
    ExceptionCounts exceptions;
    std::vector<CompilationTicks> compilations;
    uint64_t compilations_lost = 0;  ///< beyond Limits::max_compilations
};

/// What is counted for one thread.
struct ThreadCounts {
    uint64_t events = 0;  ///< records decoded
    uint64_t lost_events = 0;
    uint64_t waits = 0;
    uint64_t wait_ticks = 0;
    uint64_t decode_errors = 0;
    StackCounts stack;
};

/// The state of one thread. `shared` must outlive it. One thread of ours.
class ThreadReplay {
  public:
    /// `number` stands for the thread in shared tables. `start_ticks`: no record is earlier.
    ThreadReplay(SharedTables& shared, uint32_t number, uint64_t start_ticks);

    /// Replays the records in `slots`, which run to the end of their chunk, in order. Complete
    /// chunk: all is used up. Unfinished: up to the first slot not yet written. Returns the slots
    /// used up; the next call starts behind them. Any content is allowed.
    size_t consume(std::span<const uint64_t> slots, bool complete);

    /// The thread has ended. Records may still follow (the end is told on another channel); calls
    /// open in the end count as unfinished and last until then.
    void end(uint64_t ticks);

    /// Events the thread has dropped in all, as it counted itself: the last of them may have no
    /// record of loss behind them.
    void note_lost(uint64_t total) { counts_.lost_events = std::max(counts_.lost_events, total); }

    /// The moment at which open calls are cut off: the end of the thread, else `now`; never
    /// before its last record.
    [[nodiscard]] uint64_t cut_ticks(uint64_t now_ticks) const;

    [[nodiscard]] uint64_t events() const { return counts_.events; }
    [[nodiscard]] uint64_t start_ticks() const { return start_ticks_; }
    [[nodiscard]] ThreadCounts counts() const;
    [[nodiscard]] uint32_t root() const { return root_; }  ///< node number in the tree
    [[nodiscard]] const ShadowStack& stack() const { return stack_; }
    [[nodiscard]] const ExceptionTracker& exceptions() const { return exceptions_; }

  private:
    struct OpenCompilation {
        uint32_t function;
        uint64_t start_ticks;
    };
    /// Compilations nest when the compiler runs managed code; deeper than this it does not.
    static constexpr size_t kMaxOpenCompilations = 256;

    void control(RecordCursor& cursor);
    void compile_finished(uint32_t function, uint64_t now);

    SharedTables& shared_;
    uint32_t number_;
    uint32_t root_;
    uint64_t start_ticks_;
    uint64_t last_ticks_;  ///< of the last record
    uint64_t end_ticks_ = 0;
    bool ended_ = false;
    ThreadCounts counts_;
    ShadowStack stack_;
    ExceptionTracker exceptions_;
    std::vector<OpenCompilation> compiling_;
};

}  // namespace umbra::collector
