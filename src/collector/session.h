// SPDX-License-Identifier: MIT
// Session: one profiled process, from its Hello to its last record.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "src/base/result.h"
#include "src/collector/cpu/clock_line.h"
#include "src/collector/cpu/cpu_watch.h"
#include "src/collector/cpu/thread_ids.h"
#include "src/collector/drain.h"
#include "src/collector/live/budget.h"
#include "src/collector/live/clock_policy.h"
#include "src/collector/live/hot_watch.h"
#include "src/collector/shared_segment.h"
#include "src/collector/state/event_sink.h"
#include "src/collector/state/session_state.h"
#include "src/collector/state/snapshot.h"
#include "src/protocol/messages.h"
#include "src/replay/estimate/linear_clock.h"

namespace umbra::collector {

/// What a session hands on: enough to build a profile on another thread.
struct SnapshotParcel {
    Snapshot snapshot;
    replay::LinearClock clock;
    profile::Session facts;
    bool final = false;
};

/// Owns a drain thread. Everything but `live` and `figures` is called from one other thread, the
/// one that reads the socket.
class Session {
  public:
    struct Options {
        std::chrono::milliseconds checkpoint{10'000};
        /// Called on the drain thread, quickly: it only hands the parcel on.
        std::function<void(SnapshotParcel)> deliver;
        /// What the probes may cost, in percent of the time without them; 0: they may cost what
        /// they cost.
        double max_overhead_percent = 0;
        CpuSource cpu = CpuSource::kAuto;
        size_t max_logged_calls = 0;  ///< of the time line; 0: there is none
        replay::TreeShape tree = replay::TreeShape::kFolded;
        /// Keeps figures() up to date, which takes up to 1 % of the drain thread.
        bool watch = false;
        /// The process's number as this process sees it; 0: as the process says.
        uint32_t pid = 0;
        /// Hands a request on to the agent, on any thread. Whoever has the socket sets it.
        std::function<void(protocol::Limit)> limit{};
        /// Sees all records, on the drain thread; null: nobody does.
        std::shared_ptr<EventSink> sink{};
    };
    /// Always up to date.
    struct Live {
        std::atomic<uint64_t> events{0};
        std::atomic<uint32_t> threads{0};
    };
    /// With Options::watch about a second old, of a large call tree some seconds; else as it is
    /// here.
    struct Figures {
        bool known = false;
        Moment moment;
        std::string hottest;  ///< name of that function; empty: none
    };

    [[nodiscard]] static Result<std::unique_ptr<Session>> start(const protocol::Hello& hello,
                                                                const protocol::Welcome& welcome,
                                                                UniqueFd segment, Options options);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    /// Hands what the agent tells of the process to the drain thread.
    void post(protocol::ProcessFact fact);
    /// The runtime shuts down in order; what is still to come will come now.
    void note_shutdown();
    /// Of a process that was running already: the agent's hooks are gone.
    void note_window_end() { window_ended_.store(true); }

    /// The process has closed its connection; it is about to be gone.
    void disconnected() { keep_process_cpu(); }

    /// No more will come. `complete`: the process has ended, so that what is there is everything;
    /// `ended` says how. Reads everything out and delivers the last parcel before it returns.
    void finish(std::string ended, bool complete);

    [[nodiscard]] const Live& live() const { return live_; }
    /// Any thread.
    [[nodiscard]] Figures figures() const;
    [[nodiscard]] uint32_t pid() const { return facts_.pid; }
    [[nodiscard]] const std::string& program() const { return facts_.program; }
    [[nodiscard]] bool shut_down() const { return shut_down_; }
    [[nodiscard]] bool window_ended() const { return window_ended_; }

  private:
    Session(SharedSegment segment, profile::Session facts, bool adaptive, bool running,
            Options options);

    void run();
    void apply_facts();
    void apply(const protocol::FunctionNamed& fact) { state_.note(fact); }
    void apply(const protocol::ModuleLoaded& fact) { state_.note(fact); }
    void apply(const protocol::TypeNamed& fact) { state_.note(fact); }
    void apply(protocol::ThreadNamed& fact);
    void apply(const protocol::HooksRemoved& fact);
    /// What the probes cost, as soon as the agent has said so; once. Begins the budget.
    void take_probe_costs();
    void keep_budget(std::chrono::steady_clock::time_point now);
    /// Of the drain thread, called by it.
    [[nodiscard]] ProcessorUse processor_use() const;
    void keep_figures(std::chrono::steady_clock::time_point now);
    void checkpoint(uint64_t now_ticks, bool final);
    void keep_process_cpu();
    void add_cpu_facts(profile::Session& facts);
    void name_thread(ProfiledThread& thread);
    void stands_still(const ProfiledThread& thread);
    /// Sleeps, unless something moved, and keeps the adaptive clock going.
    void steer(Drain& drain, bool moved);

    SharedSegment segment_;
    profile::Session facts_;  // written before run() and after it
    const Options options_;
    const uint64_t start_ticks_;
    const hotpath::ClockSource clock_source_;
    const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
    const bool adaptive_;
    SessionState state_;             // the drain thread's
    ClockLine clock_;                // likewise
    CpuWatch cpu_;                   // likewise
    ThreadIds ids_;                  // likewise
    std::optional<Budget> budget_;   // likewise; none: no limit
    std::optional<HotWatch> watch_;  // likewise; none: nobody looks
    ClockPolicy policy_;             // likewise
    std::chrono::steady_clock::time_point next_look_{};
    bool probe_costs_taken_ = false;
    bool looking_ = true;  // some thread was seen moving not long ago
    Live live_;
    std::atomic<bool> shut_down_{false};
    std::atomic<bool> window_ended_{false};
    const uint64_t process_cpu_before_ns_;  // of a process that was running before
    std::atomic<uint64_t> process_cpu_ns_{0};

    mutable std::mutex figures_mutex_;
    Figures figures_;  // guarded by figures_mutex_

    std::mutex mutex_;
    std::vector<protocol::ProcessFact> facts_told_;  // guarded by mutex_
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

}  // namespace umbra::collector
