// SPDX-License-Identifier: MIT
// Which C library a program is linked against: the agent must be built for the same.
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

namespace umbra::diagnostics {

enum class CLibrary {
    kGlibc,  ///< or any other but musl, or none, or it cannot be told
    kMusl,
};

/// Of a program as execvp() would find it; of a script, that of its interpreter. May be called from
/// any thread that shares the environment with no writer.
[[nodiscard]] CLibrary c_library_of_program(const std::string& program);

/// Of a process, by the linker its program names and by the files it has mapped; kGlibc too if they
/// may not be read. Any thread.
[[nodiscard]] CLibrary c_library_of_process(pid_t pid);

/// The path of the dynamic linker that an ELF file of 64 bits names (PT_INTERP), of the file's
/// first bytes; empty for everything else. The bytes need not be well-formed.
[[nodiscard]] std::string dynamic_linker_of(std::string_view file);

}  // namespace umbra::diagnostics
