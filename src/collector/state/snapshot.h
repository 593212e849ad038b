// SPDX-License-Identifier: MIT
// A session at one moment: copied out quickly, made into a profile at leisure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "hotpath/segment.h"
#include "src/collector/state/name_tables.h"
#include "src/profile/profile.h"
#include "src/replay/argument_table.h"
#include "src/replay/async/async_sums.h"
#include "src/replay/deductions.h"
#include "src/replay/exception_tracker.h"
#include "src/replay/slowest/slow_call_table.h"
#include "src/replay/thread_replay.h"
#include "src/replay/tree/call_tree.h"
#include "src/replay/tree/histogram.h"

namespace umbra::collector {

/// What one shard has added up.
struct ShardSnapshot {
    struct Tree : replay::CopiedPaths {                     ///< calls begun
        std::unordered_map<uint32_t, uint64_t> unfinished;  ///< calls still open, by arc
    };

    Tree tree;
    std::vector<replay::LoggedCall> log;  ///< as CallLog has them, and calls still open behind them
    std::vector<replay::HistogramCount> histograms;  ///< by function index, then bucket
    replay::CallDeductions deductions;
    replay::ArgumentSums arguments;  ///< calls still open are among them
};

/// Threads of one slice of time.
struct ThreadSlice {
    uint64_t began = 0;
    uint64_t ended = 0;

    ThreadSlice& operator+=(const ThreadSlice& other) {
        began += other.began;
        ended += other.ended;
        return *this;
    }
};

/// The slowest calls of chosen methods; those still open are among them.
struct SlowestCalls {
    SlowestBy by = SlowestBy::kWall;
    std::vector<std::string> requests{};  ///< texts, by number less one
    replay::SlowCallSums on_threads{};    ///< what began and ended on one
    replay::SlowCallSums async{};         ///< whole async calls
};

/// All that a profile is made from. Self-contained: may be handed to another thread.
///
/// Calls still open count as begun and unfinished, and last until the snapshot (or the end of
/// their thread); they have no entry in a histogram.
struct Snapshot {
    explicit Snapshot(const NameTables& known_names) : names(known_names) {}

    struct Thread {
        std::string name;
        uint32_t number = 0;   ///< as other tables have it
        uint64_t threads = 1;  ///< that ended and are summed up here, if not one by itself
        uint32_t os_tid = 0;
        uint64_t kernel_cpu_ns = 0;
        uint64_t start_ticks = 0;
        uint64_t end_ticks = 0;
        replay::ThreadCounts counts;
        std::vector<uint32_t> called{};                       ///< function indexes, ascending
        std::vector<replay::ThreadFunction> functions{};      ///< of each of these
        std::unordered_map<uint32_t, uint64_t> unfinished{};  ///< calls still open, by function
    };

    uint64_t taken_ticks = 0;
    bool folded = false;              ///< the trees
    size_t written_paths = SIZE_MAX;  ///< as Limits has them, of folded trees
    double least_share = 0;
    std::vector<ShardSnapshot> shards;  ///< one at least
    std::vector<Thread> threads;  ///< in the order of numbers, of all shards, as all that follows
    /// Whose row stands for a thread that has none of its own: numbers by numbers.
    std::unordered_map<uint32_t, uint32_t> owners;
    replay::TimeSlices<ThreadSlice> thread_slices;
    std::vector<std::pair<replay::ExceptionCounts::Key, uint64_t>> exceptions;
    replay::Compilations compilations;
    std::vector<replay::PauseTicks> pauses;  ///< the longest, in order of time
    std::vector<replay::PauseSum> pause_sums;
    replay::TimeSlices<replay::PauseSlice> pause_slices;
    std::optional<SlowestCalls> slowest;     ///< none: nobody has asked
    std::optional<replay::AsyncSums> async;  ///< none: async calls were not followed
    std::vector<uint32_t> deinstrumented;    ///< functions whose hooks the budget has taken out
    NameTables names;
    hotpath::ProbeCosts probe_costs;  ///< zeros: times are left as measured
    profile::Losses losses;
};

}  // namespace umbra::collector
