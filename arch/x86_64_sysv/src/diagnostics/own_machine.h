// SPDX-License-Identifier: MIT
// Which programs umbra can look into: those for the processor that it was built for.
#pragma once

#include <cstdint>

#include <elf.h>

namespace umbra::diagnostics {

inline constexpr uint16_t kOwnElfMachine = EM_X86_64;
inline constexpr const char* kOwnMachineName = "x86-64";
/// Where the libraries of the system lie for it, besides /lib and /usr/lib64.
inline constexpr const char* kSystemLibraryFolder = "/usr/lib/x86_64";

}  // namespace umbra::diagnostics
