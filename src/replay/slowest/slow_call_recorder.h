// SPDX-License-Identifier: MIT
// Records what happens in the calls of chosen methods while they last, on one thread.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hotpath/record.h"
#include "src/replay/slowest/slice.h"
#include "src/replay/slowest/slow_call_table.h"
#include "src/replay/tree/lanes.h"
#include "src/replay/tree/pause_timeline.h"

namespace umbra::replay {

/// Follows the shadow stack: told of each call that begins and ends on it, it keeps the slices of
/// the outermost open call of a chosen method. A chosen method's call inside that one is a part of
/// the same list. When a call ends and is among the slowest, its part is copied to the table; when
/// the outermost ends, the list is empty again.
///
/// What does not fit is merged (SliceShortener); calls beyond that have no slice, but are counted.
/// Where that has been necessary once, calls as short as those merged then are merged soon after
/// they end. One thread.
class SlowCallRecorder {
  public:
    /// `thread` stands for the thread in the table, which must outlive the recorder, as `pauses`,
    /// those of the session.
    SlowCallRecorder(SlowCallTable& table, const PauseTimeline& pauses, uint32_t thread)
        : table_(&table), pauses_(&pauses), thread_(thread) {}
    ~SlowCallRecorder() { table_->give_room_back(room_); }
    SlowCallRecorder(const SlowCallRecorder&) = delete;
    SlowCallRecorder& operator=(const SlowCallRecorder&) = delete;

    [[nodiscard]] bool recording() const { return !recorded_.empty(); }
    /// Whether a call of the function is worth begin() or leaf().
    [[nodiscard]] bool wants(uint32_t function) const {
        return recording() || table_->request_of(function) != 0;
    }

    /// A call begins, made in one of `caller` (0: none). To be told of all that begin while one is
    /// recorded, and of their ends, innermost first.
    void begin(uint32_t function, uint32_t caller, Lanes now);
    /// The innermost call told of has ended.
    void end(Lanes now);
    /// A call that called nothing.
    void leaf(uint32_t function, uint32_t caller, Lanes begun, Lanes now) {
        if (!recording() || table_->request_of(function) != 0) [[unlikely]] {
            chosen_leaf(function, caller, begun, now);
            return;
        }
        ++calls_;
        append_ended(function, ticks_of(begun), ticks_of(now - begun), Slice::kCall);
    }

    /// A slice of an interval in which the thread did not run its code, in the innermost call. What
    /// is counted is told by the functions below alone.
    void interval(Slice::Kind kind, uint64_t begin_ticks, uint64_t ticks);
    /// The thread was off the processors, but not to wait for the collector.
    void off_cpu(uint64_t ticks) { off_ticks_ += ticks; }
    /// It waited for the collector: that is in lane 1 of later times.
    void waited(uint64_t ticks) { waited_ticks_ += ticks; }
    /// The runtime had stopped all threads.
    void paused(uint64_t ticks) { paused_ticks_ += ticks; }
    /// The runtime has compiled a function on the thread. `inside`: when the compilation began that
    /// it is a part of; 0: of none.
    void compiled(const RuntimeInterval& compilation, uint64_t inside);

    /// From now on in another table.
    void move_to(SlowCallTable& table, const PauseTimeline& pauses);
    /// Gives back memory: nothing much is expected any more.
    void shrink();
    /// Adds the open calls as they are at `now` to `sums`, a copy of the table's, as unfinished.
    /// `off_ticks`, `paused_ticks`: up to then, what has not been told of either.
    void add_unfinished(Lanes now, uint64_t off_ticks, uint64_t paused_ticks,
                        SlowCallSums& sums) const;
    /// The thread has ended: the open calls, as they are at `now`, go to the table as unfinished.
    /// `off_ticks`, `paused_ticks`: up to then, what has not been told of either.
    void give_up(Lanes now, uint64_t off_ticks, uint64_t paused_ticks);

