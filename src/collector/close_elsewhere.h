// SPDX-License-Identifier: MIT
#pragma once

#include "src/base/unique_fd.h"

namespace umbra::collector {

/// Closes a descriptor that a process has sent and nobody wants, on a thread that does only this:
/// the last close of a socket may block for as long as whoever opened it said (SO_LINGER), that of
/// a file in user space for ever. Any thread; never blocks. While no thread can be had, the
/// descriptor stays open.
void close_elsewhere(UniqueFd descriptor);

}  // namespace umbra::collector
