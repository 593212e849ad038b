// SPDX-License-Identifier: MIT
// SwitchTrace: asks the kernel for the context switches of all threads of a process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/collector/cpu/switch_ring.h"

namespace umbra::collector {

/// The threads a process has now; empty when it has ended.
[[nodiscard]] std::vector<uint32_t> threads_of(uint32_t pid);

/// One event for each processor and each thread there is when it is opened; threads made later
/// inherit them, so that none is missed for a moment. All events of a processor write to one
/// buffer: memory is bounded by the number of processors, whatever the number of threads.
///
/// Needs no privilege where perf_event_paranoid is 2 or less and perf_event_open is not filtered.
/// One thread at a time.
class SwitchTrace {
  public:
    /// Fails, and names the reason, where the kernel refuses any part of it: there are no events,
    /// no memory (perf_event_mlock_kb) or no descriptors left.
    [[nodiscard]] static Result<std::unique_ptr<SwitchTrace>> open(uint32_t pid);

    SwitchTrace(const SwitchTrace&) = delete;
    SwitchTrace& operator=(const SwitchTrace&) = delete;
    ~SwitchTrace();

    /// Calls `sink(const SwitchRecord&)` for each new record: in order for each processor, not
    /// between them. Whatever a thread caused before an event of it was seen is among them.
    template <typename Sink>
    void read(Sink&& sink) {
        for (Cpu& cpu : cpus_) {
            cpu.ring.read(sink);
        }
    }

    /// Threads that there were already.
    [[nodiscard]] const std::unordered_set<uint32_t>& older_threads() const { return older_; }
    /// Records the kernel dropped.
    [[nodiscard]] uint64_t lost() const;

  private:
    struct Cpu {
        void* mapping;
        size_t bytes;  ///< of the mapping
        SwitchRing ring;
    };
    SwitchTrace();

    Status open_thread(uint32_t tid);
    Status map(int event);

    const int64_t clock_ahead_ns_;  ///< of the kernel's, which its records are of
    std::unordered_set<uint32_t> older_;
    std::vector<int> online_;       ///< processors
    std::vector<UniqueFd> events_;  ///< closing one ends it, and those inherited from it
    std::vector<int> outputs_;      ///< by place in cpus_: the event that owns the buffer
    std::vector<Cpu> cpus_;         ///< the first of online_, all once a thread was opened
};

}  // namespace umbra::collector
