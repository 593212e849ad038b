// SPDX-License-Identifier: MIT
// EventBatch: consecutive calls and returns of one thread, copied out of its ring, with their
// times.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "hotpath/record.h"
#include "src/replay/estimate/estimation_error.h"
#include "src/replay/estimate/interval_estimator.h"
#include "src/replay/estimate/interval_model.h"

namespace umbra::replay {

/// An enter, leave or tailcall record.
struct BatchEvent {
    uint64_t slot;   ///< slot 0 of the record
    uint64_t ticks;  ///< read, or estimated
    // What is expected of all intervals of the batch up to this event, in sum:
    double mean;      ///< ticks
    double variance;  ///< ticks^2

    [[nodiscard]] bool timed() const { return hotpath::slot_timed(slot); }
};

/// The replay of a thread goes in three passes over some hundred events, each a loop with few
/// branches: gather() copies them and looks up what is known of the interval before each,
/// set_times() gives those without a clock reading their times, and then they are walked. The
/// events of all untimed runs between two readings are worked on at once, because most untimed runs
/// are too short for a loop of their own.
///
/// Before the first event stands the one that came before the batch, behind the last a sentinel
/// that ends no call. One thread; owns copies, so that what the target writes meanwhile does not
/// matter.
class EventBatch {
  public:
    static constexpr size_t kMost = 256;

    /// Forgets all events; the next come after one with this code and a clock reading of `ticks`.
    void begin(uint32_t code, uint64_t ticks);

    /// Copies the events `slots` begins with: up to the last one with a clock reading before a
    /// control record, a slot not written or the end; at most kMost.
    void gather(std::span<const uint64_t> slots, IntervalModel& model);
    /// Sets the times. Events from the first untimed run on that ends later than `barrier` are left
    /// out: something has to be taken out of its time. Adds what the untimed runs missed to
    /// `residuals`.
    void set_times(uint64_t barrier, IntervalEstimator& estimator, ResidualSums& residuals);

    /// Adds an event whose time is known otherwise. There must be room.
    void add(uint64_t slot, uint64_t ticks) {
        events_[++size_] = {.slot = slot, .ticks = ticks, .mean = 0, .variance = 0};
        events_[size_ + 1].slot = kEndsNoCall;
    }

    [[nodiscard]] size_t size() const { return size_; }
    [[nodiscard]] bool full() const { return size_ == kMost; }
    [[nodiscard]] size_t timed() const { return timed_; }  ///< events with a reading; not of add()
    /// Slots the events take up; not those of add().
    [[nodiscard]] size_t slots() const { return size_ + timed_; }
    [[nodiscard]] size_t errors() const { return errors_; }  ///< readings before the one before
    /// event 0: before the batch; event size(): the last.
    [[nodiscard]] const BatchEvent* event(size_t index) const { return &events_[index]; }

  private:
    static constexpr uint64_t kEndsNoCall = 0;  ///< a slot

    /// Of the events between two with a reading.
    void estimate(size_t first, size_t last, IntervalEstimator& estimator);
    void distribute(size_t first, size_t last, IntervalEstimator& estimator);

    std::array<BatchEvent, kMost + 2> events_{};
    std::array<uint32_t, kMost + 1> readings_{};  ///< the events with a clock reading
    size_t size_ = 0;
    size_t timed_ = 0;
    size_t errors_ = 0;
};

}  // namespace umbra::replay
