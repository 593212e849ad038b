// SPDX-License-Identifier: MIT
// The rules by which facts become calls.
#include "src/replay/async/async_calls.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "hotpath/record.h"
#include "hotpath/segment.h"

namespace umbra::replay {
namespace {

using hotpath::ControlType;
using hotpath::first_key;
using hotpath::second_key;

/// With no frames, and kept: most of them go on with something else in a moment.
constexpr size_t kIdleThreads = 256;

/// A call that has never suspended tells of its fault by where its task's field lies. Is that in
/// the stack of its caller, or in no stack, the call is that of the innermost MoveNext; deeper it
/// is of a method called from there that nobody times.
bool is_own_task(uint32_t field, uint32_t innermost_sp) {
    constexpr int32_t kDeepestStack = 16 << 20;
    const auto distance = static_cast<int32_t>(field - innermost_sp);
    return distance >= 0 || distance < -kDeepestStack;
}

Moment moment_of(const AsyncFact& fact) {
    return {.ticks = fact.ticks, .thread = fact.thread};
}

}  // namespace

AsyncCalls::AsyncCalls(const AsyncLimits& limits, const SlowestLimits& slowest)
    : limits_(limits),
      book_(limits, slowest),
      ended_tasks_(limits.ended),
      items_(limits.items),
      combinations_(limits.items),
      blocked_(limits) {
}

const SlowestLimits& AsyncCalls::no_slowest() {
    static const SlowestLimits none;
    return none;
}

AsyncSums AsyncCalls::sums(uint64_t now_ticks) const {
    AsyncSums sums = book_.sums(now_ticks, ended_inside());
    sums.blocked = blocked_.sums(now_ticks);
    return sums;
}

std::unordered_map<uint32_t, AsyncEnd> AsyncCalls::ended_inside() const {
    std::unordered_map<uint32_t, AsyncEnd> ended;
    for (const auto& [thread, frames] : threads_) {
        for (auto frame = frames.begin(); frame != frames.end(); ++frame) {
            const Call* call = book_.find(frame->call);
            const bool runs = frame->kind == Frame::kMethod && call != nullptr &&
                              !frame->suspended && !frame->done &&
                              call->state == Call::State::kOnThread;
            const bool goes_on = std::any_of(std::next(frame), frames.end(), [](const Frame& one) {
                return one.kind == Frame::kResume;
            });
            if (runs && goes_on && ends_by_signal(*frame, *call)) {
                ended[frame->call.index] = {
                    .ticks = frame->signal_ticks,
                    .outcome = frame->doubtful ? AsyncOutcome::kUnknown : frame->signalled};
            }
        }
    }
    return ended;
}

uint32_t AsyncCalls::function_of(const AsyncType& type) const {
    const auto known = functions_.find(type.method);
    return known == functions_.end() ? 0 : known->second;
}

void AsyncCalls::apply(const AsyncFact& fact, const AsyncType& type) {
    Frames& frames = frames_of(fact.thread);
    switch (fact.event) {
        case AsyncFact::Event::kEnter:
            enter(frames, fact);
            break;
        case AsyncFact::Event::kLeave:
        case AsyncFact::Event::kUnwound:
            leave(frames, fact, type);
            break;
        case AsyncFact::Event::kLost:
            for (Frame& frame : frames) {
                frame.doubtful = true;
            }
            break;
        case AsyncFact::Event::kArgument:
            arguments_[fact.thread].push_back(fact.keys);
            break;
        case AsyncFact::Event::kControl:
            control(frames, fact, type);
            break;
    }
    if (frames.empty() && threads_.size() > kIdleThreads) {
        threads_.erase(fact.thread);  // it may have ended
        latest_ = nullptr;
    }
}

void AsyncCalls::control(Frames& frames, const AsyncFact& fact, const AsyncType& type) {
    switch (fact.control) {
        case ControlType::kAsyncSuspended:
            return suspend(frames, fact, type);
        case ControlType::kAsyncStackSuspended:
            return suspend_stack(frames, fact, type);
        case ControlType::kAsyncAwaits:
            return await(fact, type);
        case ControlType::kAsyncResumed:
            return resume(frames, fact);
        case ControlType::kAsyncCompleted:
            return complete(frames, fact, AsyncOutcome::kResult);
        case ControlType::kAsyncFaulted:
            return fault(frames, fact, type);
        case ControlType::kAsyncSignalled:
            if (Frame* frame = innermost(frames)) {
                frame->signal_ticks = std::max<uint64_t>(fact.ticks, 1);
                frame->signalled = std::exchange(frame->to_signal, AsyncOutcome::kResult);
            }
            return;
        case ControlType::kWorkQueued:
        case ControlType::kTaskMade:
            return queued(frames, fact);
        case ControlType::kWorkRuns:
        case ControlType::kTaskRuns:
            return work(frames, fact);
        case ControlType::kAsyncResumeEnds:
        case ControlType::kWorkEnds:
        case ControlType::kTaskEnds:
            return pop_to(frames, fact.sp, fact.ticks);
        case ControlType::kTaskCombines:
            return combine(frames, fact);
        case ControlType::kTaskWaits:
            return blocks(fact, type);
        case ControlType::kTaskWaitEnds:
            return blocked_.end(fact);
        default:
            return;  // tells of nothing async: a hostile target's
    }
}

void AsyncCalls::enter(Frames& frames, const AsyncFact& fact) {
    if (fact.type != 0 && functions_.size() < limits_.functions) {
        functions_.try_emplace(fact.type, fact.function);
    }
    pop_to(frames, fact.sp, fact.ticks);
    Frame frame{.kind = Frame::kMethod,
                .sp = fact.sp,
                .function = fact.function,
                .method = fact.type,
                .traits = fact.traits};
    frame.call = take_up(frames, fact);
    Frame* below = frames.empty() ? nullptr : &frames.back();
    if (below != nullptr && below->failing_at != 0 &&
        std::exchange(below->failing_at, 0) == fact.sp) {
        frame.to_signal = below->to_signal;
    }
    const bool resumed = below != nullptr && below->kind == Frame::kResume && !below->used;
    if (resumed && below->stack == 0) {
        const Call* known = book_.find(below->call);
        if (known != nullptr && known->function == fact.function) {
            below->used = true;
            frame.call = below->call;
        } else if (known == nullptr && below->call.none()) {
            below->used = true;
            if (fact.traits == hotpath::kStateMachine) {
                frame.unseen = below->unseen;  // or it is called by what is not timed
            } else {
                frame.call = book_.begin(fact.function, {}, 0, AsyncHow::kBefore, moment_of(fact));
            }
        }
    }
    if (frame.call.none()) {
        const Context around = context(frames);
        frame.call = book_.begin(fact.function, around.call, around.node, around.how,
                                 moment_of(fact), fact.keys);
        if (const auto told = arguments_.find(fact.thread); told != arguments_.end()) {
            book_.note_arguments(frame.call, std::move(told->second));
        }
    }
    if (Call* call = book_.find(frame.call)) {
        call->iterator = (fact.traits & hotpath::kAsyncIterator) != 0;
    }
    arguments_.erase(fact.thread);
    runs(innermost(frames), frame.call, fact.ticks);
    push(frames, frame);
}

void AsyncCalls::leave(Frames& frames, const AsyncFact& fact, const AsyncType& type) {
    const auto place = std::ranges::find_if(frames.rbegin(), frames.rend(), [&](const Frame& f) {
        return f.kind == Frame::kMethod && f.sp == fact.sp && f.function == fact.function;
    });
    if (place == frames.rend()) {
        return;  // entered before anybody looked
    }
    const auto depth = static_cast<size_t>(frames.rend() - place);
    while (frames.size() > depth) {
        pop(frames, fact.ticks);
    }
    Frame& frame = frames.back();
    Call* call = book_.find(frame.call);
    if (call != nullptr && !frame.suspended && !frame.done &&
        call->state == Call::State::kOnThread) {
        book_.turn(*call, call->part, fact.ticks);
        uint64_t ticks = fact.ticks;
        AsyncOutcome outcome = AsyncOutcome::kResult;
        if (ends_by_signal(frame, *call)) {
            ticks = std::min(ticks, frame.signal_ticks);
            outcome = frame.signalled;
            book_.take_back(*call, ticks);
        } else if (fact.event == AsyncFact::Event::kUnwound &&
                   (frame.traits & hotpath::kRuntimeAsync) != 0) {
            outcome = type.cancelled ? AsyncOutcome::kCancelled : AsyncOutcome::kFault;
        } else if ((frame.traits & hotpath::kRuntimeAsync) != 0) {
            outcome = frame.to_signal;
        }
        end(frames, frame.call, frame.doubtful ? AsyncOutcome::kUnknown : outcome, ticks);
    }
    pop(frames, fact.ticks);
    bind_innermost(frames);
}

void AsyncCalls::clash(CallRef a, CallRef b, uint64_t ticks) {
    ++book_.counters().clashes;
    book_.end(a, AsyncOutcome::kUnknown, ticks);
    book_.end(b, AsyncOutcome::kUnknown, ticks);
}

bool AsyncCalls::ends_by_signal(const Frame& frame, const Call& call) {
    return frame.signal_ticks != 0 &&
           ((frame.traits & hotpath::kAsyncIterator) != 0 || is_reused(call.key));
}

CallRef AsyncCalls::begin_unseen(const Frames& frames, const AsyncFact& fact, uint32_t function) {
    if (function != 0) {
        return book_.begin(function, {}, 0, AsyncHow::kBefore, moment_of(fact));
    }
    const Context around = context(frames);
    const CallRef begun = book_.begin(0, around.call, around.node, around.how, moment_of(fact));
    if (Call* call = book_.find(begun)) {
        call->suspended_or_type = fact.type;
    }
    return begun;
}

CallRef AsyncCalls::suspended_call(Frames& frames, const AsyncFact& fact, const AsyncType& type) {
    const uint32_t function = function_of(type);
    const uint32_t key = first_key(fact.keys);
    const CallRef bound = book_.of_key(key);
    const Call* known = book_.find(bound);
    Frame* frame = innermost(frames);
    const auto is_of_type = [&](const Frame& one) {
        return function != 0 && one.method == type.method;
    };
    if (frame != nullptr &&
        (!is_of_type(*frame) || frame->done || book_.find(frame->call) == nullptr)) {
        frame = nullptr;  // of a method that the innermost timed one has called
    }
    if (known != nullptr && (frame == nullptr || bound != frame->call)) {
        const bool again = function != 0
                               ? known->function == function
                               : known->function == 0 && known->suspended_or_type == fact.type;
        const bool resumed_here = std::ranges::any_of(frames, [&](const Frame& one) {
            return one.kind == Frame::kResume && one.call == bound;
        });
        if (again && frame != nullptr && end_signalled(bound)) {
            frame->suspended = true;
            return frame->call;
        }
        if (again && (frame == nullptr || resumed_here)) {
            return bound;
        }
        // One that has ended untold, or this one, suspended by code that was not timed yet.
        if (known->function == 0 && (is_reused(key) || known->suspended_or_type == fact.type)) {
            book_.end(bound, AsyncOutcome::kUnknown, fact.ticks);
        } else {
            clash(bound, frame == nullptr ? CallRef{} : frame->call, fact.ticks);
        }
        known = nullptr;
        if (frame != nullptr && book_.find(frame->call) == nullptr) {
            frame->done = true;
            return {};
        }
    }
    if (frame == nullptr) {
        return begin_unseen(frames, fact, function);
    }
    frame->suspended = true;
    return frame->call;
}

void AsyncCalls::suspend(Frames& frames, const AsyncFact& fact, const AsyncType& type) {
    const uint32_t key = first_key(fact.keys);
    if (key == 0) {
        return;
    }
    note_before(frames, key);
    const CallRef suspended = suspended_call(frames, fact, type);
    if (Call* call = book_.find(suspended)) {
        for (Frame& frame : frames) {
            frame.used |= frame.kind == Frame::kResume && frame.call == suspended;
        }
        book_.bind(suspended, key);
        book_.suspend(*call, fact.ticks);
    }
}

void AsyncCalls::await(const AsyncFact& fact, const AsyncType& type) {
    const CallRef waiting = book_.of_key(first_key(fact.keys));
    Call* call = book_.find(waiting);
    if (call != nullptr && call->state == Call::State::kWaiting) {
        await(*call, waiting, second_key(fact.keys), fact.type, type);
    }
}

void AsyncCalls::await(Call& call, CallRef waiting, uint32_t key, uint64_t type,
                       const AsyncType& named) {
    const Call* awaited = key == 0 ? nullptr : book_.find(call_of_task(key));
    const auto waits_for = [&](AsyncPart part) {
        call.by_children = false;
        call.part = part;
    };
    if (awaited != nullptr && awaited->function != 0) {
        const bool own = awaited->parent == waiting;
        waits_for(own ? AsyncPart::kChildren : AsyncPart::kOthers);
        book_.await(call, own ? AsyncWait::kChild : AsyncWait::kOther, awaited->function, 0);
        return;
    }
    if (const EndedTask* ended = awaited == nullptr ? ended_task(key) : nullptr) {
        book_.await(call, ended->maker == waiting ? AsyncWait::kChild : AsyncWait::kOther,
                    ended->function, 0);
        return;
    }
    const uint32_t function = awaited == nullptr ? function_of(named) : 0;
    if (function != 0) {
        // It has ended meanwhile, or is an iterator, which is not its own box. Whose it is is not
        // known: calls of this one that are live decide where the time belongs.
        book_.await(call, AsyncWait::kChild, function, 0);
        return;
    }
    const Combination* combination = combinations_.find(key);
    const bool of_others =
        combination != nullptr && combination->own == 0 && combination->others != 0;
    if (of_others) {
        waits_for(AsyncPart::kOthers);
    } else if (awaited == nullptr && combination == nullptr && !named.combines &&
               items_.find(key) == nullptr) {
        waits_for(AsyncPart::kOutside);
    }
    book_.await(call, AsyncWait::kType, 0, awaited != nullptr ? awaited->suspended_or_type : type);
}

void AsyncCalls::blocks(const AsyncFact& fact, const AsyncType& type) {
    const Call* awaited = book_.find(call_of_task(first_key(fact.keys)));
    if (awaited != nullptr && awaited->function != 0) {
        return blocked_.begin(fact, awaited->function, 0);
    }
    if (const EndedTask* ended = awaited == nullptr ? ended_task(first_key(fact.keys)) : nullptr) {
        return blocked_.begin(fact, ended->function, 0);
    }
    const uint32_t function = function_of(type);
    blocked_.begin(fact, function,
                   function != 0        ? 0
                   : awaited != nullptr ? awaited->suspended_or_type
                                        : fact.type);
}

void AsyncCalls::resume(Frames& frames, const AsyncFact& fact) {
    pop_to(frames, fact.sp, fact.ticks);
    const CallRef resumed = book_.of_key(first_key(fact.keys));
    if (Call* call = book_.find(resumed)) {
        book_.resume(*call, moment_of(fact));
        if (call->function != 0) {
            runs(innermost(frames), resumed, fact.ticks);
        }
    } else {
        ++book_.counters().unknown;
    }
    const uint32_t key = first_key(fact.keys);
    push(frames, {.kind = Frame::kResume,
                  .sp = fact.sp,
                  .unseen = book_.find(resumed) == nullptr ? key : 0,
                  .call = resumed,
                  .stack = stacks_.contains(key) ? key : 0});
}

void AsyncCalls::complete(Frames& frames, const AsyncFact& fact, AsyncOutcome outcome) {
    if (end_stack(frames, first_key(fact.keys), outcome, fact.ticks)) {
        return;
    }
    note_before(frames, first_key(fact.keys));
    const CallRef completed = book_.of_key(first_key(fact.keys));
    // An iterator's box is complete before its last call has its result, which a signal tells.
    const bool signals = std::ranges::any_of(frames, [&](const Frame& one) {
        return one.kind == Frame::kMethod && one.call == completed && !one.suspended &&
               (one.traits & hotpath::kAsyncIterator) != 0;
    });
    if (!signals) {
        end(frames, completed, outcome, fact.ticks);
    }
}

bool AsyncCalls::told_to_leave(Frames& frames, uint32_t sp, AsyncOutcome outcome) {
    const auto frame = std::ranges::find_if(frames, [&](const Frame& one) {
        return (one.traits & hotpath::kRuntimeAsync) != 0 && one.sp == sp;
    });
    if (frame != frames.end()) {
        frame->to_signal = outcome;
        return true;
    }
    // What it awaited has failed: that it goes on is told between this and its leave.
    if (!frames.empty() && frames.back().stack != 0) {
        frames.back().failing_at = sp;
        frames.back().to_signal = outcome;
    }
    return false;
}

void AsyncCalls::fault(Frames& frames, const AsyncFact& fact, const AsyncType& type) {
    const AsyncOutcome outcome = type.cancelled ? AsyncOutcome::kCancelled : AsyncOutcome::kFault;
    if (first_key(fact.keys) != 0) {
        return complete(frames, fact, outcome);
    }
    if (told_to_leave(frames, fact.sp, outcome)) {
        return;
    }
    Frame* frame = innermost(frames);
    if (frame != nullptr && (frame->traits & hotpath::kRuntimeAsync) != 0) {
        return;  // it has no task of its own, and leaves by its exception
    }
    if (frame != nullptr && fact.sp == 0) {
        frame->to_signal = outcome;  // where it lies is not told: a signal follows
        return;
    }
    if (frame != nullptr && !frame->suspended && is_own_task(fact.sp, frame->sp)) {
        end(frames, frame->call, outcome, fact.ticks);
    }
}

void AsyncCalls::queued(Frames& frames, const AsyncFact& fact) {
    const uint32_t key = first_key(fact.keys);
    if (key == 0) {
        return;
    }
    if (Call* call = book_.find(book_.of_key(key))) {
        if (call->state == Call::State::kOnThread && stacks_.contains(key)) {
            book_.queue_again(*call, fact.ticks);  // it is to go on elsewhere
        }
        if (call->state == Call::State::kWaiting && fact.control == ControlType::kWorkQueued) {
            book_.ready(*call, fact.ticks);
        }
        return;
    }
    if (!is_reused(key) && items_.find(key) != nullptr) {
        return;  // who made the task is told already
    }
    const Context maker = context(frames);
    if (maker.node != 0 || !maker.call.none()) {
        items_[key] = maker;
    } else if (is_reused(key)) {
        items_.erase(key);
    }
}

void AsyncCalls::work(Frames& frames, const AsyncFact& fact) {
    pop_to(frames, fact.sp, fact.ticks);
    Frame frame{.kind = Frame::kWork, .sp = fact.sp};
    const uint32_t key = first_key(fact.keys);
    if (const Context* maker = items_.find(key)) {
        frame.context = *maker;
        // A task is dispatched before it runs.
        if (is_reused(key) || fact.control == ControlType::kTaskRuns) {
            items_.erase(key);
        }
    }
    push(frames, frame);
}

void AsyncCalls::combine(Frames& frames, const AsyncFact& fact) {
    const uint32_t key = second_key(fact.keys);
    const Call* part = book_.find(call_of_task(first_key(fact.keys)));
    if (key == 0 || part == nullptr || part->function == 0) {
        return;
    }
    const Context waiting = context(frames);
    Combination& combination = combinations_[key];
    ++(part->parent == waiting.call && !waiting.call.none() ? combination.own : combination.others);
}

}  // namespace umbra::replay
