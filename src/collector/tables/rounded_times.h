// SPDX-License-Identifier: MIT
// What rounding does to the times of a row, and how they still fit together.
#pragma once

#include <algorithm>
#include <cstdint>

#include "src/profile/profile.h"
#include "src/replay/linear_clock.h"

namespace umbra::collector {

/// An extreme, which was rounded to 24 bits: no longer than `all`, if that explains it. One that is
/// no number of ticks is `all`: nothing has ended.
[[nodiscard]] uint64_t rounded_back(float extreme, uint64_t all);

/// What was umbra's is known of the mean call. So single calls need not add up to the sum, which is
/// known better: no call is longer than all together, and the mean lies between the extremes. Where
/// it does not as measured either, `total_ns` is of some of the calls only (of recursion the
/// outermost, of merged paths the self time), and says nothing about the others.
void fit_extremes(profile::CallTimes& times);

/// The parts of a row's times, which were rounded apart: none is more than the whole.
void fit_parts(profile::CallTimes& times);

/// A time that was rounded to `ns`: some, if there was any. The counters of some processors move in
/// steps of 10 ns, and two readings within a step are one tick apart.
constexpr uint64_t shown_ns(uint64_t ticks, uint64_t ns) {
    return ns == 0 && ticks != 0 ? 1 : ns;
}

/// Turns ticks into nanoseconds so that the sum over what it was asked is rounded once. But where
/// rows have 2 ns and more on the mean, one of some time is not left without, and the sum is a
/// nanosecond more until the next. Beyond weeks, where a double no longer tells one tick from the
/// next, each is rounded by itself.
class RoundedSum {
  public:
    RoundedSum() = default;
    /// `leaves_none`: false for times as measured, which may be nothing.
    explicit RoundedSum(bool leaves_none) : leaves_none_(leaves_none) {}

    /// At most `most_ns`: of a part, what the whole has in its row. What is beyond that, which
    /// rounding makes it, is left to the next row.
    uint64_t add(uint64_t ticks, const replay::LinearClock& clock, uint64_t most_ns = UINT64_MAX) {
        constexpr uint64_t kMostTicks = uint64_t{1} << 52;
        if (ticks > kMostTicks - ticks_) {
            return std::min(clock.duration_ns(ticks), most_ns);
        }
        ticks_ += ticks;
        const uint64_t due_ns = clock.duration_ns(ticks_);
        uint64_t ns = due_ns - std::min(due_ns, given_ns_);
        if (leaves_none_ && given_ns_ >= 2 * rows_++ && given_ns_ <= due_ns) {
            ns = shown_ns(ticks, ns);  // the next row makes up for it
        }
        ns = std::min(ns, most_ns);
        given_ns_ += ns;
        return ns;
    }

  private:
    uint64_t ticks_ = 0;
    uint64_t given_ns_ = 0;
    uint64_t rows_ = 0;
    bool leaves_none_ = true;
};

}  // namespace umbra::collector
