// SPDX-License-Identifier: MIT
#include "src/agent/sampling/sample_schedule.h"

#include <algorithm>

namespace umbra::agent {
namespace {

constexpr double kNsPerSecond = 1e9;
constexpr double kMemory = 8;  // rounds

}  // namespace

SampleSchedule::SampleSchedule(uint64_t now_ns, uint64_t period_ns, uint32_t most_suspended_ppm,
                               uint64_t seed)
    : period_ns_(std::max<uint64_t>(period_ns, 1)),
      share_(std::max(most_suspended_ppm, 1U) * 1e-6),
      random_((seed + 1) * 0x9e3779b97f4a7c15ULL | 1),
      length_ns_(period_ns_),
      last_ns_(now_ns),
      credit_ns_(share_ * kNsPerSecond) {
    draw(now_ns);
}

void SampleSchedule::draw(uint64_t begin_ns) {
    // xorshift64 (Marsaglia 2003): no state but 64 bits, and good enough for jitter.
    random_ ^= random_ << 13U;
    random_ ^= random_ >> 7U;
    random_ ^= random_ << 17U;
    const double part = static_cast<double>(random_ >> 11U) * 0x1p-53;
    next_ns_ = begin_ns + static_cast<uint64_t>(part * static_cast<double>(length_ns_));
    end_ns_ = begin_ns + length_ns_;
}

void SampleSchedule::round_done(uint64_t now_ns, uint64_t suspended_ns) {
    // What was not used is kept, up to what a second allows: a single slow round then costs none
    // of the next.
    credit_ns_ += static_cast<double>(now_ns - last_ns_) * share_;
    credit_ns_ = std::min(credit_ns_, share_ * kNsPerSecond) - static_cast<double>(suspended_ns);
    last_ns_ = now_ns;
    // Even periods tell more than uneven ones, so what a slow round has cost too much is paid back
    // over the next few.
    ++rounds_;
    mean_ns_ += (static_cast<double>(suspended_ns) - mean_ns_) / std::min(rounds_, kMemory);
    const double owed_ns = (mean_ns_ + std::max(-credit_ns_, 0.0) / kMemory) / share_;
    const double longest = static_cast<double>(std::max(period_ns_, kLongestNs));
    length_ns_ = std::max(period_ns_, static_cast<uint64_t>(std::min(owed_ns, longest)));
    // A period that has passed by is skipped, not made up for.
    draw(std::max(end_ns_, now_ns));
}

}  // namespace umbra::agent
