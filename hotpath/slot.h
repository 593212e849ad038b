// SPDX-License-Identifier: MIT
// The life of a thread slot: each step of SlotState, with its order (letters: see ring.h).
#pragma once

#include <atomic>
#include <cstdint>

#include "hotpath/ring.h"
#include "hotpath/segment.h"

namespace umbra::hotpath {

// ---- the thread's steps ----------------------------------------------------------------------

/// Takes the slot if it is free. Any thread of the target; one wins.
[[nodiscard]] inline bool claim_slot(ThreadBlock& block) noexcept {
    SlotState expected = SlotState::kFree;
    return block.state.load(std::memory_order_relaxed) == SlotState::kFree &&
           block.state.compare_exchange_strong(expected, SlotState::kClaimed,
                                               ordered('I', std::memory_order_acquire),
                                               std::memory_order_relaxed);
}

/// The claimed slot is this thread's: its ring may be written.
inline void open_slot(ThreadBlock& block, uint32_t os_tid, uint64_t now_ticks,
                      uint64_t cpu_ns = 0) noexcept {
    block.os_tid = os_tid;
    block.start_ticks = now_ticks;
    block.start_cpu_ns = cpu_ns;
    block.end_cpu_ns = 0;
    block.lost.store(0, std::memory_order_relaxed);
    block.state.store(SlotState::kLive, ordered('H', std::memory_order_release));
}

/// The thread writes no more; slot and ring are the collector's.
inline void end_slot(ThreadBlock& block, uint64_t now_ticks, uint64_t cpu_ns = 0) noexcept {
    block.end_ticks = now_ticks;
    block.end_cpu_ns = cpu_ns;
    block.state.store(SlotState::kEnded, ordered('E', std::memory_order_release));
}

// ---- the collector's steps -------------------------------------------------------------------

/// Whose the slot is. After kLive the thread's identity may be read, after kEnded everything.
[[nodiscard]] inline SlotState slot_state(const ThreadBlock& block) noexcept {
    return block.state.load(std::memory_order_acquire);  // E, H
}

/// Gives an ended slot back. Its ring has been read and is zero.
inline void free_slot(ThreadBlock& block) noexcept {
    block.ring.store(0, std::memory_order_relaxed);
    block.waiting.store(0, std::memory_order_relaxed);
    block.state.store(SlotState::kFree, ordered('I', std::memory_order_release));
}

}  // namespace umbra::hotpath
