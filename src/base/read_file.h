// SPDX-License-Identifier: MIT
// Small files and parts of large ones as strings, without streams: what the agent uses brings no
// locale into the program it is a guest of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

namespace umbra {

/// Reads an open file from where it stands to its end, or `max_bytes` of it, into a string that is
/// empty before. False where reading failed: what came before that is in the string, and errno says
/// why. Any thread.
[[nodiscard]] bool read_up_to(int file, size_t max_bytes, std::string& text);

/// The first `max_bytes` bytes of a file, or all of it where it is shorter; files of /proc too,
/// whose size is not known before. Nothing where it cannot be opened or read; errno then says why.
/// Any thread.
[[nodiscard]] std::optional<std::string> read_file(const std::string& path, size_t max_bytes);

/// Reads parts of one regular file by its path, which is opened for each of them: a guest in a
/// program keeps no descriptor. Of a file that has changed, or been replaced, since the first part
/// nothing is read any more. One thread at a time.
class FileParts {
  public:
    explicit FileParts(std::string path) : path_(std::move(path)) {}
    /// Fewer bytes, or none, where the file has no more of them or cannot be read.
    [[nodiscard]] std::string operator()(size_t offset, size_t bytes);

  private:
    struct Version {
        uint64_t device;
        uint64_t number;
        int64_t bytes;
        int64_t seconds;
        int64_t nanoseconds;
        bool operator==(const Version&) const = default;
    };
    std::string path_;
    std::optional<Version> version_;  // none: nothing has been read yet
};

}  // namespace umbra
