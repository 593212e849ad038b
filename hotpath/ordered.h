// SPDX-License-Identifier: MIT
// Memory orders that have a letter in a table (ring.h, thread_registration.h).
#pragma once

#include <atomic>

namespace umbra::hotpath {

#ifdef UMBRA_MUTATE
/// Test builds name one letter whose order is dropped; under TSan a test must then fail.
constexpr std::memory_order ordered(char letter, std::memory_order order) {
    return letter == UMBRA_MUTATE ? std::memory_order_relaxed : order;
}
#else
constexpr std::memory_order ordered(char /*letter*/, std::memory_order order) {
    return order;
}
#endif

}  // namespace umbra::hotpath
