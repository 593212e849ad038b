// SPDX-License-Identifier: MIT
#include "src/collector/state/profiled_thread.h"

namespace umbra::collector {

ProfiledThread::ProfiledThread(Shard& shard, EventSink* sink, uint32_t number, uint32_t replayed_as,
                               uint32_t os_tid, uint64_t start_ticks, uint32_t inside)
    : shard_(&shard),
      replay_(shard.tables, replayed_as, start_ticks, inside),
      sink_(sink),
      number_(number),
      os_tid_(os_tid) {
    if (shard.tables.async.in_use()) {
        replay_.follow_async(number);
    }
    if (sink_ != nullptr) {
        sink_->thread_began(number, os_tid, start_ticks);
    }
}

size_t ProfiledThread::consume(std::span<const uint64_t> slots, bool complete) {
    const size_t consumed = replay_.consume(slots, complete);
    events_.store(replay_.events(), std::memory_order_relaxed);
    if (sink_ != nullptr && consumed != 0) {
        sink_->records(number_, slots.first(consumed));
    }
    return consumed;
}

void ProfiledThread::add_off_cpu(uint64_t begin_ticks, uint64_t end_ticks) {
    replay_.overlays().add_off_cpu(begin_ticks, end_ticks);
    if (sink_ != nullptr) {
        sink_->off_cpu(number_, begin_ticks, end_ticks);
    }
}

void ProfiledThread::tell_off_cpu(uint64_t begin_ticks, uint64_t end_ticks) {
    if (shard_->single_worker()) {
        return add_off_cpu(begin_ticks, end_ticks);
    }
    shard_->inbox().push(&Inbox::Content::off_cpu,
                         {.thread = this, .begin_ticks = begin_ticks, .end_ticks = end_ticks});
}

void ProfiledThread::tell_off_since(uint64_t ticks) {
    if (shard_->single_worker()) {
        return replay_.overlays().set_off_since(ticks);
    }
    shard_->inbox().push(&Inbox::Content::off_since, {.thread = this, .ticks = ticks});
}

void ProfiledThread::tell_cpu(uint64_t ticks, uint64_t off_ticks, bool exact) {
    if (!shard_->single_worker()) {
        return shard_->inbox().push(
            &Inbox::Content::readings,
            {.thread = this, .ticks = ticks, .off_ticks = off_ticks, .exact = exact});
    }
    if (replay::CpuWindows* windows = replay_.windows()) {
        windows->note(ticks, off_ticks, exact);
    }
}

void ProfiledThread::move_to(Shard& shard) {
    replay_.move_to(shard.tables);
    shard_ = &shard;
}

void ProfiledThread::end(uint64_t ticks) {
    if (!replay_.ended()) {
        shard_->note_ended(*this);
    }
    replay_.end(ticks);
    if (sink_ != nullptr) {
        sink_->thread_ended(number_, ticks);
    }
}

}  // namespace umbra::collector
