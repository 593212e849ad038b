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
static_assert(UMBRA_RECORD_BYTES == kRecordBytes);
// A probe makes the low half of slot 0 by adding its kind to the client id.
static_assert(client_id(1) + UMBRA_KIND_LEAVE ==
              static_cast<uint32_t>(make_slot(Kind::kLeave, 1, 0)));
static_assert(UMBRA_SYS_CLOCK_GETTIME == SYS_clock_gettime);
static_assert(UMBRA_CLOCK_MONOTONIC_RAW == CLOCK_MONOTONIC_RAW);
static_assert(UMBRA_KIND_ENTER == static_cast<int>(Kind::kEnter));
static_assert(UMBRA_KIND_LEAVE == static_cast<int>(Kind::kLeave));
static_assert(UMBRA_KIND_TAILCALL == static_cast<int>(Kind::kTailcall));

}  // namespace umbra::hotpath
