// SPDX-License-Identifier: MIT
// Who is moved, who is not, and when another worker comes.
#include "src/collector/live/worker_balance.h"

#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

WorkerLoad load(double busy, const std::vector<uint32_t>& chunks, uint32_t first_slot = 0) {
    WorkerLoad load{.busy = busy, .rings = {}};
    for (const uint32_t count : chunks) {
        load.rings.push_back({.slot = first_slot++, .chunks = count});
    }
    return load;
}

/// What each worker has to do after the moves.
std::vector<uint64_t> after(std::vector<WorkerLoad> loads, const std::vector<ThreadMove>& moves) {
    std::vector<uint64_t> chunks;
    for (const WorkerLoad& worker : loads) {
        chunks.push_back(worker.chunks());
    }
    for (const ThreadMove& move : moves) {
        for (const WorkerLoad::Ring& ring : loads[move.from].rings) {
            if (ring.slot == move.slot) {
                chunks[move.from] -= ring.chunks;
                chunks[move.to] += ring.chunks;
                loads[move.to].rings.push_back(ring);
            }
        }
    }
    return chunks;
}

TEST(WorkerBalance, AHotThreadDoesNotShareAWorkerWithTenOthersWhileOneIdles) {
    // One that fills its ring, ten that do half as much.
    const std::vector<WorkerLoad> loads = {
        load(1.0, {1000, 500, 500, 500, 500, 500, 500, 500, 500, 500, 500}), load(0.0, {})};
    const std::vector<ThreadMove> moves = WorkerBalance::moves(loads);
    EXPECT_EQ(after(loads, moves), (std::vector<uint64_t>{3000, 3000}));
    // It alone fills a worker: all the others go.
    const std::vector<WorkerLoad> hot = {load(1.0, {2000, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}),
                                         load(0.0, {}), load(0.9, {70, 70}, 20)};
    const std::vector<ThreadMove> away = WorkerBalance::moves(hot);
    for (const ThreadMove& move : away) {
        EXPECT_EQ(move.to, 1U) << "the third has no room";
    }
}

TEST(WorkerBalance, NobodyMovesWhereNobodyWaits) {
    EXPECT_TRUE(WorkerBalance::moves({load(0.8, {10, 20, 30}), load(0.0, {})}).empty());
    EXPECT_TRUE(WorkerBalance::moves({load(1.0, {10, 20}), load(0.7, {10, 20}, 5)}).empty());
    EXPECT_TRUE(WorkerBalance::moves({load(1.0, {500}), load(0.0, {})}).empty())
        << "one thread has one worker anyway";
    EXPECT_TRUE(WorkerBalance::moves({load(1.0, {500, 0, 0}), load(0.0, {})}).empty());
    EXPECT_TRUE(WorkerBalance::moves({}).empty());
}

TEST(WorkerBalance, WhatHasBeenMovedStays) {
    const std::vector<WorkerLoad> loads = {load(1.0, {400, 300, 300}), load(0.1, {}),
                                           load(0.2, {10}, 9)};
    const std::vector<ThreadMove> moves = WorkerBalance::moves(loads);
    ASSERT_FALSE(moves.empty());
    // The same figures, as they are then: a worker with a third of the load has rest.
    EXPECT_TRUE(
        WorkerBalance::moves({load(0.9, {400}), load(0.6, {300}, 1), load(0.6, {300, 10}, 2)})
            .empty());
    EXPECT_LE(moves.size(), WorkerBalance::kMostMoves);
}

TEST(WorkerBalance, AnotherWorkerComesWhereNoneHasRestAndProcessorsIdle) {
    const std::vector<WorkerLoad> busy = {load(1.0, {10, 20})};
    WorkerBalance balance;
    EXPECT_FALSE(balance.wants_another(busy, 8)) << "it may be over soon";
    EXPECT_TRUE(balance.wants_another(busy, 8));
    EXPECT_FALSE(balance.wants_another(busy, 8)) << "that one has yet to show what it can do";
    for (int window = 0; window < 5; ++window) {
        EXPECT_FALSE(balance.wants_another(busy, 1)) << "the program would have to make room";
        EXPECT_FALSE(balance.wants_another(std::vector{load(1.0, {10})}, 8));
        EXPECT_FALSE(balance.wants_another(std::vector{load(1.0, {9, 9}), load(0.2, {})}, 8));
    }
}

}  // namespace
}  // namespace umbra::collector
