// SPDX-License-Identifier: MIT
// The floor of every replay: a stack, and calls by function. No times, no paths, nothing checked.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hotpath/record.h"

namespace umbra::bench {

/// Slots that follow slot 0 of a record: ticks and payload.
inline size_t more_slots(uint64_t slot) {
    return hotpath::record_slots(slot) - 1;
}

/// One thread's. Frames that have vanished are those at or below the caller SP of the next enter,
/// or below that of the next leave, as in replay::ShadowStack. Sound streams only.
class BareStack {
  public:
    /// `functions`: one more than the largest index in the stream.
    explicit BareStack(size_t functions) : calls_(functions), frames_(kMaxDepth) {}

    /// The records of one chunk, up to its padding.
    void consume(std::span<const uint64_t> slots) {
        Frame* top = frames_.data() + depth_;
        for (size_t at = 0; at < slots.size(); ++at) {
            const uint64_t slot = slots[at];
            if (!hotpath::slot_written(slot)) {
                break;
            }
            at += more_slots(slot);
            const uint32_t sp = hotpath::slot_operand(slot);
            const hotpath::Kind kind = hotpath::slot_kind(slot);
            if (kind == hotpath::Kind::kEnter) {
                while (top != frames_.data() && below(top->sp, sp) <= 0) {
                    --top;
                }
                *++top = {.sp = sp, .function = hotpath::slot_index(slot)};
                top -= top == &frames_.back() ? 1 : 0;
            } else if (kind != hotpath::Kind::kControl) {
                while (top != frames_.data() && below(top->sp, sp) < 0) {
                    --top;
                }
                if (top != frames_.data() && top->sp == sp) {
                    ++calls_[top->function];
                    --top;
                }
            }
        }
        depth_ = static_cast<size_t>(top - frames_.data());
    }
    /// Ended calls, by function.
    [[nodiscard]] std::span<const uint64_t> calls() const { return calls_; }

  private:
    static constexpr size_t kMaxDepth = 1U << 16;
    struct Frame {
        uint32_t sp;
        uint32_t function;
    };

    static int32_t below(uint32_t sp, uint32_t other) { return static_cast<int32_t>(sp - other); }

    std::vector<uint64_t> calls_;
    std::vector<Frame> frames_;  ///< the first is none: depth_ is the index of the top
    size_t depth_ = 0;
};

}  // namespace umbra::bench
