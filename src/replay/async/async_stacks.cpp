// SPDX-License-Identifier: MIT
// Calls of methods that the runtime itself suspends: all from an await up to the code that has made
// their task are suspended together, and go on one after the other, the innermost first.
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "hotpath/record.h"
#include "hotpath/segment.h"
#include "src/replay/async/async_calls.h"

namespace umbra::replay {

using hotpath::first_key;
using hotpath::second_key;

CallRef AsyncCalls::call_of_task(uint32_t key) const {
    const auto stack = stacks_.find(key);
    return stack == stacks_.end() ? book_.of_key(key) : stack->second.outermost;
}

const AsyncCalls::EndedTask* AsyncCalls::ended_task(uint32_t key) {
    const auto stack = stacks_.find(key);  // still there: what awaits it goes on inside it
    if (stack != stacks_.end()) {
        return stack->second.ended.function == 0 ? nullptr : &stack->second.ended;
    }
    return ended_tasks_.find(key);
}

size_t AsyncCalls::frames_around_stack(const Frames& frames, uint32_t key, uint32_t address) {
    // The address may lie on either side of that of the resumption, whose frame it is in.
    const auto resumption = std::ranges::find(frames.rbegin(), frames.rend(), key, &Frame::stack);
    if (resumption != frames.rend()) {
        return static_cast<size_t>(frames.rend() - resumption);
    }
    const auto first = std::ranges::find_if(
        frames, [&](const Frame& frame) { return static_cast<int32_t>(frame.sp - address) <= 0; });
    return static_cast<size_t>(first - frames.begin());
}

void AsyncCalls::suspend_stack(Frames& frames, const AsyncFact& fact, const AsyncType& type) {
    const uint32_t key = first_key(fact.keys);
    if (key == 0) {
        return;
    }
    Stack suspended;
    if (const auto known = stacks_.find(key); known != stacks_.end()) {
        suspended = std::move(known->second);
        stacks_.erase(known);
    }
    const size_t kept = frames_around_stack(frames, key, fact.sp);
    if (kept != 0) {
        frames[kept - 1].used |= frames[kept - 1].stack == key;
    }
    for (Frame& frame : std::span(frames).subspan(kept)) {
        if (frame.kind == Frame::kMethod && (frame.traits & hotpath::kRuntimeAsync) != 0 &&
            !frame.done) {
            frame.suspended = true;
            suspended.calls.push_back(frame.call);
        }
    }
    std::erase_if(suspended.calls, [&](CallRef call) { return book_.find(call) == nullptr; });
    if (suspended.calls.empty()) {  // nobody times these methods
        suspended.calls.push_back(begin_unseen(frames, fact, 0));
    }
    if (const Call* call = book_.find(suspended.calls.front()); call != nullptr) {
        if (suspended.outermost.none()) {
            suspended.outermost = suspended.calls.front();
            suspended.ended = {.function = call->function, .maker = call->parent};
        }
        wait_in_stack(suspended.calls, fact, type);
        keep_stack(key, std::move(suspended));
    }
    while (frames.size() > kept) {
        pop(frames, fact.ticks);
    }
}

void AsyncCalls::wait_in_stack(const std::vector<CallRef>& calls, const AsyncFact& fact,
                               const AsyncType& type) {
    const Call* inner = nullptr;
    for (auto one = calls.rbegin(); one != calls.rend(); ++one) {
        Call* call = book_.find(*one);
        if (call->state == Call::State::kOnThread) {
            book_.suspend(*call, fact.ticks);
        }
        if (inner != nullptr) {
            book_.await(*call, AsyncWait::kChild, inner->function, 0);
        } else {
            book_.bind(*one, first_key(fact.keys));
            const uint32_t awaited = second_key(fact.keys);
            await(*call, *one, awaited, awaited == 0 ? 0 : fact.type, type);
        }
        inner = call;
    }
}

void AsyncCalls::keep_stack(uint32_t key, Stack stack) {
    if (stacks_.size() >= limits_.calls) {  // more than calls can be live: nobody told their end
        std::erase_if(stacks_, [&](const auto& one) {
            const std::vector<CallRef>& calls = one.second.calls;
            return calls.empty() || book_.find(calls.back()) == nullptr;
        });
    }
    stacks_.insert_or_assign(key, std::move(stack));
}

CallRef AsyncCalls::take_up(Frames& frames, const AsyncFact& fact) {
    const auto stack =
        frames.empty() || frames.back().stack == 0 || (fact.traits & hotpath::kRuntimeAsync) == 0
            ? stacks_.end()
            : stacks_.find(frames.back().stack);
    if (stack == stacks_.end()) {
        return {};
    }
    std::vector<CallRef>& calls = stack->second.calls;
    const auto goes_on = std::ranges::find_if(calls.rbegin(), calls.rend(), [&](CallRef one) {
        const Call* call = book_.find(one);
        return call != nullptr && call->function == fact.function;
    });
    if (goes_on == calls.rend()) {
        return {};  // made by a method that nobody times
    }
    const CallRef taken = *goes_on;
    const auto depth = static_cast<size_t>(calls.rend() - goes_on) - 1;
    // Whoever awaited it without a handler for its exception does not go on.
    while (calls.size() > depth + 1) {
        end(frames, calls.back(), AsyncOutcome::kFault, fact.ticks);
        calls.pop_back();
    }
    calls.pop_back();
    book_.bind(taken, frames.back().stack);
    book_.resume(*book_.find(taken), {.ticks = fact.ticks, .thread = fact.thread});
    return taken;
}

CallRef AsyncCalls::innermost_of(uint32_t key) const {
    const auto stack = stacks_.find(key);
    return stack == stacks_.end() || stack->second.calls.empty() ? CallRef{}
                                                                 : stack->second.calls.back();
}

void AsyncCalls::bind_innermost(const Frames& frames) {
    if (!frames.empty() && frames.back().stack != 0) {
        book_.bind(innermost_of(frames.back().stack), frames.back().stack);
    }
}

void AsyncCalls::leave_stack(uint32_t key, uint64_t ticks) {
    const auto stack = stacks_.find(key);
    if (stack == stacks_.end()) {
        return;
    }
    const CallRef innermost = innermost_of(key);
    Call* call = book_.find(innermost);
    if (call == nullptr) {
        forget_stack(stack);
    } else if (call->state == Call::State::kOnThread) {
        if (call->function == 0) {
            book_.end(innermost, AsyncOutcome::kResult, ticks);
            forget_stack(stack);
        } else {
            book_.turn(*call, AsyncPart::kOutside, ticks);
        }
    }
}

void AsyncCalls::forget_stack(std::unordered_map<uint32_t, Stack>::iterator stack) {
    if (stack->second.ended.function != 0) {
        ended_tasks_[stack->first] = stack->second.ended;
    }
    stacks_.erase(stack);
}

bool AsyncCalls::end_stack(Frames& frames, uint32_t key, AsyncOutcome outcome, uint64_t ticks) {
    const auto stack = stacks_.find(key);
    if (stack == stacks_.end()) {
        return false;
    }
    for (const CallRef call : std::exchange(stack->second.calls, {})) {
        end(frames, call, outcome, ticks);
    }
    forget_stack(stack);
    return true;
}

}  // namespace umbra::replay
