// SPDX-License-Identifier: MIT
// PauseTimeline: the suspensions of a session in order of time, shared by all its threads.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/replay/tree/pause_limits.h"
#include "src/replay/tree/time_slices.h"

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
    uint64_t number = 0;   ///< of all there were, from 0; filled in by add()

    [[nodiscard]] uint64_t ticks() const { return end_ticks - begin_ticks; }
};

/// All suspensions of one reason in which the same generations were collected.
struct PauseSum {
    uint32_t reason = 0;
    uint32_t generations = 0;
    uint64_t count = 0;
    uint64_t ticks = 0;
    uint64_t stopping_ticks = 0;  ///< of these, until all stood still
    uint64_t longest_ticks = 0;
};

/// Suspensions of one slice of time.
struct PauseSlice {
    uint64_t count = 0;          ///< begun in it
    uint64_t ticks = 0;          ///< of it, all stood or were being stopped
    uint64_t longest_ticks = 0;  ///< of those begun in it

    PauseSlice& operator+=(const PauseSlice& other) {
        count += other.count;
        ticks += other.ticks;
        longest_ticks = std::max(longest_ticks, other.longest_ticks);
        return *this;
    }
};

/// However many there are, in bounded memory: the latest, with running sums, so that the paused
/// part of any stretch of time costs a search; the longest; sums of all, by reason and by slice of
/// time. One thread.
class PauseTimeline {
  public:
    explicit PauseTimeline(const PauseLimits& limits = {}) : limits_(limits) {}

    /// Pauses come in order and do not overlap: the runtime makes one at a time. What lies before
    /// the end of the last one is cut off.
    void add(PauseTicks pause);

    /// All there were.
    [[nodiscard]] size_t size() const { return first_ + latest_.size(); }
    /// Begin of a pause; 0 when it is none of the latest any more, the greatest value when there is
    /// none with this number.
    [[nodiscard]] uint64_t begin_ticks(size_t index) const {
        return index < first_    ? 0
               : index >= size() ? UINT64_MAX
                                 : latest_[index - first_].begin_ticks;
    }
    /// The first pause, of the latest and not before `start`, that ends later than `ticks`.
    [[nodiscard]] size_t first_ending_after(uint64_t ticks, size_t start = 0) const;
    /// Paused ticks before `ticks`; never less for a later moment. Before the latest pauses what
    /// was paused in a slice of time counts as spread over it evenly.
    [[nodiscard]] uint64_t paused_before(uint64_t ticks) const;
    /// paused_before() is exact for `ticks`.
    [[nodiscard]] bool knows(uint64_t ticks) const {
        return first_ == 0 || ticks >= latest_.front().begin_ticks;
    }
    /// The latest pauses that overlap [from, to), at most `most`, the first of them.
    [[nodiscard]] std::vector<PauseTicks> between(uint64_t from, uint64_t to, size_t most) const;

    /// One thread was inside instrumented calls during pauses first .. last-1.
    void count_thread(size_t first, size_t last);
    /// The longest of all, in order of time, each with its number of threads. Of those as long as
    /// the shortest of them the first.
    [[nodiscard]] std::vector<PauseTicks> rows() const;
    [[nodiscard]] const std::vector<PauseSum>& sums() const { return sums_; }
    [[nodiscard]] const TimeSlices<PauseSlice>& slices() const { return slices_; }

    /// A copy with all pauses, in none of which a thread has been counted.
    [[nodiscard]] PauseTimeline without_threads() const;

  private:
    void add_up(const PauseTicks& pause);
    /// The older half of the latest goes, but for the longest.
    void shorten();
    void drop_shortest();

    PauseLimits limits_;
    size_t first_ = 0;                ///< number of the first of latest_
    std::vector<PauseTicks> latest_;  ///< without numbers of threads
    std::vector<uint64_t> before_;    ///< paused ticks before each of these
    /// Threads: difference to the pause before; one more. The first is the number itself.
    std::vector<int64_t> counts_{0};
    uint64_t paused_ticks_ = 0;  ///< in all
    /// Before the latest, in order of time; up to twice as many as are kept. With their threads,
    /// but for those that kept_counts_ has to be added up for, as counts_.
    std::vector<PauseTicks> kept_;
    std::vector<int64_t> kept_counts_{0};
    std::vector<PauseSum> sums_;
    TimeSlices<PauseSlice> slices_;
};

}  // namespace umbra::replay
