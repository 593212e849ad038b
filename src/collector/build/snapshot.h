// SPDX-License-Identifier: MIT
// A session at one moment: copied out quickly, made into a profile at leisure.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "hotpath/segment.h"
#include "src/replay/call_tree.h"
#include "src/replay/estimation_error.h"
#include "src/replay/exception_tracker.h"
#include "src/replay/histogram.h"
#include "src/replay/linear_clock.h"
#include "src/collector/name_tables.h"
#include "src/replay/thread_replay.h"
#include "src/profile/profile.h"

namespace umbra::collector {

/// All that a profile is made from. Self-contained: may be handed to another thread.
struct Snapshot {
    /// A call that had not ended.
    struct OpenCall {
        uint32_t node;
        uint64_t elapsed_ticks;
    };
    struct Thread {
        std::string name;
        uint32_t os_tid = 0;
        uint32_t root = 0;  ///< node number
        uint64_t kernel_cpu_ns = 0;
        uint64_t start_ticks = 0;
        uint64_t end_ticks = 0;
        replay::ThreadCounts counts;
    };

    uint64_t taken_ticks = 0;
    std::vector<replay::CallTreeNode> nodes;
    std::vector<OpenCall> open_calls;
    std::vector<replay::LoggedCall> calls;  ///< as CallLog has them, and calls still open behind them
    std::vector<Thread> threads;
    std::vector<replay::HistogramCount> histograms;  ///< by function index, then bucket
    std::vector<std::pair<replay::ExceptionCounts::Key, uint64_t>> exceptions;
    std::vector<replay::CompilationTicks> compilations;
    /// By node number.
    std::vector<std::pair<uint32_t, replay::NodeExtra>> extras;
    std::vector<replay::PauseTicks> pauses;
    std::vector<uint32_t> limited;  ///< functions whose hooks the budget has taken out
    NameTables names;
    bool adaptive = false;                ///< events without a clock reading are possible
    std::vector<replay::IntervalSpread> spreads;  ///< by function index
    replay::Surprise surprise;
    hotpath::ProbeCosts probe_costs;  ///< zeros: times are left as measured
    profile::Losses losses;
};

/// The name fields of `function`, from what the agent said of it.
void set_display_name(const protocol::FunctionNamed& named, profile::Function& function);

/// Makes the profile, using up the snapshot. `session` carries what the replay does not know
/// (program, runtime, ...); event sums, losses, limited_functions and wall_ns are filled in, losses
/// added to the ones given.
///
/// Calls still open count as begun and unfinished, and last until the snapshot (or the end of
/// their thread); they have no entry in a histogram.
[[nodiscard]] profile::Profile build(Snapshot snapshot, const replay::LinearClock& clock,
                                     profile::Session session);

}  // namespace umbra::collector
