// SPDX-License-Identifier: MIT
#include "src/base/read_file.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
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

namespace {

UniqueFd open_to_read(const std::string& path) {
    // A pipe of that name does not keep the caller waiting.
    return UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
}

}  // namespace

std::optional<std::string> read_file(const std::string& path, size_t max_bytes) {
    const UniqueFd file = open_to_read(path);
    std::string text;
    return file && read_up_to(file.get(), max_bytes, text) ? std::optional(std::move(text))
                                                           : std::nullopt;
}

std::string FileParts::operator()(size_t offset, size_t bytes) {
    const UniqueFd file = open_to_read(path_);
    struct stat facts {};
    if (!file || fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
        return {};
    }
    const Version version{.device = facts.st_dev,
                          .number = facts.st_ino,
                          .bytes = facts.st_size,
                          .seconds = facts.st_mtim.tv_sec,
                          .nanoseconds = facts.st_mtim.tv_nsec};
    const auto size = static_cast<size_t>(facts.st_size);
    if (version != version_.value_or(version) || offset >= size) {
        return {};
    }
    version_ = version;
    std::string text;
    const size_t most = std::min(bytes, size - offset);
    text.reserve(most);  // so that it is not copied as it grows
    if (lseek(file.get(), static_cast<off_t>(offset), SEEK_SET) >= 0) {
        static_cast<void>(read_up_to(file.get(), most, text));
    }
    return text;
}

}  // namespace umbra
