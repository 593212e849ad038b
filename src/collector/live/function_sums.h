// SPDX-License-Identifier: MIT
// FunctionSums: what each function has done so far, added up over the call tree a slice at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/replay/call_tree.h"

namespace umbra::collector {

/// Ended calls of one function, over all its nodes.
struct FunctionSum {
    uint64_t calls = 0;
    uint64_t untimed_events = 0;  ///< of their enters and leaves: without a clock reading
    uint64_t total_ticks = 0;     ///< inclusive; recursive calls count again
    /// The same of the functions it called.
    uint64_t callee_calls = 0;
    uint64_t callee_untimed_events = 0;
    uint64_t callee_ticks = 0;

    FunctionSum& operator-=(const FunctionSum& other);
};

/// The replay keeps counts by call path alone. This adds them up by function, without a counter the
/// replay would have to touch: one pass over all nodes after the other, each in slices of bounded
/// work. Counts of a pass are as old as its slices. One thread.
class FunctionSums {
  public:
    /// Nodes looked at in one slice: about 3 ms when none of them is in the cache.
    static constexpr size_t kSlice = size_t{1} << 17;

    /// `adaptive`: not every event has a clock reading.
    explicit FunctionSums(bool adaptive) : adaptive_(adaptive) {}

    /// Looks at the next slice. True: with it a pass over the whole tree is done.
    bool add_slice(const replay::CallTree& tree, size_t slice = kSlice);

    /// Of the last whole pass, by function index. Index 0 stands for the threads themselves: its
    /// callee_ticks are the time of all outermost calls.
    [[nodiscard]] std::span<const FunctionSum> sums() const { return done_; }

  private:
    FunctionSum& at(uint32_t function);

    bool adaptive_;
    std::vector<FunctionSum> done_;
    std::vector<FunctionSum> pass_;
    size_t next_ = 1;  ///< node; 0 is scratch
    size_t end_ = 0;   ///< of this pass
};

}  // namespace umbra::collector
