// SPDX-License-Identifier: MIT
// Writes a profile with as many rows of calltree as asked for: write_synthetic_profile N FILE
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>

#include "benchmarks/export/synthetic_profile.h"
#include "export/hdf5/writer.h"

int main(int argc, char** argv) {
    constexpr uint64_t kMost = 16'777'216;  // what a session keeps
    char* end = nullptr;
    const uint64_t nodes = argc == 3 ? std::strtoull(argv[1], &end, 10) : 0;
    if (nodes == 0 || nodes > kMost || *end != '\0') {
        std::cerr << "usage: write_synthetic_profile N FILE, N from 1 to " << kMost << '\n';
        return 2;
    }
    const auto written = umbra::hdf5::write_profile(
        umbra::benchmarks::synthetic_profile(static_cast<umbra::profile::Row>(nodes)), argv[2]);
    if (!written) {
        std::cerr << written.error().context << '\n';
        return 1;
    }
    return 0;
}
