// SPDX-License-Identifier: MIT
// ThreadCursor: a thread's private half of its ring, in thread-local storage where the stubs find
// it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hotpath/segment.h"

namespace umbra::hotpath {

/// All zero in a thread that has had no event: next >= limit, so that the first event takes the
/// slow path, which claims a slot. Only its own thread touches it.
struct ThreadCursor {
    uint64_t* next;  ///< where the next record goes
    uint64_t*
        limit;      ///< 8 bytes below the end of the chunk: a record without payload fits below it
    uint64_t* end;  ///< one past the chunk
    std::byte* ring;     ///< this process's mapping of the ring; null without a slot
    ThreadBlock* block;  ///< null without a slot
    /// Where records go that nobody will read: ring full while dropping, or no slot to be had.
    uint64_t* discard;
    uint64_t pending_lost;  ///< dropped since the last record in the ring
    bool discarding;
};

}  // namespace umbra::hotpath
