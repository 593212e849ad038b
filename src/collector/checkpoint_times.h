// SPDX-License-Identifier: MIT
// When the next checkpoint is due.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace umbra::collector {

/// Processor time that writing a session's latest checkpoint took, told by whoever wrote it; shared
/// because the session may have ended by then. Any thread.
class CheckpointCost {
  public:
    void took(std::chrono::nanoseconds cpu) { cpu_ns_.store(cpu.count()); }
    [[nodiscard]] std::chrono::nanoseconds last() const {
        return std::chrono::nanoseconds(cpu_ns_.load());
    }

  private:
    std::atomic<int64_t> cpu_ns_{0};  ///< 0: none has been written yet
};

/// Checkpoints are a fixed time apart if their user has said so. Else they are kUsual apart, and
/// further where they are dear: what one takes is no more than a fiftieth of the time to the next.
/// One thread.
class CheckpointTimes {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kUsual{10};
    static constexpr int kRest = 50;  ///< times the cost of one

    /// `asked`: the time between two, in place of the usual.
    CheckpointTimes(std::optional<std::chrono::milliseconds> asked, Clock::time_point begin)
        : asked_(asked), last_(begin) {}

    [[nodiscard]] bool due(Clock::time_point now) const {
        const Clock::duration usual = kUsual;
        return now - last_ >= (asked_ ? *asked_ : std::max(usual, kRest * cost_->last()));
    }
    /// One has been handed on.
    void done(Clock::time_point now) { last_ = now; }
    [[nodiscard]] const std::shared_ptr<CheckpointCost>& cost() const { return cost_; }

  private:
    std::optional<Clock::duration> asked_;
    Clock::time_point last_;
    std::shared_ptr<CheckpointCost> cost_ = std::make_shared<CheckpointCost>();
};

}  // namespace umbra::collector
