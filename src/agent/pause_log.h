// SPDX-License-Identifier: MIT
// PauseLog: writes the runtime's suspensions into the pause ring of the segment.
#pragma once

#include <cstdint>
#include <mutex>

#include "hotpath/segment.h"

namespace umbra::agent {

/// Kind            ring of the last kPauseEntries suspensions, many producers under a lock.
/// Who             publish: the thread that resumes a runtime, while the others still stand.
/// Promises        An entry is published before any thread it stopped goes on: whoever reads an
///                 event of such a thread from after the pause finds the entry.
/// Not promised    That a reader slower than kPauseEntries suspensions finds all: it counts the
/// gap. Ordering        number: 0 (release) before the fields, n (release) after them; pauses = n
///                 (release) last. A reader checks the number before and after it copies.
class PauseLog {
  public:
    explicit PauseLog(hotpath::SegmentHeader& header);

    /// Takes everything but `number` from `pause`. Any thread.
    void publish(const hotpath::PauseEntry& pause) noexcept;

  private:
    hotpath::SegmentHeader& header_;
    hotpath::PauseEntry* entries_;
    std::mutex mutex_;
    uint64_t published_ = 0;  // guarded by mutex_
};

/// The suspension a runtime is in. The runtime makes one at a time and tells of its steps in order,
/// so the steps need no lock.
class Suspension {
  public:
    void begin(uint32_t reason) noexcept;
    void all_stopped() noexcept;
    /// Bit g of `generations`: generation g is collected.
    void collection(uint32_t generations) noexcept;
    /// The threads are about to go on. False: no beginning was seen.
    bool end(PauseLog& log) noexcept;
    /// Threads were let go without having been stopped.
    void abort() noexcept { running_ = false; }

    [[nodiscard]] uint32_t reason() const { return reason_; }

  private:
    bool running_ = false;
    uint32_t reason_ = 0;
    uint32_t generations_ = 0;
    uint32_t collections_ = 0;
    uint64_t begin_ticks_ = 0;
    uint64_t stopped_ticks_ = 0;
};

}  // namespace umbra::agent
