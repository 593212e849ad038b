// SPDX-License-Identifier: MIT
// How much a test does: a sample, or all that is promised.
#pragma once

#include <cstdlib>
#include <string_view>

namespace umbra::testing {

/// UMBRA_FULL=1 is in the environment: whoever repeats something does so as often as is promised.
/// As tests/support/full.py has it.
inline bool full() {
    const char* asked = std::getenv("UMBRA_FULL");  // NOLINT(concurrency-mt-unsafe): not set by us
    const std::string_view value = asked == nullptr ? "" : asked;
    return !value.empty() && value != "0";
}

}  // namespace umbra::testing
