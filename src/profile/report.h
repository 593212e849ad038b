// SPDX-License-Identifier: MIT
// What a report shows of a profile: the hot list, and sums over its tables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

enum class SortBy { kSelf, kTotal, kCalls, kCpu };

/// Which times a report shows, and in what order.
struct View {
    SortBy sort = SortBy::kSelf;
    std::size_t top = 0;      ///< functions to show
    bool compensated = true;  ///< false: as measured, the probes' cost included
    bool pauses = true;       ///< false: without the time the runtime had stopped or used a thread
};

/// `times` as `view` shows them: total_ns, self_ns and cpu changed, the rest as it is. What the
/// probes cost was spent on a processor, so without compensation `cpu` has it too. Whether a pause
/// was spent on a processor (compilation) or off it (suspension) is not known: without pauses `cpu`
/// is at most the wall time left. Never below 0.
[[nodiscard]] CallTimes shown(const CallTimes& times, const View& view);

/// One function of the hot list. Pointer and views point into the profile and live as long as it.
struct HotFunction {
    const Function* function = nullptr;
    std::string_view name;
    std::string_view module;   ///< empty where the profile names none
    CallTimes times;           ///< as the view shows them
    uint64_t mean_ns = 0;      ///< inclusive time of one call, recursive calls too
    double share_percent = 0;  ///< of the self time of all functions; sorted by CPU, of their CPU
                               ///< self time
};

struct HotList {
    View view;
    std::vector<HotFunction> functions;  ///< greatest first; equals in the order of their names
    std::size_t left_out = 0;            ///< functions with calls beyond `top`
    double left_out_percent = 0;         ///< their share
};

/// The `view.top` first functions with calls. Names and modules are views of the profile's own,
/// which must therefore outlive the list.
[[nodiscard]] HotList hot_list(const Profile& profile, const View& view);
HotList hot_list(Profile&& profile, const View& view) = delete;

/// False where neither source of CPU times was to be had: those of the profile are 0 then.
[[nodiscard]] inline bool has_cpu_times(const Session& session) {
    return !session.cpu_source.empty() && session.cpu_source != "none";
}

/// What the session does not say but its threads and functions do.
struct Sums {
    uint64_t unfinished = 0;  ///< calls still running when the profile was written
    uint64_t repairs = 0;
    uint64_t unmatched_leaves = 0;
    uint64_t decode_errors = 0;
    uint64_t probe_cost_ns = 0;  ///< taken out of the self times of all functions
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
