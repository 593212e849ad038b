// SPDX-License-Identifier: MIT
#include "src/collector/cpu/pause_reader.h"

namespace umbra::collector {
namespace {

/// The fields may be overwritten while they are read.
template <typename T>
T load(const T& field) {
    return std::atomic_ref<T>(const_cast<T&>(field)).load(std::memory_order_relaxed);
}

}  // namespace

void PauseReader::read_new(SessionState& state) {
    const std::lock_guard lock(mutex_);
    const uint64_t published = published_.load(std::memory_order_acquire);
    uint64_t seen = seen_.load(std::memory_order_relaxed);
    if (published < seen) {
        return;  // the count never goes back: not ours to make sense of
    }
    uint64_t lost = 0;
    if (published - seen > entries_.size()) {
        lost = published - seen - entries_.size();
        seen += lost;
    }
    while (seen != published) {
        replay::PauseTicks pause;
        if (copy(++seen, pause)) {
            pause.os_tid = ids_ != nullptr ? ids_->here(pause.os_tid) : pause.os_tid;
            state.note_pause(pause);
        } else {
            ++lost;
        }
    }
    state.note_lost_pauses(lost);
    seen_.store(published, std::memory_order_release);
}

bool PauseReader::copy(uint64_t number, replay::PauseTicks& pause) const {
    const hotpath::PauseEntry& entry = entries_[number & (entries_.size() - 1)];
    if (entry.number.load(std::memory_order_acquire) != number) {
        return false;
    }
    pause.begin_ticks = load(entry.suspend_ticks);
    pause.suspended_ticks = load(entry.suspended_ticks);
    pause.end_ticks = load(entry.resume_ticks);
    pause.os_tid = load(entry.os_tid);
    pause.reason = load(entry.reason);
    pause.generations = load(entry.generations);
    pause.collections = load(entry.collections);
    std::atomic_thread_fence(std::memory_order_acquire);
    return entry.number.load(std::memory_order_relaxed) == number;
}

}  // namespace umbra::collector
