// SPDX-License-Identifier: MIT
// The call tree's nodes and index, and the buckets of its histograms.
#include "src/replay/call_tree.h"

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

TEST(CallTree, FindsEveryNodeAgainWhileItsIndexGrows) {
    replay::CallTree tree{replay::Limits{}};
    replay::CallTreeNode& root = tree.add_root();
    std::mt19937 random(1);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> made;
    std::vector<uint32_t> numbers{tree.number(root)};
    for (int step = 0; step < 50'000; ++step) {
        const uint32_t parent = numbers[random() % numbers.size()];
        const auto function = static_cast<uint32_t>(random() % 500 + 1);
        const uint32_t child = tree.number(tree.child(tree.at(parent), function));
        const auto [place, is_new] = made.try_emplace({parent, function}, child);
        ASSERT_EQ(place->second, child);
        if (is_new) {
            numbers.push_back(child);
            ASSERT_GT(child, parent);
        }
    }
    EXPECT_EQ(tree.nodes().size(), numbers.size() + 1);
    EXPECT_LE(tree.bytes(), tree.nodes().size() * 100);
}

TEST(CallTree, GivesTheScratchNodeWhenItIsFull) {
    replay::CallTree tree{replay::Limits{.max_nodes = 3}};
    replay::CallTreeNode& root = tree.add_root();
    replay::CallTreeNode& first = tree.child(root, 1);
    replay::CallTreeNode& second = tree.child(first, 2);
    EXPECT_NE(&second, &tree.scratch());
    EXPECT_EQ(&tree.child(second, 3), &tree.scratch());
    EXPECT_EQ(&tree.child(tree.scratch(), 1), &tree.scratch());
    EXPECT_EQ(&tree.child(root, 1), &first) << "what exists is still found";
    EXPECT_EQ(&tree.add_root(), &tree.scratch());
    EXPECT_EQ(tree.lost_calls(), 2U);
}

TEST(CallTree, KeepsTheShortestAndTheLongestCall) {
    replay::CallTree tree{replay::Limits{}};
    replay::CallTreeNode& node = tree.child(tree.add_root(), 1);
    for (const uint64_t ticks : {50U, 20U, 90U}) {
        tree.close(node, ticks, tree.histogram_base());
    }
    EXPECT_EQ(node.calls, 3U);
    EXPECT_EQ(node.total_ticks, 160U);
    EXPECT_EQ(node.min_ticks, 20U);
    EXPECT_EQ(node.max_ticks, 90U);
}

TEST(HistogramBuckets, EveryTimeLiesBetweenTheBoundsOfItsBucket) {
    std::mt19937_64 random(2);
    for (int step = 0; step < 100'000; ++step) {
        const uint64_t ticks = random() >> (random() % 64);
        const size_t bucket = replay::HistogramBuckets::bucket(ticks);
        ASSERT_LT(bucket, replay::HistogramBuckets::kBuckets);
        ASSERT_GE(ticks, replay::HistogramBuckets::lower_ticks(bucket));
        if (bucket + 1 < replay::HistogramBuckets::kBuckets) {
            ASSERT_LT(ticks, replay::HistogramBuckets::lower_ticks(bucket + 1));
        }
    }
}

TEST(HistogramBuckets, BoundsGrowByAQuarterAtMost) {
    for (size_t bucket = 1; bucket + 1 < replay::HistogramBuckets::kBuckets; ++bucket) {
        const uint64_t lower = replay::HistogramBuckets::lower_ticks(bucket);
        const uint64_t upper = replay::HistogramBuckets::lower_ticks(bucket + 1);
        ASSERT_GT(upper, lower);
        ASSERT_LE((upper - lower) * 4, lower);
    }
    EXPECT_EQ(replay::HistogramBuckets::bucket(0), 0U);
    EXPECT_EQ(replay::HistogramBuckets::bucket(31), 0U);
    EXPECT_EQ(replay::HistogramBuckets::bucket(32), 1U);
    EXPECT_EQ(replay::HistogramBuckets::bucket(std::numeric_limits<uint64_t>::max()),
              replay::HistogramBuckets::kBuckets - 1);
    EXPECT_GT(replay::HistogramBuckets::lower_ticks(replay::HistogramBuckets::kBuckets - 1),
              uint64_t{40} * 3600 * 2'600'000'000);
}

TEST(Histograms, CountBySortedFunctionAndBucket) {
    replay::Histograms histograms(100);
    ASSERT_TRUE(histograms.ensure(7) && histograms.ensure(3) &&
                histograms.ensure(replay::Histograms::kNobody));
    EXPECT_FALSE(histograms.ensure(101));
    for (const unsigned ticks : {0U, 7U, 31U, 32U, 1000U}) {
        histograms.add(histograms.base(), 7, ticks);
    }
    histograms.add(histograms.base(), 3, ~uint64_t{0});
    histograms.add(histograms.base(), replay::Histograms::kNobody, 1000);
    const std::vector<replay::HistogramCount> counts = histograms.counts();
    ASSERT_EQ(counts.size(), 4U);
    EXPECT_EQ(counts[0].function, 3U);
    EXPECT_EQ(counts[0].bucket, replay::HistogramBuckets::kBuckets - 1);
    EXPECT_EQ(counts[1].function, 7U);
    EXPECT_EQ(counts[1].bucket, 0U);
    EXPECT_EQ(counts[1].calls, 3U);
    EXPECT_EQ(counts[2].bucket, 1U);
    EXPECT_EQ(counts[3].bucket, replay::HistogramBuckets::bucket(1000));
    EXPECT_EQ(counts[3].calls, 1U);
}

TEST(Histograms, CarryBeyond32Bits) {
    replay::Histograms histograms(10);
    ASSERT_TRUE(histograms.ensure(2));
    for (const unsigned ticks : {3U, 20U}) {  // two counters of bucket 0
        histograms.counter(2, ticks) = ~uint32_t{0};
        histograms.add(histograms.base(), 2, ticks);
        histograms.add(histograms.base(), 2, ticks);
    }
    const std::vector<replay::HistogramCount> counts = histograms.counts();
    ASSERT_EQ(counts.size(), 1U);
    EXPECT_EQ(counts[0].calls, (uint64_t{1} << 33) + 2);
}

}  // namespace
}  // namespace umbra::collector
