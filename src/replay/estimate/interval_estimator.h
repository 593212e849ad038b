// SPDX-License-Identifier: MIT
// IntervalEstimator: shares the known length of an untimed run out among its intervals.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hotpath/record.h"
#include "hotpath/segment.h"

namespace umbra::replay {

/// What is expected of an interval before anything is known of its untimed run.
struct Expectation {
    float mean = 0;
    float variance = 0;
};

/// An untimed run is a sequence of intervals of which only the sum D is known, and for each the
/// mean w_i and the variance v_i of its kind. For independent intervals the conditional mean given
/// the sum, which is the linear estimate of least variance, is
///
///     w_i + (D - W) * v_i / V,   W = sum of w, V = sum of v
///
/// (regression on the sum: C. R. Rao, Linear Statistical Inference and Its Applications, 2nd ed.,
/// section 4g; for normal intervals it is the conditional expectation). Its variance is
/// v_i * (1 - v_i / V). Where D < W makes one of them negative, those below
/// an eighth of w_i are set to that, and the others share what is left by the same formula. (Kinds
/// of wild length have means above most of their intervals; scaling all would take from the steady
/// kinds what they always need.) Where D is below a quarter of W all are scaled: w_i * D / W.
///
/// Lengths are whole numbers of a unit that suits D, cut off below, out of products of floats: they
/// add up to D within 2^-22 of it and a 64th of a tick for each interval. Who walks the untimed run
/// goes no further than D, and at its end knows that D is reached.
///
/// Any unit of time (ticks). One thread. Holds the intervals of one untimed run, at most a chunk's.
class IntervalEstimator {
  public:
    static constexpr size_t kMaxIntervals = hotpath::kChunkBytes / hotpath::kSlotBytes + 1;
    static constexpr uint64_t kLongestRun = uint64_t{1} << 62;  ///< in ticks
    /// Of an untimed run, in ticks^2. Below this all intervals are of equal length for all that a
    /// clock can tell; and a difference of 2^62 ticks over the variance stays a float.
    static constexpr double kLeastVariance = 1e-6;

    /// Forgets the untimed run before. The new one's expectations go to intervals()[0 .. count-1],
    /// finite and not negative.
    Expectation* intervals() { return intervals_.data(); }
    /// Works with what is expected of `count` intervals, at most kMaxIntervals.
    void begin(size_t count);

    /// `total`: D.
    void distribute(uint64_t total);
    /// The same when the thread stood still in interval 0, for `stop` at least: its variance is
    /// without bound, so the others last as long as they usually do, if there is room for that.
    void distribute_behind_stop(uint64_t total, uint64_t stop);

    /// Length of an interval in units; ticks() of a sum of them.
    [[nodiscard]] uint32_t units(size_t index) const { return units_[index]; }
    [[nodiscard]] uint64_t ticks(uint64_t units) const { return units << up_ >> down_; }

    /// The unit is 2^-kFractionBits ticks, finer than anybody can tell, but for very long
    /// untimed runs.
    static constexpr unsigned kFractionBits = 6;

    [[nodiscard]] size_t count() const { return count_; }
    [[nodiscard]] double mean_sum() const { return mean_sum_; }          ///< W
    [[nodiscard]] double variance_sum() const { return variance_sum_; }  ///< V

  private:
    static constexpr size_t kBlock = 4;  ///< intervals worked on at once

    /// Chooses the unit and sets the lengths mean_scale * w + variance_scale * v; kCut: or
    /// mean_scale * w / 8 if that is more. Returns the least of them, in units.
    template <bool kCut>
    float set_lengths(double total, double mean_scale, double variance_scale);
    void share_out_too_little(double total);

    size_t count_ = 0;
    double mean_sum_ = 0;
    double variance_sum_ = 0;
    unsigned up_ = 0;
    unsigned down_ = 0;
    alignas(16) std::array<Expectation, kMaxIntervals + kBlock> intervals_{};
    alignas(16) std::array<uint32_t, kMaxIntervals + kBlock> units_{};
};

}  // namespace umbra::replay
