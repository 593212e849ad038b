// SPDX-License-Identifier: MIT
// SessionLoop: what the drain thread of a session does, and all that is this thread's alone.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "hotpath/segment.h"
#include "src/collector/checkpoint_times.h"
#include "src/collector/cpu/clock_line.h"
#include "src/collector/cpu/cpu_watch.h"
#include "src/collector/cpu/thread_ids.h"
#include "src/collector/live/budget.h"
#include "src/collector/live/live_stats.h"
#include "src/collector/recording_spec.h"
#include "src/collector/replay_workers.h"
#include "src/collector/shared_segment.h"
#include "src/collector/state/event_sink.h"
#include "src/collector/state/fact_queue.h"
#include "src/collector/state/session_state.h"
#include "src/collector/state/snapshot.h"
#include "src/profile/profile.h"
#include "src/protocol/messages.h"
#include "src/replay/linear_clock.h"

namespace umbra::collector {

/// What a session hands on: enough to build a profile on another thread.
struct Checkpoint {
    Snapshot snapshot;
    replay::LinearClock clock;
    profile::Session facts;
    bool final = false;
    std::shared_ptr<CheckpointCost> cost{};  ///< to be told; null: nobody asks
};

/// Of one session, beside what all have in common.
struct SessionOptions {
    const RecordingSpec& spec;
    /// Called on the drain thread, quickly: it only hands the checkpoint on. None: nobody wants
    /// checkpoints.
    std::function<void(Checkpoint)> deliver{};
    /// Session::figures() are wanted from the beginning, see Session::watch().
    bool watch = false;
    /// The process's number as this process sees it; 0: as the process says.
    uint32_t pid = 0;
    /// Hands a request on to the agent, on any thread. Whoever has the socket sets it.
    std::function<void(protocol::RemoveHooks)> remove_hooks{};
    /// Sees all records, on the drain thread; null: nobody does.
    std::shared_ptr<EventSink> sink{};
};

/// CPU time that a process has used since a session began. Any thread.
class ProcessCpu {
  public:
    /// `running`: the process was there before the session.
    ProcessCpu(uint32_t pid, bool running);

    /// Reads it anew; what was read last stays when the process has gone.
    void read();
    /// What the process itself read, since its start; more than an int64_t holds is not believed.
    void take(uint64_t process_cpu_ns);
    [[nodiscard]] uint64_t ns() const { return ns_.load(); }

  private:
    const uint32_t pid_;
    const uint64_t before_ns_;
    std::atomic<uint64_t> ns_{0};
};

/// What passes between the drain thread and the others.
struct SessionExchange {
    // written by the drain thread, always up to date
    std::atomic<uint64_t> events{0};
    std::atomic<uint32_t> threads{0};

    // written by the others
    std::atomic<bool> stop{false};
    std::atomic<bool> shut_down{false};      ///< the runtime shuts down in order
    std::atomic<bool> capture_ended{false};  ///< the agent's hooks are gone
    std::atomic<bool> watched{false};        ///< figures are wanted

    FactQueue facts;  ///< told and not yet applied

    std::mutex mutex;
    std::shared_ptr<const protocol::LiveFigures> figures;  ///< guarded by mutex; null: none yet
};

/// One thread runs it; when that has ended, another may ask for the last checkpoint.
class SessionLoop {
  public:
    /// All that is given by reference must outlive the loop. `facts`: what is known of the process
    /// from the start.
    SessionLoop(SharedSegment& segment, const SessionOptions& options,
                const profile::Session& facts, SessionExchange& exchange, ProcessCpu& process_cpu);

    /// Until SessionExchange::stop; then everything is read out.
    void run();
    /// Delivers what there is by now. `facts`: of the process, by now.
    void checkpoint(profile::Session facts, bool final);
    /// The last figures, if they are watched. `ended`: how the session has.
    void last_figures(const std::string& ended);

  private:
    void apply_facts();
    void apply(const protocol::RuntimeStarted& fact) { state_.note(fact); }
    void apply(const protocol::FunctionNamed& fact) { state_.note(fact); }
    void apply(const protocol::ModuleLoaded& fact) { state_.note(fact); }
    void apply(const protocol::TypeNamed& fact) { state_.note(fact); }
    void apply(const protocol::ArgumentNamed& fact) { state_.note(fact); }
    void apply(const protocol::AsyncTypeNamed& fact) { state_.note(fact); }
    void apply(protocol::ThreadNamed& fact);
    void apply(const protocol::HooksRemoved& fact);
    void apply(const protocol::Inlined& fact) { state_.note(fact); }
    /// What the probes cost, as soon as the agent has said so; once. Begins the budget.
    void take_probe_costs();
    void update_budget(std::chrono::steady_clock::time_point now);
    /// What has happened so far becomes logical calls, when due.
    void follow_async(std::chrono::steady_clock::time_point now);
    void merge_async();
    /// Of program and workers, called by the drain thread.
    [[nodiscard]] ProcessorUse processor_use() const;
    /// Begins to keep figures or gives it up, as is wanted, and does a slice of the work when due.
    void update_stats(std::chrono::steady_clock::time_point now);
    void publish_figures(const std::string& ended);
    void name_thread(ProfiledThread& thread) const;
    /// A turn of the first worker. Sleeps, unless something moved.
    void replay_step();
    [[nodiscard]] double ticks_per_ns() const;

    SharedSegment& segment_;
    const SessionOptions& options_;
    const profile::Session& facts_;
    SessionExchange& exchange_;
    ProcessCpu& process_cpu_;
    const uint64_t start_ticks_;
    const hotpath::ClockSource clock_source_;
    const WorkerCount worker_count_;
    SessionState state_;
    ClockLine clock_;
    CpuWatch cpu_;
    ThreadIds ids_;
    std::optional<ReplayWorkers> workers_;  ///< from run() on
    std::optional<Budget> budget_;          ///< none: no limit
    std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    CheckpointTimes checkpoints_{options_.spec.checkpoint, started_};
    std::optional<LiveStatsTracker> stats_;  ///< none: nobody looks
    bool probe_costs_taken_ = false;
    std::chrono::steady_clock::time_point next_merge_{};
};

}  // namespace umbra::collector
