// SPDX-License-Identifier: MIT
// Logical async calls, out of what happened on all threads in the order of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/replay/async/async_book.h"
#include "src/replay/async/async_fact.h"
#include "src/replay/async/async_sums.h"
#include "src/replay/async/blocked_waits.h"
#include "src/replay/async/recent_map.h"

namespace umbra::replay {

/// What is known of a type in a fact.
struct AsyncType {
    /// Of a state machine's box: hotpath::RegisteredMethod::word of its MoveNext, timed or not.
    uint64_t method = 0;
    bool cancelled = false;  ///< an exception that says so
    bool combines = false;   ///< a task that ends when others have: WhenAll
};

/// A call of an async method goes from its begin, over the threads it runs on and the times in
/// which it waits, to its result. docs/async_calls.md says by which rules.
///
/// A thread has frames: of MoveNext, of code that the runtime suspends, and of what runs them (a
/// resumption, an item of the thread pool, a task with a delegate). The call of a frame is the one
/// that its resumption continues, or a new one, whose parent is that of the nearest frame. Facts of
/// a thread come in their order; those of several in the order of time, and where that is not so,
/// times that would be negative are none. Any content is allowed. One thread.
class AsyncCalls {
  public:
    /// `slowest` must outlive this.
    explicit AsyncCalls(const AsyncLimits& limits = {},
                        const SlowestLimits& slowest = no_slowest());

    /// See AsyncBook::watch.
    void watch(std::span<const uint8_t> marks) { book_.watch(marks); }

    /// `type`: of fact.type; unknown types are those of objects of which nothing is known.
    void apply(const AsyncFact& fact, const AsyncType& type);

    /// With the calls that are open at `now_ticks`, which last until then.
    [[nodiscard]] AsyncSums sums(uint64_t now_ticks) const;
    /// The slowest calls of methods that are watched. Slice::function of what a call awaited is a
    /// row of AsyncSums::waits.
    [[nodiscard]] SlowCallSums slowest(uint64_t now_ticks) const {
        return book_.slowest(now_ticks);
    }
    [[nodiscard]] const SlowAsyncCalls& slow() const { return book_.slow(); }
    [[nodiscard]] size_t live() const { return book_.live(); }
    static const SlowestLimits& no_slowest();

  private:
    /// Where a call is made.
    struct Context {
        CallRef call{};     ///< none, or it has ended: nobody waits
        uint32_t node = 0;  ///< of the tree; 0: below nothing
        AsyncHow how = AsyncHow::kRoot;
    };
    struct Frame {
        enum Kind : uint8_t { kMethod, kResume, kWork };
        Kind kind;
        uint32_t sp;
        uint32_t function = 0;
        uint64_t method = 0;  ///< AsyncFunctions::method()
        uint8_t traits = 0;
        /// Of kResume: its MoveNext has been entered, or what goes on in it has been suspended
        /// again, and may be on another thread before the frame is left.
        bool used = false;
        bool suspended = false;  ///< of kMethod: what follows is none of its call's
        bool done = false;       ///< ... and has ended, so that `context` is what is made here
        bool doubtful = false;   ///< records of its thread were lost
        /// The key under which something that nobody had seen goes on: of kResume in this frame, of
        /// kMethod maybe its call, which has begun before the session if its box has this key.
        uint32_t unseen = 0;
        CallRef call{};
        Context context{};          ///< of kWork: who has made it
        uint32_t stack = 0;         ///< of kResume: the key in stacks_ of what goes on; 0: a box
        uint64_t signal_ticks = 0;  ///< when a result was last signalled in it; 0: not
        AsyncOutcome signalled = AsyncOutcome::kResult;  ///< which
        /// By the next signal; of a method that the runtime suspends, and whose IL tells of the
        /// exception that leaves it, by its leave.
        AsyncOutcome to_signal = AsyncOutcome::kResult;
        uint32_t failing_at = 0;  ///< of kResume: where such a method goes on, to leave; 0: none
    };
    using Frames = std::vector<Frame>;
    /// A task that has its result, and was seen without it by who awaits it.
    struct EndedTask {
        uint32_t function = 0;
        CallRef maker{};
    };
    /// Calls that the runtime has suspended together: each awaits the next. The innermost has the
    /// key of their task.
    struct Stack {
        CallRef outermost{};         ///< whose result the task has
        EndedTask ended{};           ///< what is known of that when it has ended
        std::vector<CallRef> calls;  ///< that have not gone on yet, the innermost last
    };
    /// Which calls a task waits for together with others.
    struct Combination {
        uint32_t own = 0;  ///< made by the call that waits
        uint32_t others = 0;
    };

