// SPDX-License-Identifier: MIT
// What the time of async calls was spent in, and how they ended.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace umbra::replay {

/// What a call's time was spent in. Each moment from its begin to its end belongs to one of them.
enum class AsyncPart : uint8_t {
    kRunning,   ///< on a thread, in no call that it has made itself
    kChildren,  ///< a call that it has made was running above it, or was what it awaited
    kOthers,    ///< it awaited a call that somebody else has made
    kOutside,   ///< it awaited something else: a timer, a socket, a task without a timed call
    kQueued,    ///< what it awaited was there, and no thread had taken it up again
};
inline constexpr size_t kAsyncParts = 5;

/// In clock ticks, by AsyncPart.
struct AsyncTimes {
    std::array<uint64_t, kAsyncParts> ticks{};

    uint64_t& operator[](AsyncPart part) { return ticks[static_cast<size_t>(part)]; }
    uint64_t operator[](AsyncPart part) const { return ticks[static_cast<size_t>(part)]; }
    [[nodiscard]] uint64_t wall() const {
        return std::accumulate(ticks.begin(), ticks.end(), uint64_t{0});
    }
    AsyncTimes& operator+=(const AsyncTimes& other) {
        for (size_t part = 0; part < kAsyncParts; ++part) {
            ticks[part] += other.ticks[part];
        }
        return *this;
    }
};

/// How a call has ended.
enum class AsyncOutcome : uint8_t {
    kResult,
    kFault,
    kCancelled,
    kUnknown,  ///< records are missing, or its key was another's as well
    kOpen,     ///< it has not
};
inline constexpr size_t kAsyncOutcomes = 5;

}  // namespace umbra::replay
