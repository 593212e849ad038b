// SPDX-License-Identifier: MIT
#include "src/collector/cpu/schedstat.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <string_view>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include "src/base/proc_text.h"
#include "src/base/read_file.h"

namespace umbra::collector {

namespace {

UniqueFd open_to_read(const std::string& path) {
    return UniqueFd(open(path.c_str(), O_RDONLY | O_CLOEXEC));
}

}  // namespace

Schedstat::Schedstat(uint32_t pid, uint32_t tid, bool keep_open)
    : path_("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/schedstat") {
    if (keep_open) {
        file_ = open_to_read(path_);
    }
}

std::optional<RunTimes> Schedstat::times() const {
    const UniqueFd opened = file_ ? UniqueFd() : open_to_read(path_);
    std::array<char, 96> text{};
    const int file = file_ ? file_.get() : opened.get();
    const ssize_t size = file < 0 ? -1 : pread(file, text.data(), text.size(), 0);
    const std::string_view line(text.data(), size > 0 ? static_cast<size_t>(size) : 0);
    const size_t cpu_end = line.find(' ');
    if (cpu_end == std::string_view::npos) {
        return std::nullopt;
    }
    const size_t delay_end = std::min(line.find(' ', cpu_end + 1), line.size());
    const auto cpu_ns = number_of<uint64_t>(line.substr(0, cpu_end));
    const auto delay_ns = number_of<uint64_t>(line.substr(cpu_end + 1, delay_end - cpu_end - 1));
    if (!cpu_ns || !delay_ns) {
        return std::nullopt;
    }
    return RunTimes{.cpu_ns = *cpu_ns, .delay_ns = *delay_ns};
}

std::optional<uint64_t> Schedstat::cpu_ns() const {
    const std::optional<RunTimes> told = times();
    return told ? std::optional(told->cpu_ns) : std::nullopt;
}

char thread_state(uint32_t pid, uint32_t tid) {
    constexpr int kState = 3;
    constexpr size_t kMaxBytes = 128;  // the state stands there: one read, not two
    const std::string stat =
        read_file("/proc/" + std::to_string(pid) + "/task/" + std::to_string(tid) + "/stat",
                  kMaxBytes)
            .value_or("");
    const std::string_view state = stat_field(stat, kState);
    return state.empty() ? '\0' : state[0];
}

double kernel_timer_ns() {
    timespec step{};  // the coarse clock moves with the timer
    clock_getres(CLOCK_MONOTONIC_COARSE, &step);
    return static_cast<double>(step.tv_sec) * 1e9 + static_cast<double>(step.tv_nsec);
}

std::optional<uint64_t> process_cpu_ns(uint32_t pid) {
    clockid_t clock{};
    timespec time{};
    if (pid == 0 || clock_getcpuclockid(static_cast<pid_t>(pid), &clock) != 0 ||
        clock_gettime(clock, &time) != 0) {
        return std::nullopt;
    }
    return static_cast<uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(time.tv_nsec);
}

}  // namespace umbra::collector
