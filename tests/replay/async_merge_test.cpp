// SPDX-License-Identifier: MIT
#include "src/replay/async/async_merge.h"

#include <array>
#include <optional>
#include <random>

#include <gtest/gtest.h>

namespace umbra::replay {
namespace {

constexpr uint32_t kFunction = 5;
constexpr uint64_t kMethod = 6;
constexpr uint64_t kLongestWait = 100;

AsyncFact enter(uint32_t thread, uint64_t ticks) {
    return {.ticks = ticks,
            .type = kMethod,
            .sp = 900,
            .function = kFunction,
            .thread = thread,
            .event = AsyncFact::Event::kEnter,
            .traits = hotpath::kStateMachine};
}
AsyncFact leave(uint32_t thread, uint64_t ticks, uint32_t order) {
    return {.ticks = ticks,
            .sp = 900,
            .function = kFunction,
            .thread = thread,
            .order = order,
            .event = AsyncFact::Event::kLeave};
}
AsyncFact control(hotpath::ControlType control, uint32_t thread, uint64_t ticks, uint32_t order) {
    return {.ticks = ticks,
            .keys = 1,
            .type = 77,
            .sp = 950,
            .thread = thread,
            .order = order,
            .control = control};
}

std::optional<AsyncType> known(uint64_t) {
    return AsyncType{.method = kMethod};
}
std::optional<AsyncType> unknown(uint64_t) {
    return std::nullopt;
}

AsyncCounts counts(const AsyncMerge& merge) {
    const AsyncSums sums = merge.calls().sums(1'000);
    const auto place = sums.methods.find(kFunction);
    return place == sums.methods.end() ? AsyncCounts{} : place->second.counts;
}

/// A call that suspends on thread 1 and goes on on thread 2, whose worker tells of it first.
void tell_call(AsyncMerge& merge) {
    using hotpath::ControlType;
    AsyncFact resumed = enter(2, 50);
    resumed.sp = 800;
    resumed.order = 1;
    AsyncFact left = leave(2, 60, 3);
    left.sp = 800;
    merge.waiting() = {control(ControlType::kAsyncResumed, 2, 50, 0),
                       resumed,
                       control(ControlType::kAsyncCompleted, 2, 60, 2),
                       left,
                       enter(1, 10),
                       control(ControlType::kAsyncSuspended, 1, 20, 1),
                       leave(1, 21, 2)};
}

TEST(AsyncMerge, FactsOfSeveralThreadsAreTakenInTheOrderOfTime) {
    AsyncMerge merge;
    tell_call(merge);
    merge.merge(1'000, kLongestWait, known);
    EXPECT_EQ(counts(merge).calls, 1U);
    EXPECT_EQ(counts(merge).suspensions, 1U);
    EXPECT_EQ(counts(merge).times.wall(), 50U);
    EXPECT_EQ(merge.late(), 0U);
}

TEST(AsyncMerge, FactsOfOneTimeKeepTheOrderOfTheirThread) {
    AsyncMerge merge;
    merge.waiting() = {leave(1, 10, UINT32_MAX), enter(1, 10), enter(1, 10), leave(1, 10, 1)};
    merge.waiting()[1].order = UINT32_MAX - 1;
    merge.waiting()[2].order = 0;
    merge.merge(1'000, kLongestWait, known);
    EXPECT_EQ(counts(merge).calls, 2U);
    EXPECT_EQ(merge.calls().live(), 0U);
}

TEST(AsyncMerge, NothingComesLateThatIsToldBeforeTheWatermark) {
    constexpr uint32_t kThreads = 7;
    constexpr uint64_t kStep = 1'000;
    constexpr uint64_t kSteps = 50;
    std::mt19937 random(7);
    AsyncMerge merge;
    std::array<uint64_t, kThreads> clocks{};
    std::array<uint32_t, kThreads> orders{};
    uint64_t calls = 0;
    for (uint64_t step = 1; step <= kSteps; ++step) {
        // Each thread tells of its next calls, the last of which end behind the watermark.
        for (uint32_t thread = 0; thread < kThreads; ++thread) {
            while (clocks[thread] < step * kStep) {
                clocks[thread] += random() % 90;
                merge.waiting().push_back(enter(thread, clocks[thread]));
                merge.waiting().back().order = orders[thread]++;
                clocks[thread] += random() % 90;
                merge.waiting().push_back(leave(thread, clocks[thread], orders[thread]++));
                ++calls;
            }
        }
        merge.merge(step * kStep, kLongestWait, known);
    }
    EXPECT_LT(counts(merge).calls, calls);
    merge.merge(UINT64_MAX, kLongestWait, known);
    EXPECT_EQ(merge.late(), 0U);
    EXPECT_EQ(counts(merge).calls, calls);
    EXPECT_EQ(counts(merge).outcomes[static_cast<size_t>(AsyncOutcome::kResult)], calls);
}

TEST(AsyncMerge, WhatIsNotBeforeTheWatermarkWaits) {
    AsyncMerge merge;
    tell_call(merge);
    merge.merge(20, kLongestWait, known);
    EXPECT_EQ(counts(merge).suspensions, 0U);
    EXPECT_EQ(merge.calls().live(), 1U);
    merge.merge(21, kLongestWait, known);
    EXPECT_EQ(counts(merge).suspensions, 1U);
    merge.merge(1'000, kLongestWait, known);
    EXPECT_EQ(merge.calls().live(), 0U);
}

TEST(AsyncMerge, AFactThatComesLateIsTakenAllTheSame) {
    AsyncMerge merge;
    merge.waiting() = {enter(1, 100), leave(1, 120, 1)};
    merge.merge(1'000, kLongestWait, known);
    merge.waiting() = {enter(2, 110), leave(2, 130, 1)};
    merge.merge(1'000, kLongestWait, known);
    EXPECT_EQ(counts(merge).calls, 2U);
    EXPECT_EQ(merge.late(), 1U);
}

TEST(AsyncMerge, ATypeWithoutANameHoldsUpWhatComesLaterForAWhile) {
    AsyncMerge merge;
    tell_call(merge);
    merge.merge(19 + kLongestWait, kLongestWait, unknown);
    EXPECT_EQ(counts(merge).suspensions, 0U);  // waits since 20
    merge.merge(19 + kLongestWait, kLongestWait, known);
    EXPECT_EQ(counts(merge).suspensions, 1U);

    AsyncMerge impatient;
    tell_call(impatient);
    impatient.merge(21 + kLongestWait, kLongestWait, unknown);
    EXPECT_EQ(impatient.calls().live(), 0U);
}

TEST(AsyncMerge, ATypeThatNeverHasANameIsWaitedForOnce) {
    AsyncMerge merge;
    tell_call(merge);
    merge.merge(21 + kLongestWait, kLongestWait, unknown);
    const uint64_t before = counts(merge).calls;
    // Another call of the same type: nothing of it waits.
    AsyncFact suspended = control(hotpath::ControlType::kAsyncSuspended, 1, 120, 4);
    suspended.keys = 2;
    AsyncFact entered = enter(1, 110);
    entered.order = 3;
    merge.waiting() = {entered, suspended, leave(1, 121, 5)};
    merge.merge(122, kLongestWait, unknown);
    EXPECT_EQ(counts(merge).calls, before + 1);
    EXPECT_EQ(counts(merge).outcomes[static_cast<size_t>(AsyncOutcome::kOpen)], 0U);
}

TEST(AsyncMerge, WhereTooManyWaitTheEarlierOnesGoOn) {
    AsyncMerge merge({.facts = 10});
    for (uint32_t call = 0; call < 20; ++call) {
        merge.waiting().push_back(enter(1, 2 * call));
        merge.waiting().back().order = 2 * call;
        merge.waiting().push_back(leave(1, 2 * call + 1, 2 * call + 1));
    }
    merge.merge(0, kLongestWait, known);
    EXPECT_EQ(counts(merge).calls, 18U);  // 5 of 40 facts still wait
    merge.merge(1'000, kLongestWait, known);
    EXPECT_EQ(counts(merge).calls, 20U);
}

}  // namespace
}  // namespace umbra::replay
