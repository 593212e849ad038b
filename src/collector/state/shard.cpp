// SPDX-License-Identifier: MIT
#include "src/collector/state/shard.h"

#include "src/collector/state/profiled_thread.h"

namespace umbra::collector {

void Shard::apply_inbox() {
    if (single_worker_) {
        return;
    }
    inbox_.take(taken_);
    for (const replay::PauseTicks& pause : taken_.pauses) {
        tables.pauses.add(pause);
    }
    for (const Inbox::OffCpu& row : taken_.off_cpu) {
        row.thread->add_off_cpu(row.begin_ticks, row.end_ticks);
    }
    for (const Inbox::OffSince& row : taken_.off_since) {
        row.thread->replay().overlays().set_off_since(row.ticks);
    }
    for (const Inbox::CpuReading& row : taken_.readings) {
        if (replay::CpuWindows* windows = row.thread->replay().windows()) {
            windows->note(row.ticks, row.off_ticks, row.exact);
        }
    }
}

void Shard::tell(const replay::PauseTicks& pause) {
    if (single_worker_) {
        tables.pauses.add(pause);
    } else {
        inbox_.push(&Inbox::Content::pauses, pause);
    }
}

size_t Shard::skip(std::span<const uint64_t> slots, bool complete) {
    replay::RecordCursor cursor(slots, 0);
    while (cursor.next()) {
        ++lost_no_thread_;
        cursor.skip_payload();
    }
    return cursor.consumed(complete);
}

}  // namespace umbra::collector
