// SPDX-License-Identifier: MIT
// PauseReader: takes the suspensions of the runtime out of the segment's pause ring.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <span>

#include "hotpath/segment.h"
#include "src/collector/cpu/thread_ids.h"
#include "src/collector/state/session_state.h"

namespace umbra::collector {

/// Kind            reader of a ring that is overwritten: the writer never waits.
/// Who             every worker, before it replays events: a pause is published before the threads
///                 it stopped go on, so whoever has seen an event from behind it finds it. One
///                 worker reads for all; who comes meanwhile waits for it.
/// Ordering        header.pauses (acquire): entries up to it were written. number (acquire) before
///                 the copy, and again behind an acquire fence: the fields are of that pause.
///                 seen_ (release) behind the shards' inboxes, acquire before: who need not read
///                 has the pauses in its inbox.
/// Losses          what was overwritten before or while it was read is counted as lost.
/// Input           any bytes: at most kPauseEntries steps a call.
class PauseReader {
  public:
    /// `ids`: what the threads are called here; null: as they call themselves.
    PauseReader(const std::atomic<uint64_t>& published,
                std::span<const hotpath::PauseEntry> entries, ThreadIds* ids = nullptr)
        : published_(published), entries_(entries), ids_(ids) {}

    /// Hands what is new to `state`.
    void read(SessionState& state) {
        if (published_.load(std::memory_order_acquire) != seen_.load(std::memory_order_acquire))
            [[unlikely]] {
            read_new(state);
        }
    }

  private:
    void read_new(SessionState& state);
    [[nodiscard]] bool copy(uint64_t number, replay::PauseTicks& pause) const;

    const std::atomic<uint64_t>& published_;
    std::span<const hotpath::PauseEntry> entries_;
    ThreadIds* ids_;
    std::mutex mutex_;  ///< of whoever reads
    std::atomic<uint64_t> seen_{0};
};

}  // namespace umbra::collector
