// SPDX-License-Identifier: MIT
#include "src/agent/support/log.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <fcntl.h>
#include <unistd.h>

#include "src/base/unique_fd.h"
#include "src/protocol/environment.h"

namespace umbra::agent {

void log_line(std::string_view text) noexcept {
    const char* path =
        std::getenv(protocol::kLogVariable);  // NOLINT(concurrency-mt-unsafe): never set by us
    if (path == nullptr || *path == '\0') {
        return;
    }
    const UniqueFd file(open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) {
        return;
    }
    std::array<char, 1024> line{};
    const std::time_t now = std::time(nullptr);
    std::tm utc{};
    gmtime_r(&now, &utc);
    const int length =
        std::snprintf(line.data(), line.size(), "%04d-%02d-%02dT%02d:%02d:%02dZ umbra[%d] %.*s\n",
                      utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min,
                      utc.tm_sec, getpid(), static_cast<int>(text.size()), text.data());
    if (length > 0) {
        const size_t bytes = std::min(static_cast<size_t>(length), line.size() - 1);
        [[maybe_unused]] const ssize_t written = write(file.get(), line.data(), bytes);
    }
}

}  // namespace umbra::agent
