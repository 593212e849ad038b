// SPDX-License-Identifier: MIT
// When the next checkpoint is due.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
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
/// What the first will take is guessed by the functions there are: a build's compilers end before
/// it would have been worth its second. One thread.
class CheckpointTimes {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::seconds kUsual{10};
    static constexpr int kRest = 50;  ///< times the cost of one
    /// What writing takes per function: 30 to 50 us of MSBuild and the compilers it starts, of
    /// 7,000 to 28,000 functions each (`benchmarks/programs/run.py msbuild`).
    static constexpr std::chrono::microseconds kPerFunction{40};

    /// `asked`: the time between two, in place of the usual.
    CheckpointTimes(std::optional<std::chrono::milliseconds> asked, Clock::time_point begin)
        : asked_(asked), last_(begin) {}

    /// `functions`: that a file written now would have.
    [[nodiscard]] bool due(Clock::time_point now, size_t functions) const {
        if (asked_) {
            return now - last_ >= *asked_;
        }
        const std::chrono::nanoseconds known = cost_->last();
        const Clock::duration cost =
            known.count() > 0 ? known : kPerFunction * static_cast<int64_t>(functions);
        return now - last_ >= std::max<Clock::duration>(kUsual, kRest * cost);
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
