// SPDX-License-Identifier: MIT
// What a thread's replay hands on of async calls: small facts, to be put in order over all threads.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "hotpath/record.h"
#include "hotpath/segment.h"
#include "src/replay/async/recent_map.h"

namespace umbra::replay {

/// One thing that happened on one thread.
struct AsyncFact {
    enum class Event : uint8_t {
        kEnter,     ///< MoveNext of a state machine begins, or code that the runtime suspends
        kLeave,     ///< ... ends
        kUnwound,   ///< ... is left by an exception
        kLost,      ///< records of the thread are missing before this
        kArgument,  ///< a value of the call that the next kEnter of the thread begins
        kControl,   ///< see `control`
    };

    uint64_t ticks = 0;
    /// hotpath::make_async_keys(); of kEnter the function that called it in the low half, and in
    /// the high one the caller of that, as function indexes; 0: none. Of kArgument make_value_of().
    uint64_t keys = 0;
    /// A MethodTable's address; 0: none. Of kUnwound thrown_type(). Of kEnter the method
    /// (hotpath::RegisteredMethod), which the functions of its instantiations have in common.
    uint64_t type = 0;
    /// Of kEnter and kLeave the caller's stack pointer; of kControl the address of a local in the
    /// probed frame, or what the record's operand is (hotpath::ControlType). Low halves.
    uint32_t sp = 0;
    uint32_t function = 0;  ///< of kEnter and kLeave; of kTaskWaits that in which it happens
    uint32_t thread = 0;    ///< a number that no other thread has
    uint32_t order = 0;     ///< among the facts of its thread; wraps
    hotpath::ControlType control{};
    Event event = Event::kControl;
    uint8_t traits = 0;  ///< of the function: hotpath::function_traits()
};
static_assert(sizeof(AsyncFact) == 48);

/// Names the type of an exception by its number (protocol::TypeNamed); no address is odd.
constexpr uint64_t thrown_type(uint32_t index) {
    return uint64_t{index} << 1 | 1;
}
constexpr bool is_thrown_type(uint64_t type) {
    return (type & 1) != 0;
}
constexpr uint32_t thrown_index(uint64_t type) {
    return static_cast<uint32_t>(type >> 1);
}

/// Names a value of an argument: a row of the ArgumentTable of a shard.
constexpr uint64_t make_value_of(uint32_t shard, uint32_t row) {
    return uint64_t{shard} << 32 | row;
}

/// What the target says of its functions, by index.
struct AsyncFunctions {
    std::span<const uint8_t> traits;  ///< hotpath::function_traits(); empty: nobody asks
    std::span<const hotpath::RegisteredMethod> methods;

    /// 0: no code of an async method.
    [[nodiscard]] uint8_t machine(uint32_t function) const {
        constexpr uint8_t kMachines =
            hotpath::kStateMachine | hotpath::kAsyncIterator | hotpath::kRuntimeAsync;
        return function < traits.size()
                   ? static_cast<uint8_t>(__atomic_load_n(&traits[function], __ATOMIC_RELAXED) &
                                          kMachines)
                   : uint8_t{0};
    }
    /// Whether machine(), asked from now on, has its last answer: the target may tell of a function
    /// when others of its threads are in it already.
    [[nodiscard]] bool is_told(uint32_t function) const {
        return function < methods.size() &&
               methods[function].word.load(std::memory_order_acquire) != 0;
    }
    /// What the instantiations of a method have in common; 0: not known.
    [[nodiscard]] uint64_t method(uint32_t function) const {
        return function < methods.size() ? methods[function].word.load(std::memory_order_relaxed)
                                         : 0;
    }
};

/// Where a suspended call goes on in the tree of its shard.
struct AsyncPlace {
    uint32_t place = 0;     ///< where it was called
    uint32_t own = 0;       ///< what it calls is there
    uint32_t function = 0;  ///< 0: of no timed method
};

/// Calls that the runtime has suspended together, the outermost first.
using AsyncStack = std::vector<AsyncPlace>;

/// What is known of the calls under a task's key.
struct SuspendedStack {
    AsyncStack stack;
    uint64_t ticks = 0;  ///< when they were suspended; of a task that has ended, about when
};

/// The facts of the threads of one shard that nobody has taken yet, and where its suspended calls
/// are. Its worker's; others lock the shard's gate first.
class AsyncFacts {
  public:
    /// By function index, as the target has written them, who may write at any time; must outlive
    /// this. Before any record.
    void follow(AsyncFunctions functions) { functions_ = functions; }
    [[nodiscard]] bool in_use() const { return !functions_.traits.empty(); }
    /// Of make_value_of().
    void set_shard(uint32_t number) { shard_ = number; }
    [[nodiscard]] uint32_t shard() const { return shard_; }
    [[nodiscard]] const AsyncFunctions& functions() const { return functions_; }

