// SPDX-License-Identifier: MIT
#include "src/collector/cpu/schedstat.h"

#include <array>
#include <charconv>
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

std::optional<uint64_t> Schedstat::cpu_ns() const {
    const UniqueFd opened = file_ ? UniqueFd() : open_to_read(path_);
    std::array<char, 96> text{};
    const int file = file_ ? file_.get() : opened.get();
    const ssize_t size = file < 0 ? -1 : pread(file, text.data(), text.size(), 0);
    uint64_t ns = 0;
    if (size <= 0 || std::from_chars(text.data(), text.data() + size, ns).ec != std::errc()) {
        return std::nullopt;
    }
    return ns;
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
