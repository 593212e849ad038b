// SPDX-License-Identifier: MIT
// The profile as a data model: what the collector measures, the file stores and the reports read.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/profile/model/async_calls.h"
#include "src/profile/model/row.h"
#include "src/profile/model/slow_calls.h"

namespace umbra::profile {

/// One quantity of time of a set of calls, in nanoseconds.
struct Span {
    uint64_t total_ns =
        0;  ///< inclusive: with callees; recursion counted once where the table says so
    uint64_t self_ns = 0;  ///< exclusive: without instrumented callees
};

/// Times of calls. All but `raw` are compensated: the probes' own cost is taken out.
struct CallTimes {
    uint64_t calls = 0;       ///< calls begun
    uint64_t unfinished = 0;  ///< of these, calls still running when the profile was written
    uint64_t total_ns =
        0;                 ///< wall time, inclusive; recursion counted once where the table says so
    uint64_t self_ns = 0;  ///< wall time, exclusive
    uint64_t min_ns = 0;   ///< shortest inclusive time of one call; 0 without calls
    uint64_t max_ns = 0;   ///< longest inclusive time of one call
    Span raw{};            ///< wall time as measured, probes included
    Span cpu{};            ///< on a processor
    Span paused{};         ///< of the wall time: the runtime had stopped or used the thread
                           ///< (suspensions, compilation)
};

/// A runtime of the process whose methods were selected.
struct Runtime {
    std::string version;  ///< ".NET 10.0.12"
};

struct Module {
    std::string name;  ///< file name without folder: "app.dll"
    std::string path;  ///< as the runtime gave it; may be empty (dynamic modules)
    bool framework = false;
    Row runtime = kNone;    ///< which has loaded it; kNone: not known
    std::string symbols{};  ///< path of the PDB that lines are from, or "embedded"; empty: none
    std::string symbols_missing{};  ///< why there are none; empty: there are, or nobody has looked
};

/// One method body the runtime compiled with probes (or one whose compilation was seen).
// Fields: a row of the file's table, whose columns they are.
struct Function {
    /// As the user wrote it: "Acme.Cart.Add(Item, int)". Behind it, where others of the profile
    /// have the same, in brackets what tells them apart (names/tell_apart.h): each name is there
    /// once.
    std::string name;
    std::string namespace_;  ///< "Acme"
    std::string type;        ///< "Cart<int>.Line", without the namespace
    std::string method;      ///< "Add", with its generic arguments
    std::string signature;   ///< "(Item, int)"
    std::string raw_name;    ///< as in metadata: "Acme.Cart/<AddAsync>d__3.MoveNext"
    Row module = kNone;
    uint32_t token = 0;           ///< metadata token of the method
    bool instrumented = false;    ///< false: known from a compilation or an exception only
    bool trivial = false;         ///< selected, and without probes: part of its callers
    CallTimes times;              ///< totals count recursion once
    bool deinstrumented = false;  ///< hooks taken out by the budget; calls counted until then
    Row runtime = kNone;          ///< whose it is; kNone: not known, or of none
    std::string file;             ///< where its source is, as the compiler was told; may be empty
    uint32_t line = 0;            ///< of its first statement, from 1; 0: not known
    std::string test;             ///< framework that runs it as a test: "xUnit"; empty: it is none
    std::string endpoint{};       ///< of a web server that it answers: "GET /orders/{id}"; or empty
    /// Methods it was inlined into: these calls are missing in its row. "Acme.Cart.Total, ..."
    std::string inlined_into{};
    /// Of the name, what tells it from that of a function in another module, another runtime or
    /// another copy of the module: " [copy 2]"; may be empty.
    std::string module_mark;
    std::string return_type;    ///< "int", until the names are told apart; no file has it
    bool synchronized = false;  ///< the runtime takes a lock for each call; known of files alone
    /// Code that the runtime suspends: the function of its name that hands out the task is another.
    bool runtime_async = false;
};

/// The name of the row that stands for what threads were in when a capture of a running process
/// began. It is no method: its own time is what these threads spent outside of timed calls.
inline constexpr std::string_view kBeforeStart = "(running before start)";

[[nodiscard]] inline bool is_before_start(const Function& function) {
    return function.module == kNone && function.name == kBeforeStart;
}

/// The name of the row that rows of the calltree are of which stand for paths without a row. It is
/// no method, and has no times of its own: those of the paths are with their methods.
inline constexpr std::string_view kTruncatedPaths = "(paths without a row)";

[[nodiscard]] inline bool is_truncated_paths(const Function& function) {
    return function.module == kNone && function.name == kTruncatedPaths;
}
[[nodiscard]] inline Function truncated_paths() {
    Function row;
    row.name = row.raw_name = row.method = kTruncatedPaths;
    return row;
}

/// A thread, or many that have ended, in sum: by name, in which each number is a *.
struct Thread {
    std::string name;         ///< managed name, else the kernel's; may be empty
    uint32_t os_tid = 0;      ///< 0: of many
    uint64_t start_ns = 0;    ///< first event, from the start of the session; of many the first
    uint64_t end_ns = 0;      ///< thread end, or end of the session; of many the last
    uint64_t covered_ns = 0;  ///< wall time inside instrumented calls, raw
    uint64_t events = 0;      ///< records decoded
    uint64_t calls = 0;
    uint64_t lost_events = 0;  ///< dropped by a full ring
    uint64_t waits = 0;        ///< times the thread waited for the collector
    uint64_t wait_ns = 0;      ///< in sum; contained in raw wall times
    uint64_t repairs = 0;      ///< frames closed by caller SP without an event that explains it
    uint64_t unmatched_leaves = 0;  ///< leaves of calls whose enter was not seen
    uint64_t decode_errors = 0;     ///< records that made no sense; never from a healthy agent
    uint64_t cpu_ns = 0;            ///< on a processor while inside instrumented calls
    uint64_t kernel_cpu_ns = 0;     ///< the kernel's own figure, whole thread; 0 = not to be had
    uint64_t paused_ns = 0;         ///< suspensions and compilation inside instrumented calls
    Row runtime = kNone;        ///< whose methods it called; kNone: those of several, or of none
    uint64_t compilations = 0;  ///< made on it
    uint64_t compiling_ns = 0;
    uint64_t threads = 1;  ///< of how many the row is the sum
};

/// Calling context: one node for each path of calls (see Session::tree).
struct CallNode {
    Row parent = kNone;  ///< row of a smaller number; kNone: called from outside
    Row function = kNone;
    Row thread = kNone;  ///< kNone: all threads together
    /// Of this path alone. In a full tree recursion is deeper nodes; in a folded one it ends in the
    /// ancestor of the same function, whose total_ns is then the time below it on its path.
    CallTimes times;
    /// What was called on the parent's path without a row of its own; of truncated_paths().
    /// total_ns is self_ns, and is all that happened in it.
    bool truncated = false;
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

/// One call, of a profile recorded with a time line.
struct TimedCall {
    Row node = kNone;       ///< in Profile::calltree
    uint64_t start_ns = 0;  ///< since the start of the session, as measured
    uint64_t duration_ns = 0;
};

/// One of the longest.
struct Compilation {
    Row function = kNone;
    Row thread = kNone;     ///< the thread that compiled; tier-1 has threads of its own
    uint64_t start_ns = 0;  ///< from the start of the session
    uint64_t duration_ns = 0;
    uint32_t version = 0;  ///< 1: its first compilation, 2: the next, ...; 0: not known
};

/// All compilations of a function.
struct CompilationSum {
    Row function = kNone;  ///< kNone: of functions that are not known
    uint64_t count = 0;
    uint64_t duration_ns = 0;
    uint64_t longest_ns = 0;
};

/// The runtime stopped all managed threads: one of the longest times.
struct Pause {
    std::string reason;  ///< "gc", "gc-prep", "shutdown", "debugger", "rejit", ...
    uint32_t generations =
        0;                  ///< bit g: a collection of generation g ran (3 large objects, 4 pinned)
    Row thread = kNone;     ///< the thread that asked for it; kNone: one without events, or row
    uint32_t os_tid = 0;    ///< of that thread
    uint64_t start_ns = 0;  ///< threads are being stopped; from the start of the session
    uint64_t duration_ns = 0;  ///< until they were let go
    uint64_t stopping_ns = 0;  ///< of it, until all stood still
    uint32_t threads = 0;      ///< threads that were inside instrumented calls
};

/// All suspensions of one reason in which the same generations were collected.
struct PauseSum {
    std::string reason;
    uint32_t generations = 0;  ///< as in Pause
    uint64_t count = 0;
    uint64_t duration_ns = 0;
    uint64_t stopping_ns = 0;
    uint64_t longest_ns = 0;  ///< duration of one
};

/// What the runtime did in one of equally long parts of the session.
struct TimeSlice {
    uint64_t start_ns = 0;  ///< from the start of the session
    uint64_t duration_ns = 0;
    uint64_t pauses = 0;            ///< begun in it
    uint64_t paused_ns = 0;         ///< of it
    uint64_t longest_pause_ns = 0;  ///< of those begun in it
    uint64_t compilations = 0;      ///< begun in it
    uint64_t compiling_ns = 0;      ///< in it, all threads together
    uint64_t threads_begun = 0;     ///< in it: made their first event
    uint64_t threads_ended = 0;     ///< in it
};

/// Exceptions of one type, thrown in one function and caught in one.
struct ExceptionCount {
    std::string type;
    Row thrown_in = kNone;  ///< instrumented function on top at the throw; kNone: none
    Row caught_in = kNone;  ///< kNone: not caught in instrumented code
    uint64_t count = 0;
};

/// A value that was told with each call of a function: an argument, a part of one, or what the call
/// returned.
struct Argument {
    Row function = kNone;  ///< kNone: it was not found
    std::string name;      ///< as it was asked for: "id", "items.Length", "return"
    std::string type;      ///< "int", "System.DayOfWeek"
    std::string refusal;   ///< why it was not told; empty: it was
    uint64_t values = 0;   ///< different ones, without those that the rest has taken from the start
    uint64_t calls = 0;    ///< calls that told it
};

/// Calls with one value of an argument. Their time goes from the first argument told to the end
/// that was told; an unfinished call has none.
struct ArgumentValue {
    Row argument = kNone;
    std::string value;        ///< as C# would write it; empty for the rest
    bool rest = false;        ///< all values of the argument that have no row, in sum
    uint64_t calls = 0;       ///< calls begun
    uint64_t unfinished = 0;  ///< of these, calls whose end was not told
    uint64_t total_ns = 0;    ///< wall time of the others, compensated; recursive calls count again
    uint64_t min_ns = 0;      ///< shortest of the others, compensated too; 0 without any
    uint64_t max_ns = 0;
    uint64_t p50_ns = 0;
    uint64_t p99_ns = 0;
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
    /// Rows left out of a table that was full (names, arguments): no events, no times.
    uint64_t rows = 0;
    uint64_t pauses = 0;  ///< suspensions overwritten before they were read
    uint64_t switches =
        0;  ///< context switches the kernel dropped: CPU times of their moment are wall times

