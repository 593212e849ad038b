// SPDX-License-Identifier: MIT
// CallLog: every call of a session with its time, for time lines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "src/replay/tree/reserved_array.h"

namespace umbra::replay {

/// A call that ended, in clock ticks as measured.
struct LoggedCall {
    uint64_t begin_ticks;
    uint64_t duration_ticks;
    uint32_t node;  ///< arc of the call tree; never 0
};

/// Calls in the order in which they ended, each thread's callees before their caller. The first
/// `max_calls` are kept, the others counted: a caller that is kept has all its callees. One thread.
class CallLog {
  public:
    explicit CallLog(size_t max_calls) : calls_(max_calls) {}

    void add(uint32_t node, uint64_t begin_ticks, uint64_t end_ticks) {
        if (node == 0) {
            return;  // the scratch arc: counted as lost already
        }
        if (lost_ != 0 || !calls_.ensure(count_ + 1)) {
            ++lost_;
            return;
        }
        calls_[count_++] = {
            .begin_ticks = begin_ticks, .duration_ticks = end_ticks - begin_ticks, .node = node};
    }

    [[nodiscard]] std::span<const LoggedCall> calls() const { return {calls_.data(), count_}; }
    [[nodiscard]] uint64_t lost() const { return lost_; }

  private:
    ReservedArray<LoggedCall> calls_;
    size_t count_ = 0;
    uint64_t lost_ = 0;
};

}  // namespace umbra::replay
