// SPDX-License-Identifier: MIT
// The columns of the tables of logical async calls.
#pragma once

#include <array>

#include "export/schema_columns.h"
#include "src/profile/profile.h"

namespace umbra::schema {

using profile::AsyncCounts;
using profile::AsyncMethod;
using profile::AsyncNode;
using profile::AsyncTimes;
using profile::AsyncWait;
using profile::BlockedWait;

// clang-format off

/// The columns of an AsyncCounts member.
template <auto Counts>
constexpr auto async_counts() {
    return std::array{
        column<Counts, &AsyncCounts::calls>("calls", "calls", "logical calls begun: the sum of the five columns that follow"),
        column<Counts, &AsyncCounts::results>("results", "calls", "ended with a result"),
        column<Counts, &AsyncCounts::faults>("faults", "calls", "ended with an exception"),
        column<Counts, &AsyncCounts::cancelled>("cancelled", "calls", "ended with an OperationCanceledException"),
        column<Counts, &AsyncCounts::open>("open", "calls", "had not ended when the file was written; their times go until then"),
        column<Counts, &AsyncCounts::unknown>("unknown", "calls", "how they ended is not known: records are missing, or two calls could not be told apart"),
        column<Counts, &AsyncCounts::never_suspended>("never_suspended", "calls", "of those that ended: had their result without waiting for anything"),
        column<Counts, &AsyncCounts::before>("before", "calls", "had begun before the session: only what came after is known"),
        column<Counts, &AsyncCounts::suspensions>("suspensions", "suspensions", "awaits at which they had to wait"),
        column<Counts, &AsyncCounts::times, &AsyncTimes::wall_ns>("wall_ns", "ns", "from begin to end, over all awaits: the sum of the five columns that follow; the cost of the probes is in it"),
        column<Counts, &AsyncCounts::times, &AsyncTimes::running_ns>("running_ns", "ns", "on a thread, in no logical call that it had made"),
        column<Counts, &AsyncCounts::times, &AsyncTimes::children_ns>("children_ns", "ns", "a logical call that it had made was running above it, or was awaited"),
        column<Counts, &AsyncCounts::times, &AsyncTimes::others_ns>("others_ns", "ns", "awaited a logical call that somebody else had made"),
        column<Counts, &AsyncCounts::times, &AsyncTimes::outside_ns>("outside_ns", "ns", "awaited something else: a timer, a socket, a task without a timed method"),
        column<Counts, &AsyncCounts::times, &AsyncTimes::queued_ns>("queued_ns", "ns", "what was awaited was there, and the thread pool had not taken the call up again"),
    };
}

inline constexpr auto kAsyncMethods = std::array{
    row_of<&AsyncMethod::function>("functions", "function", "MoveNext of the method's state machine"),
} + async_counts<&AsyncMethod::counts>() + std::array{
    column<&AsyncMethod::min_ns>("wall_min_ns", "ns", "shortest call of which begin and end are known; 0 without any"),
    column<&AsyncMethod::max_ns>("wall_max_ns", "ns", "longest of these"),
    column<&AsyncMethod::p50_ns>("wall_p50_ns", "ns", "half of these were not longer; at most 12.5 % off, as the next two"),
    column<&AsyncMethod::p90_ns>("wall_p90_ns", "ns", "nine in ten were not longer"),
    column<&AsyncMethod::p99_ns>("wall_p99_ns", "ns", "99 in 100 were not longer"),
    column<&AsyncMethod::iterator>("iterator", "", "1: an async iterator, each step of which is a call here"),
};

inline constexpr auto kAsyncTree = std::array{
    row_or_none<&AsyncNode::parent>("async_tree", "parent", "path that the calls were made in; -1: none"),
    row_or_none<&AsyncNode::function>("functions", "function", "MoveNext of the method's state machine; -1: all paths that had no room for a row"),
    column<&AsyncNode::how>("how", "", "called (by the parent), spawned (by work that the parent gave to the thread pool or a scheduler), root (nobody is known to have made it) or before (had begun before the session)"),
    row_or_none<&AsyncNode::caller>("functions", "caller", "of called and root: what called it on its thread, which need not be async; -1: nothing that was timed"),
} + async_counts<&AsyncNode::counts>();

inline constexpr auto kAsyncWaits = std::array{
    row_or_none<&AsyncWait::function>("functions", "function", "whose calls waited; -1: those that had no room for rows"),
    column<&AsyncWait::how>("how", "", "for what: child (a logical call that it had made), other (one that somebody else had made), outside (no logical call), rest (what had no room for rows)"),
    row_or_none<&AsyncWait::awaited_function>("functions", "awaited_function", "of child and other: its method's MoveNext; -1 else"),
    column<&AsyncWait::awaited>("awaited", "", "of outside: Task.Delay, a method that is not timed, or a type; empty: not told"),
    column<&AsyncWait::times>("times", "suspensions", "how often"),
    column<&AsyncWait::total_ns>("total_ns", "ns", "until it was there; what was queued then is not in it"),
};

inline constexpr auto kBlockedWaits = std::array{
    row_or_none<&BlockedWait::function>("functions", "function", "in which a thread was blocked: the innermost that was timed; -1: those that had no room for rows"),
    row_or_none<&BlockedWait::awaited_function>("functions", "awaited_function", "the MoveNext of the method whose call the task was; -1: it was none"),
    column<&BlockedWait::awaited>("awaited", "", "of a task that is no logical call, as in async_waits; empty: not told"),
    column<&BlockedWait::times>("times", "waits", "how often"),
    column<&BlockedWait::total_ns>("total_ns", "ns", "until the task had ended, or the wait timed out"),
};

// clang-format on

}  // namespace umbra::schema
