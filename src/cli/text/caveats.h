// SPDX-License-Identifier: MIT
// What a report says of times that are booked where nobody expects them, and of a program that its
// stack's limit has ended.
#pragma once

#include "src/cli/text/report_footer.h"
#include "src/profile/profile.h"

namespace umbra::cli {

/// Locks of [MethodImpl(Synchronized)] that are taken before a probe in the IL sees the call; no
/// parts where none was.
[[nodiscard]] Fact lock_caveat(const profile::Profile& profile);

/// How deep the deepest thread was when the program died, and what umbra takes of a stack; no parts
/// where it did not die, or no thread was deep.
[[nodiscard]] Fact stack_caveat(const profile::Profile& profile);

}  // namespace umbra::cli
