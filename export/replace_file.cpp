// SPDX-License-Identifier: MIT
// Temporary file, without a name where there can be such; fsync, rename, fsync of the folder.
#include "export/replace_file.h"

#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/write_all.h"

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

/// Gives a file without a name one, in place of what a dead process of the same id has left there.
Status give_name(const UniqueFd& file, const std::string& path) {
    const std::string opened = fmt::format("/proc/self/fd/{}", file.get());
    const auto link = [&] {
        return ::linkat(AT_FDCWD, opened.c_str(), AT_FDCWD, path.c_str(), AT_SYMLINK_FOLLOW) == 0;
    };
    if (!link() && (errno != EEXIST || ::unlink(path.c_str()) != 0 || !link())) {
        return system_error(fmt::format("create '{}'", path), errno);
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

}  // namespace

ReplacementFile::ReplacementFile(std::string path, std::string folder, std::string temporary,
                                 UniqueFd file, bool named)
    : path_(std::move(path)),
      folder_(std::move(folder)),
      temporary_(std::move(temporary)),
      file_(std::move(file)),
      named_(named) {
}

ReplacementFile::~ReplacementFile() {
    if (file_ && named_) {
        ::unlink(temporary_.c_str());
    }
}

Result<ReplacementFile> ReplacementFile::create(const std::string& path) {
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
    const std::string temporary = fmt::format("{}.{}.tmp", path, ::getpid());
    if (UniqueFd unnamed(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600)); unnamed) {
        return ReplacementFile(path, folder, temporary, std::move(unnamed), false);
    }
    Result<UniqueFd> file = create_temporary(temporary);
    if (!file) {
        return tl::unexpected<Error>(file.error());
    }
    return ReplacementFile(path, folder, temporary, std::move(*file), true);
}

Status ReplacementFile::write(std::span<const std::byte> bytes) {
    if (const int os_error = write_all(file_.get(), bytes); os_error != 0) {
        return system_error(fmt::format("write '{}'", path_), os_error);
    }
    return {};
}

Status ReplacementFile::share_like(const std::string& folder) {
    struct stat around = {};
    struct stat own = {};
    if (::stat(folder.c_str(), &around) != 0 || ::fstat(file_.get(), &own) != 0) {
        return system_error(fmt::format("use the folder '{}'", folder), errno);
    }
    const mode_t mask = ::umask(0077);
    ::umask(mask);
    mode_t readers = around.st_mode & (S_IRGRP | S_IROTH) & ~mask;
    if (around.st_gid != own.st_gid && (readers & S_IROTH) == 0) {
        readers = 0;  // the folder's group is another one
    }
    if (::fchmod(file_.get(), S_IRUSR | S_IWUSR | readers) != 0) {
        return system_error(fmt::format("share '{}'", path_), errno);
    }
    return {};
}

Status ReplacementFile::commit() {
    if (::fsync(file_.get()) != 0) {
        return system_error(fmt::format("write '{}' to the disk", path_), errno);
    }
    if (!named_) {
        if (Status given = give_name(file_, temporary_); !given) {
            return given;
        }
        named_ = true;
    }
    if (::rename(temporary_.c_str(), path_.c_str()) != 0) {
        return system_error(fmt::format("rename '{}' to '{}'", temporary_, path_), errno);
    }
    file_.reset();
    return sync_folder(folder_);
}

Status replace_file(const std::string& path, std::span<const std::byte> bytes) {
    Result<ReplacementFile> file = ReplacementFile::create(path);
    if (!file) {
        return tl::unexpected<Error>(file.error());
    }
    if (Status done = file->write(bytes); !done) {
        return done;
    }
    return file->commit();
}

}  // namespace umbra
