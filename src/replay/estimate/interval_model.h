// SPDX-License-Identifier: MIT
// IntervalModel: how long the intervals between two consecutive events of a thread are, by kind.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hotpath/record.h"
#include "src/base/huge_pages.h"
#include "src/replay/estimate/interval_estimator.h"

namespace umbra::replay {

/// What the model knows of one kind of interval, in ticks.
struct alignas(32) IntervalKind {
    static constexpr uint64_t kUnused = ~uint64_t{0};

    uint64_t events = kUnused;  ///< IntervalModel::pair of its first and last event
    Expectation expected;   ///< without what a clock reading adds, see IntervalModel::timed_extra
    float mean = 0;         ///< as it is between two clock readings
    float typical = 0;      ///< the same, each length counted up to IntervalModel::kLongTypical
    uint32_t measured = 0;  ///< intervals learned from (saturates)
    uint32_t function = 0;  ///< on top of the stack when one was last learned; 0 = none

    [[nodiscard]] bool used() const { return events != kUnused; }

    [[nodiscard]] uint32_t before() const { return static_cast<uint32_t>(events >> 32); }
    [[nodiscard]] uint32_t after() const { return static_cast<uint32_t>(events); }
};
static_assert(sizeof(IntervalKind) == 32);

/// The event without its operand and its timed bit: kind and function, or control type.
constexpr uint32_t event_code(uint64_t slot) {
    return static_cast<uint32_t>(slot) & ~hotpath::kTimedBit;
}
constexpr bool code_enters(uint32_t code) {
    return (code & hotpath::kKindMask) == static_cast<uint32_t>(hotpath::Kind::kEnter);
}

/// The intervals a function was on top in, of all kinds together.
struct IntervalSpread {
    double measured = 0;  ///< intervals learned from
    double variance = 0;  ///< ticks^2: mean over them of their kinds' variances
};

/// Learns mean and variance of each kind from intervals with a clock reading at both ends, with
/// Welford's recurrence (B. P. Welford, Technometrics 4(3), 1962); from the kMemory-th interval on
/// older ones fade, because programs change while they run (tiered compilation). The first
/// interval of a kind counts as if it had the variance of an exponential distribution, its square.
///
/// Intervals from kLongest ticks on are not learned, unless their kind is as long itself as far as
/// is known: they are waits, compilations, preemptions, and whoever estimates hears of them in
/// other ways. Shorter ones count up to kTail times the mean of their kind (or kLeastTail): one
/// page fault or interrupt would else make a kind of 20 ticks look longer and wilder than all
/// others for its next thousand intervals (winsorizing: W. J. Dixon, Ann. Math. Statist. 31(2),
/// 1960).
///
/// A kind not yet measured has the mean of its function, or that of everything. One thread.
class IntervalModel {
  public:
    static constexpr uint32_t kMemory = 1024;
    static constexpr uint64_t kLongest = uint64_t{1} << 18;  ///< 0.1 ms at 2.6 GHz
    static constexpr float kTail = 64;
    static constexpr float kLeastTail = 4096;    ///< 1.6 us
    static constexpr float kLongTypical = 1024;  ///< 0.4 us

    /// Kinds beyond `max_kinds` share one place: the target may be lying.
    explicit IntervalModel(size_t max_kinds = size_t{1} << 20);

    /// `before`, `after`: event codes; 0 = the thread's begin. After an event of the codes'
    /// function and kind the other came. Never IntervalKind::kUnused.
    static constexpr uint64_t pair(uint32_t before, uint32_t after) {
        return uint64_t{before} << 32 | after;
    }

    /// The place of a kind, made if need be; good until the next call.
    IntervalKind& kind(uint64_t events) {
        IntervalKind& guess = places_[place(events)];
        return guess.events == events ? guess : look_further(events);
    }
    [[nodiscard]] Expectation expect(uint64_t events) { return kind(events).expected; }

    /// What a loop over many events keeps in registers; good until a kind is made.
    class Hot {
      public:
        explicit Hot(std::span<const IntervalKind> places)
            : places_(reinterpret_cast<const std::byte*>(places.data())),
              mask_(places.size_bytes() - sizeof(IntervalKind)) {}
        /// Asks for what find() will look at.
        void prefetch(uint64_t events) const {
            __builtin_prefetch(places_ + (spread(events) & mask_));
        }
        /// Null where IntervalModel::expect() has to be asked.
        [[nodiscard]] const Expectation* find(uint64_t events) const {
            const auto* guess =
                reinterpret_cast<const IntervalKind*>(places_ + (spread(events) & mask_));
            return guess->events == events ? &guess->expected : nullptr;
        }

