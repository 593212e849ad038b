// SPDX-License-Identifier: MIT
// The floor of exact timing: what two back-to-back clock reads cost. Prints nanoseconds a pair.
#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "hotpath/clock.h"

int main() {
    using umbra::hotpath::read_os_ns;
    using umbra::hotpath::read_ticks;
    constexpr int kPairs = 10000000;
    constexpr int kRounds = 5;
    double best_ns = 1e300;
    volatile uint64_t sink = 0;
    for (int round = 0; round < kRounds; round++) {
        uint64_t sum = 0;
        const uint64_t begin_ns = read_os_ns();
        for (int i = 0; i < kPairs; i++) {
            const uint64_t first = read_ticks();
            sum += read_ticks() - first;
        }
        const double pair_ns = static_cast<double>(read_os_ns() - begin_ns) / kPairs;
        sink = sink + sum;
        best_ns = std::min(best_ns, pair_ns);
    }
    printf("%.3f\n", best_ns);
    return 0;
}
