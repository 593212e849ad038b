// SPDX-License-Identifier: MIT
// The kernel's own figures of CPU time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "src/base/unique_fd.h"

namespace umbra::collector {

/// What the kernel counts of a thread since it began.
struct RunTimes {
    uint64_t cpu_ns = 0;    ///< on a processor
    uint64_t delay_ns = 0;  ///< ready to run, while no processor was free for it
};

/// /proc/PID/task/TID/schedstat. Its figures are exact while the thread does not run, and up to a
/// timer tick of the kernel (1 to 10 ms) behind while it does. A reading takes 0.7 us, 4 us when
/// the file is not kept open.
class Schedstat {
  public:
    Schedstat(uint32_t pid, uint32_t tid, bool keep_open);

    /// None when the thread has ended, or the kernel does not tell.
    [[nodiscard]] std::optional<RunTimes> times() const;
    /// Of these the first alone.
    [[nodiscard]] std::optional<uint64_t> cpu_ns() const;

  private:
    std::string path_;
    UniqueFd file_;
};

/// What the kernel says of a thread in /proc: R is on a processor or waits for one, S and D wait
/// for something else; 0 when it has ended.
[[nodiscard]] char thread_state(uint32_t pid, uint32_t tid);

/// Nanoseconds between two ticks of the kernel's timer.
[[nodiscard]] double kernel_timer_ns();

/// CPU time of all threads of a process, those that have ended too, in nanoseconds, exact; none
/// once the process was waited for.
[[nodiscard]] std::optional<uint64_t> process_cpu_ns(uint32_t pid);

}  // namespace umbra::collector