    [[nodiscard]] uint64_t events() const {
        return ring_full + no_thread_slot + depth + nodes + decode_errors;
    }
};

/// What was asked for.
struct Settings {
    std::string mode;     ///< "selective", "whole" or "sampled"
    std::string include;  ///< patterns, ';' between them
    std::string also;     ///< of what was timed besides
    std::string exclude;
    bool inlining = false;            ///< --inlining: timed methods may be inlined into one another
    bool trivial = false;             ///< --trivial: no method is left to its callers
    std::string overflow;             ///< "wait" or "drop"
    double max_overhead_percent = 0;  ///< the budget; 0 = none
    /// "full": every distinct path of each thread has a row of the calltree; "folded": threads
    /// share paths, a path holds each function once, and rare paths are truncated.
    std::string tree = "full";
    /// What the slowest calls are slow by: "wall", "cpu", or "wall for cpu" where CPU times of
    /// single calls could not be had; empty: none were asked for.
    std::string slowest_by;
};

/// The clock of events.
struct ClockFacts {
    std::string source;        ///< "tsc" or "os", or another processor's counter
    double ticks_hz = 0;       ///< measured against CLOCK_MONOTONIC_RAW over the whole run
    double residual_ns = 0;    ///< largest distance of a checkpoint from that line
    double resolution_ns = 0;  ///< what it moves on by; 0: not known
};

/// Where CPU times come from, and what they add up to.
struct CpuFacts {
    std::string source;       ///< "perf", "schedstat", "thread clocks" or "none"
    std::string refusal;      ///< why it is not the one preferred; empty: it is
    uint64_t on_ns = 0;       ///< inside instrumented calls, on a processor, all threads
    uint64_t off_ns = 0;      ///< inside instrumented calls, off the processors, all threads
    uint64_t process_ns = 0;  ///< the kernel's figure for the whole process; 0 = not to be had
    /// Of umbra's threads that replayed the events: on a processor, and ready to run while none was
    /// free for them; 0 = not to be had.
    uint64_t collector_ns = 0;
    uint64_t collector_delay_ns = 0;
};

/// Events, all threads.
struct EventCounts {
    uint64_t events = 0;  ///< records decoded
    uint64_t waits = 0;   ///< for the collector
    uint64_t wait_ns = 0;
};

/// What the probes did to the program.
struct ProbeFacts {
    /// "hooks": the runtime's; "il": written into the methods' IL, so that all instantiations of a
    /// generic method share a row and exceptions are not counted.
    std::string kind = "hooks";
    /// Cost of one call's pair of probes, measured at start: inside the callee's time, and outside
    /// (in the caller's).
    double inside_ns = 0;
    double outside_ns = 0;
    /// Functions whose compensated self time would be below 0: shown as 0.
    uint64_t clamped_functions = 0;
    uint64_t deinstrumented_functions = 0;  ///< hooks taken out by --max-overhead
    /// Selected methods first compiled without hooks, then compiled again.
    uint64_t missed_hooks = 0;
    uint64_t refused_methods = 0;  ///< selected methods whose IL cannot take probes: not timed
    /// Timed async methods that the runtime itself suspends: what begins and what goes on after a
    /// wait are calls of their own.
    uint64_t runtime_async_methods = 0;
};

/// Of a sampled profile alone: `calls` count samples then, those taken with the row's own code on
/// top of the stack.
struct SamplingFacts {
    double rate_hz = 0;                 ///< rounds a second, as asked for
    uint64_t rounds = 0;                ///< moments at which all threads were looked at
    uint64_t outside = 0;               ///< of threads that waited in no managed code: in no row
    uint64_t missed_rounds = 0;         ///< the runtime would not stop its threads
    uint64_t suspended_ns = 0;          ///< the program stood still for the rounds, in sum
    uint64_t median_suspension_ns = 0;  ///< of one round
    uint64_t worst_suspension_ns = 0;
    uint64_t sampler_cpu_ns = 0;          ///< the sampler's own; not in CpuFacts::process_ns
    uint64_t unattributed_cpu_ns = 0;     ///< of managed threads that no sample found running
    uint64_t threads_without_frames = 0;  ///< never seen in managed code
};

/// One run of a program, or a capture: a part of the life of one that was running before.
struct Session {
    std::string tool_version;
    std::string created_utc;  ///< ISO 8601
    std::string host;
    std::string program;  ///< "app.dll"
    std::string command_line;
    std::string runtime;  ///< ".NET 10.0.12"; of several the first
    uint32_t pid = 0;
    bool capture = false;   ///< of a process that was running before: not from its start
    bool complete = false;  ///< true: holds everything up to the end of the process
    std::string ended;  ///< "running", "exit 0", "signal 9 (SIGKILL)", "shutdown", "disconnected"
    uint64_t wall_ns = 0;       ///< from the start of the session to its end or this checkpoint
    uint64_t truncated_ns = 0;  ///< time in truncated rows of the calltree
    Settings settings;
    ClockFacts clock;
    CpuFacts cpu;
    EventCounts counts;
    ProbeFacts probes;
    SamplingFacts sampling;
    AsyncFacts async;
    Losses losses;
};

/// The calltree does not have every path: callers and callees are in the edges alone.
[[nodiscard]] inline bool is_folded(const Session& session) {
    return session.settings.tree == "folded";
}

/// Made of samples, not of calls.
[[nodiscard]] inline bool is_sampled(const Session& session) {
    return session.settings.mode == "sampled";
}

/// A method as reports list it, with all functions that it is: an async method or an iterator has
/// pieces. See method_rows().
struct Method {
    Row function = kNone;  ///< the one that bears its name
    /// Of an async method calls, min, max and total are those from begin to result, over all
    /// awaits.
    CallTimes times;
    uint64_t mean_ns = 0;  ///< of one call, recursive calls too
    uint64_t p50_ns = 0;   ///< percentiles of one call; 0: not known
    uint64_t p90_ns = 0;
    uint64_t p99_ns = 0;
    bool rough = false;    ///< self time of which more is in doubt than kRoughPart
    bool logical = false;  ///< an async method whose calls were followed
};

/// A whole profile. Owned by one thread at a time; a plain value, copied to hand it on.
// Fields: one for each table of the file.
struct Profile {
    Session session;
    std::vector<Runtime> runtimes;  ///< in the order of their starts
    std::vector<Module> modules;
    std::vector<Function> functions;
    std::vector<Method> methods;  ///< that were called, the longest self time first
    std::vector<Thread> threads;
    std::vector<CallNode> calltree;  ///< parents before children
    std::vector<Edge> edges;
    std::vector<ThreadFunction> thread_functions;
    std::vector<HistogramBucket> histograms;
    std::vector<Compilation> compilations;         ///< the longest, in the order they ended
    std::vector<CompilationSum> compilation_sums;  ///< of all, by function
    std::vector<Pause> pauses;                     ///< the longest, in order of time
    std::vector<PauseSum> pause_sums;              ///< of all, the greatest total first
    std::vector<TimeSlice> time_slices;            ///< in order of time
    std::vector<ExceptionCount> exceptions;
    /// In the order in which calls ended, each thread's callees before their caller; empty unless
    /// it was asked for.
    std::vector<TimedCall> timeline;
    std::vector<Argument> arguments;
    /// By argument, the longest total first, its rest last.
    std::vector<ArgumentValue> argument_values;
    std::vector<SlowMethod> slow_methods;
    std::vector<SlowCall> slow_calls;        ///< by method, the slowest first
    std::vector<SlowSlice> slow_slices;      ///< by call, parents before children
    std::vector<AsyncMethod> async_methods;  ///< the longest wall time first
    std::vector<AsyncNode> async_tree;       ///< parents before children
    std::vector<AsyncWait> async_waits;      ///< by function, the longest first
    std::vector<BlockedWait> blocked_waits;  ///< the longest first
};

/// The calltree does not tell threads apart: what each did is in thread_functions alone.
[[nodiscard]] inline bool threads_share_paths(const Profile& profile) {
    return !profile.calltree.empty() && profile.calltree.front().thread == kNone;
}

}  // namespace umbra::profile
