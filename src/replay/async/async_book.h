// SPDX-License-Identifier: MIT
// The live async calls, their keys, and the sums that they end in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "src/replay/async/async_call.h"
#include "src/replay/async/async_sums.h"
#include "src/replay/async/key_map.h"
#include "src/replay/async/slow_async_calls.h"

namespace umbra::replay {

/// When and how a call has ended.
struct AsyncEnd {
    uint64_t ticks = 0;
    AsyncOutcome outcome = AsyncOutcome::kResult;
};

/// When and on which thread something happens.
struct Moment {
    uint64_t ticks = 0;
    uint32_t thread = 0;  ///< AsyncFact::thread
};

/// Keeps what calls have in common: times are booked here, and nothing is lost between the parts.
/// One thread.
class AsyncBook {
  public:
    /// `slowest` must outlive this.
    AsyncBook(const AsyncLimits& limits, const SlowestLimits& slowest);

    /// The slowest calls of which methods are kept: see SlowCallTable::watch. Before any call.
    void watch(std::span<const uint8_t> marks) { slow_.watch(marks); }

    /// None: there are too many; it is counted. `parent_node`: where in the tree the parent is.
    /// `callers`: AsyncFact::keys of its begin.
    CallRef begin(uint32_t function, CallRef parent, uint32_t parent_node, AsyncHow how,
                  const Moment& now, uint64_t callers = 0);
    void end(CallRef call, AsyncOutcome outcome, uint64_t ticks);
    /// It had begun before the session, which was not known when it was taken up.
    void began_before(CallRef call);
    /// Values of a call's arguments, by make_value_of().
    void note_arguments(CallRef call, std::vector<uint64_t> values);
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
    void turn(Call& call, AsyncPart part, uint64_t ticks);
    void suspend(Call& call, uint64_t ticks);
    /// What a call that waits waits for; the part it has belongs to the whole of the wait.
    void await(Call& call, AsyncWait::Kind kind, uint32_t function, uint64_t type);
    /// What it has waited for is there. Of a call that waits.
    void ready(Call& call, uint64_t ticks);
    /// A call that had gone on is to do so on another thread, before it has done anything.
    void queue_again(Call& call, uint64_t ticks);
    void resume(Call& call, const Moment& now);
    /// A running call that has done nothing since `since_ticks`.
    void take_back(Call& call, uint64_t since_ticks);

    /// With all live calls as open ones. `ended`: by CallRef::index, calls that have their result
    /// already, though nobody has ended them.
    [[nodiscard]] AsyncSums sums(uint64_t now_ticks,
                                 const std::unordered_map<uint32_t, AsyncEnd>& ended) const;
    AsyncSums& counters() { return sums_; }
    [[nodiscard]] const SlowAsyncCalls& slow() const { return slow_; }
    /// The slowest calls of methods that are watched, live ones as unfinished.
    [[nodiscard]] SlowCallSums slowest(uint64_t now_ticks) const;

  private:
    [[nodiscard]] uint32_t node(uint32_t parent, uint32_t function, AsyncHow how, uint64_t callers);
    /// Of calls inside others of their method, which have the row `outermost`.
    uint32_t node_beside(uint32_t outermost, AsyncHow how, uint64_t callers);
    uint32_t add_node(const AsyncNode& made, uint64_t callers);
    void stop_waiting(Call& call, uint64_t ticks);
    void add(const Call& call, AsyncOutcome outcome, AsyncSums& sums) const;
    /// Whether begin and end are known.
    static bool is_timed(const Call& call, AsyncOutcome outcome);
    void add_arguments(uint32_t index, AsyncOutcome outcome);
    /// The time since Call::mark_ticks goes to its part.
    static void book_time(Call& call, uint64_t ticks);
    static void take_back_time(Call& call, uint64_t since_ticks);
    /// It was made in a call of the same method.
    [[nodiscard]] bool is_inside_itself(const Call& call) const;

    const AsyncLimits limits_;
    Calls calls_;
    std::vector<uint32_t> free_;
    KeyMap<uint32_t> keys_;  ///< index by key
    std::map<std::tuple<uint32_t, uint32_t, AsyncHow, uint64_t>, uint32_t> nodes_;
    std::map<std::tuple<uint32_t, AsyncWait::Kind, uint32_t, uint64_t>, uint32_t> waits_;
    std::unordered_map<uint32_t, std::vector<uint64_t>> arguments_;  ///< of live calls, by index
    AsyncSums sums_;
    SlowAsyncCalls slow_;
};

}  // namespace umbra::replay
