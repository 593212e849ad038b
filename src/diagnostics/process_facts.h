// SPDX-License-Identifier: MIT
// What /proc tells of another process. All of it is the other process's word: bounded, never
// believed to be well-formed. Every function may be called from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/base/unique_fd.h"

namespace umbra::diagnostics {

/// What every user may read of every process.
struct ProcessFacts {
    pid_t pid = 0;                 ///< in umbra's pid namespace
    pid_t inner_pid = 0;           ///< in its own, the innermost one
    uid_t uid = 0;                 ///< effective
    uint64_t start_ticks = 0;      ///< since boot: field 22 of /proc/PID/stat
    uint64_t own_start_ticks = 0;  ///< start_ticks as the process reads it, by its own clocks
    char state = '?';              ///< field 3: R, S, D, T, t, Z, X ...
    /// It has ended, or is about to: its descriptors are closed after that can be read here.
    bool ends = false;
    /// Of one that has ended and whose parent has not asked yet (state Z): as waitpid tells it. 0
    /// as well where this user may not know.
    int wait_status = 0;
};

/// Errors: kNotFound (no such process, or the number of a thread), kSystem.
[[nodiscard]] Result<ProcessFacts> process_facts(pid_t pid);

/// Milliseconds since the process started; 0 if that cannot be told.
[[nodiscard]] uint64_t age_ms(const ProcessFacts& process);

/// Processes this user can see.
[[nodiscard]] std::vector<pid_t> all_processes();

/// The environment the process was started with: entries ended by NUL, 8 MiB at most. Errors:
/// kRefused (another user's), kNotFound, kSystem.
[[nodiscard]] Result<std::string> environment_of(pid_t pid);

/// The value of `name` in such a block.
[[nodiscard]] std::optional<std::string_view> variable(std::string_view environment,
                                                       std::string_view name);

/// The command line as line_of_arguments() has it, made printable; of a process without one its
/// name in brackets.
[[nodiscard]] std::string command_line(pid_t pid);

/// Paths of the files mapped executable, each once, in the order of their addresses; as the process
/// sees them. Empty if they may not be read.
[[nodiscard]] std::vector<std::string> mapped_code(pid_t pid);

/// Names of its threads.
[[nodiscard]] std::vector<std::string> thread_names(pid_t pid);

/// Opens an absolute path as the process would: below its root, symbolic links included. Never
/// blocks on a FIFO. os_error of the error is that of open().
[[nodiscard]] Result<UniqueFd> open_as(pid_t pid, const std::string& path, int flags);

/// The class and machine of the program a process runs, from its ELF header; nullopt if it may not
/// be read.
struct ElfKind {
    bool is_64_bit = false;
    uint16_t machine = 0;  ///< EM_X86_64 ...
};
[[nodiscard]] std::optional<ElfKind> program_kind(pid_t pid);

/// The user's name, or the number.
[[nodiscard]] std::string user_name(uid_t uid);

/// The next `limit` bytes of an open file, or as many as can be read.
[[nodiscard]] std::string read_some(int fd, size_t limit);

}  // namespace umbra::diagnostics
