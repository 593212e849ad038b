// SPDX-License-Identifier: MIT
// What happens to async calls, written down as threads would tell it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/segment.h"
#include "src/replay/async/async_calls.h"

namespace umbra::replay::testing {

/// Times are ticks. Methods are letters; a method's box has the type of its letter. Frames are
/// given by the address of the stack: callees have smaller ones.
class Story {
  public:
    /// `slowest` must outlive the story.
    explicit Story(const AsyncLimits& limits = {},
                   const SlowestLimits& slowest = AsyncCalls::no_slowest())
        : calls_(limits, slowest) {}

    void watch(std::span<const uint8_t> marks) { calls_.watch(marks); }

    /// From now on this one speaks.
    Story& on(uint32_t thread) {
        thread_ = thread;
        return *this;
    }
    Story& enter(char method, uint32_t sp, uint64_t ticks,
                 uint8_t traits = hotpath::kStateMachine) {
        return tell({.ticks = ticks,
                     .type = index(method),
                     .sp = sp,
                     .function = index(method),
                     .event = AsyncFact::Event::kEnter,
                     .traits = traits});
    }
    Story& leave(char method, uint32_t sp, uint64_t ticks) {
        return tell({.ticks = ticks,
                     .sp = sp,
                     .function = index(method),
                     .event = AsyncFact::Event::kLeave});
    }
    /// By an exception.
    Story& unwind(char method, uint32_t sp, uint64_t ticks, bool cancelled = false) {
        return tell({.ticks = ticks,
                     .sp = sp,
                     .function = index(method),
                     .event = AsyncFact::Event::kUnwound},
                    {.cancelled = cancelled});
    }
    /// What the runtime suspends by itself.
    Story& begin(char method, uint32_t sp, uint64_t ticks) {
        return enter(method, sp, ticks, hotpath::kRuntimeAsync);
    }
    /// All calls deeper than `address`; `awaited` 0: not told.
    Story& suspend_stack(uint32_t key, uint32_t address, uint64_t ticks, uint32_t awaited = 0,
                         uint64_t type = 0) {
        return control(hotpath::ControlType::kAsyncStackSuspended, address, ticks, key, awaited,
                       type);
    }
    Story& lost(uint64_t ticks) { return tell({.ticks = ticks, .event = AsyncFact::Event::kLost}); }
    /// `method` 0: one that nobody times.
    Story& suspend(char method, uint32_t key, uint64_t ticks) {
        AsyncType type;
        type.method = method == 0 ? 0 : index(method);
        return control(hotpath::ControlType::kAsyncSuspended, 0, ticks, key, 0,
                       method == 0 ? 99 : index(method), type);
    }
    Story& await(uint32_t key, uint32_t awaited, uint64_t ticks, uint64_t type = 0,
                 bool combines = false) {
        return control(hotpath::ControlType::kAsyncAwaits, 0, ticks, key, awaited, type,
                       {.combines = combines});
    }
    Story& resume(uint32_t key, uint32_t sp, uint64_t ticks) {
        return control(hotpath::ControlType::kAsyncResumed, sp, ticks, key);
    }
    Story& resume_ends(uint32_t sp, uint64_t ticks) {
        return control(hotpath::ControlType::kAsyncResumeEnds, sp, ticks, 0);
    }
    Story& complete(uint32_t key, uint64_t ticks) {
        return control(hotpath::ControlType::kAsyncCompleted, 0, ticks, key);
    }
    Story& fault(uint32_t key, uint32_t field, uint64_t ticks, bool cancelled = false) {
        return control(hotpath::ControlType::kAsyncFaulted, field, ticks, key, 0, 7,
                       {.cancelled = cancelled});
    }
    Story& signal(uint64_t ticks) {
        return control(hotpath::ControlType::kAsyncSignalled, 0, ticks, 0);
    }
    Story& queue(uint32_t key, uint64_t ticks) {
        return control(hotpath::ControlType::kWorkQueued, 0, ticks, key);
    }
    Story& dispatch(uint32_t key, uint32_t sp, uint64_t ticks) {
        return control(hotpath::ControlType::kWorkRuns, sp, ticks, key);
    }
    Story& dispatch_ends(uint32_t sp, uint64_t ticks) {
        return control(hotpath::ControlType::kWorkEnds, sp, ticks, 0);
    }
    Story& make_task(uint32_t key, uint64_t ticks) {
        return control(hotpath::ControlType::kTaskMade, 0, ticks, key);
    }
    Story& run_task(uint32_t key, uint32_t sp, uint64_t ticks) {
        return control(hotpath::ControlType::kTaskRuns, sp, ticks, key);
    }
    Story& task_ends(uint32_t sp, uint64_t ticks) {
        return control(hotpath::ControlType::kTaskEnds, sp, ticks, 0);
    }
    /// `method` 0: none that is timed.
    Story& waits(char method, uint32_t key, uint32_t sp, uint64_t ticks, uint64_t type = 0) {
        return tell({.ticks = ticks,
                     .keys = hotpath::make_async_keys(key, 0),
                     .type = type,
                     .sp = sp,
                     .function = method == 0 ? 0 : index(method),
                     .control = hotpath::ControlType::kTaskWaits});
    }
    Story& wait_ends(uint32_t sp, uint64_t ticks) {
        return control(hotpath::ControlType::kTaskWaitEnds, sp, ticks, 0);
    }
    Story& combine(uint32_t task, uint32_t combination, uint64_t ticks) {
        return control(hotpath::ControlType::kTaskCombines, 0, ticks, task, combination);
    }
    Story& control(hotpath::ControlType control, uint32_t sp, uint64_t ticks, uint32_t key,
                   uint32_t second = 0, uint64_t type = 0, const AsyncType& known = {}) {
        return tell({.ticks = ticks,
                     .keys = hotpath::make_async_keys(key, second),
                     .type = type,
                     .sp = sp,
                     .control = control},
                    known);
    }
    Story& tell(AsyncFact fact, const AsyncType& type = {}) {
        fact.thread = thread_;
        calls_.apply(fact, type);
        return *this;
    }

