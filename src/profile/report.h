// SPDX-License-Identifier: MIT
// What a report shows of a profile: the hot list, and sums over its tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "src/profile/filter.h"
#include "src/profile/group_sums.h"
#include "src/profile/percentiles.h"
#include "src/profile/profile.h"

namespace umbra::profile {

/// kAwaiting and kQueued: of async calls alone (async_view.h).
enum class SortBy { kSelf, kTotal, kCalls, kCpu, kMean, kMax, kAwaiting, kQueued };

/// What a report shows, which times of it, and in what order.
struct View {
    SortBy sort = SortBy::kSelf;
    std::size_t top = 0;      ///< rows to show
    bool compensated = true;  ///< false: as measured, the probes' cost included
    bool pauses = true;       ///< false: without the time the runtime had stopped or used a thread
    GroupBy by = GroupBy::kFunction;
    bool fold = true;  ///< false: pieces of async methods and iterators are rows of their own
    Filter filter = {};
    bool before_start = false;  ///< true: with the row of profile::kBeforeStart
};

/// `times` as `view` shows them: total_ns, self_ns and cpu changed, the rest as it is. What the
/// probes cost was spent on a processor, so without compensation `cpu` has it too. Whether a pause
/// was spent on a processor (compilation) or off it (suspension) is not known: without pauses `cpu`
/// is at most the wall time left. Never below 0.
[[nodiscard]] CallTimes shown(const CallTimes& times, const View& view);

/// Shortest and longest call, percentiles and the slowest calls are known in one way only: without
/// what the probes cost, and with pauses.
[[nodiscard]] inline bool has_single_calls(const View& view) {
    return view.compensated && view.pauses;
}

/// One row of the hot list: a method, or a group of them.
struct HotFunction {
    const Function* function = nullptr;  ///< lives as long as the profile; null for other groups
    std::string name;
    std::string module;           ///< empty where the profile names none, or where it is the name
    std::string runtime;          ///< see runtime_label()
    std::size_t functions = 0;    ///< of the row, those that were called
    CallTimes times;              ///< as the view shows them
    CallTimes stored;             ///< the same as the file has them, whatever the view
    uint64_t mean_ns = 0;         ///< inclusive time of one call, recursive calls too; as shown
    uint64_t stored_mean_ns = 0;  ///< the same of what the file has
    double share_percent = 0;  ///< of the self time of all functions; sorted by CPU, of their CPU
                               ///< self time
    double self_doubt_ns = 0;  ///< of the times as shown, see doubt_ns()
    double total_doubt_ns = 0;
    bool deinstrumented = false;  ///< a function of the row was
    bool logical = false;         ///< an async method: see set_logical_calls()
    std::string inlined_into;     ///< see Function; calls are missing then
    Percentiles percentiles;      ///< 0 where some threads only are shown
};

/// Sets the times of a row and the means of its calls, percentiles being set already. `every`:
/// inclusive times of all its calls in sum, calls inside others too. `probe_part`: see
/// profile::probe_part().
void set_times(HotFunction& hot, const CallTimes& times, const CallTimes& every, const View& view,
               double probe_part);

/// Makes a row that has its times one of an async method's logical calls, of all its
/// instantiations: calls, inclusive time, the shortest and the longest, percentiles are those from
/// begin to result, over all awaits and threads. Of an async iterator calls stay those that began
/// it, and the time is that of its steps, of which nothing else is known. Self and CPU times stay
/// what the method's pieces took on threads. Probes and pauses are in the inclusive time whatever
/// the view. None: the row stays.
void set_logical_calls(HotFunction& hot, const std::vector<const AsyncMethod*>& methods);
/// Makes times of pieces those of logical calls: calls, unfinished ones and inclusive time. Of
/// single calls nothing is known then.
void set_logical_times(CallTimes& times, const AsyncCounts& counts);

/// A row of one method: names and times.
[[nodiscard]] HotFunction method_row(const Profile& profile, Row method, const CallTimes& times,
                                     const CallTimes& every, const View& view);

struct HotList {
    View view;
    std::vector<HotFunction> functions;  ///< greatest first; equals in the order of their names
    std::size_t left_out = 0;            ///< rows with calls beyond `top`
    double left_out_percent = 0;         ///< their share
};

/// The `view.top` first rows with calls. Functions are those of the profile, which must therefore
/// outlive the list.
[[nodiscard]] HotList hot_list(const Profile& profile, const View& view);
HotList hot_list(Profile&& profile, const View& view) = delete;

/// Profile::methods, from the other tables.
[[nodiscard]] std::vector<Method> method_rows(const Profile& profile);

/// `rows` in the order of the view, cut at its `top`. `share` gives each row's share in percent.
[[nodiscard]] HotList ranked(std::vector<HotFunction> rows, const View& view,
                             const std::function<double(const HotFunction&)>& share);

/// False where neither source of CPU times was to be had: those of the profile are 0 then.
[[nodiscard]] inline bool has_cpu_times(const Session& session) {
    return !session.cpu.source.empty() && session.cpu.source != "none";
}

/// What the session does not say but its threads and functions do.
struct Sums {
    uint64_t unfinished = 0;  ///< calls still running when the profile was written
    uint64_t repairs = 0;
    uint64_t unmatched_leaves = 0;
    uint64_t decode_errors = 0;
    /// Taken out of the self times of all functions: what the probes cost, and waits for the
    /// collector.
    uint64_t taken_out_ns = 0;
    uint64_t probe_cost_ns = 0;  ///< the same without the waits
};

[[nodiscard]] Sums sums(const Profile& profile);

/// Suspensions of one reason, or of all.
struct PauseSums {
    std::string_view reason;  ///< of the profile; empty: all reasons
    uint64_t count = 0;
    uint64_t total_ns = 0;
    uint64_t longest_ns = 0;
};

/// By reason, the greatest total first.
[[nodiscard]] std::vector<PauseSums> pauses_by_reason(const Profile& profile);
/// All reasons in one.
[[nodiscard]] PauseSums all_pauses(const Profile& profile);

struct CompilationSums {
    uint64_t count = 0;
    uint64_t total_ns = 0;
    uint64_t background_count = 0;  ///< of these, on threads without timed calls
    uint64_t background_ns = 0;
};

[[nodiscard]] CompilationSums compilation_sums(const Profile& profile);

}  // namespace umbra::profile
