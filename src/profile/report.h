// SPDX-License-Identifier: MIT
// What a report shows of a profile: the hot list, and sums over threads and functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "src/profile/profile.h"

namespace umbra::profile {

enum class SortBy { kSelf, kTotal, kCalls };

/// One function of the hot list. The views point into the profile and live as long as it does.
struct HotFunction {
    std::string_view name;
    std::string_view module;  ///< empty where the profile names none
    CallTimes times;
    uint64_t mean_ns = 0;      ///< inclusive time of one call, recursive calls too
    double share_percent = 0;  ///< of the self time of all functions
};

struct HotList {
    std::vector<HotFunction> functions;  ///< greatest first; equals in the order of their names
    std::size_t left_out = 0;            ///< functions with calls beyond `top`
    double left_out_percent = 0;         ///< their share of the self time of all functions
};

/// The `top` first functions with calls, in the order asked for. Names and modules are views of the
/// profile's own, which must therefore outlive the list.
[[nodiscard]] HotList hot_list(const Profile& profile, SortBy sort, std::size_t top);
HotList hot_list(Profile&& profile, SortBy sort, std::size_t top) = delete;

/// What the session does not say but its threads and functions do.
struct Sums {
    uint64_t unfinished = 0;  ///< calls still running when the profile was written
    uint64_t repairs = 0;
    uint64_t unmatched_leaves = 0;
    uint64_t decode_errors = 0;
};

[[nodiscard]] Sums sums(const Profile& profile);

}  // namespace umbra::profile
