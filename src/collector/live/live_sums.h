// SPDX-License-Identifier: MIT
// LiveSums: calls and times of each function so far, added up over all threads a slice at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/collector/state/session_state.h"

namespace umbra::collector {

/// Of one function in all threads: calls that have ended.
struct LiveSum {
    uint64_t calls = 0;
    replay::Lanes self{};
    replay::Lanes total{};       ///< recursion counted once
    uint64_t off_cpu_ticks = 0;  ///< of `self`

    LiveSum& operator+=(const LiveSum& other);
};

/// One pass over all threads and deductions after the other, each in slices of bounded work. What a
/// pass finds of a thread is as old as its slice. One thread: the session's drain thread, which
/// locks the gates it needs. No thread becomes a sum of the state's in a pass: it would be counted
/// twice, or not at all.
class LiveSums {
  public:
    /// Units of a slice that takes about 1 ms when nothing of it is in the cache.
    static constexpr size_t kSlice = size_t{1} << 16;

    /// Does so much work: a unit is a row of a table in memory. True: a pass is done.
    bool add_slice(const SessionState& state, size_t units);
    /// One has begun, and goes on.
    [[nodiscard]] bool in_pass() const { return stage_ != Stage::kNone; }
    /// By function index, of the last whole pass.
    [[nodiscard]] std::span<const LiveSum> sums() const { return done_; }
    /// Inside calls that have ended, of all threads and of the last whole pass, as measured.
    [[nodiscard]] uint64_t covered_ticks() const;

  private:
    enum class Stage { kNone, kThreads, kDeductions };

    /// Takes what was used off `units`. True: nothing is left of the stage.
    bool add_threads(const SessionState& state, size_t& units);
    bool add_deductions(const SessionState& state, size_t& units);
    static LiveSum& at(std::vector<LiveSum>& sums, uint32_t function);
    void begin_pass(const SessionState& state);
    void end_pass();

    std::vector<LiveSum> done_;
    std::vector<LiveSum> pass_;  ///< of the pass that is being made
    Stage stage_ = Stage::kNone;
    uint32_t next_thread_ = 0;  ///< its number, or more
    size_t shard_ = 0;          ///< whose deductions are next
    size_t bucket_ = 0;         ///< of their table, next one
    size_t buckets_ = 0;
    std::vector<LiveSum> table_;  ///< deductions of the table that is being read
};

}  // namespace umbra::collector
