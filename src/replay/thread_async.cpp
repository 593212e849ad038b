// SPDX-License-Identifier: MIT
// What a thread's replay hands on of async calls.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <span>
#include <utility>

#include "hotpath/record.h"
#include "src/replay/thread_replay.h"

namespace umbra::replay {

using hotpath::ControlType;

void ThreadReplay::follow_async(uint32_t number) {
    async_ = std::make_unique<AsyncThread>(shared_->async, number);
    stack_.tell(*async_);
}

void ThreadReplay::async_control(RecordCursor& cursor) {
    const auto type = static_cast<ControlType>(hotpath::slot_index(cursor.slot()));
    const RecordCursor record = cursor;
    std::array<uint64_t, 2> payload{};  // keys and a type, or nothing
    if (!cursor.payload(std::span(payload.data(), hotpath::control_payload_slots(type)))) {
        return;  // counted by the cursor
    }
    if (!async_) {
        return;
    }
    const uint32_t key = hotpath::first_key(payload[0]);
    const uint32_t sp = hotpath::slot_operand(cursor.slot());
    switch (type) {
        case ControlType::kAsyncSuspended:
            suspended(key);
            break;
        case ControlType::kAsyncResumed:
            if (!resumed(key, sp, cursor)) {
                cursor = record;
                cursor.unread();
                --counts_.events;
                waits_ = true;
                return;
            }
            break;
        case ControlType::kAsyncResumeEnds:
            stack_.resume_ends(sp, lanes(cursor.ticks(), cost_));
            give_back_stacks(cursor.ticks());
            break;
        case ControlType::kAsyncCompleted:
        case ControlType::kAsyncFaulted:
            async_->facts().end_place(key);
            if (!taken_.empty() && taken_.back().key == key) {
                taken_.back().stack.clear();
            }
            break;
        default:
            break;
    }
    async_->control(type, sp, payload[0], payload[1], cursor.ticks(),
                    type == ControlType::kTaskWaits ? stack_.top_function() : 0);
    if (type == ControlType::kAsyncStackSuspended) {
        // Behind what tells of it: their frames go without an end of their calls.
        stack_suspended(key, sp, lanes(cursor.ticks(), cost_));
    }
}

void ThreadReplay::stack_suspended(uint32_t key, uint32_t address, Lanes now) {
    give_back_stacks(ticks_of(now));
    // The address and that of the resumption are of one frame.
    size_t depth = stack_.alive_above(address);
    AsyncStack stack;
    if (!taken_.empty() && taken_.back().key == key) {
        stack = std::exchange(taken_.back().stack, {});
        depth = taken_.back().depth + 1;
    }
    stack_.expand();
    const AsyncFunctions& functions = async_->facts().functions();
    size_t first = stack_.depth();
    for (size_t index = depth; index < stack_.depth(); ++index) {
        if ((functions.machine(stack_.frame(index).function()) & hotpath::kRuntimeAsync) != 0) {
            first = std::min(first, index);
            stack.push_back(stack_.place_of(index));
        }
    }
    // Where their frames have gone already, or were called before they had probes, what stands
    // there now is about to hand out their task.
    const AsyncStack vanished = async_->take_vanished(address);
    if (vanished.empty()) {
        stack_.suspend_to(first, now);
    }
    stack_.explain_repairs(vanished.size());
    std::ranges::copy(vanished, std::back_inserter(stack));
    if (key != 0 && !shared_->log && !stack.empty()) {
        async_->facts().put_stack(key, std::move(stack), ticks_of(now));
    }
}

bool ThreadReplay::take_up(uint32_t function, uint64_t ticks) {
    give_back_stacks(ticks);
    if (taken_.empty() || taken_.back().depth + 1 != stack_.depth()) {
        return false;  // another resumption, or the thread itself
    }
    AsyncStack& stack = taken_.back().stack;
    const auto goes_on =
        std::ranges::find(stack.rbegin(), stack.rend(), function, &AsyncPlace::function);
    if (goes_on != stack.rend()) {
        stack_.move_resumption(goes_on->place);
        stack.erase(goes_on.base() - 1, stack.end());
        return true;
    }
    if (!stack.empty()) {
        stack_.move_resumption(stack.back().own);
    }
    return false;
}

void ThreadReplay::move_async_to(SharedTables& shared) {
    if (async_) {
        taken_.clear();
        async_->move_to(shared.async);
    }
}

void ThreadReplay::give_back_stacks(uint64_t ticks) {
    while (!taken_.empty() &&
           (taken_.back().depth >= stack_.depth() || !stack_.is_resumption(taken_.back().depth))) {
        TakenStack& over = taken_.back();
        if (over.stack.empty()) {
            async_->facts().end_stack(over.key, over.ticks);
        } else {
            async_->facts().put_stack(over.key, std::move(over.stack), ticks);
        }
        taken_.pop_back();
    }
}

void ThreadReplay::suspended(uint32_t key) {
    if (key == 0 || shared_->log) {
        return;
    }
    stack_.expand();
    const AsyncFunctions& functions = async_->facts().functions();
    const AsyncPlace at =
        stack_.suspended([&](uint32_t function) { return functions.machine(function) != 0; });
    AsyncPlace& known = async_->facts().place_of(key);
    // A box is told of twice where its awaiter takes a delegate, and once more by what it calls.
    if (at.function != 0 || known.place == 0) {
        known = at;
    }
}

bool ThreadReplay::resumed(uint32_t key, uint32_t sp, RecordCursor& behind) {
    if (shared_->log) {
        return true;  // a time line shows what is on the thread's stack
    }
    const bool settles = std::exchange(settles_, false);
    give_back_stacks(behind.ticks());
    // Known from the first suspension on. What suspended it the last time may not have been read
    // yet: then these are the calls of the time before, mostly the same.
    if (const SuspendedStack* suspended = async_->facts().stack(key)) {
        const uint32_t place = suspended->stack.empty() ? root_ : suspended->stack.back().own;
        stack_.resume(place, sp, lanes(behind.ticks(), cost_));
        taken_.push_back({.depth = stack_.depth() - 1,
                          .key = key,
                          .ticks = behind.ticks(),
                          .stack = suspended->stack});
        return true;
    }
    const AsyncPlace* known = async_->facts().place(key);
    if (known == nullptr && async_->facts().may_wait() && !settles) {
        return false;
    }
    if (known == nullptr) {
        async_->facts().count_unplaced();
    }
    // Nearly always the body of its state machine is next; what else comes is called by that.
    const uint64_t next = behind.peek();
    const bool calls = hotpath::slot_written(next) && known != nullptr &&
                       hotpath::slot_kind(next) == hotpath::Kind::kEnter &&
                       hotpath::slot_index(next) != known->function;
    const uint32_t place = known == nullptr ? root_ : calls ? known->own : known->place;
    stack_.resume(place, sp, lanes(behind.ticks(), cost_));
    return true;
}

}  // namespace umbra::replay
