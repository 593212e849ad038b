// SPDX-License-Identifier: MIT
#include "src/cli/record/output_name.h"

#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

#include "src/base/command_line.h"

namespace umbra::cli {

namespace fs = std::filesystem;

std::string output_name(const std::string& program, pid_t pid) {
    std::string part = without_extension(program);
    for (char& c : part) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '-' && c != '_') {
            c = '_';
        }
    }
    return fmt::format("{}-{}", part.empty() ? "process" : part.substr(0, 64), pid);
}

Status check_output(const std::string& path) {
    const fs::path folder = fs::path(path).parent_path();
    const std::string place = folder.empty() ? "." : folder.string();
    if (access(place.c_str(), W_OK | X_OK) != 0) {
        return fail(ErrorCode::kSystem,
                    fmt::format("cannot write a profile to the folder '{}': {}", place,
                                strerrordesc_np(errno)),
                    errno);
    }
    return {};
}

}  // namespace umbra::cli
