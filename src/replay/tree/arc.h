// SPDX-License-Identifier: MIT
// Arc: a row of what the replay adds up; and numbers of arcs that tell most others at a glance.
#pragma once

#include <cstdint>

#include "src/replay/tree/lanes.h"

namespace umbra::replay {

/// All calls of one function out of one place: what the replay adds up. One cache line.
struct alignas(64) Arc {
    uint64_t key;     ///< Arc::key_of the place it comes from and the function
    uint32_t calls;   ///< calls ended, modulo 2^32; see CallTree::calls
    uint32_t inside;  ///< where what its callee calls is called: its target, or a common place
    /// ArcGuess. A call mostly repeats what happened last time at this place:
    uint32_t first;  ///< the arc its callee called first
    uint32_t next;   ///< the arc its caller called after this one
    /// net_ticks(); infinite before the first call ends; rounded to 24 bits, as max_ticks.
    float min_ticks;
    float max_ticks;
    Lanes self;   ///< of the calls ended, without their callees
    Lanes total;  ///< with callees; calls inside another call along the same edge add nothing

    static constexpr uint64_t key_of(uint32_t place, uint32_t function) {
        return uint64_t{place} << 32 | function;
    }
    [[nodiscard]] constexpr uint32_t source() const { return static_cast<uint32_t>(key >> 32); }
    [[nodiscard]] constexpr uint32_t function() const { return static_cast<uint32_t>(key); }
};
static_assert(sizeof(Arc) == 64);

/// The number of an arc, and as much of its function as has room beside it: most wrong guesses are
/// seen without looking at the arc, which is far. 0: the scratch arc.
struct ArcGuess {
    static constexpr int kMarkBits = 7;
    static constexpr uint32_t kMark = (1U << kMarkBits) - 1;
    static constexpr uint32_t kMostArcs = (1U << (32 - kMarkBits)) - 1;  ///< a guess can name

    static constexpr uint32_t of(uint32_t arc, uint32_t function) {
        return arc << kMarkBits | (function & kMark);
    }
    static constexpr uint32_t arc(uint32_t guess) { return guess >> kMarkBits; }
    static constexpr bool may_be(uint32_t guess, uint32_t function) {
        return ((guess ^ function) & kMark) == 0;
    }
};

}  // namespace umbra::replay
