// SPDX-License-Identifier: MIT
#include "src/cli/record/profile_links.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/protocol/environment.h"

namespace umbra::cli {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view kPrefix = "profile-";
constexpr std::size_t kMaxEnvironmentBytes = std::size_t{8} << 20U;

std::string link_path(const std::string& folder, pid_t pid) {
    return fmt::format("{}/{}{}", folder, kPrefix, pid);
}

/// All of a file of /proc, up to the limit.
Result<std::string> read_proc(pid_t pid, std::string_view name) {
    const std::string path = fmt::format("/proc/{}/{}", pid, name);
    errno = 0;
    std::ifstream file(path, std::ios::binary);
    std::string text(kMaxEnvironmentBytes, '\0');
    if (file) {
        file.read(text.data(), static_cast<std::streamsize>(text.size()));
        text.resize(static_cast<std::size_t>(file.gcount()));
    }
    if (!file.is_open() || file.bad()) {
        const int os_error = errno;
        return fail(os_error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem,
                    os_error == ENOENT
                        ? fmt::format("there is no process {}", pid)
                        : fmt::format("cannot read {}: {}; is it another user's process?", path,
                                      strerrordesc_np(os_error)),
                    os_error);
    }
    return text;
}

/// Folder of the control socket in the environment of a process; "" where it has none.
Result<std::string> folder_of(pid_t pid) {
    Result<std::string> environment = read_proc(pid, "environ");
    if (!environment) {
        return environment;
    }
    const std::string name = std::string(protocol::kSocketVariable) + '=';
    std::string_view rest = *environment;
    while (!rest.empty()) {
        const std::string_view entry = rest.substr(0, rest.find('\0'));
        if (entry.starts_with(name)) {
            return fs::path(entry.substr(name.size())).parent_path().string();
        }
        rest.remove_prefix(std::min(rest.size(), entry.size() + 1));
    }
    return std::string();
}

/// The same, or that of the first child that has one.
Result<std::string> folder_of_tree(pid_t pid) {
    Result<std::string> folder = folder_of(pid);
    if (!folder || !folder->empty()) {
        return folder;
    }
    // Those of umbra: its main thread starts the program.
    const Result<std::string> children = read_proc(pid, fmt::format("task/{}/children", pid));
    if (children) {
        std::istringstream numbers(*children);
        for (pid_t child = 0; numbers >> child;) {
            Result<std::string> of_child = folder_of(child);
            if (of_child && !of_child->empty()) {
                return of_child;
            }
        }
    }
    return fail(ErrorCode::kNotFound,
                fmt::format("process {} is not profiled: neither it nor a child of it has {} in "
                            "its environment",
                            pid, protocol::kSocketVariable));
}

Status check_folder(const std::string& folder, pid_t pid) {
    struct stat status = {};
    if (lstat(folder.c_str(), &status) != 0) {
        return fail(ErrorCode::kNotFound,
                    fmt::format("cannot find the umbra run that profiles process {}: {}: {}; name "
                                "the file instead",
                                pid, folder, strerrordesc_np(errno)),
                    errno);
    }
    constexpr mode_t kOthers = S_IRWXG | S_IRWXO;
    if (!S_ISDIR(status.st_mode) || status.st_uid != geteuid() || (status.st_mode & kOthers) != 0) {
        return fail(ErrorCode::kRefused,
                    fmt::format("{}, which process {} names, is not a folder of yours alone; name "
                                "the file instead",
                                folder, pid));
    }
    return {};
}

/// Where the link leads; "" where there is none.
std::string target_of(const std::string& link) {
    std::error_code error;
    return fs::read_symlink(link, error).string();
}

std::vector<pid_t> linked_processes(const std::string& folder) {
    std::vector<pid_t> found;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        pid_t pid = 0;
        if (name.starts_with(kPrefix)) {
            std::from_chars(name.data() + kPrefix.size(), name.data() + name.size(), pid);
            found.push_back(pid);
        }
    }
    return found;
}

}  // namespace

ProfileLinks::ProfileLinks(const std::string& socket)
    : folder_(fs::path(socket).parent_path().string()) {
}

ProfileLinks::~ProfileLinks() {
    for (const auto& [pid, link] : links_) {
        unlink(link.c_str());
    }
}

void ProfileLinks::add(pid_t pid, const std::string& path) {
    const std::string link = link_path(folder_, pid);
    unlink(link.c_str());
    std::error_code error;
    const fs::path target = fs::absolute(path, error);
    if (!error && symlink(target.c_str(), link.c_str()) == 0) {
        links_.insert_or_assign(pid, link);
    }
}

Result<ProfileOfProcess> find_profile(pid_t pid) {
    const Result<std::string> folder = folder_of_tree(pid);
    if (!folder) {
        return tl::unexpected<Error>(folder.error());
    }
    if (const Status checked = check_folder(*folder, pid); !checked) {
        return tl::unexpected<Error>(checked.error());
    }
    if (std::string target = target_of(link_path(*folder, pid)); !target.empty()) {
        return ProfileOfProcess{pid, std::move(target)};
    }
    const std::vector<pid_t> profiled = linked_processes(*folder);
    if (profiled.empty()) {
        return fail(ErrorCode::kNotFound,
                    fmt::format("no process of the umbra run of process {} is profiled yet", pid));
    }
    if (profiled.size() > 1) {
        return fail(ErrorCode::kNotFound,
                    fmt::format("process {} is not profiled itself; its umbra run profiles {}: "
                                "name one of them",
                                pid, fmt::join(profiled, ", ")));
    }
    return ProfileOfProcess{profiled.front(), target_of(link_path(*folder, profiled.front()))};
}

}  // namespace umbra::cli
