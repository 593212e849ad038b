// SPDX-License-Identifier: MIT
// When a sampler looks: at a random moment of each period, and seldom enough.
#pragma once

#include <cstdint>

namespace umbra::agent {

/// Time is cut into periods, and each has one round at a moment drawn uniformly from it: whatever
/// the program does in step with some clock, it cannot stay in step with this (stratified
/// sampling). A period is as long as asked for, or longer where the rounds so far have stopped the
/// program for more than their share of the time. All times in ns of one clock. A plain value.
class SampleSchedule {
  public:
    /// `most_suspended_ppm`: that share, in millionths.
    SampleSchedule(uint64_t now_ns, uint64_t period_ns, uint32_t most_suspended_ppm, uint64_t seed);

    /// When the next round is due.
    [[nodiscard]] uint64_t next_ns() const { return next_ns_; }
    /// A round is over at `now_ns`, and has stopped the program for so long.
    void round_done(uint64_t now_ns, uint64_t suspended_ns);

    /// A period is never longer than this (unless asked for): one long stop must not end the
    /// sampling.
    static constexpr uint64_t kLongestNs = 2'000'000'000;

  private:
    void draw(uint64_t begin_ns);

    uint64_t period_ns_;
    double share_;
    uint64_t random_;
    uint64_t length_ns_;   ///< of the period under way
    uint64_t end_ns_ = 0;  ///< of the period under way
    uint64_t next_ns_ = 0;
    uint64_t last_ns_;    ///< end of the last round
    double mean_ns_ = 0;  ///< that the last few rounds have stopped the program for
    double rounds_ = 0;
    double credit_ns_;  ///< suspension allowed until now and not used; below 0: overdrawn
};

}  // namespace umbra::agent
