// SPDX-License-Identifier: MIT
// Records what happens in the async calls of chosen methods, over all threads, while they last.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/replay/async/async_call.h"
#include "src/replay/async/async_sums.h"
#include "src/replay/slowest/slice.h"
#include "src/replay/slowest/slow_call_table.h"

namespace umbra::replay {

/// A call of a chosen method that is in no record has one of its own: a list of slices with the
/// calls that were made in it, and what each of them spent its time in. What a call spends on a
/// thread (Slice::kRunning), on something awaited that is no call of its own (kAwaiting) and in the
/// queue of the thread pool (kQueued) is told as it is booked; while a call of its own runs or is
/// awaited, that has a slice instead. Calls of chosen methods inside a recorded one are part of the
/// same list, and are copied out of it at their end. A record ends with its outermost call,
/// whatever it has spawned.
///
/// Room is taken from the table: what does not fit is merged (SliceShortener); beyond that calls
/// have no slice. One thread.
class SlowAsyncCalls {
  public:
    /// `limits` must outlive this.
    explicit SlowAsyncCalls(const SlowestLimits& limits) : table_(limits) {}

    /// See SlowCallTable::watch. Before any call.
    void watch(std::span<const uint8_t> marks) { table_.watch(marks); }
    [[nodiscard]] bool in_use() const { return table_.in_use(); }
    /// The number of the request that a function is recorded for; 0: it is not.
    [[nodiscard]] uint32_t request_of(uint32_t function) const {
        return table_.request_of(function);
    }

    /// A call begins, made in one with the place `parent`.
    SlowPlace begin(const Call& call, const SlowPlace& parent);
    /// [mark_ticks, ticks) belongs to the call's part.
    void spent(const Call& call, uint64_t ticks);
    /// The call has done nothing on its thread since then.
    void take_back(const Call& call, uint64_t since_ticks);
    /// A call ends; all its time has been told.
    void end(const Call& call, AsyncOutcome outcome, uint64_t ticks);

    /// Those that have ended.
    [[nodiscard]] const SlowCallSums& sums() const { return table_.sums(); }
    /// Adds a call that goes on, as it is at `now_ticks`, to `sums`, a copy. `live`: all calls,
    /// from which those in its record are looked up, with what they do now.
    void add_unfinished(const Call& call, uint64_t now_ticks, const Calls& live,
                        SlowCallSums& sums) const;
    /// Slices of all that is kept, and of what goes on.
    [[nodiscard]] size_t kept_slices() const;
    /// Tells the threads that are in them, some more than once.
    void for_each_thread(const std::function<void(uint32_t)>& visit) const;

  private:
    static constexpr uint32_t kNoSlice = Slice::kNoParent;
    /// Records at once; calls that begin then are compared, and have no slices.
    static constexpr size_t kMostRecords = size_t{1} << 17;
    static constexpr size_t kFirstRoom = 8;

    struct Record {
        uint32_t generation = 0;  ///< as SlowPlace has it; of a record that is over another's
        bool live = false;
        uint64_t left_out = 0;  ///< calls without a slice
        uint32_t compared = 0;  ///< live calls that may be among the slowest
        size_t room = 0;
        size_t refused = 0;  ///< slices since there has been no room
        std::vector<Slice> slices{};
        std::vector<uint32_t> members{};  ///< slices of the live calls in it
        std::vector<uint32_t> free{};     ///< of these, the numbers of calls that have ended
    };

    [[nodiscard]] const Record* find(const SlowPlace& place) const;
    Record* find(const SlowPlace& place);
    SlowPlace begin_record(const Call& call);
    void end_record(uint32_t number);
    /// `parent`: member of whose call it is a part; of the first of all nobody's.
    SlowPlace add_member(uint32_t number, uint32_t parent, const Call& call);
    /// The new slice's number. kNoSlice: there is no room.
    uint32_t append(Record& record, Slice slice, uint32_t parent);
    bool make_room(Record& record);
    [[nodiscard]] SlowCall call_of(const Call& call, AsyncOutcome outcome, uint64_t ticks) const;
    /// What is in slice `first`, as a list of its own.
    static std::vector<Slice> part_of(std::span<const Slice> slices, uint32_t first,
                                      uint64_t now_ticks);
    static std::vector<Slice> alone(const Call& call, uint64_t ticks);

    SlowCallTable table_;
    std::vector<Record> records_;
    std::vector<uint32_t> free_;
    SliceShortener shortener_;
};

}  // namespace umbra::replay
