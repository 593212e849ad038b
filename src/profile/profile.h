// SPDX-License-Identifier: MIT
// The profile as a data model: what the collector measures, the file stores and the reports read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace umbra::profile {

/// Row number in one of the tables below; kNone where there is no row.
using Row = uint32_t;
inline constexpr Row kNone = 0xffffffffU;

/// Wall times of calls, in nanoseconds. `total` contains callees, `self` does not.
struct CallTimes {
    uint64_t calls = 0;       ///< calls begun
    uint64_t unfinished = 0;  ///< of these, calls still running when the profile was written
    uint64_t total_ns = 0;    ///< inclusive; recursion counted once where the table says so
    uint64_t self_ns = 0;     ///< exclusive
    uint64_t min_ns = 0;      ///< shortest inclusive time of one call; 0 without calls
    uint64_t max_ns = 0;      ///< longest inclusive time of one call
};

struct Module {
    std::string name;  ///< file name without folder: "app.dll"
    std::string path;  ///< as the runtime gave it; may be empty (dynamic modules)
    bool framework = false;
};

/// One method body the runtime compiled with probes (or one whose compilation was seen).
struct Function {
    std::string name;        ///< as the user wrote it: "Acme.Cart.Add(Item, int)"
    std::string namespace_;  ///< "Acme"
    std::string type;        ///< "Cart<int>.Line", without the namespace
    std::string method;      ///< "Add", with its generic arguments
    std::string signature;   ///< "(Item, int)"
    std::string raw_name;    ///< as in metadata: "Acme.Cart/<AddAsync>d__3.MoveNext"
    Row module = kNone;
    uint32_t token = 0;         ///< metadata token of the method
    bool instrumented = false;  ///< false: known from a compilation or an exception only
    CallTimes times;            ///< total_ns counts recursion once
};

struct Thread {
    std::string name;  ///< managed name, else the kernel's; may be empty
    uint32_t os_tid = 0;
    uint64_t start_ns = 0;    ///< first event, from the start of the session
    uint64_t end_ns = 0;      ///< thread end, or end of the session
    uint64_t covered_ns = 0;  ///< wall time inside instrumented calls
    uint64_t events = 0;      ///< records decoded
    uint64_t calls = 0;
    uint64_t lost_events = 0;  ///< dropped by a full ring
    uint64_t waits = 0;        ///< times the thread waited for the collector
    uint64_t wait_ns = 0;      ///< in sum; contained in wall times
    uint64_t repairs = 0;      ///< frames closed by caller SP without an event that explains it
    uint64_t unmatched_leaves = 0;  ///< leaves of calls whose enter was not seen
    uint64_t decode_errors = 0;     ///< records that made no sense; never from a healthy agent
};

/// Calling context: one node for each distinct path of calls in a thread.
struct CallNode {
    Row parent = kNone;  ///< row of a smaller number; kNone: called from outside
    Row function = kNone;
    Row thread = kNone;
    CallTimes times;  ///< of this path alone: recursion is deeper nodes
};

struct Edge {
    Row caller = kNone;  ///< kNone: called from outside instrumented code
    Row callee = kNone;
    CallTimes times;  ///< of the callee when called by this caller; total_ns counts recursion once
};

struct ThreadFunction {
    Row thread = kNone;
    Row function = kNone;
    CallTimes times;  ///< total_ns counts recursion once
};

/// Inclusive call times in logarithmic buckets; only buckets that hold calls have a row.
struct HistogramBucket {
    Row function = kNone;
    uint64_t lower_ns = 0;  ///< inclusive
    uint64_t upper_ns = 0;  ///< exclusive
    uint64_t calls = 0;
};

struct Compilation {
    Row function = kNone;
    Row thread = kNone;     ///< the thread that compiled; tier-1 has threads of its own
    uint64_t start_ns = 0;  ///< from the start of the session
    uint64_t duration_ns = 0;
};

/// Exceptions of one type, thrown in one function and caught in one.
struct ExceptionCount {
    std::string type;
    Row thrown_in = kNone;  ///< instrumented function on top at the throw; kNone: none
    Row caught_in = kNone;  ///< kNone: not caught in instrumented code
    uint64_t count = 0;
};

/// Why events are missing; all zero in a sound profile.
struct Losses {
    uint64_t ring_full =
        0;  ///< dropped because the ring was full (--overflow=drop, or a stalled collector)
    uint64_t no_thread_slot = 0;    ///< events of threads beyond the limit of live threads
    uint64_t no_function_slot = 0;  ///< functions not instrumented: registry full
    uint64_t depth = 0;             ///< calls below the greatest depth kept
    uint64_t nodes = 0;             ///< calls merged into their caller: call tree full
    uint64_t decode_errors = 0;     ///< records that made no sense
    /// Rows left out of a table that was full (names, compilations): no events, no times.
    uint64_t rows = 0;

    [[nodiscard]] uint64_t events() const {
        return ring_full + no_thread_slot + depth + nodes + decode_errors;
    }
};

struct Session {
    std::string tool_version;
    std::string created_utc;  ///< ISO 8601
    std::string host;
    std::string program;  ///< "app.dll"
    std::string command_line;
    std::string runtime;  ///< ".NET 10.0.12"
    uint32_t pid = 0;
    std::string mode;     ///< "selective" or "whole"
    std::string include;  ///< patterns, ';' between them
    std::string exclude;
    bool inlining = true;          ///< false: --no-inlining, every call of the source is counted
    std::string overflow;          ///< "wait" or "drop"
    std::string clock;             ///< "tsc"
    double ticks_hz = 0;           ///< measured against CLOCK_MONOTONIC_RAW over the whole run
    double clock_residual_ns = 0;  ///< largest distance of a checkpoint from that line
    bool complete = false;         ///< true: holds everything up to the end of the process
    std::string ended;  ///< "running", "exit 0", "signal 9 (SIGKILL)", "shutdown", "disconnected"
    uint64_t wall_ns = 0;  ///< from the start of the session to its end or this checkpoint
    uint64_t events = 0;   ///< records decoded, all threads
    uint64_t waits = 0;
    uint64_t wait_ns = 0;
    uint64_t missed_hooks =
        0;  ///< selected methods first compiled without hooks, then compiled anew
    Losses losses;
};

/// A whole profile. Owned by one thread at a time; a plain value, copied to hand it on.
struct Profile {
    Session session;
    std::vector<Module> modules;
    std::vector<Function> functions;
    std::vector<Thread> threads;
    std::vector<CallNode> calltree;  ///< parents before children
    std::vector<Edge> edges;
    std::vector<ThreadFunction> thread_functions;
    std::vector<HistogramBucket> histograms;
    std::vector<Compilation> compilations;
    std::vector<ExceptionCount> exceptions;
};

}  // namespace umbra::profile
