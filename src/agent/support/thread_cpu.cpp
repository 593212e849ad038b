// SPDX-License-Identifier: MIT
#include "src/agent/support/thread_cpu.h"

#include <array>
#include <cstdio>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/proc_text.h"
#include "src/base/unique_fd.h"

namespace umbra::agent {
namespace {

/// As proc_pid_stat(5) has it; 0: the thread has ended.
char state_of(uint32_t os_tid) noexcept {
    std::array<char, 64> path{};
    std::snprintf(path.data(), path.size(), "/proc/self/task/%u/stat", os_tid);
    const UniqueFd file(open(path.data(), O_RDONLY | O_CLOEXEC));
    std::array<char, 128> line{};
    const ssize_t got = file ? read(file.get(), line.data(), line.size()) : 0;
    constexpr int kState = 3;
    const std::string_view state =
        got > 0 ? stat_field({line.data(), static_cast<size_t>(got)}, kState) : std::string_view();
    return state.empty() ? '\0' : state.front();
}

}  // namespace

uint32_t own_os_tid() noexcept {
    return static_cast<uint32_t>(syscall(SYS_gettid));
}

std::optional<uint64_t> thread_cpu_ns(uint32_t os_tid) noexcept {
    // The kernel's own coding of "scheduler clock of one thread" (posix-timers.h of Linux); what
    // pthread_getcpuclockid() answers for a pthread_t, which nobody has for a foreign thread.
    constexpr uint32_t kPerThread = 4;
    constexpr uint32_t kScheduler = 2;
    const auto clock = static_cast<clockid_t>((~os_tid << 3U) | kPerThread | kScheduler);
    timespec spent{};
    if (clock_gettime(clock, &spent) != 0) {
        return std::nullopt;
    }
    return static_cast<uint64_t>(spent.tv_sec) * 1'000'000'000U +
           static_cast<uint64_t>(spent.tv_nsec);
}

bool is_running(uint32_t os_tid) noexcept {
    return state_of(os_tid) == 'R';
}

bool is_at_rest(uint32_t os_tid) noexcept {
    const char state = state_of(os_tid);
    return state != 'R' && state != 'D';
}

}  // namespace umbra::agent
