// SPDX-License-Identifier: MIT
// What a thread's replay hands on of async calls.
#include <array>
#include <cstdint>
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
            break;
        case ControlType::kAsyncCompleted:
        case ControlType::kAsyncFaulted:
            async_->facts().end_place(key);
            break;
        default:
            break;
    }
    async_->control(type, sp, payload[0], payload[1], cursor.ticks(),
                    type == ControlType::kTaskWaits ? stack_.top_function() : 0);
}

void ThreadReplay::suspended(uint32_t key) {
    if (key == 0 || shared_->log) {
        return;
    }
    const AsyncFunctions& functions = async_->facts().functions();
    const ShadowStack::Suspended at =
        stack_.suspended([&](uint32_t function) { return functions.machine(function) != 0; });
    AsyncPlace& known = async_->facts().place_of(key);
    // A box is told of twice where its awaiter takes a delegate, and once more by what it calls.
    if (at.function != 0 || known.place == 0) {
        known = {.place = at.place, .own = at.own, .function = at.function};
    }
}

bool ThreadReplay::resumed(uint32_t key, uint32_t sp, RecordCursor& behind) {
    if (shared_->log) {
        return true;  // a time line shows what is on the thread's stack
    }
    const bool settles = std::exchange(settles_, false);
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
