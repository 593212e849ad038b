// SPDX-License-Identifier: MIT
// Shard: the part of a session that one worker replays.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "src/collector/state/gate.h"
#include "src/replay/thread_replay.h"

namespace umbra::collector {

class ProfiledThread;

/// What others have found out for the threads of a shard, and its worker has not taken yet: pauses
/// of the session, and what the kernel says of a thread. Any thread.
class Inbox {
  public:
    struct OffCpu {
        ProfiledThread* thread;
        uint64_t begin_ticks;
        uint64_t end_ticks;
    };
    struct OffSince {
        ProfiledThread* thread;
        uint64_t ticks;
    };
    struct CpuReading {
        ProfiledThread* thread;
        uint64_t ticks;
        uint64_t off_ticks;
        bool exact;
    };
    /// Each kind in the order told; between kinds the order does not matter.
    struct Content {
        std::vector<replay::PauseTicks> pauses;
        std::vector<OffCpu> off_cpu;
        std::vector<OffSince> off_since;
        std::vector<CpuReading> readings;
    };

    template <typename Row>
    void push(std::vector<Row> Content::*rows, const Row& row) {
        const std::lock_guard lock(mutex_);
        (content_.*rows).push_back(row);
    }
    /// All of it goes to `content`, whose rows are forgotten.
    void take(Content& content) {
        content.pauses.clear();
        content.off_cpu.clear();
        content.off_since.clear();
        content.readings.clear();
        const std::lock_guard lock(mutex_);
        std::swap(content, content_);
    }

  private:
    std::mutex mutex_;
    Content content_;  ///< guarded by mutex_
};

/// How far the replay has come.
struct Progress {
    uint64_t events = 0;      ///< records decoded
    uint64_t wait_ticks = 0;  ///< how long threads have waited for the collector, by these
};

/// Threads that are replayed together, with the call tree they share. Its
/// worker's alone; others lock the gate first.
class Shard {
  public:
    /// `number`: of the session's. `single_worker`: nobody but the worker tells its threads
    /// anything, so nothing has to wait in the inbox.
    Shard(uint32_t number, const replay::Limits& limits, bool single_worker)
        : tables(limits), number_(number), single_worker_(single_worker) {}
    [[nodiscard]] uint32_t number() const { return number_; }

    /// Everything in the inbox goes where it belongs. What lies behind an event must have come to
    /// the inbox, and been taken, before the event is replayed.
    void apply_inbox();
    /// Any thread.
    void tell(const replay::PauseTicks& pause);
    Inbox& inbox() { return inbox_; }
    [[nodiscard]] bool single_worker() const { return single_worker_; }

    /// Counts the records of a thread that there was no room for as lost. As
    /// ThreadReplay::consume.
    size_t skip(std::span<const uint64_t> slots, bool complete);
    /// Records of threads beyond the limit.
    [[nodiscard]] uint64_t lost_without_thread() const { return lost_no_thread_; }

    /// A thread has ended, and nobody tells it anything any more.
    void note_ended(ProfiledThread& thread) {
        ended_.push_back(&thread);
        ended_count_.store(ended_.size(), std::memory_order_relaxed);
    }
    /// Those that have ended since this was last asked.
    [[nodiscard]] std::vector<ProfiledThread*> take_ended() {
        ended_count_.store(0, std::memory_order_relaxed);
        return std::exchange(ended_, {});
    }
    /// How many there are to take; anyone.
    [[nodiscard]] size_t ended_count() const {
        return ended_count_.load(std::memory_order_relaxed);
    }

    /// Now and then brought up to date by the worker; read by anyone.
    void publish_progress() {
        events_.store(tables.events, std::memory_order_relaxed);
        wait_ticks_.store(tables.wait_ticks, std::memory_order_relaxed);
    }
    [[nodiscard]] Progress progress() const {
        return {.events = events_.load(std::memory_order_relaxed),
                .wait_ticks = wait_ticks_.load(std::memory_order_relaxed)};
    }

    replay::SharedTables tables;
    mutable Gate gate;

  private:
    const uint32_t number_;
    const bool single_worker_;
    Inbox inbox_;
    Inbox::Content taken_;  ///< kept for its memory
    uint64_t lost_no_thread_ = 0;
    std::vector<ProfiledThread*> ended_;
    std::atomic<size_t> ended_count_{0};
    std::atomic<uint64_t> events_{0};
    std::atomic<uint64_t> wait_ticks_{0};
};

}  // namespace umbra::collector
