// SPDX-License-Identifier: MIT
// What /proc tells of another process.
#include "src/diagnostics/process_facts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <system_error>
#include <unordered_set>
#include <utility>

#include <elf.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <pwd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/command_line.h"
#include "src/base/proc_text.h"
#include "src/base/read_file.h"
#include "src/base/time_namespace.h"
#include "src/base/utf8.h"

namespace umbra::diagnostics {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxEnvironmentBytes = 8U << 20;
constexpr size_t kMaxMapsBytes = 32U << 20;
constexpr size_t kMaxCommandLineBytes = 64U << 10;
constexpr size_t kMaxSmallFileBytes = 64U << 10;

std::string proc_path(pid_t pid, std::string_view file) {
    return fmt::format("/proc/{}/{}", pid, file);
}

Result<std::string> read_proc(pid_t pid, std::string_view file, size_t limit) {
    const std::string path = proc_path(pid, file);
    const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd) {
        const ErrorCode code = errno == EACCES || errno == EPERM   ? ErrorCode::kRefused
                               : errno == ENOENT || errno == ESRCH ? ErrorCode::kNotFound
                                                                   : ErrorCode::kSystem;
        return fail(code, fmt::format("cannot read {}: {}", path, strerrordesc_np(errno)), errno);
    }
    return read_some(fd.get(), limit);
}

Error no_such_process(pid_t pid) {
    // Under hidepid the processes of others do not show.
    const bool hidden = kill(pid, 0) != 0 && errno == EPERM;
    return {.code = hidden ? ErrorCode::kRefused : ErrorCode::kNotFound,
            .context = hidden ? fmt::format("process {} belongs to another user: run umbra as that "
                                            "user or as root",
                                            pid)
                              : fmt::format("there is no process {}", pid)};
}

}  // namespace

std::string read_some(int fd, size_t limit) {
    std::string text;
    static_cast<void>(read_up_to(fd, limit, text));
    return text;
}

