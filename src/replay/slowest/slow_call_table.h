// SPDX-License-Identifier: MIT
// The slowest calls of chosen methods, each with what happened in it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "src/replay/slowest/slice.h"
#include "src/replay/tree/async_times.h"
#include "src/replay/tree/limits.h"

namespace umbra::replay {

/// What the runtime did meanwhile.
struct RuntimeInterval {
    uint64_t begin_ticks = 0;
    uint64_t end_ticks = 0;
    uint32_t function = 0;  ///< compiled; 0: the runtime had stopped all threads
};

/// Of an async call.
struct AsyncCourse {
    AsyncOutcome outcome = AsyncOutcome::kResult;
    AsyncTimes times;
    uint32_t node = 0;  ///< its path: row of AsyncSums::tree, which tells who made it; 0: no room
};

/// One call. Does not change once it is in a table.
struct SlowCall {
    uint32_t function = 0;
    uint32_t caller = 0;  ///< function of the call it was made in; 0: none, or an async call
    uint32_t thread = 0;
    bool unfinished = false;  ///< still open when the recording or its thread ended
    uint64_t begin_ticks = 0;
    uint64_t ticks = 0;            ///< as measured
    uint64_t net_ticks = 0;        ///< without what the probes took, and without waits
    uint64_t off_ticks = 0;        ///< of the net ticks, off the processors
    uint64_t waited_ticks = 0;     ///< for the collector
    uint64_t paused_ticks = 0;     ///< the runtime had stopped all threads
    uint64_t compiling_ticks = 0;  ///< the runtime compiled on its thread
    uint64_t rank_ticks = 0;       ///< what it is slow by
    uint64_t calls = 0;            ///< begun in it, at whatever depth
    std::vector<Slice> slices;     ///< the first is the call
    /// The first SlowestLimits::kMostIntervals of each, in order of time; none overlaps another of
    /// its kind.
    std::vector<RuntimeInterval> pauses;
    std::vector<RuntimeInterval> compilations;
    /// None: a call on one thread.
    std::optional<AsyncCourse> async;
};

/// What is known of the calls of one function. Calls inside another call of the same function are
/// part of that one.
struct SlowFunction {
    uint32_t function = 0;
    uint32_t request = 0;  ///< its number, from 1
    uint64_t calls = 0;    ///< that ended, and those cut off by the end
    uint64_t lost = 0;     ///< calls slow enough to be kept, for which there was no room
    /// A heap, the fastest first.
    std::vector<std::shared_ptr<const SlowCall>> kept;
};

/// A plain value, copied to be looked at. The calls themselves are shared.
struct SlowCallSums {
    std::vector<SlowFunction> functions;
    std::vector<uint32_t> rows;    ///< by function: its row, and one; 0: it has none
    size_t unfinished_slices = 0;  ///< of the calls added as unfinished

    /// The row of a function, made if need be.
    SlowFunction& of(uint32_t function, uint32_t request);
};

/// Keeps the slowest. One thread.
class SlowCallTable {
  public:
    /// `limits` must outlive the table.
    explicit SlowCallTable(const SlowestLimits& limits)
        : limits_(&limits), in_use_(!limits.keep.empty()) {}

    /// Whose calls are recorded: by function index, the number of a request, or 0. Shared with the
    /// target, which may write there whatever it likes.
    void watch(std::span<const uint8_t> marks) { marks_ = marks; }
    /// False: nothing is recorded, and nothing of the table is asked.
    [[nodiscard]] bool in_use() const { return in_use_; }
    [[nodiscard]] const SlowestLimits& limits() const { return *limits_; }

    /// The number of the request that a function is recorded for; 0: it is not.
    [[nodiscard]] uint32_t request_of(uint32_t function) const {
        if (function >= marks_.size()) {
            return 0;
        }
        const uint8_t mark = __atomic_load_n(&marks_[function], __ATOMIC_RELAXED);
        return mark <= limits_->keep.size() ? mark : 0;
    }

    /// Counts a call that ends. Whether it is among the slowest: then it is to be added. Of `call`
    /// all but calls and slices has to be known.
    bool offer(uint32_t request, const SlowCall& call);
    void add(uint32_t request, SlowCall call);
    /// Whether a call, of which all but calls and slices is known, is among the slowest.
    static bool is_slow(const SlowCall& call, uint32_t request, const SlowestLimits& limits,
                        SlowCallSums& sums);
    /// Calls that go on, for a copy of the sums. They too have room for SlowestLimits::kept_slices.
    static void add_unfinished(SlowCallSums& sums, const SlowestLimits& limits, uint32_t request,
                               SlowCall call);

    /// A thread's room for calls that go on becomes so much more. False: there is no more.
    bool take_room(size_t slices) {
        if (slices > limits_->open_slices - std::min(open_, limits_->open_slices)) {
            return false;
        }
        open_ += slices;
        return true;
    }
    /// A thread comes from another table with room for so many slices of calls that go on: it keeps
    /// that, whatever the limit.
    void bring_room(size_t slices) { open_ += slices; }
    void give_room_back(size_t slices) { open_ -= std::min(slices, open_); }
    [[nodiscard]] bool has_room_to_spare() const { return open_ <= limits_->open_slices / 2; }

    [[nodiscard]] const SlowCallSums& sums() const { return sums_; }
    [[nodiscard]] size_t kept_slices() const { return kept_slices_; }
    [[nodiscard]] size_t kept_calls() const { return kept_calls_; }

  private:
    void drop_fastest(SlowFunction& row);
    const SlowestLimits* limits_;
    bool in_use_;
    std::span<const uint8_t> marks_;
    SlowCallSums sums_;
    size_t open_ = 0;
    size_t kept_slices_ = 0;
    uint32_t kept_calls_ = 0;
};

/// Shortens the longest records until all together have at most `most` slices. Returns how many.
size_t make_room(SlowCallSums& sums, size_t most);
/// The slowest calls of several tables together.
void merge(SlowCallSums& sums, const SlowCallSums& more, const SlowestLimits& limits);

}  // namespace umbra::replay
