// SPDX-License-Identifier: MIT
// PauseTimeline: the suspensions of a session in order of time, shared by all its threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace umbra::replay {

/// One suspension of all managed threads, in ticks; see hotpath::PauseEntry.
struct PauseTicks {
    uint64_t begin_ticks = 0;      ///< threads are being stopped
    uint64_t suspended_ticks = 0;  ///< all stand still
    uint64_t end_ticks = 0;        ///< they were let go
    uint32_t os_tid = 0;           ///< of the thread that did it
    uint32_t reason = 0;           ///< COR_PRF_SUSPEND_REASON
    uint32_t generations = 0;      ///< bit g: a collection of generation g ran
    uint32_t collections = 0;
    uint32_t threads = 0;  ///< threads that were inside instrumented calls; filled in by rows()
};

/// A sorted list with running sums, so that the paused part of any stretch of time costs a search,
/// however many pauses lie in it: a thread that waited for hours has thousands. One thread.
class PauseTimeline {
  public:
    /// `max_pauses`: later ones are refused.
    explicit PauseTimeline(size_t max_pauses) : max_pauses_(max_pauses) {}

    /// Pauses come in order and do not overlap: the runtime makes one at a time. What lies before
    /// the end of the last one is cut off. False: the list is full.
    bool add(PauseTicks pause);

    [[nodiscard]] size_t size() const { return pauses_.size(); }
    /// Begin of a pause; the greatest value when there is none with this number.
    [[nodiscard]] uint64_t begin_ticks(size_t index) const {
        return index < pauses_.size() ? pauses_[index].begin_ticks : UINT64_MAX;
    }
    /// The first pause, not before `start`, that ends later than `ticks`.
    [[nodiscard]] size_t first_ending_after(uint64_t ticks, size_t start = 0) const;
    /// Ticks of [from, to) that lie in pauses.
    [[nodiscard]] uint64_t overlap(uint64_t from, uint64_t to) const;

    /// One thread was inside instrumented calls during pauses first .. last-1.
    void count_thread(size_t first, size_t last);
    /// All pauses, each with its number of threads.
    [[nodiscard]] std::vector<PauseTicks> rows() const;

  private:
    /// Paused ticks before `ticks`.
    [[nodiscard]] uint64_t sum_before(uint64_t ticks) const;

    size_t max_pauses_;
    std::vector<PauseTicks> pauses_;
    std::vector<uint64_t> sums_;      ///< ticks of all pauses before this one
    std::vector<int64_t> counts_{0};  ///< threads: difference to the pause before; one more
};

}  // namespace umbra::replay
