// SPDX-License-Identifier: MIT
// Replaces a file as a whole: a reader sees the old one or the new one, at any instant.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "src/base/result.h"
#include "src/base/unique_fd.h"

namespace umbra {

/// A file being written through a temporary one beside it (mode 0600), which becomes the file by
/// fsync, rename and a sync of the folder. Until commit() the old file is untouched; without it the
/// temporary one is removed. Where the file system can, it has no name before commit(), and is gone
/// however the process ends. Errors: kSystem, kNotFound (no such folder).
class ReplacementFile {
  public:
    /// Also kInvalid: it refuses to replace what is not a regular file.
    static Result<ReplacementFile> create(const std::string& path);
    ReplacementFile(const ReplacementFile&) = delete;
    ReplacementFile& operator=(const ReplacementFile&) = delete;
    ReplacementFile(ReplacementFile&&) = default;
    ReplacementFile& operator=(ReplacementFile&&) = delete;
    ~ReplacementFile();

    [[nodiscard]] Status write(std::span<const std::byte> bytes);
    /// Whoever may read `folder` may read the file, as far as the umask lets them; without it its
    /// owner alone.
    [[nodiscard]] Status share_like(const std::string& folder);
    [[nodiscard]] Status commit();

  private:
    ReplacementFile(std::string path, std::string folder, std::string temporary, UniqueFd file,
                    bool named);

    std::string path_;
    std::string folder_;
    std::string temporary_;
    UniqueFd file_;  ///< none: committed, or moved from
    bool named_;     ///< temporary_ is there
};

/// Puts `bytes` at `path` in this way.
[[nodiscard]] Status replace_file(const std::string& path, std::span<const std::byte> bytes);

}  // namespace umbra
