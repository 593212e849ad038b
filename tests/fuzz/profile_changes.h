// SPDX-License-Identifier: MIT
// Changes to a profile file that leave it a sound HDF5 file.
#pragma once

#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace umbra::fuzz {

/// Makes the changes that `in` tells, to its end. What HDF5 refuses is left out.
void change_profile(const std::string& path, Input& in);

/// One change of each kind and some more, as inputs have them.
[[nodiscard]] std::vector<std::string> sample_changes();

}  // namespace umbra::fuzz
