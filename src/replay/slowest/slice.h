// SPDX-License-Identifier: MIT
// Slices: what happened inside one call, in order, and how a long list of them is shortened.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace umbra::replay {

/// A call inside a recorded call, or an interval in which the thread did not run its code. Calls of
/// one function may share a slice, see shorten().
struct Slice {
    enum Kind : uint32_t {
        kCall,
        kOffCpu,  ///< the thread was off the processors
        kWaited,  ///< the thread waited for the collector
    };
    static constexpr uint64_t kOpen = UINT64_MAX;
    static constexpr uint32_t kNoParent = UINT32_MAX;

    uint64_t begin_ticks;  ///< of the first
    uint64_t ticks;        ///< of all together; kOpen: the call goes on
    uint32_t function;     ///< function index; of an interval 0
    uint32_t parent;       ///< slice that it happened in, a smaller number; kNoParent: the first
    uint32_t calls;        ///< that share the slice; of intervals as well
    Kind kind;

    [[nodiscard]] bool open() const { return ticks == kOpen; }
};
static_assert(sizeof(Slice) == 32);

/// Has at most `most` slices left, if that can be done. Of slices that are over the shortest go
/// first: those of the same function (or kind) and the same parent with no longer one between them
/// become one, and so do the slices in them. If that does not suffice the slices in merged ones are
/// left out. Open slices, and the first one, stay. Slices keep their order and stand behind their
/// parents. `moved` gets, by old number, the new number of each slice that was open.
///
/// Sums of Slice::calls shrink by the calls left out; times are those of whole slices, so what is
/// left out is still in its caller's.
void shorten(std::vector<Slice>& slices, size_t most, std::vector<uint32_t>& moved);

}  // namespace umbra::replay
