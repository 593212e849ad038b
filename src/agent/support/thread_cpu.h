// SPDX-License-Identifier: MIT
// What a thread has spent on processors: its clock, its state, and what no sample has told yet.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>

namespace umbra::agent {

/// CPU time between being spent and being told. A thread that waits spends none, so what was spent
/// since the last sample belongs to a stack on which the thread is found running: it is kept until
/// then.
class CpuLedger {
  public:
    /// What was spent before does not count.
    void begin(uint64_t cpu_ns) {
        last_ns_ = cpu_ns;
        owed_ns_ = 0;
    }
    /// Takes a reading of the thread's clock.
    void note(uint64_t cpu_ns) {
        owed_ns_ += cpu_ns > last_ns_ ? cpu_ns - last_ns_ : 0;
        last_ns_ = cpu_ns;
    }
    /// All that is owed: the thread was found running, and this is told with its stack.
    uint64_t settle() { return std::exchange(owed_ns_, 0); }

    [[nodiscard]] uint64_t last_ns() const { return last_ns_; }
    [[nodiscard]] uint64_t owed_ns() const { return owed_ns_; }

  private:
    uint64_t last_ns_ = 0;
    uint64_t owed_ns_ = 0;
};

/// The caller's number in the kernel.
[[nodiscard]] uint32_t own_os_tid() noexcept;

/// CPU time of a thread of this process; nothing when it has ended. Below 1 us.
[[nodiscard]] std::optional<uint64_t> thread_cpu_ns(uint32_t os_tid) noexcept;

/// Whether the kernel has the thread running or waiting for a processor. About 10 us.
[[nodiscard]] bool is_running(uint32_t os_tid) noexcept;

/// It waits for something that others do, or has ended: no page fault, no disk. About 10 us.
[[nodiscard]] bool is_at_rest(uint32_t os_tid) noexcept;

}  // namespace umbra::agent
