// SPDX-License-Identifier: MIT
#include "src/base/read_file.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <unistd.h>

#include "src/base/unique_fd.h"

namespace umbra {

std::optional<std::string> read_file(const std::string& path, size_t max_bytes) {
    constexpr size_t kFirstStep = 4096;
    // A pipe of that name does not keep the caller waiting.
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (!file) {
        return std::nullopt;
    }
    std::string text;
    size_t length = 0;
    while (length < max_bytes) {
        if (length == text.size()) {
            text.resize(std::min(max_bytes, std::max(kFirstStep, 2 * length)));
        }
        const ssize_t got = read(file.get(), text.data() + length, text.size() - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return std::nullopt;
        }
        if (got == 0) {
            break;
        }
        length += static_cast<size_t>(got);
    }
    text.resize(length);
    return text;
}

}  // namespace umbra
