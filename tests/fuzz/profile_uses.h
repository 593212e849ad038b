// SPDX-License-Identifier: MIT
// Everything that is done with a profile once it has been read.
#pragma once

#include "src/profile/profile.h"

namespace umbra::fuzz {

/// Reports, exports, the comparison with itself. What they say is of no interest; they end, and do
/// nothing undefined.
void use(const profile::Profile& profile);

}  // namespace umbra::fuzz
