// SPDX-License-Identifier: MIT
// The registers that the probes may change: all else they keep, as hotpath/stubs.S says.
#pragma once

#include <array>
#include <string_view>

namespace umbra::hotpath {

inline constexpr std::array<std::string_view, 5> kClobberedByEnter = {"rax", "r8", "r10", "r11",
                                                                      "flags"};
inline constexpr std::array<std::string_view, 5> kClobberedByLeave = {"r8", "r9", "r10", "r11",
                                                                      "flags"};
inline constexpr std::array<std::string_view, 5> kClobberedByIlProbe = {"rax", "r8", "r10", "r11",
                                                                        "flags"};

}  // namespace umbra::hotpath
