// SPDX-License-Identifier: MIT
// The declarations behind schema.h: one line a column.
#include "export/schema.h"

#include <array>
#include <cstddef>
#include <string_view>

#include <fmt/format.h>

#include "export/schema_async.h"
#include "export/schema_columns.h"

namespace umbra::schema {
namespace {

using profile::Argument;
using profile::ArgumentValue;
using profile::AsyncFacts;
using profile::CallNode;
using profile::CallTimes;
using profile::ClockFacts;
using profile::Compilation;
using profile::CompilationSum;
using profile::CpuFacts;
using profile::Edge;
using profile::EventCounts;
using profile::ExceptionCount;
using profile::Function;
using profile::HistogramBucket;
using profile::Losses;
using profile::Method;
using profile::Module;
using profile::Pause;
using profile::PauseSum;
using profile::ProbeFacts;
using profile::Profile;
using profile::Runtime;
using profile::SamplingFacts;
using profile::Session;
using profile::Settings;
using profile::SlowCall;
using profile::SlowMethod;
using profile::SlowSlice;
using profile::Span;
using profile::Thread;
using profile::ThreadFunction;
using profile::TimedCall;
using profile::TimeSlice;

// clang-format off

/// The columns of a CallTimes member; `total` says how recursion counts in this table.
template <auto Times>
constexpr std::array<Column, 12> times(std::string_view total) {
    return {
        column<Times, &CallTimes::calls>("calls", "calls", "calls begun"),
        column<Times, &CallTimes::unfinished>("unfinished", "calls", "of these, calls still running when the file was written"),
        column<Times, &CallTimes::total_ns>("wall_total_ns", "ns", total),
        column<Times, &CallTimes::self_ns>("wall_self_ns", "ns", "wall time without callees, the probes' cost taken out"),
        column<Times, &CallTimes::min_ns>("wall_min_ns", "ns", "shortest call with its callees, without the cost of the probes; 0 without calls"),
        column<Times, &CallTimes::max_ns>("wall_max_ns", "ns", "longest call with its callees, without the cost of the probes; 0 without calls"),
        column<Times, &CallTimes::raw, &Span::total_ns>("wall_total_raw_ns", "ns", "wall_total_ns as measured, the cost of the probes included"),
        column<Times, &CallTimes::raw, &Span::self_ns>("wall_self_raw_ns", "ns", "wall_self_ns as measured, the cost of the probes included"),
        column<Times, &CallTimes::cpu, &Span::total_ns>("cpu_total_ns", "ns", "of wall_total_ns, on a processor; 0 where cpu_source is none"),
        column<Times, &CallTimes::cpu, &Span::self_ns>("cpu_self_ns", "ns", "of wall_self_ns, on a processor; 0 where cpu_source is none"),
        column<Times, &CallTimes::paused, &Span::total_ns>("paused_total_ns", "ns", "of wall_total_ns, the runtime had stopped or used the thread: suspensions, compilation"),
        column<Times, &CallTimes::paused, &Span::self_ns>("paused_self_ns", "ns", "of wall_self_ns, the same"),
    };
}

constexpr std::string_view kTotalOnce = "wall time with callees, the probes' cost taken out; recursion counted once";
constexpr std::string_view kTotalMethod = "wall time with callees, the probes' cost taken out; recursion counted once; of an async method from begin to result";
constexpr std::string_view kTotalPath = "wall time with callees, the probes' cost taken out; recursion is a path of its own";

constexpr auto kRuntimes = std::array{
    column<&Runtime::version>("version", "", "name and version"),
};

constexpr auto kModules = std::array{
    column<&Module::name>("name", "", "file name without folder"),
    column<&Module::path>("path", "", "as the runtime gave it; empty for dynamic modules"),
    column<&Module::framework>("framework", "", "part of the shared framework"),
    row_or_none<&Module::runtime>("runtimes", "runtime", "which has loaded it; -1: not known"),
    column<&Module::symbols>("symbols", "", "path of the PDB that source lines are from, or embedded; empty: none"),
    column<&Module::symbols_missing>("symbols_missing", "", "why there are no source lines; empty: there are, or none of its methods was selected"),
};

constexpr auto kFunctions = std::array{
    column<&Function::name>("name", "", "as the user wrote it: Acme.Cart.Add(Item, int); behind it, in brackets, what tells it from others of that name: no two functions share one"),
    column<&Function::namespace_>("namespace", "", "namespace of the type"),
    column<&Function::type>("type", "", "type with its generic arguments, without the namespace"),
    column<&Function::method>("method", "", "method with its generic arguments"),
    column<&Function::signature>("signature", "", "parameter types: (Item, int)"),
    column<&Function::raw_name>("raw_name", "", "as in metadata: Acme.Cart/<AddAsync>d__3.MoveNext"),
    row_or_none<&Function::module>("modules", "module", "module that defines it"),
    column<&Function::token>("token", "", "metadata token of the method"),
    column<&Function::instrumented>("instrumented", "", "false: known from a compilation or an exception only"),
} + times<&Function::times>(kTotalOnce) + std::array{
    column<&Function::trivial>("trivial", "", "selected, and without probes: it is part of its callers"),
    column<&Function::inlined_into>("inlined_into", "", "methods it was inlined into while it was timed: calls there are missing; empty: none"),
    column<&Function::deinstrumented>("deinstrumented", "", "its probes were taken out to keep max_overhead_percent: calls are counted until then, its time is its callers'"),
    row_or_none<&Function::runtime>("runtimes", "runtime", "whose it is; -1: not known, or of none"),
    column<&Function::file>("file", "", "source file, as the compiler was told its name; empty: not known"),
    column<&Function::line>("line", "", "line of its first statement, from 1; 0: not known"),
    column<&Function::test>("test", "", "test framework that runs it: xUnit, NUnit, MSTest, TUnit; empty: it is no test"),
    column<&Function::endpoint>("endpoint", "", "verb and route that it answers in ASP.NET Core, as they stand in its module: GET /orders/{id}; several are separated by a comma; empty: it is none"),
    column<&Function::module_mark>("module_mark", "", "of the name, what tells it from a function of another module, runtime or copy of the module: [copy 2]; mostly empty"),
    column<&Function::synchronized>("synchronized", "", "marked [MethodImpl(Synchronized)]: the runtime takes a lock for each call; known of modules that lie in files"),
    column<&Function::runtime_async>("runtime_async", "", "code of an async method that the runtime itself suspends: a piece of it, as MoveNext of a state machine is; another function of its name hands out the task"),
};

constexpr auto kMethods = std::array{
    row_of<&Method::function>("functions", "function", "the function that bears its name; of an async method or an iterator its pieces are others"),
} + times<&Method::times>(kTotalMethod) + std::array{
    column<&Method::mean_ns>("wall_mean_ns", "ns", "mean of one call with its callees, recursive calls counted each"),
    column<&Method::p50_ns>("wall_p50_ns", "ns", "half of the calls were not longer; 0: not known"),
    column<&Method::p90_ns>("wall_p90_ns", "ns", "nine in ten were not longer"),
    column<&Method::p99_ns>("wall_p99_ns", "ns", "99 in 100 were not longer"),
    column<&Method::rough>("rough", "", "1: the self time is less than ten times what the probes took in it"),
    column<&Method::logical>("logical", "", "1: an async method; calls, unfinished, total, min, max, mean and percentiles are those of calls from begin to result, over all awaits"),
};

constexpr auto kThreads = std::array{
    column<&Thread::name>("name", "", "managed name, else the kernel's; may be empty"),
    column<&Thread::os_tid>("os_tid", "", "thread id of the kernel; 0: of many"),
    column<&Thread::start_ns>("start_ns", "ns", "first event, from the start of the session; of many the first"),
    column<&Thread::end_ns>("end_ns", "ns", "end of the thread or of the session; of many the last"),
    column<&Thread::covered_ns>("covered_ns", "ns", "wall time inside instrumented calls, as measured"),
    column<&Thread::events>("events", "events", "records decoded"),
    column<&Thread::calls>("calls", "calls", "calls begun"),
    column<&Thread::lost_events>("lost_events", "events", "dropped by a full ring"),
    column<&Thread::waits>("waits", "waits", "times the thread waited for umbra"),
    column<&Thread::wait_ns>("wait_ns", "ns", "sum of these waits; contained in raw wall times"),
    column<&Thread::repairs>("repairs", "frames", "frames closed without an event that explains it"),
    column<&Thread::unmatched_leaves>("unmatched_leaves", "events", "leaves of calls whose enter was not seen"),
    column<&Thread::decode_errors>("decode_errors", "events", "records that made no sense"),
    column<&Thread::cpu_ns>("cpu_ns", "ns", "on a processor inside instrumented calls"),
    column<&Thread::kernel_cpu_ns>("kernel_cpu_ns", "ns", "the kernel's figure for the whole thread; 0: not to be had"),
    column<&Thread::paused_ns>("paused_ns", "ns", "inside instrumented calls, the runtime had stopped or used the thread"),
    column<&Thread::threads>("threads", "threads", "of how many that have ended the row is the sum; 1: it is one thread"),
    column<&Thread::compilations>("compilations", "compilations", "by the runtime, on it"),
    column<&Thread::compiling_ns>("compiling_ns", "ns", "time to compile, in sum"),
    row_or_none<&Thread::runtime>("runtimes", "runtime", "whose methods it called; -1: those of several, or of none"),
};

constexpr auto kCalltree = std::array{
    row_or_none<&CallNode::parent>("calltree", "parent", "the caller's node, always a smaller row; -1: called from outside"),
    row_of<&CallNode::function>("functions", "function", "the function called"),
    row_or_none<&CallNode::thread>("threads", "thread", "the thread it ran on; -1: all threads together"),
} + times<&CallNode::times>(kTotalPath) + std::array{
    column<&CallNode::truncated>("truncated", "", "1: what was called on the parent's path without a row of its own; self is all that happened in it, calls are those that were made on the path and later lost their row, and calls of the parent that went on without rows"),
};

constexpr auto kEdges = std::array{
    row_or_none<&Edge::caller>("functions", "caller", "-1: called from outside instrumented code"),
    row_of<&Edge::callee>("functions", "callee", "the function called; times are its own when called by this caller"),
} + times<&Edge::times>(kTotalOnce);

constexpr auto kThreadFunctions = std::array{
    row_of<&ThreadFunction::thread>("threads", "thread", "the thread"),
    row_of<&ThreadFunction::function>("functions", "function", "the function"),
} + times<&ThreadFunction::times>(kTotalOnce);

constexpr auto kHistograms = std::array{
    row_of<&HistogramBucket::function>("functions", "function", "the function called"),
    column<&HistogramBucket::lower_ns>("lower_ns", "ns", "shortest call of the bucket, inclusive"),
    column<&HistogramBucket::upper_ns>("upper_ns", "ns", "end of the bucket, exclusive"),
    column<&HistogramBucket::calls>("calls", "calls", "finished calls in the bucket"),
};

constexpr auto kCompilations = std::array{
    row_or_none<&Compilation::function>("functions", "function", "the function compiled"),
    row_or_none<&Compilation::thread>("threads", "thread", "the thread that compiled it"),
    column<&Compilation::start_ns>("start_ns", "ns", "from the start of the session"),
    column<&Compilation::duration_ns>("duration_ns", "ns", "time to compile"),
    column<&Compilation::version>("version", "", "1: first compilation of the function, 2: the next (a higher tier, as a rule), ...; 0: not known"),
};

constexpr auto kCompilationSums = std::array{
    row_or_none<&CompilationSum::function>("functions", "function", "the function compiled; -1: one that is not known"),
    column<&CompilationSum::count>("count", "compilations", "how many there were"),
    column<&CompilationSum::duration_ns>("duration_ns", "ns", "time to compile, in sum"),
    column<&CompilationSum::longest_ns>("longest_ns", "ns", "of the longest one"),
};

constexpr auto kPauses = std::array{
    column<&Pause::reason>("reason", "", "why: gc, gc-prep, rejit, debugger, shutdown, ..."),
    column<&Pause::generations>("generations", "", "bit g: a collection of generation g ran in it (3 large objects, 4 pinned objects)"),
    row_or_none<&Pause::thread>("threads", "thread", "the thread that asked for it; -1: one without events, or without a row"),
    column<&Pause::os_tid>("os_tid", "", "thread id of the kernel of that thread"),
    column<&Pause::start_ns>("start_ns", "ns", "threads are being stopped; from the start of the session"),
    column<&Pause::duration_ns>("duration_ns", "ns", "until they were let go"),
    column<&Pause::stopping_ns>("stopping_ns", "ns", "of it, until all stood still"),
    column<&Pause::threads>("threads", "threads", "threads that were inside instrumented calls"),
};

constexpr auto kPauseSums = std::array{
    column<&PauseSum::reason>("reason", "", "as in pauses"),
    column<&PauseSum::generations>("generations", "", "as in pauses"),
    column<&PauseSum::count>("count", "pauses", "how many there were"),
    column<&PauseSum::duration_ns>("duration_ns", "ns", "of all of them, from the first thread stopped to their being let go"),
    column<&PauseSum::stopping_ns>("stopping_ns", "ns", "of it, until all stood still"),
    column<&PauseSum::longest_ns>("longest_ns", "ns", "the longest one"),
};

constexpr auto kTimeSlices = std::array{
    column<&TimeSlice::start_ns>("start_ns", "ns", "from the start of the session"),
    column<&TimeSlice::duration_ns>("duration_ns", "ns", "its length, the same for all but for rounding"),
    column<&TimeSlice::pauses>("pauses", "pauses", "begun in it"),
    column<&TimeSlice::paused_ns>("paused_ns", "ns", "of it, the runtime had stopped all threads"),
    column<&TimeSlice::longest_pause_ns>("longest_pause_ns", "ns", "longest of the pauses begun in it"),
    column<&TimeSlice::compilations>("compilations", "compilations", "begun in it"),
    column<&TimeSlice::compiling_ns>("compiling_ns", "ns", "time to compile in it, of all threads together"),
    column<&TimeSlice::threads_begun>("threads_begun", "threads", "that made their first event in it"),
    column<&TimeSlice::threads_ended>("threads_ended", "threads", "that ended in it"),
};

constexpr auto kTimeline = std::array{
    row_of<&TimedCall::node>("calltree", "node", "path of the call: its function, callers and thread"),
    column<&TimedCall::start_ns>("start_ns", "ns", "from the start of the session, as measured"),
    column<&TimedCall::duration_ns>("duration_ns", "ns", "as measured: with its callees, with the cost of probes"),
};

constexpr auto kExceptions = std::array{
    column<&ExceptionCount::type>("type", "", "type of the exception"),
    row_or_none<&ExceptionCount::thrown_in>("functions", "thrown_in", "instrumented function on top at the throw; -1: none"),
    row_or_none<&ExceptionCount::caught_in>("functions", "caught_in", "instrumented function that caught it; -1: none"),
    column<&ExceptionCount::count>("count", "exceptions", "times thrown"),
};

constexpr auto kArguments = std::array{
    row_or_none<&Argument::function>("functions", "function", "the function called; -1: it was not found"),
    column<&Argument::name>("name", "", "as it was asked for: id, items.Length, return"),
    column<&Argument::type>("type", "", "its type: int, System.DayOfWeek"),
    column<&Argument::refusal>("refusal", "", "why it was not recorded; empty: it was"),
    column<&Argument::values>("values", "values", "different ones seen; those that never had a row of their own, for want of room, are not counted"),
    column<&Argument::calls>("calls", "calls", "calls that told it"),
};

constexpr auto kArgumentValues = std::array{
    row_of<&ArgumentValue::argument>("arguments", "argument", "the argument"),
    column<&ArgumentValue::value>("value", "", "as C# would write it; a long string by its beginning and its length; empty for the rest"),
    column<&ArgumentValue::rest>("rest", "", "all values of the argument that have no row of their own, in sum"),
    column<&ArgumentValue::calls>("calls", "calls", "calls begun with the value"),
    column<&ArgumentValue::unfinished>("unfinished", "calls", "of these, calls whose end was not seen: still running, or left by an exception untold; not in the times"),
    column<&ArgumentValue::total_ns>("wall_total_ns", "ns", "wall time with callees, the probes' cost taken out, from the first argument told to the end; recursive calls count again"),
    column<&ArgumentValue::min_ns>("wall_min_ns", "ns", "shortest of these calls; 0 without any"),
    column<&ArgumentValue::max_ns>("wall_max_ns", "ns", "longest of these calls; 0 without any"),
    column<&ArgumentValue::p50_ns>("wall_p50_ns", "ns", "half of these calls were as short or shorter; at most 25 % off"),
    column<&ArgumentValue::p99_ns>("wall_p99_ns", "ns", "99 % of these calls were as short or shorter; at most 25 % off"),
};

constexpr auto kSlowMethods = std::array{
    row_or_none<&SlowMethod::function>("functions", "function", "the function; -1: no method with probes met the request"),
    column<&SlowMethod::request>("request", "", "as it was asked for: Acme.Orders.Handle=20"),
    column<&SlowMethod::calls>("calls", "calls", "calls compared; one inside another call of the function is part of that one"),
    column<&SlowMethod::kept>("kept", "calls", "of these, the slowest: they have a row in slow_calls"),
    column<&SlowMethod::lost>("lost", "calls", "slow enough to be kept, but there was no room"),
};

constexpr auto kSlowCalls = std::array{
    row_of<&SlowCall::method>("slow_methods", "method", "whose call it is"),
    row_of<&SlowCall::thread>("threads", "thread", "thread that made it"),
    row_or_none<&SlowCall::caller>("functions", "caller", "function of the call it was made in; -1: no timed one"),
    column<&SlowCall::unfinished>("unfinished", "", "still running when the profile was written: times up to then"),
    column<&SlowCall::start_ns>("start_ns", "ns", "begin, from the start of the session"),
    column<&SlowCall::duration_ns>("duration_ns", "ns", "its wall time as measured"),
    column<&SlowCall::probes_ns>("probes_ns", "ns", "of it, the cost of the probes"),
    column<&SlowCall::waited_ns>("waited_ns", "ns", "of it, waits for umbra"),
    column<&SlowCall::wall_ns>("wall_ns", "ns", "its wall time without these two"),
    column<&SlowCall::off_cpu_ns>("off_cpu_ns", "ns", "of wall_ns, the thread was off the processors; 0 unless cpu_source is perf"),
    column<&SlowCall::cpu_ns>("cpu_ns", "ns", "of wall_ns, on a processor; 0 unless cpu_source is perf"),
    column<&SlowCall::paused_ns>("paused_ns", "ns", "of duration_ns, the runtime had stopped all threads"),
    column<&SlowCall::compiling_ns>("compiling_ns", "ns", "of duration_ns, the runtime compiled on the thread"),
    column<&SlowCall::calls>("calls", "calls", "calls begun in it, at whatever depth"),
    column<&SlowCall::merged_calls>("merged_calls", "calls", "of these, calls without a slice of their own"),
    column<&SlowCall::outcome>("outcome", "", "of an async call, from its begin to its result over all threads, how it ended: result, exception, cancelled, unknown (events were lost), open; of a call on one thread empty"),
    column<&SlowCall::running_ns>("running_ns", "ns", "of an async call's wall_ns, on threads"),
    column<&SlowCall::awaiting_ns>("awaiting_ns", "ns", "of an async call's wall_ns, what it awaited was not there, or a call that it had made ran"),
    column<&SlowCall::queued_ns>("queued_ns", "ns", "of an async call's wall_ns, in the queue of the thread pool"),
};

constexpr auto kSlowSlices = std::array{
    row_of<&SlowSlice::call>("slow_calls", "call", "the slow call it is a part of"),
    row_or_none<&SlowSlice::parent>("slow_slices", "parent", "slice it happened in; -1: it is the slow call itself"),
    row_or_none<&SlowSlice::function>("functions", "function", "function called, compiled or awaited; -1: an interval"),
    column<&SlowSlice::kind>("kind", "", "call; or what the thread did instead of running its code: off cpu, waited (for umbra), paused (by the runtime), compiling; of an async call what it did: running (on a thread), awaiting, queued"),
    column<&SlowSlice::start_ns>("start_ns", "ns", "begin, from the start of the session; merged ones stand one behind the other"),
    column<&SlowSlice::duration_ns>("duration_ns", "ns", "its time as measured; of merged ones the sum"),
    column<&SlowSlice::calls>("calls", "calls", "calls, or intervals, that share the slice: 1, or more where the shortest were merged"),
    row_or_none<&SlowSlice::thread>("threads", "thread", "of running: the thread; -1: that of the call, or not known"),
    column<&SlowSlice::awaited>("awaited", "", "of awaiting without a function: what it is called, as in async_waits"),
};

constexpr auto kLongStrings = std::array{
    column<&LongString::table>("table", "", "table of the cell this continues"),
    column<&LongString::column>("column", "", "column of that cell"),
    column<&LongString::row>("row", "", "row of that cell"),
    column<&LongString::text>("text", "", "what follows; pieces of one cell stand in order"),
};

constexpr auto kTables = std::array{
    table<&Profile::runtimes>("runtimes", kRuntimes, "Runtimes of the process that were profiled, in the order of their starts."),
    table<&Profile::modules>("modules", kModules, "Assemblies that define functions."),
    table<&Profile::functions>("functions", kFunctions, "One row for each method body seen."),
    table<&Profile::methods>("methods", kMethods, "One row for each method that was called, with all its pieces: the hot list is this table, the longest self time first."),
    table<&Profile::threads>("threads", kThreads, "Threads that ran instrumented code: those alive, the last 1,024 that have ended and the 4,096 heaviest before; others in sum, by name, in which each number is a *."),
    table<&Profile::calltree>("calltree", kCalltree, "One row for each path of calls that was kept (attribute tree), parents before children."),
    table<&Profile::edges>("edges", kEdges, "One row for each pair of caller and callee."),
    table<&Profile::thread_functions>("thread_functions", kThreadFunctions, "Functions by thread."),
    table<&Profile::histograms>("histograms", kHistograms, "How long calls took: logarithmic buckets of inclusive wall time without the cost of the probes; empty buckets have no row."),
    table<&Profile::compilations>("compilations", kCompilations, "The longest compilations by the runtime, in the order they ended: all, unless there were more than 65,536."),
    table<&Profile::compilation_sums>("compilation_sums", kCompilationSums, "All compilations by the runtime, by function."),
    table<&Profile::pauses>("pauses", kPauses, "The longest times that the runtime stopped all its threads, in order of time: all, unless there were more than 16,384."),
    table<&Profile::pause_sums>("pause_sums", kPauseSums, "All times that the runtime stopped its threads, by reason and generations, the greatest sum first."),
    table<&Profile::time_slices>("time_slices", kTimeSlices, "What the runtime did, by parts of the session of equal length, 1,024 at most."),
    table<&Profile::exceptions>("exceptions", kExceptions, "Exceptions by type, place of the throw and place of the catch."),
    table<&Profile::timeline>("timeline", kTimeline, "One row for each call, in the order in which they ended, if asked for (umbra run --events)."),
    table<&Profile::arguments>("arguments", kArguments, "One row for each argument that was asked for (--args), of each function."),
    table<&Profile::argument_values>("argument_values", kArgumentValues, "Calls by the value of an argument: those with the longest total, the rest in sum."),
    table<&Profile::slow_methods>("slow_methods", kSlowMethods, "One row for each function whose slowest calls were kept (umbra run --slowest), and for each request that no method met."),
    table<&Profile::slow_calls>("slow_calls", kSlowCalls, "The slowest calls, by method, the slowest first."),
    table<&Profile::slow_slices>("slow_slices", kSlowSlices, "What happened in each slow call, parents before children."),
    table<&Profile::async_methods>("async_methods", kAsyncMethods, "Logical calls of async methods, from begin to result over all awaits; the longest sum first."),
    table<&Profile::async_tree>("async_tree", kAsyncTree, "Who called whom over all awaits, parents before children; a call inside another one of its method has a row beside that one's, with its own caller, and what is called in it is below that one."),
    table<&Profile::async_waits>("async_waits", kAsyncWaits, "What logical calls waited for, by method, the longest sum first."),
    table<&Profile::blocked_waits>("blocked_waits", kBlockedWaits, "Threads that were blocked until a task had ended (Task.Wait(), Task.Result, GetResult()), the longest sum first. One that waits may run other tasks and be blocked again there: both have that time."),
};

constexpr Table kLongStringsTable{
    "long_strings", "What follows the first 256 bytes of texts too long for their cell; mostly empty.", kLongStrings, nullptr, nullptr};

constexpr auto kSession = std::array{
    attribute<&Session::tool_version>("tool_version", "", "version of umbra that wrote the file"),
    attribute<&Session::created_utc>("created_utc", "", "start of the session, ISO 8601"),
    attribute<&Session::host>("host", "", "name of the machine"),
    attribute<&Session::program>("program", "", "program profiled"),
    attribute<&Session::command_line>("command_line", "", "its whole command line; arguments with blanks or quotes are quoted as for a shell"),
    attribute<&Session::runtime>("runtime", "", "name and version of the runtime; of several the first"),
    attribute<&Session::pid>("pid", "", "process id"),
    attribute<&Session::settings, &Settings::mode>("mode", "", "selective, whole, or sampled: calls are samples then, those taken with the row's own code on top"),
    attribute<&Session::settings, &Settings::include>("include", "", "patterns of what was selected, ';' between them"),
    attribute<&Session::settings, &Settings::also>("also", "", "patterns of what was selected besides, ';' between them"),
    attribute<&Session::settings, &Settings::exclude>("exclude", "", "patterns of what was left out, ';' between them"),
    attribute<&Session::settings, &Settings::inlining>("inlining", "", "1: timed methods could be inlined into one another, see functions/inlined_into"),
    attribute<&Session::settings, &Settings::trivial>("trivial", "", "1: trivial methods were timed too"),
    attribute<&Session::settings, &Settings::overflow>("overflow", "", "what a thread does when its ring is full: wait or drop"),
    attribute<&Session::clock, &ClockFacts::source>("clock", "", "the clock used"),
    attribute<&Session::clock, &ClockFacts::ticks_hz>("ticks_hz", "Hz", "its rate, measured over the whole session"),
    attribute<&Session::clock, &ClockFacts::residual_ns>("clock_residual_ns", "ns", "largest distance of a check from that rate"),
    attribute<&Session::clock, &ClockFacts::resolution_ns>("clock_resolution_ns", "ns", "what it moves on by: single calls are told in steps of it; 0 = not known"),
    attribute<&Session::complete>("complete", "", "1: the file holds everything up to the end of the process"),
    attribute<&Session::ended>("ended", "", "how the process ended, or running"),
    attribute<&Session::wall_ns>("wall_ns", "ns", "from the start of the session to its end or this checkpoint"),
    attribute<&Session::counts, &EventCounts::events>("events", "events", "records decoded, all threads"),
    attribute<&Session::counts, &EventCounts::waits>("waits", "waits", "times a thread waited for umbra"),
    attribute<&Session::counts, &EventCounts::wait_ns>("wait_ns", "ns", "sum of these waits; contained in raw wall times"),
    attribute<&Session::cpu, &CpuFacts::source>("cpu_source", "", "what CPU times are from: perf (context switches), schedstat (sums of the kernel), thread clocks (sampled) or none"),
    attribute<&Session::cpu, &CpuFacts::refusal>("cpu_refusal", "", "why the kernel's context switches were not to be had; empty: they were, or were not wanted"),
    attribute<&Session::cpu, &CpuFacts::on_ns>("on_cpu_ns", "ns", "on a processor inside instrumented calls, all threads"),
    attribute<&Session::cpu, &CpuFacts::off_ns>("off_cpu_ns", "ns", "off the processors inside instrumented calls, all threads"),
    attribute<&Session::cpu, &CpuFacts::process_ns>("process_cpu_ns", "ns", "the kernel's figure for the whole process; 0: not to be had"),
    attribute<&Session::cpu, &CpuFacts::collector_ns>("umbra_cpu_ns", "ns", "on a processor, by umbra's threads that replayed the events; 0: not to be had"),
    attribute<&Session::cpu, &CpuFacts::collector_delay_ns>("umbra_delay_ns", "ns", "these were ready to run, and no processor was free for them; 0: not to be had"),
    attribute<&Session::probes, &ProbeFacts::inside_ns>("probe_inside_ns", "ns", "cost of a call's two probes: the part inside the call's own time"),
    attribute<&Session::probes, &ProbeFacts::outside_ns>("probe_outside_ns", "ns", "the part in its caller's time"),
    attribute<&Session::probes, &ProbeFacts::clamped_functions>("clamped_functions", "functions", "shown with a self time of 1 ns a call because the probes' cost exceeds what was measured"),
    attribute<&Session::settings, &Settings::max_overhead_percent>("max_overhead_percent", "%", "budget for the probes' cost; 0: none"),
    attribute<&Session::probes, &ProbeFacts::deinstrumented_functions>("deinstrumented_functions", "functions", "probes taken out to keep the budget"),
    attribute<&Session::capture>("capture", "", "1: the process was running before; the session is a part of its life"),
    attribute<&Session::settings, &Settings::tree>("tree", "", "full: the calltree has every distinct path; folded: threads share paths, a path holds each function once, recursion ends in the ancestor, and rare paths are truncated"),
    attribute<&Session::settings, &Settings::slowest_by>("slowest_by", "", "what the rows of slow_calls are slow by: wall, cpu, or wall for cpu: asked for by cpu, but cpu_source tells it of no single call; empty: none were asked for"),
    attribute<&Session::truncated_ns>("truncated_ns", "ns", "time in truncated rows of the calltree"),
    attribute<&Session::probes, &ProbeFacts::missed_hooks>("missed_hooks", "functions", "selected methods first compiled without hooks, then compiled anew"),
    attribute<&Session::probes, &ProbeFacts::kind>("probes", "", "hooks: the runtime's; il: written into the methods' IL, one function for all instantiations of a generic method, no exceptions"),
    attribute<&Session::probes, &ProbeFacts::refused_methods>("refused_methods", "methods", "selected methods whose IL cannot take probes: not timed"),
    attribute<&Session::probes, &ProbeFacts::runtime_async_methods>("runtime_async_methods", "methods", "timed async methods that the runtime itself suspends, in a session without logical calls: what begins and what goes on after a wait are calls of their own"),
    attribute<&Session::sampling, &SamplingFacts::rate_hz>("sample_rate_hz", "Hz", "sampled: rounds a second asked for; 0 elsewhere, as in all of these"),
    attribute<&Session::sampling, &SamplingFacts::rounds>("sample_rounds", "rounds", "sampled: moments at which all threads were looked at"),
    attribute<&Session::sampling, &SamplingFacts::outside>("samples_outside", "samples", "sampled: of threads that waited in no managed code; in no row"),
    attribute<&Session::sampling, &SamplingFacts::missed_rounds>("missed_rounds", "rounds", "sampled: the runtime would not stop its threads; the next round tells the time"),
    attribute<&Session::sampling, &SamplingFacts::suspended_ns>("suspended_ns", "ns", "sampled: the program stood still for the rounds, in sum"),
    attribute<&Session::sampling, &SamplingFacts::median_suspension_ns>("median_suspension_ns", "ns", "sampled: of one round"),
    attribute<&Session::sampling, &SamplingFacts::worst_suspension_ns>("worst_suspension_ns", "ns", "sampled: of one round"),
    attribute<&Session::sampling, &SamplingFacts::sampler_cpu_ns>("sampler_cpu_ns", "ns", "sampled: what the sampler itself used; not in process_cpu_ns"),
    attribute<&Session::sampling, &SamplingFacts::unattributed_cpu_ns>("unattributed_cpu_ns", "ns", "sampled: used by managed threads that no later sample found running; in no row"),
    attribute<&Session::sampling, &SamplingFacts::threads_without_frames>("threads_without_frames", "threads", "sampled: threads of the runtime never seen in managed code, nor running"),
    attribute<&Session::async, &AsyncFacts::followed>("async_calls", "", "1: logical calls of async methods were followed, from begin to result"),
    attribute<&Session::async, &AsyncFacts::lost_calls>("lost_async_calls", "calls", "logical calls begun when there were too many: part of their callers"),
    attribute<&Session::async, &AsyncFacts::lost_facts>("lost_async_facts", "facts", "of logical calls, for which there was no room"),
    attribute<&Session::async, &AsyncFacts::clashes>("async_clashes", "clashes", "two logical calls could not be told apart"),
    attribute<&Session::losses, &Losses::ring_full>("lost_ring_full", "events", "dropped because the ring was full"),
    attribute<&Session::losses, &Losses::no_thread_slot>("lost_no_thread_slot", "events", "of threads beyond the limit of live threads"),
    attribute<&Session::losses, &Losses::no_function_slot>("lost_no_function_slot", "functions", "not instrumented because the registry was full"),
    attribute<&Session::losses, &Losses::depth>("lost_depth", "events", "calls below the greatest depth kept"),
    attribute<&Session::losses, &Losses::nodes>("lost_nodes", "events", "calls merged into their caller because the call tree was full"),
    attribute<&Session::losses, &Losses::decode_errors>("lost_decode_errors", "events", "records that made no sense"),
    attribute<&Session::losses, &Losses::rows>("lost_rows", "rows", "left out of a table that was full (names, arguments, and the timeline: --max-events): no events, no times"),
    attribute<&Session::losses, &Losses::pauses>("lost_pauses", "pauses", "suspensions overwritten before they were read"),
    attribute<&Session::losses, &Losses::switches>("lost_switches", "switches", "context switches dropped by the kernel: CPU times of their moment are wall times"),
};

// A new kind of loss needs a line above, or the file would not tell it.
static_assert(sizeof(Losses) == 9 * sizeof(uint64_t));

constexpr auto kDerived = std::array{
    Column{"format", Type::kString, "", "", "always \"umbra profile\"", nullptr, nullptr},
    Column{"schema_version", Type::kString, "", "", "major.minor.patch of this layout", nullptr, nullptr},
    Column{"lost_events", Type::kInt64, "events", "", "sum of the lost_ attributes that count events", nullptr, nullptr},
};

// clang-format on

}  // namespace

std::span<const Table> tables() {
    return kTables;
}

std::size_t row_count(const Profile& profile, std::string_view table) {
    for (const Table& one : kTables) {
        if (one.name == table) {
            return one.rows(profile).count;
        }
    }
    return 0;
}

const Table& long_strings() {
    return kLongStringsTable;
}

std::span<const Column> session_attributes() {
    return kSession;
}

std::span<const Column> derived_attributes() {
    return kDerived;
}

std::string version() {
    return fmt::format("{}.{}.{}", kMajor, kMinor, kPatch);
}

std::string units(const Column& column) {
    return column.refers_to.empty() ? std::string(column.units)
                                    : fmt::format("row of {}", column.refers_to);
}

std::string_view type_name(const Column& column) {
    switch (column.type) {
        case Type::kInt64:
            return "int64";
        case Type::kUInt32:
            return "uint32";
        case Type::kFloat64:
            return "float64";
        case Type::kBool:
            return "bool";
        case Type::kFlag:
            return "uint8";
        case Type::kRow:
        case Type::kRowOrNone:
            return "int32";
        case Type::kString:
            return "string";
    }
    return "";
}

}  // namespace umbra::schema
