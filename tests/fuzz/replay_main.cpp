// SPDX-License-Identifier: MIT
// A target's main function in builds without libFuzzer: runs its seeds and the inputs in the files
// and folders named, once each.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/fuzz_target.h"

namespace {

void run_file(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    umbra::fuzz::require(file.good(), ("can be read: " + path.string()).c_str());
    const std::string input{std::istreambuf_iterator<char>(file), {}};
    std::printf("%s\n", path.c_str());  // of a crash, the last line says where
    std::fflush(stdout);
    umbra::fuzz::run(input);
}

}  // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> seeds = umbra::fuzz::seeds();
    umbra::fuzz::require(!seeds.empty(), "there are seeds");
    umbra::fuzz::run({});
    for (const std::string& seed : seeds) {
        umbra::fuzz::run(seed);
    }
    std::printf("%zu seeds\n", seeds.size());
    for (int i = 1; i < argc; ++i) {
        const std::filesystem::path path(argv[i]);
        if (!std::filesystem::is_directory(path)) {
            run_file(path);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator(path)) {
            run_file(entry.path());
        }
    }
    return 0;
}
