// SPDX-License-Identifier: MIT
// StreamFeed: replays recorded records into a session of whatever limits.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/collector/state/session_state.h"
#include "src/collector/tables/profile_builder.h"
#include "src/profile/profile.h"
#include "src/replay/linear_clock.h"

namespace umbra::testing {

/// Takes what an EventSink was told, in the same order. A record that is not whole yet waits for
/// what follows.
class StreamFeed {
  public:
    explicit StreamFeed(const replay::Limits& limits) : state_(limits) {}

    /// Threads are numbered in the order they begin.
    void begin_thread(uint32_t os_tid, uint64_t start_ticks) {
        threads_.push_back({.replaying = state_.add_thread(os_tid, start_ticks), .rest = {}});
        last_ticks_ = std::max(last_ticks_, start_ticks);
        first_ticks_ = std::min(first_ticks_, start_ticks);
    }
    void records(uint32_t number, std::span<const uint64_t> slots) {
        Thread& thread = threads_.at(number);
        while (!slots.empty() && slots.back() == 0) {  // never written
            slots = slots.first(slots.size() - 1);
        }
        if (thread.rest.empty()) {
            slots = slots.subspan(thread.replaying->consume(slots, false));
            thread.rest.assign(slots.begin(), slots.end());
            return;
        }
        thread.rest.insert(thread.rest.end(), slots.begin(), slots.end());
        const size_t used = thread.replaying->consume(thread.rest, false);
        thread.rest.erase(thread.rest.begin(), thread.rest.begin() + static_cast<ptrdiff_t>(used));
    }
    void off_cpu(uint32_t number, uint64_t begin, uint64_t end) {
        threads_.at(number).replaying->add_off_cpu(begin, end);
    }
    void end_thread(uint32_t number, uint64_t ticks) {
        Thread& thread = threads_.at(number);
        thread.replaying->consume(thread.rest, true);
        thread.rest.clear();
        thread.replaying->end(ticks);
        last_ticks_ = std::max(last_ticks_, ticks);
    }

    collector::SessionState& state() { return state_; }

    /// Everything up to the last end of a thread, or `end_ticks`, if that is later.
    [[nodiscard]] profile::Profile profile(double ticks_hz, uint64_t end_ticks = 0) {
        for (Thread& thread : threads_) {
            thread.replaying->consume(thread.rest, true);
            thread.rest.clear();
        }
        return collector::build(state_.copy_out(std::max(last_ticks_, end_ticks)),
                                replay::LinearClock(first_ticks_, ticks_hz), {});
    }

  private:
    struct Thread {
        collector::ProfiledThread* replaying;
        std::vector<uint64_t> rest;
    };

    collector::SessionState state_;
    std::vector<Thread> threads_;
    uint64_t first_ticks_ = UINT64_MAX;
    uint64_t last_ticks_ = 0;
};

}  // namespace umbra::testing
