// SPDX-License-Identifier: MIT
// Reading profiles that anybody may have made: in a child process, within limits.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace umbra::cli {

/// The address sanitizer, of which compilers tell in two ways, reserves terabytes.
#ifdef __SANITIZE_ADDRESS__
inline constexpr bool kLimitsMemory = false;
#elif defined(__has_feature)
inline constexpr bool kLimitsMemory = !__has_feature(address_sanitizer);
#else
inline constexpr bool kLimitsMemory = true;
#endif

/// Runs `command`, which reads `files`, in a child process and answers its exit status. Until it
/// says files_are_read(), the child may use 5 s of processor time and a second for each MiB of the
/// files, and 1 GiB of memory and 64 times the files' size. A child that goes beyond that or
/// crashes until then (the HDF5 library does on some damaged files) costs one line on standard
/// error and kFailed; one that a signal ends otherwise ends this process the same way. Signals that
/// ask to end go to the child.
///
/// To be called before this process has other threads. Where no child can be made, `command` runs
/// here.
[[nodiscard]] int guarded(const std::vector<std::string>& files,
                          const std::function<int()>& command);

/// Said by a command: what follows works with sound data, for as long as it takes. No effect
/// outside guarded().
void files_are_read();

/// Whether a profile can be read, found out in a child that only does this. Else says why not.
/// Answers kOk or kFailed.
[[nodiscard]] int try_to_read(const std::string& file);

}  // namespace umbra::cli
