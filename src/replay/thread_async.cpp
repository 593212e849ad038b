// SPDX-License-Identifier: MIT
// What a thread's replay hands on of async calls.
#include <array>
#include <cstdint>
#include <memory>
#include <span>

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
    std::array<uint64_t, 2> payload{};  // keys and a type, or nothing
    if (!cursor.payload(std::span(payload.data(), hotpath::control_payload_slots(type)))) {
        return;  // counted by the cursor
    }
    if (async_) {
        async_->control(type, hotpath::slot_operand(cursor.slot()), payload[0], payload[1],
                        cursor.ticks());
    }
}

}  // namespace umbra::replay
