// SPDX-License-Identifier: MIT
// A target's entry for libFuzzer; with --write-seeds=FOLDER it writes the seeds there and ends.
#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/fuzz/fuzz_target.h"

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv);
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerInitialize(int* argc, char*** argv) {
    constexpr std::string_view kWriteSeeds = "--write-seeds=";
    for (int i = 1; i < *argc; ++i) {
        const std::string_view argument((*argv)[i]);
        if (argument.substr(0, kWriteSeeds.size()) != kWriteSeeds) {
            continue;
        }
        const std::string folder(argument.substr(kWriteSeeds.size()));
        int number = 0;
        for (const std::string& seed : umbra::fuzz::seeds()) {
            std::ofstream file(folder + "/seed-" + std::to_string(number++), std::ios::binary);
            file << seed;
            umbra::fuzz::require(file.flush().good(), "seeds can be written");
        }
        std::_Exit(0);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    umbra::fuzz::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