      private:
        const std::byte* places_;  // a mask of bytes takes no shift
        size_t mask_;
    };
    [[nodiscard]] Hot hot() const { return Hot(places_); }

    /// `function`: was on top of the stack in the interval.
    void learn(IntervalKind& kind, uint64_t ticks, uint32_t function) {
        if (ticks >= kLongest && !long_itself(kind, ticks)) [[unlikely]] {
            return;
        }
        kind.function = function;
        const auto length = static_cast<float>(ticks);
        if (kind.measured == 0) [[unlikely]] {
            kind.mean = length;
            kind.expected = {.mean = without_reading(length), .variance = length * length};
            kind.typical = length < kLongTypical ? length : kLongTypical;
            kind.measured = 1;
            return;
        }
        kind.measured += kind.measured != UINT32_MAX ? 1U : 0U;
        const float share = reciprocals_[kind.measured < kMemory ? kind.measured : kMemory];
        const float most = std::max(kLeastTail, kTail * kind.mean);
        const float distance = (length < most ? length : most) - kind.mean;
        kind.mean += share * distance;
        kind.expected.mean = without_reading(kind.mean);
        kind.typical += share * ((length < kLongTypical ? length : kLongTypical) - kind.typical);
        kind.expected.variance =
            (1 - share) * (kind.expected.variance + share * distance * distance);
        if ((kind.measured & (kind.measured - 1)) == 0) [[unlikely]] {
            note_doubled(kind);
        }
    }

    /// What a timed event costs more than an untimed one, in ticks: between two events one of
    /// each kind, it is in every interval learned and in none that is estimated. Taken off each
    /// mean, which keeps an eighth at least. Walks over all kinds.
    void set_timed_extra(float ticks);
    [[nodiscard]] float timed_extra() const { return timed_extra_; }

    /// Computes the means for kinds not yet measured. Walks over all kinds.
    void refresh();

    /// By function index. Walks over all kinds.
    [[nodiscard]] std::vector<IntervalSpread> spreads() const;

    /// Kinds (pair) whose measured intervals have doubled since the list was last cleared, to
    /// kLeastDoubled or more; when there are very many, not all of them.
    [[nodiscard]] std::span<const uint64_t> doubled() const { return doubled_; }
    void clear_doubled() { doubled_.clear(); }
    static constexpr uint32_t kLeastDoubled = 32;

    /// All places, used() and not.
    [[nodiscard]] std::span<const IntervalKind> places() const { return places_; }
    [[nodiscard]] size_t kinds() const { return used_; }
    [[nodiscard]] uint64_t lost_kinds() const { return lost_; }  ///< look-ups that found no room

  private:
    struct Mean {
        double ticks = 0;
        double count = 0;
    };

    /// The bits above those of a place's size choose a place.
    static uint64_t spread(uint64_t events) {
        return (events ^ events >> 29) * 0x9e3779b97f4a7c15ULL >> 27;
    }
    [[nodiscard]] size_t place(uint64_t events) const {
        return spread(events) / sizeof(IntervalKind) & (places_.size() - 1);
    }
    [[nodiscard]] float without_reading(float mean) const {
        return std::max(mean - timed_extra_, mean * kLeastKept);
    }
    static constexpr float kLeastKept = 0.125F;
    static constexpr size_t kMaxDoubled = 4096;

    static constexpr uint64_t kVeryLong = uint64_t{1} << 24;  ///< 6 ms: of no kind
    static bool long_itself(const IntervalKind& kind, uint64_t ticks) {
        return ticks < kVeryLong &&
               (kind.measured == 0 || kind.mean >= static_cast<float>(kLongest) / 4);
    }
    void note_doubled(const IntervalKind& kind) {
        if (kind.measured >= kLeastDoubled && doubled_.size() < kMaxDoubled) {
            doubled_.push_back(kind.events);
        }
    }
    IntervalKind& look_further(uint64_t events);
    void guess(IntervalKind& kind) const;
    void grow();

    std::vector<IntervalKind, HugePageAllocator<IntervalKind>>
        places_;  ///< open addressing, linear probing, half full at most
    size_t used_ = 0;
    size_t max_kinds_;
    IntervalKind shared_{};  ///< of kinds that found no room
    uint64_t lost_ = 0;
    float timed_extra_ = 0;
    float mean_ = 40;  ///< of everything
    std::vector<float> function_means_;
    std::vector<uint64_t> doubled_;
    std::array<float, kMemory + 1> reciprocals_{};
};

}  // namespace umbra::replay
