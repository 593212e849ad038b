// SPDX-License-Identifier: MIT
// Budget: holds a session to --max-overhead, from its call tree to the requests to the agent.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "hotpath/segment.h"
#include "src/collector/live/budget_policy.h"
#include "src/collector/live/live_sums.h"
#include "src/collector/state/session_state.h"
#include "src/protocol/messages.h"

namespace umbra::collector {

/// What program and collector have used so far, in nanoseconds of processor time. All zero: not
/// known.
struct ProcessorUse {
    uint64_t program_ns = 0;
    uint64_t collector_ns = 0;  ///< of the thread that replays
    uint32_t processors = 0;    ///< that the program may run on
};

/// Time in which threads of the program would have run, had the collector not had the processor:
/// all the collector used where nothing was idle, none of it where a tenth was, in proportion
/// between. `length_ns`: between `before` and `after`.
[[nodiscard]] uint64_t displaced_ns(const ProcessorUse& before, const ProcessorUse& after,
                                    uint64_t length_ns);

/// Cuts the session into windows and lets BudgetPolicy judge them. After a request nothing is
/// judged until the agent has answered for every function, or kTimeout has passed: a function that
/// is not called is not compiled anew, and costs nothing either. One thread: the drain's.
class Budget {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr auto kWindow = std::chrono::milliseconds(100);
    static constexpr auto kTimeout = std::chrono::milliseconds(500);

    /// `request` hands its message to the agent; `use` is asked at the end of each window. `state`
    /// must outlive the budget.
    Budget(double percent, const hotpath::ProbeCosts& told_costs, const SessionState& state,
           std::function<void(protocol::RemoveHooks)> request, std::function<ProcessorUse()> use);

    /// To be called often; mostly looks at the time and returns. Else a slice of work (see
    /// LiveSums) or the judging of a window. `ticks_hz` 0: not known yet.
    void step(Clock::time_point now, double ticks_hz);
    /// It has looked at some threads, and not at all of them. Best no thread becomes a sum then.
    [[nodiscard]] bool in_look() const { return sums_.in_pass(); }
    /// The agent has taken a function's hooks out.
    void note(const protocol::HooksRemoved& message) { waiting_for_.erase(message.function); }

  private:
    /// Sums over all threads since the session began.
    struct Totals {
        uint64_t covered_ticks = 0;
        uint64_t wait_ticks = 0;
        uint32_t moved = 0;  ///< threads with records since the last look
        ProcessorUse use;
    };

    void end_window(Clock::time_point now);
    void judge(Clock::time_point now, const Totals& totals, std::chrono::nanoseconds length);
    [[nodiscard]] Totals look_at_threads();
    [[nodiscard]] std::vector<FunctionLoad> loads() const;
    [[nodiscard]] bool answers_missing(Clock::time_point now);

    const double percent_;
    const hotpath::ProbeCosts told_costs_;
    const SessionState& state_;
    const std::function<void(protocol::RemoveHooks)> request_;
    const std::function<ProcessorUse()> use_;

    std::optional<BudgetPolicy> policy_;  ///< once the length of a tick is known
    double ticks_hz_ = 0;
    LiveSums sums_;

    std::optional<Clock::time_point> begin_;  ///< of the window; none: nothing to compare with
    Clock::time_point next_{};                ///< when the next slice is due
    std::vector<LiveSum> sums_at_begin_;      ///< by function
    Totals totals_at_begin_;
    std::unordered_map<uint32_t, uint64_t> thread_ticks_;  ///< of their last records, by number

    std::unordered_set<uint32_t> waiting_for_;  ///< functions the agent has not answered for
    Clock::time_point wait_end_{};
};

}  // namespace umbra::collector