    static uint32_t index(char method) { return static_cast<uint32_t>(method - 'A') + 1; }
    [[nodiscard]] const AsyncCalls& calls() const { return calls_; }
    [[nodiscard]] AsyncSums sums(uint64_t now_ticks = 1'000'000) const {
        AsyncSums sums = calls_.sums(now_ticks);
        check(sums);
        return sums;
    }
    [[nodiscard]] AsyncCounts of(char method, uint64_t now_ticks = 1'000'000) const {
        const AsyncSums all = sums(now_ticks);
        const auto place = all.methods.find(index(method));
        return place == all.methods.end() ? AsyncCounts{} : place->second.counts;
    }
    /// The method that calls of another were made by: 0: by none; '?': there are several.
    [[nodiscard]] char parent_of(char method) const {
        const AsyncSums all = sums();
        char parent = 0;
        size_t rows = 0;
        for (const AsyncNode& node : all.tree) {
            if (node.function == index(method)) {
                ++rows;
                const uint32_t above = all.tree[node.parent].function;
                parent = above == 0 ? '\0' : static_cast<char>('A' + above - 1);
            }
        }
        return rows == 1 ? parent : '?';
    }
    [[nodiscard]] AsyncHow how_of(char method) const {
        for (const AsyncNode& node : sums().tree) {
            if (node.function == index(method) && node.counts.calls != 0) {
                return node.how;
            }
        }
        return AsyncHow::kRoot;
    }
    [[nodiscard]] AsyncWait wait_of(char method) const {
        for (const AsyncWait& wait : sums().waits) {
            if (wait.method == index(method)) {
                return wait;
            }
        }
        return {};
    }

  private:
    /// What holds of all sums.
    static void check(const AsyncSums& sums) {
        AsyncTimes by_method;
        AsyncTimes by_path;
        for (const auto& [function, method] : sums.methods) {
            const auto& outcomes = method.counts.outcomes;
            EXPECT_EQ(std::accumulate(outcomes.begin(), outcomes.end(), uint64_t{0}),
                      method.counts.calls);
            by_method += method.counts.times;
        }
        for (const AsyncNode& node : sums.tree) {
            by_path += node.counts.times;
        }
        EXPECT_EQ(by_method.ticks, by_path.ticks);
    }

    AsyncCalls calls_;
    uint32_t thread_ = 1;
};

inline uint64_t ended(const AsyncCounts& counts, AsyncOutcome outcome) {
    return counts.outcomes[static_cast<size_t>(outcome)];
}
/// Running, children, others, outside, queued.
using Parts = std::array<uint64_t, kAsyncParts>;
inline Parts parts(const AsyncCounts& counts) {
    return counts.times.ticks;
}

}  // namespace umbra::replay::testing