    void add(const AsyncFact& fact) {
        if (facts_.size() < kMostWaiting) {
            facts_.push_back(fact);
            if (facts_.size() == kCrowd) {
                crowded_.store(true, std::memory_order_relaxed);
            }
        } else {
            ++lost_;
        }
    }
    /// Appends them to `facts`, and forgets them.
    void take(std::vector<AsyncFact>& facts) {
        facts.insert(facts.end(), facts_.begin(), facts_.end());
        facts_.clear();
        crowded_.store(false, std::memory_order_relaxed);
    }
    /// Somebody should take them: as many as memory is to be spent on. Any thread.
    [[nodiscard]] bool crowded() const { return crowded_.load(std::memory_order_relaxed); }
    /// Facts that there was no room for.
    [[nodiscard]] uint64_t lost() const { return lost_; }

    /// By key of the box; known until others have come, see RecentMap.
    AsyncPlace& place_of(uint32_t key) {
        any_ = true;
        return places_[key];
    }
    /// Whether any call has been suspended so far.
    [[nodiscard]] bool any() const { return any_; }
    /// Null: nobody knows.
    [[nodiscard]] const AsyncPlace* place(uint32_t key) { return places_.find(key); }
    /// The call has its result. A key with the highest bit set may be that of another call from now
    /// on.
    void end_place(uint32_t key) {
        if ((key >> 31) == 0) {
            places_.end(key);
        } else {
            places_.forget(key);
        }
    }
    /// The calls suspended under the key of their task. Null: nobody knows.
    [[nodiscard]] const SuspendedStack* stack(uint32_t key) { return stacks_.find(key); }
    /// Threads are not read in the order of time: what was suspended earlier is no news.
    void put_stack(uint32_t key, AsyncStack stack, uint64_t ticks) {
        any_ = true;
        const SuspendedStack* known = stacks_.find(key);
        if (known == nullptr || ticks >= known->ticks) {
            stacks_[key] = {.stack = std::move(stack), .ticks = ticks};
        }
    }
    /// A resumption that began at `ticks` has left none of them.
    void end_stack(uint32_t key, uint64_t ticks) {
        SuspendedStack* known = stacks_.suspended(key);
        if (known != nullptr && known->ticks <= ticks) {
            known->ticks = ticks;
            stacks_.end(key);
        }
    }
    void for_each_place(const auto& change) {
        places_.for_each(change);
        stacks_.for_each(
            [&](SuspendedStack& known) { std::ranges::for_each(known.stack, change); });
    }
    /// Whoever reads the rings sees to it that a record which waits for those of other threads is
    /// read again (ThreadReplay::waits()); without, none waits.
    void let_wait() { may_wait_ = true; }
    [[nodiscard]] bool may_wait() const { return may_wait_; }
    /// Calls that went on at the root of the tree, since nobody knew where they had been suspended.
    void count_unplaced() { ++unplaced_; }
    [[nodiscard]] uint64_t unplaced() const { return unplaced_; }

  private:
    static constexpr size_t kMostWaiting = size_t{1} << 20;
    static constexpr size_t kCrowd = size_t{1} << 15;
    static constexpr size_t kMostPlaces = size_t{1} << 22;
    static constexpr size_t kMostEnded = size_t{1}
                                         << 16;  ///< in what one turn reads of all threads

    AsyncFunctions functions_;
    uint32_t shard_ = 0;
    std::vector<AsyncFact> facts_;
    std::atomic<bool> crowded_{false};
    uint64_t lost_ = 0;
    SuspendedMap<AsyncPlace> places_{kMostPlaces, kMostEnded};
    SuspendedMap<SuspendedStack> stacks_{kMostPlaces, kMostEnded};
    bool any_ = false;
    bool may_wait_ = false;
    uint64_t unplaced_ = 0;
};

/// Hears of what happens on one thread, and tells what concerns async calls. One thread of ours.
class AsyncThread {
  public:
    /// `thread`: AsyncFact::thread. `facts` must outlive it.
    AsyncThread(AsyncFacts& facts, uint32_t thread) : facts_(&facts), thread_(thread) {}

    /// From now on elsewhere.
    void move_to(AsyncFacts& facts) { facts_ = &facts; }

    [[nodiscard]] bool is_async(uint32_t function) const {
        return facts_->functions().machine(function) != 0;
    }

    /// See AsyncFunctions.
    [[nodiscard]] bool is_told(uint32_t function) const {
        return facts_->functions().is_told(function);
    }

