// SPDX-License-Identifier: MIT
// Writes a profile to an HDF5 file; docs/file_format.md says what is in it.
#pragma once

#include <cstddef>
#include <string>

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace umbra::hdf5 {

/// Puts `profile` at `path`, mode 0600, in one step: at every instant `path` is the old file or the
/// new one, whole and readable. On an error the old one is untouched. The file is built in memory
/// first, so HDF5 never sees a full disk. One thread at a time in the process (HDF5 is serial);
/// `threads`, this one among them, compress what it writes, as far as they can be had.
/// Errors: kCorrupt (the profile points at rows it does not have), kNotFound (no such folder),
/// kInvalid (`path` is no regular file), kSystem.
[[nodiscard]] Status write_profile(const profile::Profile& profile, const std::string& path,
                                   std::size_t threads = 1);

}  // namespace umbra::hdf5
