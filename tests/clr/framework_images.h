// SPDX-License-Identifier: MIT
// Assemblies of the installed .NET, in memory as a runtime would have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "src/clr/bytes.h"

namespace umbra::clr {

/// The newest shared framework beside the `dotnet` in PATH.
inline std::optional<std::filesystem::path> framework_directory() {
    namespace fs = std::filesystem;
    const char* path = std::getenv("PATH");
    std::istringstream directories(path != nullptr ? path : "");
    for (std::string directory; std::getline(directories, directory, ':');) {
        std::error_code error;
        const fs::path dotnet = fs::canonical(fs::path(directory) / "dotnet", error);
        if (error) {
            continue;
        }
        const fs::path shared = dotnet.parent_path() / "shared" / "Microsoft.NETCore.App";
        std::vector<fs::path> versions;
        for (const auto& entry : fs::directory_iterator(shared, error)) {
            versions.push_back(entry.path());
        }
        if (!versions.empty()) {
            return *std::max_element(versions.begin(), versions.end());
        }
    }
    return std::nullopt;
}

inline std::vector<uint8_t> file_bytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Every section of a file at its own address.
inline std::vector<uint8_t> laid_out_as_mapped(Bytes file) {
    const size_t pe = load<uint32_t>(file, 0x3c);
    const size_t optional_header = pe + 24;
    std::vector<uint8_t> image(load<uint32_t>(file, optional_header + 56));
    std::copy_n(file.begin(), load<uint32_t>(file, optional_header + 60), image.begin());
    const size_t sections = optional_header + load<uint16_t>(file, pe + 20);
    for (size_t i = 0; i < load<uint16_t>(file, pe + 6); ++i) {
        const size_t header = sections + 40 * i;
        const size_t bytes =
            std::min(load<uint32_t>(file, header + 8), load<uint32_t>(file, header + 16));
        const Bytes data = part(file, load<uint32_t>(file, header + 20), bytes);
        std::copy(data.begin(), data.end(), image.begin() + load<uint32_t>(file, header + 12));
    }
    return image;
}

}  // namespace umbra::clr
