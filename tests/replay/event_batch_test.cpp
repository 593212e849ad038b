// SPDX-License-Identifier: MIT
// Batches of events: which ones are taken, and that their times are those of the estimator.
#include "src/replay/event_batch.h"

#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/record.h"

namespace umbra::replay {
namespace {

using hotpath::Kind;

constexpr uint64_t kNoBarrier = ~uint64_t{0};

/// Slots of records as a thread writes them.
class Slots {
  public:
    Slots& timed(Kind kind, uint32_t function, uint64_t ticks) {
        slots_.push_back(hotpath::make_slot(kind, function, true, 64));
        slots_.push_back(ticks);
        return *this;
    }
    Slots& untimed(Kind kind, uint32_t function) {
        slots_.push_back(hotpath::make_slot(kind, function, false, 64));
        return *this;
    }
    Slots& word(uint64_t slot) {
        slots_.push_back(slot);
        return *this;
    }
    [[nodiscard]] const std::vector<uint64_t>& all() const { return slots_; }

  private:
    std::vector<uint64_t> slots_;
};

uint32_t enter_code(uint32_t function) {
    return event_code(hotpath::make_slot(Kind::kEnter, function, false, 0));
}

/// A batch behind an event of function 1 at 1000 ticks.
struct Batch {
    explicit Batch(const Slots& slots, uint64_t barrier = kNoBarrier) {
        batch.begin(enter_code(1), 1000);
        batch.gather(slots.all(), model);
        batch.set_times(barrier, estimator, residuals);
    }
    IntervalModel model;
    IntervalEstimator estimator;
    ResidualSums residuals;
    EventBatch batch;
};

TEST(EventBatch, EndsWithTheLastClockReading) {
    const Batch open(Slots()
                         .timed(Kind::kEnter, 2, 1100)
                         .untimed(Kind::kLeave, 2)
                         .timed(Kind::kEnter, 3, 1200)
                         .untimed(Kind::kEnter, 4)
                         .untimed(Kind::kLeave, 4));
    EXPECT_EQ(open.batch.size(), 3U);
    EXPECT_EQ(open.batch.timed(), 2U);
    EXPECT_EQ(open.batch.slots(), 5U);
    EXPECT_EQ(open.batch.event(3)->ticks, 1200U);
    EXPECT_EQ(open.batch.event(4)->slot, 0U) << "ends no call";
}

TEST(EventBatch, EndsBeforeWhatIsNoCall) {
    const uint64_t tick = hotpath::make_slot(
        Kind::kControl, static_cast<uint32_t>(hotpath::ControlType::kTick), true, 0);
    for (const uint64_t other : {tick, uint64_t{0}, uint64_t{7} << 32}) {
        const Batch batch(
            Slots().timed(Kind::kEnter, 2, 1100).word(other).timed(Kind::kLeave, 2, 1300));
        EXPECT_EQ(batch.batch.size(), 1U);
        EXPECT_EQ(batch.batch.slots(), 2U);
    }
    const Batch cut(
        Slots().timed(Kind::kEnter, 2, 1100).word(hotpath::make_slot(Kind::kLeave, 2, true, 64)));
    EXPECT_EQ(cut.batch.size(), 1U) << "its reading lies behind the end";
    EXPECT_EQ(Batch(Slots().untimed(Kind::kEnter, 2)).batch.size(), 0U);
    EXPECT_EQ(Batch(Slots()).batch.size(), 0U);
}

TEST(EventBatch, HoldsSoManyEventsAndNoMore) {
    Slots slots;
    for (uint64_t event = 0; event < 2 * EventBatch::kMost; ++event) {
        slots.timed(Kind::kEnter, 2, 1000 + event);
    }
    EXPECT_EQ(Batch(slots).batch.size(), EventBatch::kMost);
}

TEST(EventBatch, LeavesStretchesBehindTheBarrierToOthers) {
    const Slots slots = Slots()
                            .untimed(Kind::kEnter, 2)
                            .timed(Kind::kLeave, 2, 1100)
                            .timed(Kind::kEnter, 3, 1250)
                            .untimed(Kind::kEnter, 4)
                            .timed(Kind::kLeave, 4, 1300);
    EXPECT_EQ(Batch(slots, 1300).batch.size(), 5U);
    const Batch some(slots, 1200);
    EXPECT_EQ(some.batch.size(), 3U) << "two readings with nothing between may lie behind it";
    EXPECT_EQ(some.batch.slots(), 5U);
    EXPECT_EQ(Batch(slots, 1099).batch.size(), 0U);
}

TEST(EventBatch, TimeDoesNotRunBackwards) {
    const Batch batch(Slots()
                          .timed(Kind::kEnter, 2, 900)
                          .untimed(Kind::kEnter, 3)
                          .timed(Kind::kLeave, 3, 1200)
                          .timed(Kind::kLeave, 2, 1100));
    EXPECT_EQ(batch.batch.errors(), 2U);
    EXPECT_EQ(batch.batch.event(1)->ticks, 1000U);
    EXPECT_EQ(batch.batch.event(4)->ticks, 1200U);
}

TEST(EventBatch, TimesAreThoseOfTheEstimator) {
    std::mt19937_64 random(11);
    IntervalModel model;
    IntervalEstimator estimator;
    for (int round = 0; round < 5000; ++round) {
        // Kinds of all widths, so that untimed runs are too short, too long and about right.
        for (int kind = 0; kind < 8; ++kind) {
            const uint64_t events =
                IntervalModel::pair(enter_code(1 + static_cast<uint32_t>(random() % 6)),
                                    enter_code(1 + static_cast<uint32_t>(random() % 6)));
            const uint64_t length = random() % 200 == 0 ? random() % 100'000 : random() % 100;
            model.learn(model.kind(events), length, 1);
        }
        Slots slots;
        std::vector<uint32_t> codes{enter_code(1)};
        uint64_t now = 1000;
        while (codes.size() < 60) {
            const auto function = 1 + static_cast<uint32_t>(random() % 6);
            codes.push_back(enter_code(function));
            if (random() % 5 == 0 || codes.size() == 60) {
                now += random() % (uint64_t{1} << (random() % 30));
                slots.timed(Kind::kEnter, function, now);
            } else {
                slots.untimed(Kind::kEnter, function);
            }
        }
        ResidualSums residuals;
        EventBatch batch;
        batch.begin(codes[0], 1000);
        batch.gather(slots.all(), model);
        batch.set_times(kNoBarrier, estimator, residuals);
        ASSERT_EQ(batch.size() + 1, codes.size());
        double squares = 0;
        size_t first = 0;
        for (size_t last = 1; last <= batch.size(); ++last) {
            ASSERT_GE(batch.event(last)->ticks, batch.event(last - 1)->ticks);
            if (!batch.event(last)->timed()) {
                continue;
            }
            const uint64_t begin = batch.event(first)->ticks;
            const uint64_t total = batch.event(last)->ticks - begin;
            for (size_t index = first; index < last; ++index) {
                estimator.intervals()[index - first] =
                    model.expect(IntervalModel::pair(codes[index], codes[index + 1]));
            }
            estimator.begin(last - first);
            estimator.distribute(total);
            uint64_t elapsed = 0;
            for (size_t index = first + 1; index < last; ++index) {
                elapsed += estimator.units(index - first - 1);
                const auto expected = static_cast<double>(estimator.ticks(elapsed));
                const auto seen = static_cast<double>(batch.event(index)->ticks - begin);
                ASSERT_NEAR(seen, expected, 2 + 1e-5 * static_cast<double>(total));
            }
            if (last - first > 1) {
                const double missed = static_cast<double>(total) - estimator.mean_sum();
                squares += missed * missed;
            }
            first = last;
        }
        EXPECT_NEAR(residuals.squares, squares, 1e-6 * squares);
    }
}

}  // namespace
}  // namespace umbra::replay
