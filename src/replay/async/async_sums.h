// SPDX-License-Identifier: MIT
// Logical async calls, added up: by method, by path, by what they waited for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <unordered_map>
#include <vector>

#include "src/replay/tree/async_times.h"

namespace umbra::replay {

/// How a call came to stand below another.
enum class AsyncHow : uint8_t {
    kCalled,   ///< from it
    kSpawned,  ///< by work that it has handed to the thread pool or a scheduler
    kRoot,     ///< below none: nobody is known to have made it
    kBefore,   ///< below none: it had begun before the session, and was taken up again in it
};

/// Of some calls.
struct AsyncCounts {
    uint64_t calls = 0;
    std::array<uint64_t, kAsyncOutcomes> outcomes{};  ///< by AsyncOutcome; their sum is `calls`
    uint64_t never_suspended = 0;                     ///< of those that have ended
    uint64_t before = 0;                              ///< AsyncHow::kBefore: only a part is known
    uint64_t suspensions = 0;
    AsyncTimes times;
};

/// Of one method.
struct AsyncMethodSums {
    AsyncCounts counts;
    bool iterator = false;  ///< each call is a step of an async iterator
    // Of calls whose begin and end are known, which `timed` counts:
    uint64_t timed = 0;
    uint64_t min_ticks = std::numeric_limits<uint64_t>::max();
    uint64_t max_ticks = 0;
    std::vector<uint64_t> lengths;  ///< by AsyncBuckets; empty: none
};

/// A path of calls. A call inside another one of its method is counted where that is.
struct AsyncNode {
    uint32_t parent = 0;    ///< a smaller number; 0: none
    uint32_t function = 0;  ///< by index; 0: of row 0 alone, all that had no room for a row
    AsyncHow how = AsyncHow::kRoot;
    /// Who called it on its thread, and the caller of that: the function that starts the state
    /// machine, and its caller. 0: none, or nobody knows.
    uint32_t starter = 0;
    uint32_t caller = 0;
    /// Its calls were made inside others of their method, whose row this is, beside which it
    /// stands: what is called in them is below that. 0: they were not.
    uint32_t outermost = 0;
    AsyncCounts counts;
};

/// What calls of one method waited for.
struct AsyncWait {
    enum Kind : uint8_t {
        kUntold,  ///< nothing told what
        kChild,   ///< a call of `function` that it has made
        kOther,   ///< one that somebody else has made
        kType,    ///< an object of `type`; of a method that is not timed its state machine
        kRest,    ///< all that had no room for rows
    };
    uint32_t method = 0;
    Kind kind = kUntold;
    uint32_t function = 0;
    uint64_t type = 0;
    uint64_t times = 0;
    uint64_t ticks = 0;  ///< until it was there; not queued
};

/// Threads that were blocked until a task had ended, or the wait timed out.
struct BlockedWait {
    uint32_t function = 0;          ///< which they were in; 0: of row 0 alone, all without a row
    uint32_t awaited_function = 0;  ///< the task is a call of this one; 0: see `type`
    uint64_t type = 0;              ///< of the task; 0: not told
    uint64_t times = 0;
    uint64_t ticks = 0;
};

/// Calls with one value of an argument, of those whose begin and end are known.
struct AsyncLengths {
    uint64_t calls = 0;
    uint64_t total_ticks = 0;
    uint64_t min_ticks = std::numeric_limits<uint64_t>::max();
    uint64_t max_ticks = 0;
    std::map<uint32_t, uint64_t> buckets;  ///< by HistogramBuckets
};

/// A plain value, copied to be looked at.
struct AsyncSums {
    std::unordered_map<uint32_t, AsyncMethodSums> methods;  ///< by function index
    std::vector<AsyncNode> tree = std::vector<AsyncNode>(1);
    std::vector<AsyncWait> waits = std::vector<AsyncWait>(1);  ///< row 0: kRest, of all methods
    std::vector<BlockedWait> blocked = std::vector<BlockedWait>(1);
    /// By make_value_of(); with those whose calls have not ended.
    std::unordered_map<uint64_t, AsyncLengths> arguments;
    uint64_t lost_calls = 0;  ///< begun when there were too many: part of their callers
    uint64_t clashes = 0;     ///< two live calls had one key
    uint64_t unknown = 0;     ///< resumptions of what nobody has seen suspended
    uint64_t lost_facts = 0;  ///< without room, on their way
};

/// What a broken or hostile target cannot make this exceed.
struct AsyncLimits {
    uint32_t calls = 1U << 20;       ///< live ones, 144 bytes each, and a key
    uint32_t nodes = 1U << 16;       ///< of the tree
    uint32_t waits = 1U << 16;       ///< rows, and of BlockedWait as many
    uint32_t blocked = 1U << 16;     ///< waits of threads at once; later ones are not told
    uint32_t items = 1U << 18;       ///< of work that has been queued and has not begun
    uint32_t ended = 1U << 16;       ///< calls whose awaits may still be told
    uint32_t frames = 1U << 12;      ///< of one thread
    uint32_t functions = 1U << 20;   ///< indexes lie below this
    uint32_t methods = 1U << 16;     ///< of which calls are added up
    size_t facts = size_t{1} << 20;  ///< that wait for their turn
};

}  // namespace umbra::replay
