// SPDX-License-Identifier: MIT
// SampleSession: one sampled process, from the agent's messages to a profile.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/collector/state/name_tables.h"
#include "src/collector/state/names_ahead.h"
#include "src/profile/profile.h"
#include "src/protocol/messages.h"
#include "src/replay/tree/limits.h"

namespace umbra::collector {

/// Everything in messages comes from the target and is checked; what does not fit is left out and
/// counted. One thread.
class SampleSession {
  public:
    /// `hello` of an attached agent, and what it was told to do.
    SampleSession(const protocol::Hello& hello, const protocol::SampleOrder& order,
                  const replay::Limits& limits = {});

    /// False: it comes behind the last, or contradicts an earlier one.
    bool note(const protocol::SamplingReport& report);

    [[nodiscard]] const std::string& program() const { return facts_.program; }
    /// The runtime shuts down in order.
    [[nodiscard]] bool shut_down() const { return shut_down_; }
    /// The agent's last message; null before it.
    [[nodiscard]] const protocol::SamplingEnded* ended() const { return over_ ? &ended_ : nullptr; }
    /// Samples of threads in managed code.
    [[nodiscard]] uint64_t samples() const { return samples_; }
    [[nodiscard]] size_t threads() const { return threads_.size(); }

    /// Sums by function, of their own time alone; functions without samples are zeros. `function`
    /// may be one of the numbers that have no name (protocol::kNativeFrames).
    struct FunctionSums {
        uint32_t function = 0;
        uint64_t samples = 0;
        uint64_t wall_ns = 0;
        uint64_t cpu_ns = 0;
    };
    /// Takes a look at every path. In no order.
    [[nodiscard]] std::vector<FunctionSums> function_sums() const;
    [[nodiscard]] const NameTables& names() const { return names_; }
    /// Process and losses, without rows: see protocol::LiveFigures.
    [[nodiscard]] protocol::LiveFigures facts() const;

    /// What there is by now. `ended` says how it came to its end.
    [[nodiscard]] profile::Profile build(const std::string& ended, bool complete) const;

  private:
    struct Sums {
        uint64_t samples = 0;
        uint64_t wall_ns = 0;
        uint64_t cpu_ns = 0;
    };
    /// A path of one thread: own sums, without what it calls.
    struct Path {
        profile::Row parent = profile::kNone;
        uint32_t function = 0;
        uint32_t thread = 0;
        Sums own;
    };
    struct Thread {
        uint32_t os_tid = 0;
        std::string name;
        uint64_t first_ns = 0;
        uint64_t last_ns = 0;
        uint64_t samples = 0;  ///< 0: never seen in managed code, nor running without it
    };

    bool take(const protocol::ModuleLoaded& message);
    bool take(const protocol::FunctionNamed& message);
    bool take(const protocol::StackNodes& message);
    bool take(const protocol::SampleRound& round);
    bool take(const protocol::ThreadNamed& message);
    bool take(const protocol::SamplingEnded& message);
    bool take(const protocol::Shutdown& message);
    bool add_sample(const protocol::ThreadSample& sample);
    profile::Row thread_of(uint32_t os_tid);
    profile::Row native_path(uint32_t thread);
    profile::Row path_of(uint32_t thread, uint32_t node);
    profile::Row add_path(uint64_t key, const Path& path);
    [[nodiscard]] std::vector<profile::Row> add_threads(profile::Profile& profile) const;
    void add_facts(profile::Profile& profile) const;

    profile::Session facts_;  ///< with the counts of rounds, and what lay outside of any row
    replay::Limits limits_;
    NameTables names_;
    /// By number - 1.
    struct Node {
        uint32_t parent = 0;  ///< number; 0: none
        uint32_t function = 0;
        uint32_t depth = 0;
        uint32_t kept = 0;  ///< its own number; beyond the greatest depth that of a caller
    };
    std::vector<Node> nodes_;
    std::vector<Thread> threads_;
    std::unordered_map<uint32_t, uint32_t> by_os_tid_;
    NamesAhead names_ahead_;
    std::vector<Path> paths_;                               ///< parents before children
    std::unordered_map<uint64_t, profile::Row> path_rows_;  ///< by thread and node
    std::vector<uint32_t> missing_;                         ///< kept for its memory
    std::vector<uint64_t> suspensions_ns_;
    protocol::SampleRound last_;  ///< without its samples; suspended_ns is that of all rounds
    protocol::SamplingEnded ended_;
    uint64_t samples_ = 0;
    uint64_t lost_samples_ = 0;
    uint64_t lost_nodes_ = 0;
    bool over_ = false;
    bool shut_down_ = false;
};

}  // namespace umbra::collector
