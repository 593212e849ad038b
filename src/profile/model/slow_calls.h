// SPDX-License-Identifier: MIT
// The slowest calls of chosen methods, as a profile has them: part of its data model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "src/profile/model/row.h"

namespace umbra::profile {

/// A function whose slowest calls were kept, or a request that no method met. Calls inside another
/// call of the same function are part of that one and count here no more.
struct SlowMethod {
    Row function = kNone;  ///< kNone: no method with probes met the request
    std::string request;   ///< as it was asked for: "Acme.Orders.Handle=20"
    uint64_t calls = 0;    ///< that were compared
    uint64_t kept = 0;     ///< rows in slow_calls
    uint64_t lost = 0;     ///< slow enough to be kept, but there was no room
};

/// One of the slowest calls of a function. The slowest of a function come first.
struct SlowCall {
    Row method = kNone;  ///< in Profile::slow_methods
    Row thread = kNone;
    Row caller = kNone;         ///< function of the call it was made in; kNone: no timed one
    bool unfinished = false;    ///< still running when the profile was written
    uint64_t start_ns = 0;      ///< from the start of the session
    uint64_t duration_ns = 0;   ///< as measured
    uint64_t probes_ns = 0;     ///< of it, what the probes took
    uint64_t waited_ns = 0;     ///< of it, waits for the collector
    uint64_t wall_ns = 0;       ///< what is left without these two
    uint64_t off_cpu_ns = 0;    ///< of wall_ns; 0 where single calls' CPU times are not known
    uint64_t cpu_ns = 0;        ///< of wall_ns, on a processor; 0 where that is not known
    uint64_t paused_ns = 0;     ///< of the duration, suspensions of the runtime
    uint64_t compiling_ns = 0;  ///< of the duration, compilations on its thread
    uint64_t calls = 0;         ///< calls begun in it, at whatever depth
    uint64_t merged_calls = 0;  ///< of these, calls without a slice of their own
    /// Of an async call, from its begin to its result over all threads, how it ended: "result",
    /// "exception", "cancelled", "unknown", "open"; of a call on one thread empty.
    std::string outcome{};
    // Of an async call, as AsyncTimes has them; their sum is wall_ns:
    uint64_t running_ns = 0;
    uint64_t awaiting_ns = 0;  ///< children, others and outside
    uint64_t queued_ns = 0;

    [[nodiscard]] bool is_async() const { return !outcome.empty(); }
};

/// A part of a slow call. Slices of one parent do not overlap, and lie within it, but for those
/// that tell what the runtime did (kPaused, kCompiling), and calls in an async call: those may go
/// on at once, and what they have spawned may outlast them.
struct SlowSlice {
    static constexpr std::string_view kCall = "call";
    static constexpr std::string_view kOffCpu = "off cpu";  ///< the thread was off the processors
    static constexpr std::string_view kWaited = "waited";   ///< ... waited for the collector
    static constexpr std::string_view kPaused = "paused";   ///< the runtime had stopped all threads
    static constexpr std::string_view kCompiling = "compiling";
    // Of an async call:
    static constexpr std::string_view kRunning = "running";    ///< it ran on `thread`
    static constexpr std::string_view kAwaiting = "awaiting";  ///< no call that it had made
    static constexpr std::string_view kQueued = "queued";      ///< in the thread pool's queue

    Row call = kNone;      ///< in Profile::slow_calls
    Row parent = kNone;    ///< row of a smaller number; kNone: the call itself
    Row function = kNone;  ///< that was called, compiled or awaited; kNone: an interval
    std::string kind{kCall};
    uint64_t start_ns = 0;  ///< from the start of the session
    /// As measured. Of calls that share a slice the sum: they are shown as if they had followed
    /// each other.
    uint64_t duration_ns = 0;
    uint64_t calls = 1;     ///< calls, or intervals, that share the slice
    Row thread = kNone;     ///< of kRunning; kNone: not known, or that of the call
    std::string awaited{};  ///< of kAwaiting without a function: "Task.Delay"; empty: not known
};

}  // namespace umbra::profile
