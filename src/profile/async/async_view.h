// SPDX-License-Identifier: MIT
// Logical calls of async methods, as a report shows them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "src/profile/profile.h"
#include "src/profile/report.h"

namespace umbra::profile {

/// What the calls of a method waited for.
struct AsyncAwait {
    std::string name;  ///< of a method or of what the framework hands out; empty: not told
    std::string how;   ///< AsyncWait::how
    uint64_t times = 0;
    uint64_t total_ns = 0;
};

struct AsyncRow {
    const AsyncMethod* method = nullptr;  ///< of the profile
    std::string name;                     ///< as the user wrote it
    std::string module;
    uint64_t mean_ns = 0;              ///< wall time of one call
    std::vector<AsyncAwait> awaits{};  ///< the longest first

    [[nodiscard]] const AsyncTimes& times() const { return method->counts.times; }
    /// All that was awaited, of whomsoever.
    [[nodiscard]] uint64_t awaiting_ns() const {
        return times().children_ns + times().others_ns + times().outside_ns;
    }
};

/// Calls of a method, async or not, in which a thread was blocked until a task had ended.
struct BlockedRow {
    std::string name;     ///< of the method
    std::string awaited;  ///< of a method or of what the framework hands out; empty: not told
    uint64_t times = 0;
    uint64_t total_ns = 0;
};

struct AsyncList {
    std::vector<AsyncRow> rows;         ///< greatest first
    std::size_t left_out = 0;           ///< rows beyond the view's `top`
    std::vector<BlockedRow> blocked{};  ///< the longest first, `top` at most
    std::size_t blocked_left_out = 0;
};

/// In the methods that the filter takes, but for an async Main's own begin, the longest first.
[[nodiscard]] std::vector<BlockedRow> blocked_view(const Profile& profile, const Filter& filter);

/// The methods that the view's filter takes, in its order: by wall time (kTotal), running (kSelf),
/// awaiting, queued, calls, mean or max. The profile must outlive the list.
[[nodiscard]] AsyncList async_view(const Profile& profile, const View& view);
AsyncList async_view(Profile&& profile, const View& view) = delete;

}  // namespace umbra::profile
