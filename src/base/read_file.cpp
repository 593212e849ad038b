// SPDX-License-Identifier: MIT
#include "src/base/read_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "src/base/unique_fd.h"

namespace umbra {

bool read_up_to(int file, size_t max_bytes, std::string& text) {
    constexpr size_t kFirstStep = 4096;
    size_t length = 0;
    ssize_t got = 1;
    while (got != 0 && length < max_bytes) {
        if (length == text.size()) {
            text.resize(std::min(max_bytes, std::max(kFirstStep, 2 * length)));
        }
        got = read(file, text.data() + length, text.size() - length);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            break;
        }
        length += static_cast<size_t>(got);
    }
    text.resize(length);
    return got >= 0;
}

std::optional<std::string> read_file(const std::string& path, size_t max_bytes) {
    // A pipe of that name does not keep the caller waiting.
    const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    std::string text;
    return file && read_up_to(file.get(), max_bytes, text) ? std::optional(std::move(text))
                                                           : std::nullopt;
}

}  // namespace umbra
