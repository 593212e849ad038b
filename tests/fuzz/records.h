// SPDX-License-Identifier: MIT
// Ring records as inputs have them: short, so that changing a byte of an input gives another record
// and not a slot of noise.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "hotpath/record.h"
#include "tests/fuzz/fuzz_target.h"

namespace umbra::fuzz {

/// A smaller byte begins a record: it is the low byte of slot 0. The operand follows, the ticks
/// since the record before, then what it tells of an argument. Greater bytes are a target's own
/// steps.
inline constexpr uint32_t kFirstStep = 0xc0;
/// The byte that follows says which record of async calls it is: their types do not fit one byte.
inline constexpr uint32_t kAsyncRecord = kFirstStep - 1;
inline constexpr uint32_t kAsyncTypes =
    hotpath::kControlTypes - static_cast<uint32_t>(hotpath::ControlType::kAsyncSuspended);

/// `most_ticks`: of the number of ticks that follows.
inline void take_record(uint32_t code, Input& in, uint64_t& ticks, std::vector<uint64_t>& slots,
                        uint64_t most_ticks = UINT64_MAX) {
    if (code == kAsyncRecord) {
        const uint32_t type =
            static_cast<uint32_t>(hotpath::ControlType::kAsyncSuspended) + in.byte() % kAsyncTypes;
        slots.push_back(hotpath::make_slot(hotpath::Kind::kControl, type, in.number32()));
        ticks += std::min(in.number(), most_ticks);
        slots.push_back(ticks);
        for (size_t left = hotpath::control_payload_slots(static_cast<hotpath::ControlType>(type));
             left > 0; --left) {
            slots.push_back(in.number());
        }
        return;
    }
    const auto kind = static_cast<hotpath::Kind>(code & hotpath::kKindMask);
    slots.push_back(hotpath::make_slot(kind, code >> hotpath::kIndexShift, in.number32()) |
                    (code & hotpath::kSpareBit));
    ticks += std::min(in.number(), most_ticks);
    slots.push_back(ticks);
    if (kind != hotpath::Kind::kControl) {
        return;
    }
    switch (static_cast<hotpath::ControlType>(code >> hotpath::kIndexShift)) {
        case hotpath::ControlType::kArgumentNumber:
            slots.push_back(in.number());
            break;
        case hotpath::ControlType::kArgumentText: {
            slots.push_back(in.number());
            std::array<uint64_t, hotpath::kMaxTextBytes / hotpath::kSlotBytes> bytes{};
            const std::string text = in.text();
            std::memcpy(bytes.data(), text.data(), std::min(text.size(), sizeof bytes));
            slots.insert(slots.end(), bytes.begin(), bytes.end());
            break;
        }
        default:
            break;
    }
}

/// Of an argument's record; `payload` begins behind it.
inline void put_payload(uint64_t slot, std::span<const uint64_t> payload, Output& out) {
    const auto type = static_cast<hotpath::ControlType>(hotpath::slot_index(slot));
    out.number(payload[0]);
    if (type == hotpath::ControlType::kArgumentText) {
        std::string text(hotpath::kMaxTextBytes, '\0');
        std::memcpy(text.data(), &payload[1], text.size());
        text.resize(std::min<size_t>(hotpath::text_bytes(payload[0]), text.size()));
        out.text(text);
    }
}

/// The first of `slots` comes behind `ticks`; answers when the last came. What is no short record
/// is left out.
inline uint64_t put_records(std::span<const uint64_t> slots, uint64_t ticks, Output& out) {
    for (size_t at = 0; at < slots.size(); ++at) {
        const uint64_t slot = slots[at];
        const auto type = static_cast<hotpath::ControlType>(hotpath::slot_index(slot));
        const size_t payload = hotpath::control_payload_slots(type);
        if (hotpath::slot_kind(slot) == hotpath::Kind::kControl && hotpath::tells_of_async(type) &&
            at + 1 + payload < slots.size()) {
            out.byte(kAsyncRecord)
                .byte(hotpath::slot_index(slot) -
                      static_cast<uint32_t>(hotpath::ControlType::kAsyncSuspended))
                .number(hotpath::slot_operand(slot))
                .number(slots[at + 1] - ticks);
            ticks = slots[at + 1];
            for (const uint64_t number : slots.subspan(at + 2, payload)) {
                out.number(number);
            }
            at += 1 + payload;
            continue;
        }
        const auto low = static_cast<uint32_t>(slot);
        if (low < kFirstStep) {
            out.byte(low).number(hotpath::slot_operand(slot));
        }
        const uint64_t now = at + 1 < slots.size() ? slots[++at] : ticks;
        if (low < kFirstStep) {
            out.number(now - ticks);
            ticks = now;
        }
        if (hotpath::slot_kind(slot) != hotpath::Kind::kControl) {
            continue;
        }
        if (payload != 0 && low < kFirstStep && at + payload < slots.size() &&
            hotpath::slot_index(slot) != static_cast<uint32_t>(hotpath::ControlType::kWaited)) {
            put_payload(slot, slots.subspan(at + 1, payload), out);
            at += payload;
        }
    }
    return ticks;
}

}  // namespace umbra::fuzz
