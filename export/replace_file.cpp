// SPDX-License-Identifier: MIT
// Temporary file, fsync, rename, fsync of the folder.
#include "export/replace_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/unique_fd.h"

namespace umbra {
namespace {

tl::unexpected<Error> system_error(const std::string& tried, int os_error) {
    return fail(os_error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem,
                fmt::format("cannot {}: {}", tried, std::generic_category().message(os_error)),
                os_error);
}

/// A new file that only its owner may read. One left behind by a dead process of the same id is
/// removed; a link put in its place is not followed.
Result<UniqueFd> create_temporary(const std::string& path) {
    constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    UniqueFd file(::open(path.c_str(), kFlags, 0600));
    if (!file && errno == EEXIST) {
        ::unlink(path.c_str());
        file.reset(::open(path.c_str(), kFlags, 0600));
    }
    if (!file) {
        return system_error(fmt::format("create '{}'", path), errno);
    }
    return file;
}

Status write_all(const UniqueFd& file, std::span<const std::byte> bytes, const std::string& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(file.get(), bytes.data(), bytes.size());
        if (written < 0 && errno != EINTR) {
            return system_error(fmt::format("write '{}'", path), errno);
        }
        if (written > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(written));
        }
    }
    if (::fsync(file.get()) != 0) {
        return system_error(fmt::format("write '{}' to the disk", path), errno);
    }
    return {};
}

Status sync_folder(const std::string& folder) {
    const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    // Some file systems cannot sync a folder and answer EINVAL; the rename has happened all the
    // same.
    if (!opened || (::fsync(opened.get()) != 0 && errno != EINVAL)) {
        return system_error(fmt::format("sync the folder '{}'", folder), errno);
    }
    return {};
}

Status write_and_rename(const std::string& temporary, const std::string& path,
                        std::span<const std::byte> bytes) {
    const Result<UniqueFd> file = create_temporary(temporary);
    if (!file) {
        return tl::unexpected<Error>(file.error());
    }
    Status done = write_all(*file, bytes, temporary);
    if (done && ::rename(temporary.c_str(), path.c_str()) != 0) {
        done = system_error(fmt::format("rename '{}' to '{}'", temporary, path), errno);
    }
    if (!done) {
        ::unlink(temporary.c_str());
    }
    return done;
}

}  // namespace

Status replace_file(const std::string& path, std::span<const std::byte> bytes) {
    struct stat existing = {};
    if (::stat(path.c_str(), &existing) == 0 && !S_ISREG(existing.st_mode)) {
        return fail(ErrorCode::kInvalid,
                    fmt::format("'{}' is not a regular file; name another", path));
    }
    const std::string parent = std::filesystem::path(path).parent_path().string();
    const std::string folder = parent.empty() ? "." : parent;
    if (::stat(folder.c_str(), &existing) != 0) {
        return system_error(fmt::format("use the folder '{}'", folder), errno);
    }
    if (Status done = write_and_rename(fmt::format("{}.{}.tmp", path, ::getpid()), path, bytes);
        !done) {
        return done;
    }
    return sync_folder(folder);
}

}  // namespace umbra
