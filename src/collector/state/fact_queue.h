// SPDX-License-Identifier: MIT
// FactQueue: what an agent tells of its process, on the way to the thread that replays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "src/protocol/messages.h"

namespace umbra::collector {

/// Bounded: an agent that tells faster than it is listened to, which only a hostile one does, loses
/// what has no room. Any thread.
class FactQueue {
  public:
    /// Waiting at once, as they came over the socket.
    static constexpr size_t kMostBytes = size_t{64} << 20;

    /// `bytes`: length of the message that told it.
    void push(protocol::ProcessFact fact, size_t bytes);
    /// All that wait, in the order they came.
    [[nodiscard]] std::vector<protocol::ProcessFact> take();
    /// Facts that had no room.
    [[nodiscard]] uint64_t lost() const;

  private:
    /// What a fact takes besides its text.
    static constexpr size_t kFactBytes = sizeof(protocol::ProcessFact);

    mutable std::mutex mutex_;
    std::vector<protocol::ProcessFact> facts_;  ///< guarded by mutex_, as all that follows
    size_t bytes_ = 0;
    uint64_t lost_ = 0;
};

}  // namespace umbra::collector
