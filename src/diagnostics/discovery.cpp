// SPDX-License-Identifier: MIT
// Finds the sockets on which .NET processes take diagnostics commands.
#include "src/diagnostics/discovery.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/diagnostics/exchange.h"
#include "src/diagnostics/target_check.h"

namespace umbra::diagnostics {
namespace {

using std::chrono::milliseconds;

/// A folder may hold many sockets; no folder of temporary files is read for longer than this.
constexpr int kMaxFolderEntries = 1'000'000;
constexpr uint64_t kYoungMs = 3000;
constexpr auto kStartTimeout = milliseconds(1000);
constexpr auto kStartStep = milliseconds(50);
constexpr auto kProbeTimeout = milliseconds(500);

/// Folders the runtime may have put its socket in: TMPDIR as the process was started with, else
/// /tmp.
std::vector<std::string> folders_of(pid_t pid) {
    std::vector<std::string> folders;
    if (const Result<std::string> environment = environment_of(pid)) {
        const auto folder = variable(*environment, "TMPDIR");
        if (folder && folder->starts_with('/')) {
            folders.emplace_back(*folder);
        }
    }
    folders.emplace_back("/tmp");
    return folders;
}

bool is_socket_of(int folder, const std::string& name, const ProcessFacts& process) {
    struct stat status = {};
    return fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISSOCK(status.st_mode) && (status.st_uid == process.uid || status.st_uid == 0);
}

Endpoint endpoint_in(const ProcessFacts& process, std::string folder, std::string name) {
    return {.pid = process.pid,
            .uid = process.uid,
            .folder = std::move(folder),
            .name = std::move(name)};
}

/// A folder of a process; of one that may not be looked into, the folder that has this name here.
UniqueFd open_folder(const ProcessFacts& process, const std::string& folder) {
    constexpr int kFlags = O_PATH | O_DIRECTORY | O_CLOEXEC;
    Result<UniqueFd> fd = open_as(process.pid, folder, kFlags);
    return fd || may_ask(process) ? std::move(fd).value_or(UniqueFd())
                                  : UniqueFd(open(folder.c_str(), kFlags));
}

/// Looks for one name in each folder.
std::optional<Endpoint> find_named(const ProcessFacts& process, const std::string& name) {
    for (const std::string& folder : folders_of(process.pid)) {
        const UniqueFd fd = open_folder(process, folder);
        if (fd && is_socket_of(fd.get(), name, process)) {
            return endpoint_in(process, folder, name);
        }
    }
    return std::nullopt;
}

/// Names in a folder that begin and end so, greatest number in between first.
std::vector<std::string> matching_names(int folder, std::string_view prefix,
                                        std::string_view suffix) {
    std::vector<std::string> names;
    DIR* const entries = fdopendir(dup(folder));
    if (entries == nullptr) {
        return names;
    }
    for (int i = 0; i < kMaxFolderEntries; ++i) {
        // NOLINTNEXTLINE(concurrency-mt-unsafe): a stream of this function alone
        const dirent* const entry = readdir(entries);
        if (entry == nullptr) {
            break;
        }
        const std::string_view name = entry->d_name;
        if (name.starts_with(prefix) && name.ends_with(suffix)) {
            names.emplace_back(name);
        }
    }
    closedir(entries);
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        return std::pair(a.size(), a) > std::pair(b.size(), b);
    });
    return names;
}

std::string runtime_prefix(const ProcessFacts& process) {
    return fmt::format("dotnet-diagnostic-{}-", process.inner_pid);
}
constexpr std::string_view kRuntimeSuffix = "-socket";

/// A socket with another key on which this very process listens: its clock may have another zero.
std::optional<Endpoint> find_listening(const ProcessFacts& process) {
    for (const std::string& folder : folders_of(process.pid)) {
        const Result<UniqueFd> fd = open_as(process.pid, folder, O_RDONLY | O_DIRECTORY);
        if (!fd) {
            continue;
        }
        for (const std::string& name :
             matching_names(fd->get(), runtime_prefix(process), kRuntimeSuffix)) {
            Endpoint candidate = endpoint_in(process, folder, name);
            if (is_socket_of(fd->get(), name, process) &&
                connect_to(candidate, Deadline(kProbeTimeout))) {
                return candidate;
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::string Endpoint::path() const {
    struct stat theirs = {};
    struct stat ours = {};
    const std::string root = fmt::format("/proc/{}/root", pid);
    const bool same_root = stat(root.c_str(), &theirs) == 0 && stat("/", &ours) == 0 &&
                           theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino;
    return fmt::format("{}{}/{}", same_root ? "" : root, folder, name);
}

bool may_ask(const ProcessFacts& process) {
    return geteuid() == 0 || geteuid() == process.uid;
}

std::optional<Endpoint> endpoint_of(const ProcessFacts& process) {
    return find_named(process, fmt::format("{}{}{}", runtime_prefix(process),
                                           process.own_start_ticks, kRuntimeSuffix));
}

Result<Endpoint> find_endpoint(pid_t pid) {
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        const Result<ProcessFacts> process = process_facts(pid);
        if (!process) {
            return tl::unexpected<Error>(process.error());
        }
        if (!may_ask(*process)) {
            return tl::unexpected<Error>(why_unreachable(pid));
        }
        if (auto endpoint = endpoint_of(*process)) {
            return *endpoint;
        }
        const bool young = age_ms(*process) < kYoungMs;
        if (!young || std::chrono::steady_clock::now() - start >= kStartTimeout) {
            auto endpoint = find_listening(*process);
            return endpoint ? Result<Endpoint>(*std::move(endpoint))
                            : tl::unexpected<Error>(why_unreachable(pid));
        }
        std::this_thread::sleep_for(kStartStep);
    }
}

Result<Endpoint> find_agent_endpoint(pid_t pid) {
    const Result<ProcessFacts> process = process_facts(pid);
    if (!process) {
        return tl::unexpected<Error>(process.error());
    }
    auto endpoint = may_ask(*process)
                        ? find_named(*process, fmt::format("umbra-agent-{}-{}", process->inner_pid,
                                                           process->own_start_ticks))
                        : std::nullopt;
    return endpoint ? Result<Endpoint>(*std::move(endpoint))
                    : tl::unexpected<Error>(why_no_agent(pid));
}

}  // namespace umbra::diagnostics
