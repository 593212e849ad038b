// SPDX-License-Identifier: MIT
// IntervalModel: how long the intervals between two consecutive events of a thread are, by kind.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hotpath/record.h"

namespace umbra::collector {

/// What the model knows of one kind of interval. Times in ticks.
struct IntervalKind {
    uint32_t before;    ///< event_code of the event it begins with; 0 = a thread's begin
    uint32_t after;     ///< event_code of the event it ends with; 0 in an unused place
    uint32_t function;  ///< on top of the stack between the two; 0 = none
    uint32_t measured;  ///< intervals learned from (saturates)
    float mean;
    float variance;      ///< of one interval
    uint64_t estimated;  ///< intervals of this kind without a clock reading at both ends
};
static_assert(sizeof(IntervalKind) == 32);

/// The event without its operand and its timed bit: kind and function, or control type.
constexpr uint32_t event_code(uint64_t slot) {
    return static_cast<uint32_t>(slot) & ~hotpath::kTimedBit;
}
constexpr bool code_enters(uint32_t code) {
    return (code & hotpath::kKindMask) == static_cast<uint32_t>(hotpath::Kind::kEnter);
}

/// Learns mean and variance of each kind from intervals with a clock reading at both ends, with
/// Welford's recurrence (B. P. Welford, Technometrics 4(3), 1962); from the kMemory-th interval on
/// older ones fade, because programs change while they run (tiered compilation). The first
/// interval of a kind counts as if it had the variance of an exponential distribution, its square.
///
/// Intervals from kLongest ticks on are not learned: they are waits, compilations, page faults,
/// preemptions, and whoever estimates hears of them in other ways.
///
/// A kind not yet measured has the mean of its function, or that of everything. One thread.
class IntervalModel {
  public:
    static constexpr uint32_t kMemory = 1024;
    static constexpr uint64_t kLongest = uint64_t{1} << 18;  ///< 0.1 ms at 2.6 GHz

    /// Kinds beyond `max_kinds` share one place: the target may be lying.
    explicit IntervalModel(size_t max_kinds = size_t{1} << 20);

    /// The place of a kind, made if need be; good until the next call.
    IntervalKind& kind(uint32_t before, uint32_t after, uint32_t function) {
        IntervalKind& guess = places_[place(before, after, function)];
        if (guess.before == before && guess.after == after && guess.function == function)
            [[likely]] {
            return guess;
        }
        return look_further(before, after, function);
    }

    void learn(IntervalKind& kind, uint64_t ticks) {
        if (ticks >= kLongest) [[unlikely]] {
            return;
        }
        const auto length = static_cast<float>(ticks);
        if (kind.measured == 0) [[unlikely]] {
            kind.mean = length;
            kind.variance = length * length;
            kind.measured = 1;
            return;
        }
        kind.measured += kind.measured != UINT32_MAX ? 1U : 0U;
        const float share = reciprocals_[kind.measured < kMemory ? kind.measured : kMemory];
        const float distance = length - kind.mean;
        kind.mean += share * distance;
        kind.variance = (1 - share) * (kind.variance + share * distance * distance);
    }

    /// What a timed event costs more than an untimed one, in ticks: between two events one of
    /// each kind, it is in every interval learned and in none that is estimated.
    void set_timed_extra(float ticks) { timed_extra_ = ticks; }
    [[nodiscard]] float timed_extra() const { return timed_extra_; }

    /// Computes the means for kinds not yet measured. Walks over all kinds.
    void refresh();

    /// All places, used (`after` != 0) and unused.
    [[nodiscard]] std::span<const IntervalKind> places() const { return places_; }
    [[nodiscard]] size_t kinds() const { return used_; }
    [[nodiscard]] uint64_t lost_kinds() const { return lost_; }  ///< look-ups that found no room

  private:
    struct Mean {
        double sum = 0;
        double count = 0;
    };

    [[nodiscard]] size_t place(uint32_t before, uint32_t after, uint32_t function) const {
        const uint64_t both = uint64_t{before} << 32 | after;
        const uint64_t mixed =
            (both ^ uint64_t{function} * 0xd6e8feb86659fd93ULL) * 0x9e3779b97f4a7c15ULL;
        return mixed >> shift_;
    }
    IntervalKind& look_further(uint32_t before, uint32_t after, uint32_t function);
    IntervalKind& unknown(IntervalKind& kind, uint32_t function) const;
    void grow();

    std::vector<IntervalKind> places_;  ///< open addressing, linear probing, half full at most
    unsigned shift_;
    size_t used_ = 0;
    size_t max_kinds_;
    IntervalKind shared_{};  ///< of kinds that found no room
    uint64_t lost_ = 0;
    float timed_extra_ = 0;
    float mean_ = 40;  ///< of everything
    std::vector<float> function_means_;
    std::array<float, kMemory + 1> reciprocals_{};
};

}  // namespace umbra::collector