    /// A method that the runtime suspends: where IL times it, an enter record behind each of its
    /// awaits says that it goes on, whether it was suspended or not.
    [[nodiscard]] bool may_enter_again(uint32_t function) const {
        return facts_->functions().machine(function) == hotpath::kRuntimeAsync;
    }

    /// Answers is_async(). `callers_of()`: see AsyncFact::keys.
    bool entered(uint32_t function, uint32_t caller_sp, uint64_t ticks, const auto& callers_of) {
        const uint8_t traits = facts_->functions().machine(function);
        if (traits != 0) {
            const uint64_t callers = callers_of();
            vanished_.clear();
            tell_arguments(hotpath::first_key(callers), ticks);
            add({.ticks = ticks,
                 .keys = callers,
                 .type = facts_->functions().method(function),
                 .sp = caller_sp,
                 .function = function,
                 .event = AsyncFact::Event::kEnter,
                 .traits = traits});
        }
        return traits != 0;
    }
    void left(uint32_t function, uint32_t caller_sp, uint64_t ticks) {
        if (is_async(function) && ending_ != Ending::kVanishes) {
            const bool unwinds = ending_ == Ending::kUnwinds;
            add({.ticks = ticks,
                 .type = unwinds ? thrown_type(thrown_) : 0,
                 .sp = caller_sp,
                 .function = function,
                 .event = unwinds ? AsyncFact::Event::kUnwound : AsyncFact::Event::kLeave});
        }
    }
    /// How calls end.
    enum class Ending : uint8_t {
        kLeaves,
        kUnwinds,   ///< left by an exception
        kVanishes,  ///< its frame is gone without a word; nothing is told of it
    };
    /// Of what is left until this is said again.
    void set_ending(Ending ending) { ending_ = ending; }
    /// A call that vanishes, the innermost first: it may have been suspended, before the record
    /// that tells so (take_vanished()).
    void vanished(const AsyncPlace& place, uint32_t caller_sp) {
        if (vanished_.size() < kMostVanished) {
            vanished_.push_back({place, caller_sp});
        }
    }
    /// Those deeper than `address` that have vanished since an async call last began here, the
    /// outermost first.
    [[nodiscard]] AsyncStack take_vanished(uint32_t address) {
        AsyncStack deeper;
        for (auto one = vanished_.rbegin(); one != vanished_.rend(); ++one) {
            if (static_cast<int32_t>(one->second - address) <= 0) {
                deeper.push_back(one->first);
            }
        }
        vanished_.clear();
        return deeper;
    }
    /// An exception of a type (protocol::TypeNamed; 0: unknown) has been thrown.
    void thrown(uint32_t type) { thrown_ = type; }
    /// A value was told of the call of `function` that runs: told on if it begins an async call.
    /// `row`: of the shard's ArgumentTable; 0: none.
    void argument(uint32_t function, uint32_t row, bool is_first) {
        if (is_first || function != argument_function_) {
            argument_function_ = function;
            arguments_ = 0;
        }
        if (row != 0 && arguments_ < argument_rows_.size()) {
            argument_rows_[arguments_++] = row;
        }
    }
    void lost(uint64_t ticks) { add({.ticks = ticks, .event = AsyncFact::Event::kLost}); }
    /// Of the shard.
    [[nodiscard]] AsyncFacts& facts() { return *facts_; }
    /// A record that hotpath::tells_of_async().
    void control(hotpath::ControlType control, uint32_t operand, uint64_t keys, uint64_t type,
                 uint64_t ticks, uint32_t function) {
        add({.ticks = ticks,
             .keys = keys,
             .type = type,
             .sp = operand,
             .function = function,
             .control = control});
    }

  private:
    static constexpr size_t kMostVanished = 4096;

    void add(AsyncFact fact) {
        fact.thread = thread_;
        fact.order = order_++;
        facts_->add(fact);
    }

    void tell_arguments(uint32_t starter, uint64_t ticks) {
        for (size_t at = 0; starter == argument_function_ && at < arguments_; ++at) {
            add({.ticks = ticks,
                 .keys = make_value_of(facts_->shard(), argument_rows_[at]),
                 .event = AsyncFact::Event::kArgument});
        }
        arguments_ = 0;
    }

    AsyncFacts* facts_;
    uint32_t thread_;
    uint32_t order_ = 0;
    Ending ending_ = Ending::kLeaves;
    std::vector<std::pair<AsyncPlace, uint32_t>> vanished_;
    uint32_t thrown_ = 0;  ///< type of the exception that was thrown last
    uint32_t argument_function_ = 0;
    size_t arguments_ = 0;  ///< of argument_rows_
    std::array<uint32_t, 16> argument_rows_{};
};

}  // namespace umbra::replay
