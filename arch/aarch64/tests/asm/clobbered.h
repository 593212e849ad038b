// SPDX-License-Identifier: MIT
// The registers that the probes may change: all else they keep, at full width, as hotpath/stubs.S
// says.
#pragma once

#include <array>
#include <string_view>

namespace umbra::hotpath {

inline constexpr std::array<std::string_view, 6> kClobberedByEnter = {"x9",  "x12", "x13",
                                                                      "x14", "x15", "flags"};
inline constexpr std::array<std::string_view, 6> kClobberedByLeave = kClobberedByEnter;
inline constexpr std::array<std::string_view, 6> kClobberedByIlProbe = kClobberedByEnter;

}  // namespace umbra::hotpath