    Frames& frames_of(uint32_t thread);
    void control(Frames& frames, const AsyncFact& fact, const AsyncType& type);
    void enter(Frames& frames, const AsyncFact& fact);
    void leave(Frames& frames, const AsyncFact& fact, const AsyncType& type);
    /// A box with this key has suspended before: what goes on in it unseen has begun before.
    void note_before(Frames& frames, uint32_t key);
    void suspend(Frames& frames, const AsyncFact& fact, const AsyncType& type);
    void await(const AsyncFact& fact, const AsyncType& type);
    void await(Call& call, CallRef waiting, uint32_t key, uint64_t type, const AsyncType& named);
    void resume(Frames& frames, const AsyncFact& fact);
    void complete(Frames& frames, const AsyncFact& fact, AsyncOutcome outcome);
    void fault(Frames& frames, const AsyncFact& fact, const AsyncType& type);
    /// An exception leaves the method whose frame has its marker at `sp`. False: none is open
    /// there; if the resumption on top goes on there, it is that one.
    static bool told_to_leave(Frames& frames, uint32_t sp, AsyncOutcome outcome);
    void queued(Frames& frames, const AsyncFact& fact);
    void work(Frames& frames, const AsyncFact& fact);
    void combine(Frames& frames, const AsyncFact& fact);
    void blocks(const AsyncFact& fact, const AsyncType& type);

    /// How many frames stay where a stack is suspended: those that its first call stands on.
    static size_t frames_around_stack(const Frames& frames, uint32_t key, uint32_t address);
    /// All of them live: each waits for the next, the innermost for what the fact says.
    void wait_in_stack(const std::vector<CallRef>& calls, const AsyncFact& fact,
                       const AsyncType& type);
    /// The runtime suspends all calls deeper than an address.
    void suspend_stack(Frames& frames, const AsyncFact& fact, const AsyncType& type);
    /// The call of a suspended stack that goes on where a method begins; none: it is a new one.
    CallRef take_up(Frames& frames, const AsyncFact& fact);
    /// Of the calls of a stack that have not gone on yet; none: there are none.
    [[nodiscard]] CallRef innermost_of(uint32_t key) const;
    /// The innermost of those that are left waits in the place of one that has ended.
    void bind_innermost(const Frames& frames);
    /// The resumption of a stack has ended.
    void leave_stack(uint32_t key, uint64_t ticks);
    void keep_stack(uint32_t key, Stack stack);
    void forget_stack(std::unordered_map<uint32_t, Stack>::iterator stack);
    /// An exception has left all that is left of a stack. False: there is none of this key.
    bool end_stack(Frames& frames, uint32_t key, AsyncOutcome outcome, uint64_t ticks);
    /// The call whose result a task has.
    [[nodiscard]] CallRef call_of_task(uint32_t key) const;
    /// Null: it is none whose call was told.
    [[nodiscard]] const EndedTask* ended_task(uint32_t key);

    /// The call of a box that is to be suspended; none: there is no room, or two had its key.
    CallRef suspended_call(Frames& frames, const AsyncFact& fact, const AsyncType& type);
    CallRef begin_unseen(const Frames& frames, const AsyncFact& fact, uint32_t function);
    void clash(CallRef a, CallRef b, uint64_t ticks);
    /// A call of an iterator's, or of a pooled method's, has its result when its MoveNext signals
    /// for the last time: precompiled code has no probe where that of pooled ones is set.
    static bool ends_by_signal(const Frame& frame, const Call& call);
    /// Calls that have signalled their result, by CallRef::index: who awaits one goes on inside its
    /// MoveNext, maybe for ever.
    [[nodiscard]] std::unordered_map<uint32_t, AsyncEnd> ended_inside() const;
    /// All calls of an iterator have one box, and that of a pooled method's may be another call's
    /// next. Who awaits goes on inside the MoveNext that has signalled, and makes the next call
    /// before the frame of the one before is left. False: the call has not signalled.
    bool end_signalled(CallRef signalled);
    /// The function that goes on with a box of a type; 0: none, or none that has been entered.
    [[nodiscard]] uint32_t function_of(const AsyncType& type) const;
    [[nodiscard]] Context context(const Frames& frames) const;
    [[nodiscard]] Context outside(const Call& call) const;
    /// A key that is no Task.Id may be another object's later.
    static bool is_reused(uint32_t key) { return (key >> 31) != 0; }
    /// The innermost frame of a MoveNext; null: there is none.
    static Frame* innermost(Frames& frames);
    void push(Frames& frames, const Frame& frame);
    /// Frames at `sp` and deeper are dead.
    void pop_to(Frames& frames, uint32_t sp, uint64_t ticks);
    void pop(Frames& frames, uint64_t ticks);
    /// The frame is the innermost that runs. `by`: the call that runs above it; none: its own.
    void runs(Frame* frame, CallRef by, uint64_t ticks);
    void end(Frames& frames, CallRef call, AsyncOutcome outcome, uint64_t ticks);

    const AsyncLimits limits_;
    AsyncBook book_;
    std::unordered_map<uint32_t, Frames> threads_;
    std::unordered_map<uint32_t, Frames>::value_type* latest_ = nullptr;  ///< in threads_
    /// By AsyncType::method, of functions that have been entered, the first of each.
    std::unordered_map<uint64_t, uint32_t> functions_;
    std::unordered_map<uint32_t, Stack> stacks_;  ///< by key; each has a live call
    RecentMap<EndedTask> ended_tasks_;            ///< by key
    RecentMap<Context> items_;                    ///< work that has been queued, by key
    RecentMap<Combination> combinations_;
    BlockedWaits blocked_;
    std::unordered_map<uint32_t, std::vector<uint64_t>> arguments_;  ///< told ahead, by thread
};

}  // namespace umbra::replay
