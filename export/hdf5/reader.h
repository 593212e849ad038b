// SPDX-License-Identifier: MIT
// Reads a profile from an HDF5 file; docs/file_format.md says what is in it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/profile/profile.h"

namespace umbra::hdf5 {

/// What a file says without its larger tables being read.
struct Overview {
    struct TableSize {
        std::string name;
        std::size_t rows = 0;
    };
    std::string schema_version;
    profile::Session session;
    std::vector<profile::Runtime> runtimes;
    std::vector<profile::Module> modules;
    std::vector<TableSize> tables;
};

// Everything in the file is checked: types, sizes, row numbers, text. What comes back is sound and
// can be followed without further checks; anything else is an error that names the file.
// Errors: kNotFound, kSystem (unreadable, out of memory), kNotAProfile, kOtherSchema (of another
// major version), kCorrupt. One thread at a time in the process (HDF5 is serial).

/// The whole profile.
[[nodiscard]] Result<profile::Profile> read_profile(const std::string& path);
/// The session alone; cheap.
[[nodiscard]] Result<profile::Session> read_session(const std::string& path);
/// The session and the sizes of the tables; cheap.
[[nodiscard]] Result<Overview> read_overview(const std::string& path);

}  // namespace umbra::hdf5
