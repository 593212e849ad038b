// SPDX-License-Identifier: MIT
// FunctionSums: what each function has done so far, added up over the call tree a slice at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/collector/state/session_state.h"

namespace umbra::collector {

/// Ended calls of one function, over all its arcs.
struct FunctionSum {
    uint64_t calls = 0;
    uint64_t total_ticks = 0;  ///< inclusive; recursion along one edge counted once
    uint64_t self_ticks = 0;   ///< exclusive, probes included
    uint64_t probe_ticks = 0;  ///< of these, what the probes cost, and waits

    FunctionSum& operator-=(const FunctionSum& other);
};

/// The replay keeps counts by arc alone. This adds them up by function, without a counter the
/// replay would have to touch: one pass over all arcs after the other, each in slices of bounded
/// work. Counts of a pass are as old as its slices. One thread.
class FunctionSums {
  public:
    /// Arcs looked at in one slice: about 3 ms when none of them is in the cache.
    static constexpr size_t kSlice = size_t{1} << 17;

    /// Looks at the next slice, of one shard, whose gate it locks. True: with it a pass over all
    /// trees is done.
    bool add_slice(const SessionState& state, size_t slice = kSlice);

    /// Of the last whole pass, by function index.
    [[nodiscard]] std::span<const FunctionSum> sums() const { return done_; }
    /// Likewise: inside calls that have ended, all threads.
    [[nodiscard]] uint64_t covered_ticks() const { return covered_ticks_; }

  private:
    void add_arcs(const replay::CallTree& tree, size_t stop);
    void end_pass();

    std::vector<FunctionSum> done_;
    std::vector<FunctionSum> pass_;
    uint64_t covered_ticks_ = 0;
    size_t shard_ = 0;  ///< being looked at
    size_t next_ = 1;   ///< arc; 0 is scratch
    size_t end_ = 0;    ///< of this shard, in this pass
};

}  // namespace umbra::collector
