// SPDX-License-Identifier: MIT
// The registers that the probes may change: all else they keep, at full width, as hotpath/stubs.S
// says.
#pragma once

#include <array>
#include <string_view>

namespace umbra::hotpath {

inline constexpr std::array<std::string_view, 4> kClobberedByEnter = {"rax", "r10", "r11", "flags"};
inline constexpr std::array<std::string_view, 7> kClobberedByLeave = {"rdi", "rsi", "r8",   "r9",
                                                                      "r10", "r11", "flags"};
inline constexpr std::array<std::string_view, 5> kClobberedByIlProbe = {"rax", "rdx", "r10", "r11",
                                                                        "flags"};

}  // namespace umbra::hotpath
