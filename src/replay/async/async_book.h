// SPDX-License-Identifier: MIT
// The live async calls, their keys, and the sums that they end in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "src/replay/async/async_sums.h"

namespace umbra::replay {

/// Names a call for good: where it was, there may be another one by now.
struct CallRef {
    uint32_t index = 0;
    uint32_t generation = 0;  ///< 0: no call

    [[nodiscard]] bool none() const { return generation == 0; }
    bool operator==(const CallRef&) const = default;
};

/// One call that has begun and not ended. Of a method that is not timed (function 0) it is there to
/// tell what others wait for, and whose the calls are that it makes.
struct Call {
    enum class State : uint8_t { kOnThread, kWaiting, kQueued };
    uint64_t begin_ticks = 0;
    uint64_t mark_ticks = 0;       ///< all before is booked
    uint64_t suspended_ticks = 0;  ///< when it was, the last time
    uint64_t type = 0;             ///< of its box; asked for where function is 0
    AsyncTimes times;
    CallRef parent;  ///< a call of a timed method, which may have ended
    uint32_t function = 0;
    uint32_t node = 0;  ///< of the tree
    uint32_t generation = 0;
    uint32_t key = 0;       ///< 0: it has none yet
    uint32_t children = 0;  ///< live calls whose parent it is
    uint32_t suspensions = 0;
    uint32_t wait = 0;  ///< row of what it waits for; 0: not told
    State state = State::kOnThread;
    AsyncPart part = AsyncPart::kRunning;  ///< what the time since mark_ticks belongs to
    bool by_children = false;              ///< while it waits: whether any is live decides the part
    AsyncHow how = AsyncHow::kRoot;
    bool live = false;
};
static_assert(sizeof(Call) <= 136);

/// Keeps what calls have in common: times are booked here, and nothing is lost between the parts.
/// One thread.
class AsyncBook {
  public:
    explicit AsyncBook(const AsyncLimits& limits);

    /// None: there are too many; it is counted. `parent_node`: where in the tree the parent is.
    /// `callers`: AsyncFact::keys of its begin.
    CallRef begin(uint32_t function, CallRef parent, uint32_t parent_node, AsyncHow how,
                  uint64_t ticks, uint64_t callers = 0);
    void end(CallRef call, AsyncOutcome outcome, uint64_t ticks);
    /// Null: it has ended. Good until another begins.
    [[nodiscard]] Call* find(CallRef call);
    [[nodiscard]] const Call* find(CallRef call) const;
    [[nodiscard]] size_t live() const { return calls_.size() - free_.size(); }

    /// Of a row of the tree.
    [[nodiscard]] uint32_t node_above(uint32_t node) const { return sums_.tree[node].parent; }

    /// The live call that has a key; none.
    [[nodiscard]] CallRef of_key(uint32_t key) const;
    void bind(CallRef call, uint32_t key);

    /// The time from now on belongs to `part`.
    static void turn(Call& call, AsyncPart part, uint64_t ticks);
    void suspend(Call& call, uint64_t ticks);
    /// What a call that waits waits for; the part it has belongs to the whole of the wait.
    void await(Call& call, AsyncWait::Kind kind, uint32_t function, uint64_t type);
    /// What it has waited for is there. Of a call that waits.
    void ready(Call& call, uint64_t ticks);
    void resume(Call& call, uint64_t ticks);
    /// A running call that has done nothing since `since_ticks`.
    static void take_back(Call& call, uint64_t since_ticks);

    /// With all live calls as open ones.
    [[nodiscard]] AsyncSums sums(uint64_t now_ticks) const;
    AsyncSums& counters() { return sums_; }

  private:
    [[nodiscard]] uint32_t node(uint32_t parent, uint32_t function, AsyncHow how, uint64_t callers);
    void stop_waiting(Call& call, uint64_t ticks);
    void add(const Call& call, AsyncOutcome outcome, AsyncSums& sums) const;

    const AsyncLimits limits_;
    std::vector<Call> calls_;
    std::vector<uint32_t> free_;
    std::unordered_map<uint32_t, uint32_t> keys_;  ///< index by key
    std::map<std::tuple<uint32_t, uint32_t, AsyncHow, uint64_t>, uint32_t> nodes_;
    std::map<std::tuple<uint32_t, AsyncWait::Kind, uint32_t, uint64_t>, uint32_t> waits_;
    AsyncSums sums_;
};

}  // namespace umbra::replay
