// SPDX-License-Identifier: MIT
// Which programs umbra can look into: those for the processor that it was built for.
#pragma once

#include <cstdint>

#include <elf.h>

namespace umbra::diagnostics {

inline constexpr uint16_t kOwnElfMachine = EM_AARCH64;
inline constexpr const char* kOwnMachineName = "arm64";
/// Where the libraries of the system lie for it, besides /lib and /usr/lib64.
inline constexpr const char* kSystemLibraryFolder = "/usr/lib/aarch64";

}  // namespace umbra::diagnostics
