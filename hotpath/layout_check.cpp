// SPDX-License-Identifier: MIT
// Proves that the names in layout.inc mean what the C++ structures say.
#include <cstddef>
#include <ctime>

#include <sys/syscall.h>

#include "hotpath/abi_layout.inc"
#include "hotpath/layout.inc"
#include "hotpath/record.h"
#include "hotpath/segment.h"
#include "hotpath/thread_cursor.h"

namespace umbra::hotpath {

static_assert(offsetof(ThreadCursor, next) == UMBRA_CURSOR_NEXT);
static_assert(offsetof(ThreadCursor, limit) == UMBRA_CURSOR_LIMIT);
static_assert(UMBRA_RECORD_TICKS == kSlotBytes);
static_assert(UMBRA_RECORD_TIMED_BYTES == kTimedRecordBytes);
static_assert(UMBRA_RECORD_UNTIMED_BYTES == kSlotBytes);
static_assert(UMBRA_TIMED_BIT == kTimedBit);
static_assert(UMBRA_INDEX_SCALE == 1U << kIndexShift);
static_assert(UMBRA_CONTROLS_OFFSET == kControlsOffset);
static_assert(kSegmentAlignment == size_t{1} << 32);  // the low half of a client id is an offset
// The bits between a window's length and the period, both powers of two, in bytes.
static_assert(UMBRA_BURST_MASK == (kBurstPeriodSlots - kBurstSlots) * kSlotBytes);
static_assert(UMBRA_BURST_MASK == static_cast<int>(ClockControl::kBursts) << UMBRA_BURST_SHIFT);
static_assert((kBurstPeriodSlots & (kBurstPeriodSlots - 1)) == 0);
static_assert((kBurstSlots & (kBurstSlots - 1)) == 0);
static_assert(kChunkBytes % (kBurstPeriodSlots * kSlotBytes) == 0);
static_assert(UMBRA_SYS_CLOCK_GETTIME == SYS_clock_gettime);
static_assert(UMBRA_CLOCK_MONOTONIC_RAW == CLOCK_MONOTONIC_RAW);
static_assert(UMBRA_KIND_ENTER == static_cast<int>(Kind::kEnter));
static_assert(UMBRA_KIND_LEAVE == static_cast<int>(Kind::kLeave));
static_assert(UMBRA_KIND_TAILCALL == static_cast<int>(Kind::kTailcall));

}  // namespace umbra::hotpath