  private:
    /// An open call of a chosen method.
    struct Recorded {
        size_t depth;  ///< where it stands in open_
        uint32_t function;
        uint32_t caller;
        uint32_t request;
        Lanes begun;
        // What the running sums were when it began:
        uint64_t calls;
        uint64_t off_ticks;
        uint64_t waited_ticks;
        uint64_t paused_ticks;
        // Since then:
        uint64_t compiling_ticks = 0;
        std::vector<RuntimeInterval> compilations{};
    };
    static constexpr uint32_t kNoSlice = UINT32_MAX;
    /// Open calls of chosen methods inside each other; those deeper are slices only.
    static constexpr size_t kMostRecorded = 64;
    /// Where many methods are called by turns the others are merged later.
    static constexpr size_t kSharedAtOnce = 4;

    [[nodiscard]] bool is_recorded(uint32_t function) const;
    [[nodiscard]] Recorded recorded(uint32_t function, uint32_t caller, uint32_t request,
                                    Lanes begun) const;
    /// Without its slices.
    [[nodiscard]] SlowCall call_of(const Recorded& recorded, Lanes now) const;
    [[nodiscard]] SlowCall unfinished(const Recorded& recorded, Lanes now, uint64_t off_ticks,
                                      uint64_t paused_ticks) const;
    /// What the runtime did in it, one by one.
    void add_runtime_work(const Recorded& recorded, SlowCall& call) const;
    /// Its slices, and those of calls that go on, which last until `now`.
    [[nodiscard]] std::vector<Slice> slices_of(const Recorded& recorded, uint64_t now_ticks) const;
    void chosen_leaf(uint32_t function, uint32_t caller, Lanes begun, Lanes now);
    void finish(const Recorded& recorded, Lanes now);
    void forget();
    /// kNoSlice: there is no room.
    uint32_t append(uint32_t function, uint64_t begin_ticks, uint64_t ticks, Slice::Kind kind);
    /// Appends a slice of what is over, unless it is short and can share one of the last slices.
    /// Nothing where there is no room.
    void append_ended(uint32_t function, uint64_t begin_ticks, uint64_t ticks, Slice::Kind kind) {
        if (ticks >= merged_below_ || !share(function, ticks, kind)) {
            append(function, begin_ticks, ticks, kind);
        }
    }
    bool share(uint32_t function, uint64_t ticks, Slice::Kind kind) {
        const size_t last = slices_.size() - 1;
        for (size_t back = 0; back < std::min(kSharedAtOnce, slices_.size()); ++back) {
            Slice& slice = slices_[last - back];
            // Of what is merged all was short, whatever it has come to.
            const bool is_short = slice.ticks < merged_below_ || slice.calls > 1;
            if (slice.parent != open_.back() || !is_short || slice.calls == UINT32_MAX) {
                return false;
            }
            if (slice.function == function && slice.kind == kind) {
                slice.ticks += ticks;
                ++slice.calls;
                return true;
            }
        }
        return false;
    }
    bool make_room();
    /// Slices have been merged: the open ones have other numbers.
    void renumber_open();
    void set_full_at();

    SlowCallTable* table_;
    const PauseTimeline* pauses_;
    uint32_t thread_;
    std::vector<Slice> slices_;
    std::vector<uint32_t> open_;  ///< slices of the calls told of that are open, outermost first
    std::vector<Recorded> recorded_;  ///< outermost first; empty: nothing is recorded
    size_t room_ = 0;                 ///< slices taken from the table, beyond SlowestLimits::kLeast
    size_t left_out_ = 0;             ///< slices since there has been no room
    SliceShortener shortener_;
    uint64_t merged_below_ = 0;               ///< shorter slices are merged now; 0: none has been
    size_t merged_ = 0;                       ///< slices when there was nothing more to be merged
    size_t full_at_ = SlowestLimits::kLeast;  ///< slices: then something is to be done for room
    // Running sums of the thread:
    uint64_t calls_ = 0;  ///< begun while one is recorded
    uint64_t off_ticks_ = 0;
    uint64_t waited_ticks_ = 0;
    uint64_t paused_ticks_ = 0;
};

}  // namespace umbra::replay
