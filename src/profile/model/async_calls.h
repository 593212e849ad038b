// SPDX-License-Identifier: MIT
// Logical calls of async methods, as a profile has them: part of its data model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/profile/model/row.h"

namespace umbra::profile {

/// What the time of logical calls of async methods was spent in, in nanoseconds. A call lasts from
/// its begin to its result, over all its awaits. Raw: the probes' cost is in it.
struct AsyncTimes {
    uint64_t wall_ns = 0;      ///< the sum of all that follows
    uint64_t running_ns = 0;   ///< on a thread, in no timed async call that it has made
    uint64_t children_ns = 0;  ///< a call it has made was running above it, or was awaited
    uint64_t others_ns = 0;    ///< it awaited a call that somebody else has made
    uint64_t outside_ns = 0;   ///< it awaited something that is no timed call
    uint64_t queued_ns = 0;    ///< it was ready, and no thread had taken it up again
};

/// Logical calls of one method, or of one path.
struct AsyncCounts {
    uint64_t calls = 0;  ///< begun; the sum of the five that follow
    uint64_t results = 0;
    uint64_t faults = 0;
    uint64_t cancelled = 0;
    uint64_t open = 0;     ///< still going on when the profile was written; in the times until then
    uint64_t unknown = 0;  ///< how they ended is not known: records are missing, or keys were equal
    uint64_t never_suspended = 0;  ///< of those that have ended
    uint64_t before = 0;           ///< had begun before the session: only a part is known
    uint64_t suspensions = 0;
    AsyncTimes times;
};

/// An async method with logical calls.
struct AsyncMethod {
    Row function = kNone;  ///< its state machine's MoveNext
    AsyncCounts counts;
    bool iterator = false;  ///< each call is a step
    // Of calls whose begin and end are known; 0 without any:
    uint64_t min_ns = 0;
    uint64_t max_ns = 0;
    uint64_t p50_ns = 0;
    uint64_t p90_ns = 0;
    uint64_t p99_ns = 0;
};

/// A path of logical calls: who called whom, over all awaits. A call inside another one of its
/// method has a row beside that of the outermost, which has all that is called in it.
struct AsyncNode {
    static constexpr std::string_view kCalled = "called";
    static constexpr std::string_view kSpawned = "spawned";  ///< by work handed to the pool
    static constexpr std::string_view kRoot = "root";        ///< nobody is known to have made it
    static constexpr std::string_view kBefore = "before";    ///< had begun before the session

    Row parent = kNone;    ///< row of a smaller number
    Row function = kNone;  ///< kNone: all paths that had no room for a row
    std::string how;
    /// Of kCalled and kRoot: what called it on its thread, a method that need not be async; the
    /// path up to `parent` may have others. kNone: nothing that was timed.
    Row caller = kNone;
    AsyncCounts counts;
};

/// What the calls of one method waited for.
struct AsyncWait {
    static constexpr std::string_view kChild = "child";  ///< a timed call that it has made
    static constexpr std::string_view kOther = "other";  ///< ... that somebody else has made
    static constexpr std::string_view kOutside = "outside";
    static constexpr std::string_view kRest = "rest";  ///< all that had no room for rows

    Row function = kNone;  ///< whose calls; kNone: of all
    std::string how;
    Row awaited_function = kNone;  ///< of kChild and kOther
    std::string awaited;    ///< what it is called: "Task.Delay", "Acme.Orders.Load"; may be empty
    uint64_t times = 0;     ///< suspensions
    uint64_t total_ns = 0;  ///< until it was there: without what was queued
};

/// Threads that were blocked until a task had ended, or the wait timed out: Task.Wait(),
/// Task.Result, GetResult(). A thread that waits may run other tasks, and be blocked in these
/// again: then both have the time.
struct BlockedWait {
    Row function = kNone;          ///< which they were in; kNone: all that had no room for rows
    Row awaited_function = kNone;  ///< the task is a call of this one; kNone: see `awaited`
    std::string awaited;           ///< as AsyncWait::awaited
    uint64_t times = 0;
    uint64_t total_ns = 0;
};

/// Whether and how far logical calls were followed.
struct AsyncFacts {
    bool followed = false;
    uint64_t lost_calls = 0;  ///< begun when there were too many, and part of their callers
    uint64_t lost_facts = 0;  ///< events of async calls for which there was no room
    uint64_t clashes = 0;     ///< two live calls could not be told apart: how they ended is unknown
};

}  // namespace umbra::profile
