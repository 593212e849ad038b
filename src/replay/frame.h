// SPDX-License-Identifier: MIT
// What the shadow stack keeps of a call that is open, and of a function in a thread.
#pragma once

#include <cstdint>

#include "hotpath/record.h"
#include "src/replay/tree/call_tree.h"
#include "src/replay/tree/lanes.h"

namespace umbra::replay {

/// One call that has begun and not ended. One cache line.
struct alignas(64) Frame {
    /// Slot 0 of the enter record without its kind: caller SP and function, compared as one word.
    /// The three low bits, zero in a record, hold flags.
    uint64_t key;
    uint64_t place_key;  ///< CallTree::key of where its callees are called, without a function
    Lanes enter;         ///< when it began
    Lanes children;      ///< what the calls it made took
    Arc* arc;
    uint32_t* guess;  ///< where the guess at the arc taken next stands: ArcGuess

    static constexpr uint64_t kGoesOn = 1;    ///< a call that has been counted when it began
    static constexpr uint64_t kSkipping = 2;  ///< stands at the depth limit, calls above it too
    static constexpr uint64_t kBottom = 4;    ///< not a call; equal to no record, so never left;
                                              ///< above the bottom: an async call goes on
    static constexpr uint64_t kFlags = 7;     ///< where a record has its kind and its timed bit

    [[nodiscard]] uint32_t caller_sp() const { return static_cast<uint32_t>(key >> 32); }
    [[nodiscard]] uint32_t function() const { return hotpath::slot_index(key); }
    [[nodiscard]] uint32_t place() const { return static_cast<uint32_t>(place_key >> 32); }
    /// What it calls has no path; see CallTree.
    [[nodiscard]] bool collapsed() const { return CallTree::is_common(place()); }
    [[nodiscard]] uint64_t enter_ticks() const { return ticks_of(enter); }
};
static_assert(sizeof(Frame) == 64);

/// One function in one thread: all of its calls that have ended. One cache line.
struct alignas(64) ThreadFunction {
    Lanes self;
    Lanes total;  ///< calls inside another call of the function add nothing; of an async method
                  ///< with what its calls ran after they had been suspended
    uint64_t calls;
    float min_ticks;  ///< net_ticks(); 0 before the first call; rounded to 24 bits, as max_ticks
    float max_ticks;
    uint32_t outermost;  ///< number of its outermost open frame; 0: none
    bool is_plain;       ///< known to be no code of an async method; while async calls are followed
};
static_assert(sizeof(ThreadFunction) == 64);

}  // namespace umbra::replay
