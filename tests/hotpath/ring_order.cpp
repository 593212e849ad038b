// SPDX-License-Identifier: MIT
// Works the ring under ThreadSanitizer: silent as it is, and a data race with any one order gone.
#include <cstdio>
#include <cstdlib>

#include "tests/hotpath/plain_ring.h"

// ring_order [ROUNDS]: a mutant's race is a matter of chance, so its test asks for many rounds and
// ends at the first race.
int main(int argc, char** argv) {
    using umbra::hotpath::RingLoad;
    const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;  // NOLINT(cert-err34-c): our own tests
    // Without tails an order at hand-over is not covered by the one at each record. A slow writer
    // and a fast one: the reader waits for chunks, and chunks for the reader.
    const RingLoad loads[] = {
        {.threads = 6, .records = 40'000, .read_tails = false, .pause_per_mille = 500},
        {.threads = 6, .records = 200'000, .read_tails = false, .pause_per_mille = 0},
        {.threads = 6, .records = 60'000, .read_tails = true, .pause_per_mille = 200},
        {.threads = 200, .records = 100, .read_tails = true, .pause_per_mille = 500},
    };
    for (int round = 0; round < rounds; ++round) {
        for (const RingLoad& load : loads) {
            if (!umbra::hotpath::run_load(load)) {
                std::puts("records are wrong, missing or there twice");
                std::_Exit(EXIT_FAILURE);  // the writer still runs
            }
        }
    }
    return EXIT_SUCCESS;
}
