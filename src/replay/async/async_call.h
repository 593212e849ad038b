// SPDX-License-Identifier: MIT
// One async call that has begun and not ended.
#pragma once

#include <cstdint>

#include <boost/container/deque.hpp>

#include "src/replay/async/async_sums.h"

namespace umbra::replay {

/// Names a call for good: where it was, there may be another one by now.
struct CallRef {
    uint32_t index = 0;
    uint32_t generation = 0;  ///< 0: no call

    [[nodiscard]] bool none() const { return generation == 0; }
    bool operator==(const CallRef&) const = default;
};

/// Where what happens in a call is recorded, see SlowAsyncCalls.
struct SlowPlace {
    uint32_t record = 0;
    uint32_t generation = 0;  ///< of the record; 0: nowhere
    uint32_t member = 0;      ///< the call's number in it; 0: that of the outermost

    [[nodiscard]] bool none() const { return generation == 0; }
};

/// One call that has begun and not ended. Of a method that is not timed (function 0) it is there to
/// tell what others wait for, and whose the calls are that it makes.
// Fields: a plain record of what is known of a call.
struct Call {
    enum class State : uint8_t { kOnThread, kWaiting, kQueued };
    uint64_t begin_ticks = 0;
    uint64_t mark_ticks = 0;  ///< all before is booked
    /// Of a method that is timed: when it was suspended, the last time. Of others: the type of its
    /// box.
    uint64_t suspended_or_type = 0;
    AsyncTimes times;
    CallRef parent;  ///< a call of a timed method, which may have ended
    SlowPlace slow;
    uint32_t function = 0;
    uint32_t node = 0;  ///< of the tree
    uint32_t generation = 0;
    uint32_t key = 0;       ///< 0: it has none yet
    uint32_t children = 0;  ///< live calls whose parent it is
    uint32_t suspensions = 0;
    uint32_t wait = 0;          ///< row of what it waits for; 0: not told
    uint32_t first_thread = 0;  ///< on which it began
    uint32_t thread = 0;        ///< on which it ran last
    State state = State::kOnThread;
    AsyncPart part = AsyncPart::kRunning;  ///< what the time since mark_ticks belongs to
    bool by_children = false;              ///< while it waits: whether any is live decides the part
    AsyncHow how = AsyncHow::kRoot;
    bool iterator = false;  ///< it is a step of an async iterator
    bool compared = false;  ///< it may be one of the slowest, see SlowAsyncCalls
    bool live = false;
};
static_assert(sizeof(Call) == 128);

/// Calls by index. They do not move as it grows, and no room is taken ahead of them; a block is as
/// large as what the allocator hands out for it.
using Calls =
    boost::container::deque<Call, void,
                            boost::container::deque_options_t<boost::container::block_size<512>>>;

}  // namespace umbra::replay
