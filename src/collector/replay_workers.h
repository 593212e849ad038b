// SPDX-License-Identifier: MIT
// ReplayWorkers: the threads that replay a session, each with rings and a shard of its own.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "src/collector/cpu/schedstat.h"
#include "src/collector/drain.h"
#include "src/collector/live/budget.h"
#include "src/collector/live/worker_balance.h"

namespace umbra::collector {

/// How many threads replay a session.
struct WorkerCount {
    uint32_t first = 1;  ///< from the start
    uint32_t most = 1;   ///< `first`, or more: others are added when they are needed
};
/// `wanted` 0: one, and more when they are needed, up to a fourth of the processors that umbra may
/// run on.
[[nodiscard]] WorkerCount worker_count(uint32_t wanted);

/// One thread calls everything, the session's drain thread: it finds new threads, spreads them over
/// the workers, and is the first worker itself. What it does to another's shard or drain it does
/// behind that one's gate, between two turns.
class ReplayWorkers {
  public:
    using Clock = std::chrono::steady_clock;
    /// Hears of a thread that has begun, before any of its records are replayed.
    using OnThread = std::function<void(ProfiledThread&)>;
    static constexpr auto kWindow = std::chrono::milliseconds(100);

    /// All that is given by reference must outlive the workers. Where the system has no threads or
    /// memory for as many, there are fewer. What the threads call themselves becomes what they are
    /// called here.
    ReplayWorkers(SharedSegment& segment, SessionState& state, CpuWatch& cpu, ThreadIds& ids,
                  OnThread on_thread, WorkerCount count = {});
    ReplayWorkers(const ReplayWorkers&) = delete;
    ReplayWorkers& operator=(const ReplayWorkers&) = delete;
    ~ReplayWorkers() { stop(); }

    [[nodiscard]] size_t size() const { return workers_.size(); }
    [[nodiscard]] uint32_t live_threads() const {
        return share_.live.load(std::memory_order_relaxed);
    }

    /// Finds new threads, and does the first worker's turn.
    bool turn();
    /// Finds new threads, and takes whole chunks from the first worker's rings; reads none that is
    /// being filled. False: nothing moved.
    bool take_chunks();
    /// See Drain; all workers'.
    void read_tails();
    uint64_t read_tails(uint64_t now_ticks);
    void reclaim_from_quiet(Clock::time_point now);
    /// The target is gone, or nobody wants to hear more: everything it published is read, by each
    /// worker at once, and the others end.
    void read_out();

    /// Sleeps until a thread hands over a chunk, or `limit` has passed.
    void sleep(std::chrono::nanoseconds limit) { sleep(workers_.front(), limit); }
    /// Ends all sleeps early, from any thread; one that begins just now runs to its limit.
    static void interrupt(SharedSegment& segment);

    /// Processor time of all workers.
    [[nodiscard]] uint64_t cpu_ns() const;
    /// What the scheduler tells of all workers, those that have ended too: their processor time,
    /// and how long they were ready to run without a processor. Zero where it does not tell. Any
    /// thread, but not beside add_worker().
    [[nodiscard]] RunTimes run_times() const;

    /// A window is over, and there is something to be balanced.
    [[nodiscard]] bool balance_due(Clock::time_point now) const;
    /// Moves threads from workers without rest to others, and adds a worker if one is needed.
    void balance(Clock::time_point now, const ProcessorUse& use);
    [[nodiscard]] bool follows_async() const;
    /// What balance() does with WorkerBalance::moves. Who has ended, is very deep or runs a resumed
    /// call stays.
    void move(const std::vector<ThreadMove>& moves);
    /// Another one, if the system has room.
    void add_worker();

  private:
    struct Worker {
        Worker(DrainShare& share, Shard& shard) : drain(share, shard) {}

        Drain drain;
        std::atomic<int64_t> rested_ns{0};
        // The drain thread's:
        int64_t rested_at_window_ns = 0;
        uint64_t recent_chunks = 0;  ///< of the last window
        uint32_t fresh = 0;          ///< threads given to it since
        clockid_t cpu_clock{};
        std::atomic<uint32_t> tid{0};  ///< 0: does not run yet, or has `ended`
        RunTimes ended;                ///< written before
        std::thread thread{};          ///< none: the drain thread
    };

    void find_threads();
    void open_ring(uint32_t slot, hotpath::ThreadBlock& block);
    [[nodiscard]] ProfiledThread* begin_thread(const hotpath::ThreadBlock& block, Shard& shard);
    [[nodiscard]] Worker& least_loaded();
    void run(Worker& worker);
    static void end(Worker& worker);
    void sleep(Worker& worker, std::chrono::nanoseconds limit);
    bool take_chunks(Worker& worker);
    [[nodiscard]] std::vector<WorkerLoad> take_loads(Clock::time_point now);
    /// The others end, having read everything out.
    void stop();

    SharedSegment& segment_;
    SessionState& state_;
    CpuWatch& cpu_;
    ThreadIds& ids_;
    OnThread on_thread_;
    DrainShare share_;
    uint32_t most_;
    std::deque<Worker> workers_;  ///< the first is the drain thread's
    std::atomic<bool> stop_{false};
    std::mutex sleep_mutex_;
    uint32_t sleepers_ = 0;  ///< guarded by sleep_mutex_

    WorkerBalance balance_;
    Clock::time_point window_begin_ = Clock::now();
    ProcessorUse use_at_begin_;
    uint64_t chunks_a_thread_ = 1;  ///< of those that had any in the last window
};

}  // namespace umbra::collector
