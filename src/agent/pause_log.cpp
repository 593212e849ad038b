// SPDX-License-Identifier: MIT
#include "src/agent/pause_log.h"

#include <cstddef>

#include "hotpath/recorder.h"
#include "src/agent/support/thread_cpu.h"

namespace umbra::agent {

PauseLog::PauseLog(hotpath::SegmentHeader& header)
    : header_(header),
      entries_(reinterpret_cast<hotpath::PauseEntry*>(reinterpret_cast<std::byte*>(&header) +
                                                      hotpath::kPausesOffset)) {
}

void PauseLog::publish(const hotpath::PauseEntry& pause) noexcept {
    const std::lock_guard lock(mutex_);
    const uint64_t number = ++published_;
    hotpath::PauseEntry& entry = entries_[number & (hotpath::kPauseEntries - 1)];
    entry.number.store(0, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);  // 0 is seen before any new field
    entry.suspend_ticks = pause.suspend_ticks;
    entry.suspended_ticks = pause.suspended_ticks;
    entry.resume_ticks = pause.resume_ticks;
    entry.os_tid = pause.os_tid;
    entry.reason = pause.reason;
    entry.generations = pause.generations;
    entry.collections = pause.collections;
    entry.number.store(number, std::memory_order_release);
    header_.pauses.store(number, std::memory_order_release);
}

void Suspension::begin(uint32_t reason) noexcept {
    running_ = true;
    reason_ = reason;
    generations_ = 0;
    collections_ = 0;
    begin_ticks_ = hotpath::recorder_ticks();
    stopped_ticks_ = begin_ticks_;
}

void Suspension::all_stopped() noexcept {
    stopped_ticks_ = hotpath::recorder_ticks();
}

void Suspension::collection(uint32_t generations) noexcept {
    if (running_) {
        generations_ |= generations;
        ++collections_;
    }
}

bool Suspension::end(PauseLog& log) noexcept {
    if (!running_) {
        return false;
    }
    running_ = false;
    hotpath::PauseEntry pause{};
    pause.suspend_ticks = begin_ticks_;
    pause.suspended_ticks = stopped_ticks_;
    pause.resume_ticks = hotpath::recorder_ticks();
    pause.os_tid = own_os_tid();
    pause.reason = reason_;
    pause.generations = generations_;
    pause.collections = collections_;
    log.publish(pause);
    return true;
}

}  // namespace umbra::agent
