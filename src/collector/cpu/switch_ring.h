// SPDX-License-Identifier: MIT
// SwitchRing: one buffer of the kernel's context-switch records, and how they are read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include <linux/perf_event.h>

namespace umbra::collector {

/// One record of interest. Times are of CLOCK_MONOTONIC_RAW as this process reads it, in
/// nanoseconds.
struct SwitchRecord {
    enum class Kind : uint8_t {
        kIn,    ///< the thread is on a processor from now on
        kOut,   ///< ... off the processors
        kExit,  ///< the thread has ended
    };
    Kind kind;
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
};

/// Reads a perf buffer laid out as perf_event_open(2) says, of events with sample_id_all and
/// PERF_SAMPLE_TID | PERF_SAMPLE_TIME. The kernel writes data_head after the records, so that a
/// record a thread caused before something else of it was seen is found (acquire).
/// Any content is allowed: a record that cannot be ends the reading, and all up to data_head is
/// given up and counted. One thread.
class SwitchRing {
  public:
    /// `page` and `data` (a power of two bytes) must outlive it. `ahead_ns`: how far this process's
    /// clock is ahead of the kernel's.
    SwitchRing(perf_event_mmap_page* page, std::span<const std::byte> data, int64_t ahead_ns = 0)
        : page_(page), data_(data), ahead_ns_(ahead_ns) {}

    /// Calls `sink(const SwitchRecord&)` for each new record.
    template <typename Sink>
    void read(Sink&& sink) {
        const uint64_t head = __atomic_load_n(&page_->data_head, __ATOMIC_ACQUIRE);
        if (head == tail_) {
            return;
        }
        SwitchRecord record{};
        while (tail_ != head) {
            if (next(head, record)) {
                sink(std::as_const(record));
            }
        }
        __atomic_store_n(&page_->data_tail, tail_, __ATOMIC_RELEASE);
    }

    /// Records the kernel dropped because the buffer was full, and those that made no sense.
    [[nodiscard]] uint64_t lost() const { return lost_; }

  private:
    /// Steps over one record. True: it is of interest.
    bool next(uint64_t head, SwitchRecord& record);
    void copy(uint64_t at, void* to, size_t bytes) const;

    perf_event_mmap_page* page_;
    std::span<const std::byte> data_;
    int64_t ahead_ns_;
    uint64_t tail_ = 0;
    uint64_t lost_ = 0;
};

}  // namespace umbra::collector
