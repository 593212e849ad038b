// SPDX-License-Identifier: MIT
// EventSink: sees the records of a session as they come, for whoever wants more than the call tree.
#pragma once

#include <cstdint>
#include <span>

#include "src/protocol/messages.h"

namespace umbra::collector {

/// Called by the session's drain thread, which it holds up for as long as it takes: the rings fill
/// meanwhile. Threads have the numbers of SessionState::add_thread.
class EventSink {
  public:
    EventSink() = default;
    EventSink(const EventSink&) = delete;
    EventSink& operator=(const EventSink&) = delete;
    EventSink(EventSink&&) = delete;
    EventSink& operator=(EventSink&&) = delete;
    virtual ~EventSink() = default;

    virtual void thread_began(uint32_t thread, uint32_t os_tid, uint64_t start_ticks) = 0;
    /// The next records of a thread, whole ones, as the target wrote them: any content is possible.
    /// Good during the call only. At the end of a chunk slots never written, all zero, may follow.
    virtual void records(uint32_t thread, std::span<const uint64_t> slots) = 0;
    /// The thread was off the processors in [begin, end), known to the tick. Comes before the
    /// records behind it.
    virtual void off_cpu(uint32_t thread, uint64_t begin, uint64_t end) = 0;
    virtual void thread_ended(uint32_t thread, uint64_t ticks) = 0;
    virtual void function_named(const protocol::FunctionNamed& message) = 0;
};

}  // namespace umbra::collector