namespace {

// /proc tells times by the clocks of whoever reads there.
uint64_t ticks_ahead(pid_t pid) {
    const int64_t ns = clock_offsets(pid).boottime_ns - clock_offsets(0).boottime_ns;
    const long hertz = sysconf(_SC_CLK_TCK);
    return hertz <= 0 ? 0 : static_cast<uint64_t>(ns / (1'000'000'000 / hertz));
}

}  // namespace

Result<ProcessFacts> process_facts(pid_t pid) {
    const Result<std::string> stat =
        pid > 0 ? read_proc(pid, "stat", kMaxSmallFileBytes) : fail(ErrorCode::kNotFound, "");
    const Result<std::string> status =
        stat ? read_proc(pid, "status", kMaxSmallFileBytes) : fail(ErrorCode::kNotFound, "");
    if (!stat || !status || stat->empty()) {
        return tl::unexpected<Error>(no_such_process(pid));
    }
    constexpr int kState = 3;
    constexpr int kFlags = 9;
    constexpr int kWaitStatus = 52;
    constexpr uint32_t kExiting = 4;  // PF_EXITING of the kernel's include/linux/sched.h
    const std::string_view states = stat_field(*stat, kState);
    const std::optional<uint64_t> start = start_time_of(*stat);
    const std::vector<std::string_view> tgid = status_field(*status, "Tgid");
    const std::vector<std::string_view> uid = status_field(*status, "Uid");
    const std::vector<std::string_view> inner = status_field(*status, "NSpid");
    const auto user = uid.size() > 1 ? number_of<uid_t>(uid[1]) : std::nullopt;
    if (!start || !user || states.empty()) {
        return fail(ErrorCode::kSystem,
                    fmt::format("cannot understand {}: is /proc mounted?", proc_path(pid, "stat")));
    }
    const char state = states[0];
    const uint32_t flags = number_of<uint32_t>(stat_field(*stat, kFlags)).value_or(0);
    const pid_t group = tgid.empty() ? pid : number_of<pid_t>(tgid[0]).value_or(pid);
    if (group != pid) {
        return fail(ErrorCode::kNotFound,
                    fmt::format("{} is a thread of process {}: name the process", pid, group));
    }
    return ProcessFacts{
        .pid = pid,
        .inner_pid = inner.empty() ? pid : number_of<pid_t>(inner.back()).value_or(pid),
        .uid = *user,
        .start_ticks = *start,
        .own_start_ticks = *start + ticks_ahead(pid),
        .state = state,
        .ends = state == 'Z' || state == 'X' || (flags & kExiting) != 0,
        .wait_status =
            state == 'Z' ? number_of<int>(stat_field(*stat, kWaitStatus)).value_or(0) : 0};
}

uint64_t age_ms(const ProcessFacts& process) {
    timespec now = {};
    const long hertz = sysconf(_SC_CLK_TCK);
    if (clock_gettime(CLOCK_BOOTTIME, &now) != 0 || hertz <= 0) {
        return 0;
    }
    const uint64_t now_ms =
        static_cast<uint64_t>(now.tv_sec) * 1000 + static_cast<uint64_t>(now.tv_nsec) / 1'000'000;
    const uint64_t start_ms = process.start_ticks * 1000 / static_cast<uint64_t>(hertz);
    return now_ms > start_ms ? now_ms - start_ms : 0;
}

std::vector<pid_t> all_processes() {
    std::vector<pid_t> found;
    std::error_code error;
    for (fs::directory_iterator entry("/proc", error), end; !error && entry != end;
         entry.increment(error)) {
        if (const auto pid = number_of<pid_t>(entry->path().filename().native())) {
            found.push_back(*pid);
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

Result<std::string> environment_of(pid_t pid) {
    return read_proc(pid, "environ", kMaxEnvironmentBytes);
}

std::optional<std::string_view> variable(std::string_view environment, std::string_view name) {
    while (!environment.empty()) {
        const std::string_view entry = environment.substr(0, environment.find('\0'));
        if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=') {
            return entry.substr(name.size() + 1);
        }
        environment.remove_prefix(std::min(environment.size(), entry.size() + 1));
    }
    return std::nullopt;
}

std::string command_line(pid_t pid) {
    std::string text = read_proc(pid, "cmdline", kMaxCommandLineBytes).value_or("");
    while (!text.empty() && text.back() == '\0') {
        text.pop_back();
    }
    if (text.empty()) {
        std::string name = read_proc(pid, "comm", kMaxSmallFileBytes).value_or("");
        return printable_utf8(fmt::format("[{}]", name.substr(0, name.find('\n'))));
    }
    return printable_utf8(line_of_arguments(text));
}

std::vector<std::string> mapped_code(pid_t pid) {
    const std::string maps = read_proc(pid, "maps", kMaxMapsBytes).value_or("");
    std::vector<std::string> paths;
    std::unordered_set<std::string_view> seen;
    for (std::string_view rest = maps; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        // address perms offset device inode path
        const size_t blank = line.find(' ');
        const size_t slash = line.find('/');
        if (blank == std::string_view::npos || slash == std::string_view::npos ||
            line.substr(blank + 1, 4).find('x') == std::string_view::npos) {
            continue;
        }
        constexpr std::string_view kDeleted = " (deleted)";
        std::string_view path = line.substr(slash);
        if (path.ends_with(kDeleted)) {
            path.remove_suffix(kDeleted.size());
        }
        if (seen.insert(path).second) {
            paths.emplace_back(path);
        }
    }
    return paths;
}

std::vector<std::string> thread_names(pid_t pid) {
    std::vector<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entry(proc_path(pid, "task"), error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string file = fmt::format("task/{}/comm", entry->path().filename().native());
        const std::string name = read_proc(pid, file, kMaxSmallFileBytes).value_or("");
        names.push_back(name.substr(0, name.find('\n')));
    }
    return names;
}

Result<UniqueFd> open_as(pid_t pid, const std::string& path, int flags) {
    const std::string root = proc_path(pid, "root");
    const UniqueFd folder(open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!folder) {
        return fail(ErrorCode::kRefused,
                    fmt::format("cannot open {}: {}", root, strerrordesc_np(errno)), errno);
    }
    open_how how = {};
    const int how_to_open = flags | O_CLOEXEC | ((flags & O_PATH) != 0 ? 0 : O_NONBLOCK);
    how.flags = static_cast<unsigned>(how_to_open);
    how.resolve = RESOLVE_IN_ROOT;
    UniqueFd fd(
        static_cast<int>(syscall(SYS_openat2, folder.get(), path.c_str(), &how, sizeof how)));
    if (!fd && (errno == ENOSYS || errno == EPERM)) {
        // Linux before 5.6, or a seccomp filter from before it.
        fd.reset(open((root + path).c_str(), how_to_open));
    }
    if (!fd) {
        return fail(errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kSystem,
                    fmt::format("cannot open {}{}: {}", root, path, strerrordesc_np(errno)), errno);
    }
    return fd;
}

std::optional<ElfKind> program_kind(pid_t pid) {
    const Result<std::string> head = read_proc(pid, "exe", EI_NIDENT + 4);
    if (!head || head->size() < EI_NIDENT + 4 || !head->starts_with(ELFMAG)) {
        return std::nullopt;
    }
    ElfKind kind{.is_64_bit = (*head)[EI_CLASS] == ELFCLASS64};
    // e_machine has the same place in both classes.
    std::memcpy(&kind.machine, head->data() + EI_NIDENT + 2, sizeof kind.machine);
    return kind;
}

std::string user_name(uid_t uid) {
    std::array<char, 4096> buffer;
    passwd entry = {};
    passwd* found = nullptr;
    if (getpwuid_r(uid, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
        return printable_utf8(entry.pw_name);
    }
    return std::to_string(uid);
}

}  // namespace umbra::diagnostics
