// SPDX-License-Identifier: MIT
// Sampler: stops the runtime now and then, takes the stack of every managed thread, tells of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/agent/link/channel.h"
#include "src/agent/link/control_socket.h"
#include "src/agent/sampling/given_names.h"
#include "src/agent/sampling/sample_schedule.h"
#include "src/agent/sampling/sampled_functions.h"
#include "src/agent/sampling/stack_arena.h"
#include "src/agent/sampling/stack_table.h"
#include "src/agent/support/thread_cpu.h"
#include "src/clr/info.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// Works on the one thread that calls run(); the rest may be called from any thread at any time.
/// While the runtime is stopped it only reads: what it needs is allocated before, and what it
/// found is looked at afterwards.
class Sampler {
  public:
    enum class End {
        kAsked,     ///< the collector has said so, or somebody else: see leave_request()
        kGone,      ///< the collector has gone, or does not take what it is sent
        kShutdown,  ///< interrupt(): the runtime must not be asked anything more
    };

    /// `info` and `channel` must outlive it.
    /// `control`, if there is one, is where others ask for an end.
    Sampler(clr::ICorProfilerInfo10& info, Channel& channel, const protocol::SampleOrder& order,
            ControlSocket* control);
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    ~Sampler() = default;

    /// Takes samples until it is to end. Throws nothing.
    End run() noexcept;
    /// Ends run() soon: within the round under way.
    void interrupt() noexcept;

    /// Who is to be told when the agent has left; null if that is only the collector. After run().
    [[nodiscard]] Channel* leave_request() { return leaving_ ? &*leaving_ : nullptr; }
    [[nodiscard]] uint64_t lost_nodes() const { return stacks_.lost(); }
    [[nodiscard]] uint64_t missed_rounds() const { return totals_.missed_rounds; }

    // The runtime's callbacks.
    /// A module is about to go: waits, two seconds at most, until no round refers to its code.
    void module_unloads() noexcept;
    /// On whichever thread suspends.
    void suspend_started() noexcept;
    void thread_named(clr::ThreadID thread, std::string name);
    void thread_gone(clr::ThreadID thread);

  private:
    struct Thread {
        clr::ThreadID id = 0;
        CpuLedger cpu;
        bool running = false;  ///< in this round
        bool told_name = false;
        uint64_t last_round = 0;
    };

    /// Clocks when the sampling began, and the time of the last round.
    struct Times {
        uint64_t begin_ns = 0;
        uint64_t begin_process_cpu_ns = 0;
        uint64_t begin_sampler_cpu_ns = 0;
        uint64_t last_round_ns = 0;
    };
    struct Totals {
        uint64_t rounds = 0;
        uint64_t missed_rounds = 0;
        uint64_t unattributed_ns = 0;  ///< CPU time of threads that have ended
    };

    End loop();
    void wait_until(uint64_t deadline_ns);
    /// True: whoever asks wants the agent to leave.
    bool serve_control();
    void begin();
    /// How long the program stood still for it; 0: the runtime did not stop its threads.
    uint64_t take_round();
    void take_last_round();
    void read_clocks();
    /// Fills the arena. Holds code_ where the runtime did stop its threads.
    std::unique_lock<std::timed_mutex> suspend_and_look(uint64_t& suspended_ns);
    void look_at_threads() noexcept;
    void digest(std::vector<protocol::ThreadSample>& samples, uint64_t wall_ns);
    uint32_t node_of(const StackArena::Stack& stack);
    void forget_ended_threads();
    void name_thread(uint32_t os_tid, Thread& thread);
    void tell(const protocol::Message& message);
    void tell_round(protocol::SampleRound round);

    clr::ICorProfilerInfo10& info_;
    Channel& channel_;
    ControlSocket* control_;
    std::optional<Channel> leaving_;
    const protocol::SampleOrder order_;
    SampledFunctions functions_;
    StackTable stacks_;
    uint32_t nodes_sent_ = 0;
    std::vector<protocol::Message> outbox_;  // names, not told yet
    StackArena arena_;
    std::unordered_map<uint32_t, Thread> threads_;  // by OS thread
    Times times_;
    Totals totals_;
    bool connected_ = true;
    bool asked_ = false;  // on the control socket
    std::atomic<bool> interrupted_{false};

    std::atomic<uint64_t> suspend_started_ns_{0};  // by anybody
    std::timed_mutex code_;  // held while functions are being named; never while waiting to suspend
    std::atomic<bool> module_has_gone_{false};
    GivenNames names_;  // not told yet
};

}  // namespace umbra::agent
