// SPDX-License-Identifier: MIT
// Puts the facts of all threads in order of time before they become calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "src/replay/async/async_calls.h"

namespace umbra::replay {

/// Facts wait here until nothing earlier can come, and until the types are known that decide what
/// they mean: names come by another way, and a little later. One thread.
class AsyncMerge {
  public:
    /// Of AsyncFact::type. Empty: nobody has told of the type yet.
    using Types = std::function<std::optional<AsyncType>(uint64_t type)>;

    /// `slowest` must outlive this.
    explicit AsyncMerge(const AsyncLimits& limits = {},
                        const SlowestLimits& slowest = AsyncCalls::no_slowest())
        : limits_(limits), calls_(limits, slowest) {}
    /// See AsyncBook::watch.
    void watch(std::span<const uint8_t> marks) { calls_.watch(marks); }

    /// Facts to be added at the end by whoever has them: those of a thread in their order.
    [[nodiscard]] std::vector<AsyncFact>& waiting() { return facts_; }

    /// All facts before `watermark_ticks` become calls. A fact of an unknown type holds up all that
    /// come later, but for no longer than `longest_wait_ticks` before the watermark, and once: a
    /// type that has no name by then may be one of too many. Where too many facts wait the earlier
    /// ones wait no longer.
    void merge(uint64_t watermark_ticks, uint64_t longest_wait_ticks, const Types& types);

    /// Facts that came when later ones had become calls.
    [[nodiscard]] uint64_t late() const { return late_; }
    [[nodiscard]] const AsyncCalls& calls() const { return calls_; }

  private:
    void find_runs();
    /// The first of the runs, which has a new first fact, to where it belongs among the others.
    void settle_first_run();
    /// What has become part of calls leaves facts_.
    void forget_merged();
    /// Whether the meaning of a fact hangs on its type.
    static bool needs_type(const AsyncFact& fact);

    const AsyncLimits limits_;
    AsyncCalls calls_;
    std::vector<AsyncFact> facts_;
    // Facts of a thread that follow one another in facts_ and in time are a run: as good as all of
    // a thread's, since they come in their order. By index in facts_:
    std::vector<uint32_t> following_;  ///< the next of the run; kLast, or kMerged
    std::vector<uint32_t> runs_;  ///< the first that is left of each; a heap, the earliest first
    std::unordered_set<uint64_t> nameless_;  ///< types that have been waited for in vain
    uint64_t merged_ticks_ = 0;
    uint64_t late_ = 0;
};

}  // namespace umbra::replay
