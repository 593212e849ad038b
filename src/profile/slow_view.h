// SPDX-License-Identifier: MIT
// The slowest calls of methods, as a report shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

/// Of pauses, and of compilations, so many in a slow call have slices: the first.
inline constexpr std::size_t kMostIntervals = 1'000;

/// One slice of a slow call.
struct SlowRow {
    const SlowSlice* slice = nullptr;  ///< of the profile, or of SlowCallRows::sums
    std::size_t depth = 0;             ///< 0: the call itself
    std::string name;       ///< of the function; "(off the processors)", "(paused: gc 2)", ...
    uint64_t self_ns = 0;   ///< of a call: without what else has a slice
    uint64_t usual_ns = 0;  ///< what so many calls of the function take on average; 0: an interval
};

struct SlowCallRows {
    const SlowCall* call = nullptr;  ///< of the profile
    std::string caller{};            ///< method that it was made in; empty: no timed one
    std::vector<SlowRow> rows;       ///< callers before callees, in the order of time; sums behind
    std::vector<std::unique_ptr<const SlowSlice>> sums;  ///< slices of one row together
    std::size_t left_out = 0;                            ///< slices that are in no row
    std::size_t compiled = 0;  ///< methods compiled meanwhile that have slices
};

struct SlowMethodCalls {
    const SlowMethod* method = nullptr;  ///< of the profile
    std::string name;                    ///< of the function; empty: no method met the request
    uint64_t mean_ns = 0;                ///< of the calls that were compared
    std::vector<SlowCallRows> calls;     ///< the slowest first
};

/// The methods that the view's filter takes, those with the slowest call first, and requests that
/// none met unless it asks for some; of each the `view.top` slowest calls in threads that it takes.
/// Of a call of more than `most_rows` slices so many have rows, those that took longest, and none
/// below a thousandth of the call. What else a row called is added up by method, in a row that says
/// how many calls it is, if that is a thousandth. Times are as measured. The profile must outlive
/// the rows.
[[nodiscard]] std::vector<SlowMethodCalls> slow_view(const Profile& profile, const View& view,
                                                     std::size_t most_rows);
std::vector<SlowMethodCalls> slow_view(Profile&& profile, const View& view,
                                       std::size_t most_rows) = delete;

/// Why the runtime stopped its threads during a call, each reason once: "gc of generation 2 by this
/// thread".
[[nodiscard]] std::vector<std::string> pauses_in(const Profile& profile, const SlowCall& call);

}  // namespace umbra::profile
