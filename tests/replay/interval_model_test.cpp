// SPDX-License-Identifier: MIT
// What the model learns of intervals, what it guesses, and what a liar cannot make it do.
#include "src/replay/estimate/interval_model.h"

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/record.h"

namespace umbra::collector {
namespace {

using hotpath::Kind;

uint32_t code(Kind kind, uint32_t index) {
    return replay::event_code(hotpath::make_slot(kind, index, true, 0x1234));
}
uint64_t enters(uint32_t first, uint32_t second) {
    return replay::IntervalModel::pair(code(Kind::kEnter, first), code(Kind::kEnter, second));
}
void learn(replay::IntervalModel& model, uint64_t kind, uint64_t ticks, uint32_t function = 1) {
    model.learn(model.kind(kind), ticks, function);
}

TEST(IntervalModel, AnEventsCodeIsItsKindAndFunction) {
    EXPECT_EQ(replay::event_code(hotpath::make_slot(Kind::kLeave, 7, true, 1)),
              replay::event_code(hotpath::make_slot(Kind::kLeave, 7, false, 2)));
    EXPECT_NE(code(Kind::kLeave, 7), code(Kind::kEnter, 7));
    EXPECT_NE(code(Kind::kLeave, 7), code(Kind::kLeave, 8));
    EXPECT_TRUE(replay::code_enters(code(Kind::kEnter, 7)));
    EXPECT_FALSE(replay::code_enters(code(Kind::kTailcall, 7)));
}

TEST(IntervalModel, LearnsMeanAndVarianceOfEachKind) {
    replay::IntervalModel model;
    const std::vector<uint64_t> lengths{100, 140, 60, 100, 180, 20};
    double mean = 0;
    for (const uint64_t length : lengths) {
        learn(model, enters(1, 2), length);
        learn(model, enters(2, 1), 5);
        mean += static_cast<double>(length) / static_cast<double>(lengths.size());
    }
    // The first counts as if it had the variance of an exponential distribution.
    double variance = 100.0 * 100.0 / static_cast<double>(lengths.size());
    for (const uint64_t length : lengths) {
        const double distance = static_cast<double>(length) - mean;
        variance += distance * distance / static_cast<double>(lengths.size());
    }
    const replay::Expectation known = model.expect(enters(1, 2));
    EXPECT_NEAR(known.mean, mean, 1e-3);
    EXPECT_NEAR(known.variance, variance, 1e-3 * variance);
    EXPECT_FLOAT_EQ(model.expect(enters(2, 1)).mean, 5);
    EXPECT_EQ(model.kind(enters(1, 2)).measured, lengths.size());
    EXPECT_EQ(model.kinds(), 2U);
}

TEST(IntervalModel, TheFirstIntervalCountsAsExponential) {
    replay::IntervalModel model;
    learn(model, enters(1, 2), 50);
    EXPECT_FLOAT_EQ(model.expect(enters(1, 2)).mean, 50);
    EXPECT_FLOAT_EQ(model.expect(enters(1, 2)).variance, 2500);
}

TEST(IntervalModel, OlderIntervalsFade) {
    replay::IntervalModel model;
    for (uint32_t round = 0; round < 100'000; ++round) {
        learn(model, enters(1, 2), 1000);
    }
    for (uint32_t round = 0; round < replay::IntervalModel::kMemory; ++round) {
        learn(model, enters(1, 2), 100);
    }
    // (1 - 1/m)^m = 1/e of the old mean is left.
    EXPECT_NEAR(model.expect(enters(1, 2)).mean, 100 + 900 / std::exp(1.0), 5);
    for (uint32_t round = 0; round < 10 * replay::IntervalModel::kMemory; ++round) {
        learn(model, enters(1, 2), 100);
    }
    EXPECT_NEAR(model.expect(enters(1, 2)).mean, 100, 0.5);
    EXPECT_LT(model.expect(enters(1, 2)).variance, 100);
}

TEST(IntervalModel, WaitsAreNotLearned) {
    replay::IntervalModel model;
    learn(model, enters(1, 2), 100);
    learn(model, enters(1, 2), replay::IntervalModel::kLongest);
    learn(model, enters(1, 2), UINT64_MAX);
    EXPECT_FLOAT_EQ(model.expect(enters(1, 2)).mean, 100);
    EXPECT_EQ(model.kind(enters(1, 2)).measured, 1U);
    learn(model, enters(1, 2), replay::IntervalModel::kLongest - 1);
    EXPECT_EQ(model.kind(enters(1, 2)).measured, 2U);
}

TEST(IntervalModel, OneWildIntervalCountsNoMoreThanAFewUsualOnes) {
    replay::IntervalModel model;
    for (int round = 0; round < 2000; ++round) {
        learn(model, enters(1, 2), 20);
    }
    learn(model, enters(1, 2), 200'000);
    EXPECT_LE(model.expect(enters(1, 2)).mean, 20 + replay::IntervalModel::kLeastTail / 1024);
    EXPECT_GT(model.expect(enters(1, 2)).variance, 900) << "but it is remembered";
    EXPECT_LE(model.kind(enters(1, 2)).typical, 20 + replay::IntervalModel::kLongTypical / 1024);
    // A kind that is long is learned as it is.
    for (int round = 0; round < 3000; ++round) {
        learn(model, enters(3, 4), round % 2 == 0 ? 10'000 : 90'000);
    }
    EXPECT_NEAR(model.expect(enters(3, 4)).mean, 50'000, 100);
    EXPECT_EQ(model.kind(enters(3, 4)).typical, replay::IntervalModel::kLongTypical);
}

TEST(IntervalModel, WhatAReadingAddsIsTakenOffButForAnEighth) {
    replay::IntervalModel model;
    model.set_timed_extra(30);
    learn(model, enters(1, 2), 100);
    learn(model, enters(3, 4), 32);
    EXPECT_FLOAT_EQ(model.expect(enters(1, 2)).mean, 70);
    EXPECT_FLOAT_EQ(model.kind(enters(1, 2)).mean, 100);
    EXPECT_FLOAT_EQ(model.expect(enters(3, 4)).mean, 4);
    model.set_timed_extra(10);  // what is known already is put right
    EXPECT_FLOAT_EQ(model.expect(enters(1, 2)).mean, 90);
    learn(model, enters(1, 2), 200);
    EXPECT_FLOAT_EQ(model.expect(enters(1, 2)).mean, 140);
}

TEST(IntervalModel, AnUnmeasuredKindHasTheMeanOfItsFunction) {
    replay::IntervalModel model;
    const replay::Expectation blind = model.expect(enters(3, 4));
    EXPECT_GT(blind.mean, 0);
    for (int round = 0; round < 30; ++round) {
        learn(model, enters(1, 2), 100);
    }
    for (int round = 0; round < 10; ++round) {
        learn(model, replay::IntervalModel::pair(code(Kind::kLeave, 1), code(Kind::kLeave, 2)),
              500);
    }
    for (int round = 0; round < 40; ++round) {
        learn(model, enters(5, 2), 20);
    }
    model.refresh();
    EXPECT_NEAR(model.expect(enters(1, 9)).mean, 200, 0.01);
    EXPECT_NEAR(model.expect(enters(1, 9)).variance, 200 * 200, 10);
    EXPECT_NEAR(model.expect(enters(5, 9)).mean, 20, 0.01);
    // Nothing is known of function 7, nor was it of 3 when it was first asked for: the mean of all.
    EXPECT_NEAR(model.expect(enters(7, 9)).mean, (8000 + 800) / 80.0, 0.01);
    EXPECT_NEAR(model.expect(enters(3, 4)).mean, (8000 + 800) / 80.0, 0.01);
    // A guess is not a measurement: the first interval puts it right.
    learn(model, enters(1, 9), 7);
    EXPECT_FLOAT_EQ(model.expect(enters(1, 9)).mean, 7);
}

TEST(IntervalModel, ItKeepsEveryKindWhileItGrows) {
    replay::IntervalModel model;
    for (uint32_t first = 1; first <= 300; ++first) {
        for (uint32_t second = 1; second <= 100; ++second) {
            learn(model, enters(first, second), first * 100 + second);
        }
    }
    EXPECT_EQ(model.kinds(), 30'000U);
    EXPECT_EQ(model.lost_kinds(), 0U);
    for (uint32_t first = 1; first <= 300; ++first) {
        for (uint32_t second = 1; second <= 100; ++second) {
            ASSERT_FLOAT_EQ(model.expect(enters(first, second)).mean,
                            static_cast<float>(first * 100 + second));
        }
    }
}

TEST(IntervalModel, KindsBeyondTheLimitShareAPlaceAndAreCounted) {
    constexpr size_t kMost = 5000;
    replay::IntervalModel model(kMost);
    std::mt19937_64 random(3);
    learn(model, enters(1, 2), 70);
    for (int round = 0; round < 100'000; ++round) {
        const uint64_t any = random();
        learn(model, any, random() >> (random() % 64));
        const replay::Expectation expected = model.expect(random());
        ASSERT_TRUE(std::isfinite(expected.mean) && expected.mean >= 0);
        ASSERT_TRUE(std::isfinite(expected.variance) && expected.variance >= 0);
    }
    model.refresh();
    EXPECT_EQ(model.kinds(), kMost);
    EXPECT_LE(model.places().size(), size_t{1} << 14);
    EXPECT_GT(model.lost_kinds(), 100'000U);
    EXPECT_FLOAT_EQ(model.expect(enters(1, 2)).mean, 70);
    // One lost kind learns nothing for another.
    learn(model, enters(11, 12), 9);
    EXPECT_NE(model.expect(enters(13, 14)).mean, 9);
}

TEST(IntervalModel, KindsThatHaveDoubledAreListedOnce) {
    replay::IntervalModel model;
    const auto measure = [&](uint64_t kind, int times) {
        for (int round = 0; round < times; ++round) {
            learn(model, kind, 10);
        }
    };
    measure(enters(1, 2), 31);
    EXPECT_TRUE(model.doubled().empty());
    measure(enters(1, 2), 32);
    ASSERT_EQ(model.doubled().size(), 1U);
    EXPECT_EQ(model.doubled()[0], enters(1, 2));
    model.clear_doubled();
    measure(enters(1, 2), 1);
    EXPECT_EQ(model.doubled().size(), 1U);
    for (uint32_t first = 1; first <= 10'000; ++first) {
        measure(enters(first, 3), 32);
    }
    EXPECT_LE(model.doubled().size(), 4096U);
}

TEST(IntervalModel, TheMarkOfUnusedPlacesIsNeverKept) {
    replay::IntervalModel model;
    learn(model, replay::IntervalKind::kUnused, 100);
    EXPECT_EQ(model.kinds(), 0U);
    EXPECT_TRUE(std::isfinite(model.expect(replay::IntervalKind::kUnused).mean));
}

TEST(IntervalModel, FunctionsThatCannotBeTakeNoMemory) {
    replay::IntervalModel model;
    learn(model, enters(hotpath::kMaxIndex, 1), 100);
    learn(model, enters(2, 1), 30);
    model.refresh();
    // Neither remembered by function nor part of the mean of all.
    EXPECT_NEAR(model.expect(enters(hotpath::kMaxIndex, 2)).mean, 30, 0.01);
}

}  // namespace
}  // namespace umbra::collector
