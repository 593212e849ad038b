// SPDX-License-Identifier: MIT
// Numbers of rows, by which tables of a profile refer to each other.
#pragma once

#include <cstdint>

namespace umbra::profile {

/// Row number in one of the tables of a profile; kNone where there is no row.
using Row = uint32_t;
inline constexpr Row kNone = 0xffffffffU;

}  // namespace umbra::profile
