// SPDX-License-Identifier: MIT
// The call tree's nodes and index, and the buckets of its histograms.
#include "src/replay/tree/call_tree.h"

#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

/// An arc and where it ends.
uint32_t call(replay::CallTree& tree, uint32_t place, uint32_t function) {
    const uint32_t known = tree.find(place, function);
    return known != 0 ? known : tree.add(place, function);
}
uint32_t step(replay::CallTree& tree, uint32_t place, uint32_t function) {
    return tree.target(call(tree, place, function));
}

TEST(CallTree, FindsEveryArcAgainWhileItsIndexGrows) {
    replay::CallTree tree{replay::Limits{.tree = replay::TreeShape::kFull}};
    std::mt19937 random(1);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> made;
    std::vector<uint32_t> places{tree.add_root(0)};
    for (int round = 0; round < 50'000; ++round) {
        const uint32_t place = places[random() % places.size()];
        const auto function = static_cast<uint32_t>(random() % 500 + 1);
        const uint32_t arc = call(tree, place, function);
        const auto [known, is_new] = made.try_emplace({place, function}, arc);
        ASSERT_EQ(known->second, arc);
        if (is_new) {
            ASSERT_GT(tree.target(arc), place);
            places.push_back(tree.target(arc));
        }
    }
    EXPECT_EQ(tree.arcs().size(), places.size());
    EXPECT_EQ(tree.places().size(), places.size() + 1);
    EXPECT_LE(tree.bytes(), tree.arcs().size() * 180);
}

TEST(CallTree, GivesTheScratchArcWhenItIsFull) {
    replay::CallTree tree{replay::Limits{.max_arcs = 2, .tree = replay::TreeShape::kFull}};
    const uint32_t root = tree.add_root(0);
    const uint32_t first = call(tree, root, 1);
    const uint32_t second = call(tree, tree.target(first), 2);
    EXPECT_NE(second, 0U);
    EXPECT_EQ(call(tree, tree.target(second), 3), 0U);
    EXPECT_EQ(call(tree, tree.target(0), 1), 0U);
    EXPECT_EQ(call(tree, root, 1), first) << "what exists is still found";
    EXPECT_EQ(tree.add_root(1), 0U);
    EXPECT_EQ(tree.lost_calls(), 2U);
}

TEST(CallTree, KeepsTheShortestAndTheLongestCall) {
    replay::CallTree tree{replay::Limits{}};
    replay::Arc& arc = tree.at(call(tree, tree.add_root(0), 1));
    for (const uint64_t ticks : {50U, 20U, 90U}) {
        tree.count(arc, ticks, tree.histogram_base());
    }
    EXPECT_EQ(arc.calls, 3U);
    EXPECT_EQ(arc.min_ticks, 20.0F);
    EXPECT_EQ(arc.max_ticks, 90.0F);
}

TEST(CallTree, CountsBeyond32Bits) {
    replay::CallTree tree{replay::Limits{}};
    const uint32_t arc = call(tree, tree.add_root(0), 1);
    tree.at(arc).calls = ~uint32_t{0};
    tree.count(tree.at(arc), 1, tree.histogram_base());
    tree.count(tree.at(arc), 1, tree.histogram_base());
    EXPECT_EQ(tree.calls(arc), (uint64_t{1} << 32) + 1);
}

TEST(CallTree, ThreadsShareTheFoldedPathsAndHaveTheirOwnInAFullTree) {
    replay::CallTree folded{replay::Limits{}};
    const uint32_t root = folded.add_root(0);
    EXPECT_EQ(folded.add_root(1), root);
    EXPECT_EQ(folded.place(step(folded, root, 1)).thread, replay::CallTree::kAllThreads);
    replay::CallTree full{replay::Limits{.tree = replay::TreeShape::kFull}};
    const uint32_t first = full.add_root(0);
    const uint32_t second = full.add_root(1);
    EXPECT_NE(first, second);
    EXPECT_EQ(full.place(step(full, second, 1)).thread, 1U);
}

TEST(CallTree, NumbersEdgesByCallerAndCallee) {
    replay::CallTree tree{replay::Limits{.tree = replay::TreeShape::kFull}};
    const uint32_t root = tree.add_root(0);
    const uint32_t a = step(tree, root, 1);
    const uint32_t b = step(tree, root, 2);
    const uint32_t a_in_b = step(tree, b, 1);
    const uint32_t edge = tree.edge_of(call(tree, a, 3));
    EXPECT_EQ(tree.edge_of(call(tree, a_in_b, 3)), edge);
    EXPECT_NE(tree.edge_of(call(tree, b, 3)), edge);
    EXPECT_NE(tree.edge_of(call(tree, root, 3)), edge);
}

TEST(CallTree, FoldsRecursionIntoTheAncestor) {
    replay::CallTree tree{replay::Limits{}};
    const uint32_t root = tree.add_root(0);
    const uint32_t a = step(tree, root, 1);
    const uint32_t b = step(tree, a, 2);
    EXPECT_EQ(step(tree, a, 1), a);
    EXPECT_EQ(step(tree, b, 1), a);
    EXPECT_EQ(step(tree, b, 2), b);
    EXPECT_NE(call(tree, b, 1), call(tree, a, 1)) << "the arcs are known apart";
    EXPECT_EQ(tree.places().size(), 4U) << "scratch, root, two calls";
}

/// One call of an arc, of its own time.
void ran(replay::CallTree& tree, uint32_t arc, uint64_t ticks, uint64_t cost = 0) {
    tree.at(arc).self += replay::lanes(ticks, cost);
    tree.at(arc).total += replay::lanes(ticks, cost);
    tree.count(tree.at(arc), ticks, tree.histogram_base());
}

TEST(CallTree, IsCrowdedBeyondSoManyArcs) {
    replay::CallTree tree{replay::Limits{.folded_arcs = 2}};
    const uint32_t root = tree.add_root(0);
    const uint32_t a = step(tree, root, 1);
    EXPECT_FALSE(tree.crowded());
    call(tree, a, 2);
    EXPECT_TRUE(tree.crowded());
    replay::CallTree full{replay::Limits{.tree = replay::TreeShape::kFull, .folded_arcs = 2}};
    step(full, step(full, full.add_root(0), 1), 2);
    EXPECT_FALSE(full.crowded());
}

TEST(CallTree, LosesThePathsThatTookLeastAndKeepsTheirSums) {
    replay::CallTree tree{replay::Limits{.folded_arcs = 1, .least_share = 0.5}};
    const uint32_t root = tree.add_root(0);
    const uint32_t a = call(tree, root, 1);
    const uint32_t b = call(tree, tree.target(a), 2);     // A > B: taken away
    const uint32_t c = call(tree, tree.target(b), 3);     // A > B > C: as well
    const uint32_t back = call(tree, tree.target(c), 1);  // A > B > C > A is A
    const uint32_t hot = call(tree, tree.target(a), 4);   // A > D
    ran(tree, a, 100);
    ran(tree, b, 5);
    ran(tree, b, 9);
    ran(tree, c, 7, 3);
    ran(tree, back, 11);
    ran(tree, hot, 1000);
    const uint32_t edge_of_c = tree.edge_of(c);
    const uint32_t edge_back = tree.edge_of(back);

    const replay::Pruned pruned = tree.prune({});
    ASSERT_EQ(tree.places().size(), 4U) << "scratch, root, A, D";
    ASSERT_EQ(tree.arcs().size(), 3U);
    EXPECT_EQ(pruned.arcs, (std::vector<uint32_t>{0, 1, 0, 0, 0, 2}));
    EXPECT_EQ(call(tree, root, 1), 1U);
    EXPECT_EQ(call(tree, tree.target(1), 4), 2U) << "found by its new number";
    EXPECT_EQ(replay::ticks_of(tree.at(2).self), 1000U);

    const uint32_t place = tree.target(1);
    ASSERT_NE(tree.gone_below().find(place), nullptr);
    const replay::GoneCalls& below = *tree.gone_below().find(place);
    EXPECT_EQ(below.calls, 2U) << "those of B; C was called further down";
    EXPECT_EQ(replay::ticks_of(below.self), 5U + 9 + 7);
    EXPECT_EQ(below.self[1], 3U) << "what the probes cost";
    EXPECT_EQ(below.min_ticks, 5.0F);
    EXPECT_EQ(below.max_ticks, 9.0F);
    ASSERT_NE(tree.gone_here().find(place), nullptr);
    EXPECT_EQ(tree.gone_here().find(place)->calls, 1U)
        << "the call that ended in the ancestor is its own";
    EXPECT_EQ(replay::ticks_of(tree.gone_here().find(place)->self), 11U);
    EXPECT_EQ(tree.copy().gone_by_edge[edge_of_c].calls, 1U);
    EXPECT_EQ(replay::ticks_of(tree.copy().gone_by_edge[edge_of_c].total), 7U);
    EXPECT_EQ(tree.copy().gone_by_edge[edge_back].calls, 1U);
    EXPECT_EQ(tree.edges()[edge_back].caller, 3U);
    EXPECT_EQ(tree.edges()[edge_back].callee, 1U);
    ASSERT_EQ(pruned.gone.size(), 3U);
    EXPECT_EQ(pruned.gone[2].arc, back);
    EXPECT_TRUE(pruned.gone[2].own);
    EXPECT_FALSE(pruned.gone[1].own);
    EXPECT_EQ(pruned.gone[1].place, place);

    // Called again, the path begins anew, along the edge it had; what it took is not forgotten.
    const uint32_t again = call(tree, place, 2);
    EXPECT_EQ(tree.calls(again), 0U);
    ran(tree, again, 1);
    static_cast<void>(call(tree, tree.target(2), 5));
    static_cast<void>(tree.prune({}));
    EXPECT_EQ(tree.gone_below().find(place)->calls, 3U);
    EXPECT_EQ(replay::ticks_of(tree.gone_below().find(place)->self), 22U);
    EXPECT_EQ(replay::ticks_of(tree.gone_here().find(place)->self), 11U);
}

TEST(CallTree, ANewPathIsCollapsedUntilWhatIsCalledOnItIsWorthIt) {
    replay::CallTree tree{replay::Limits{.folded_arcs = 1, .least_share = 10}};
    const uint32_t root = tree.add_root(0);
    const uint32_t outer = call(tree, root, 1);
    ran(tree, outer, 100'000);
    const uint32_t first = call(tree, tree.target(outer), 2);
    EXPECT_EQ(tree.at(first).inside, tree.target(first)) << "before paths are too many";
    static_cast<void>(tree.prune({false, false, true}));  // the place of the outer one
    ASSERT_EQ(tree.arcs().size(), 2U) << "the path that took no time is gone";

    const uint32_t place = tree.target(outer);
    const uint32_t left = call(tree, place, 2);
    EXPECT_NE(tree.target(left), 0U) << "its calls have a row";
    EXPECT_TRUE(replay::CallTree::is_common(tree.at(left).inside));
    EXPECT_EQ(tree.function_at(tree.at(left).inside), 2U);
    const uint32_t below = call(tree, tree.at(left).inside, 3);
    EXPECT_EQ(tree.target(below), 0U);
    const uint32_t places = static_cast<uint32_t>(tree.places().size());
    const uint32_t elsewhere = call(tree, place, 4);
    EXPECT_EQ(call(tree, tree.at(call(tree, tree.at(elsewhere).inside, 2)).inside, 3), below)
        << "whatever path it was called on";
    EXPECT_EQ(tree.places().size(), places + 1) << "that of the function called at the place";

    ran(tree, below, 40);
    const uint32_t edge = tree.edge_of(below);
    EXPECT_EQ(tree.edges()[edge].caller, 2U);
    EXPECT_EQ(tree.edges()[edge].callee, 3U);
    EXPECT_EQ(tree.copy().gone_by_edge[edge].calls, 1U);
    EXPECT_EQ(replay::ticks_of(tree.copy().gone_by_edge[edge].self), 40U);
    tree.add_collapsed(left, replay::lanes(40, 2));
    EXPECT_EQ(replay::ticks_of(tree.gone_below().find(tree.target(left))->self), 40U);
    EXPECT_EQ(tree.gone_below().find(tree.target(left))->calls, 1U);
    EXPECT_TRUE(replay::CallTree::is_common(tree.at(left).inside));

    // Another pruning leaves what has no path, and the row that it stands below.
    std::vector<bool> needed(tree.places().size());
    needed[tree.target(left)] = true;
    const replay::Pruned pruned = tree.prune(std::move(needed));
    const uint32_t still = pruned.arcs[left];
    ASSERT_NE(still, 0U);
    EXPECT_TRUE(replay::CallTree::is_common(tree.at(still).inside));
    EXPECT_EQ(call(tree, tree.at(still).inside, 3), pruned.arcs[below]);
    EXPECT_EQ(replay::ticks_of(tree.copy().gone_by_edge[edge].self), 40U);
    EXPECT_EQ(replay::ticks_of(tree.gone_below().find(tree.target(still))->self), 40U);

    // 3 % of 100,040 ticks are worth it.
    tree.add_collapsed(still, replay::lanes(2'900, 0));
    EXPECT_TRUE(replay::CallTree::is_common(tree.at(still).inside));
    tree.add_collapsed(still, replay::lanes(100, 0));
    EXPECT_EQ(tree.at(still).inside, tree.target(still));
    EXPECT_NE(call(tree, tree.at(still).inside, 3), pruned.arcs[below]);
}

TEST(CallTree, KeepsWhatIsNeededAndWhatIsWorthIt) {
    replay::CallTree tree{replay::Limits{.folded_arcs = 1, .least_share = 0.01}};
    const uint32_t root = tree.add_root(0);
    const uint32_t outer = call(tree, root, 1);
    ran(tree, outer, 10'000);
    std::vector<uint32_t> arcs;
    for (uint32_t function = 2; function < 12; ++function) {
        arcs.push_back(call(tree, tree.target(outer), function));
        ran(tree, arcs.back(), function <= 4 ? 1 : 200);
    }
    const uint32_t deep = call(tree, tree.target(arcs[0]), 20);  // took nothing so far
    std::vector<bool> needed(tree.places().size());
    needed[tree.target(deep)] = true;
    const replay::Pruned pruned = tree.prune(needed);
    EXPECT_NE(pruned.arcs[deep], 0U);
    EXPECT_NE(pruned.arcs[arcs[0]], 0U) << "it is above what is needed";
    EXPECT_EQ(pruned.arcs[arcs[1]], 0U);
    EXPECT_EQ(pruned.arcs[arcs[2]], 0U);
    for (size_t worth = 3; worth < arcs.size(); ++worth) {
        EXPECT_NE(pruned.arcs[arcs[worth]], 0U);
    }
    EXPECT_FALSE(tree.crowded()) << "until there are more than stay";
}

TEST(CallTree, IsAsSmallAsBeforeWhenFewerPathsAreWorthIt) {
    constexpr uint32_t kLimit = 100;
    replay::CallTree tree{replay::Limits{.folded_arcs = kLimit, .least_share = 0.01}};
    const uint32_t root = tree.add_root(0);
    const uint32_t outer = call(tree, root, 1);
    for (uint32_t function = 2; function < 62; ++function) {  // each took 1/60, with one it calls
        ran(tree, call(tree, step(tree, tree.target(outer), function), 100), 10);
    }
    EXPECT_TRUE(tree.crowded());
    static_cast<void>(tree.prune({}));
    EXPECT_EQ(tree.places().size(), 2 + 1 + 120U) << "scratch, root, outer: all are worth it";
    EXPECT_FALSE(tree.crowded());

    ran(tree, call(tree, tree.target(outer), 101), 1'000'000);
    for (uint32_t function = 200; !tree.crowded(); ++function) {
        ran(tree, call(tree, tree.target(outer), function), 1);
    }
    EXPECT_LE(tree.places().size(), 120 + kLimit);
    static_cast<void>(tree.prune({}));
    EXPECT_LE(tree.places().size(), 3 + kLimit / 2);
    for (uint32_t function = 1'000; !tree.crowded(); ++function) {
        call(tree, tree.target(outer), function);
    }
    EXPECT_EQ(tree.arcs().size(), kLimit + 1);
}

TEST(CallTree, CountsBeyond32BitsMoveWithTheirArcs) {
    replay::CallTree tree{replay::Limits{.folded_arcs = 1, .least_share = 0.5}};
    const uint32_t root = tree.add_root(0);
    const uint32_t cold = call(tree, root, 1);
    const uint32_t hot = call(tree, root, 2);
    for (const uint32_t arc : {cold, hot}) {
        tree.at(arc).calls = ~uint32_t{0};
        ran(tree, arc, arc == hot ? 10 : 1);
    }
    const replay::Pruned pruned = tree.prune({});
    EXPECT_EQ(tree.calls(pruned.arcs[hot]), uint64_t{1} << 32);
    EXPECT_EQ(tree.gone_below().find(pruned.places[root])->calls, uint64_t{1} << 32);
}

TEST(CallTree, GivesTheScratchArcWhenThereIsNoRoomForAnEdge) {
    replay::CallTree tree{replay::Limits{.max_edges = 2}};
    const uint32_t root = tree.add_root(0);
    const uint32_t a = step(tree, root, 1);
    EXPECT_NE(call(tree, a, 2), 0U);
    EXPECT_EQ(call(tree, a, 3), 0U);
    EXPECT_NE(call(tree, step(tree, root, 1), 2), 0U) << "what exists is still found";
    EXPECT_EQ(tree.lost_calls(), 1U);
}

template <typename Of>
struct Buckets : testing::Test {};
using EveryBuckets = testing::Types<replay::HistogramBuckets, replay::AsyncBuckets>;
TYPED_TEST_SUITE(Buckets, EveryBuckets);

TYPED_TEST(Buckets, EveryTimeLiesBetweenTheBoundsOfItsBucket) {
    std::mt19937_64 random(2);
    for (int step = 0; step < 100'000; ++step) {
        const uint64_t ticks = random() >> (random() % 64);
        const size_t bucket = TypeParam::bucket(ticks);
        ASSERT_LT(bucket, TypeParam::kBuckets);
        ASSERT_GE(ticks, TypeParam::lower_ticks(bucket));
        if (bucket + 1 < TypeParam::kBuckets) {
            ASSERT_LT(ticks, TypeParam::lower_ticks(bucket + 1));
        }
    }
}

TYPED_TEST(Buckets, BoundsGrowByOnePartOfAPowerOfTwoAtMost) {
    for (size_t bucket = 1; bucket + 1 < TypeParam::kBuckets; ++bucket) {
        const uint64_t lower = TypeParam::lower_ticks(bucket);
        const uint64_t upper = TypeParam::lower_ticks(bucket + 1);
        ASSERT_GT(upper, lower);
        ASSERT_LE((upper - lower) * TypeParam::kParts, lower);
    }
    EXPECT_EQ(TypeParam::bucket(0), 0U);
    EXPECT_EQ(TypeParam::bucket(TypeParam::kFirstTicks - 1), 0U);
    EXPECT_EQ(TypeParam::bucket(TypeParam::kFirstTicks), 1U);
    EXPECT_EQ(TypeParam::bucket(std::numeric_limits<uint64_t>::max()), TypeParam::kBuckets - 1);
    EXPECT_GT(TypeParam::lower_ticks(TypeParam::kBuckets - 1), uint64_t{40} * 3600 * 2'600'000'000);
}

TEST(HistogramBuckets, AreAQuarterOfAPowerOfTwoFrom32TicksOn) {
    EXPECT_EQ(replay::HistogramBuckets::kBuckets, 237U);
    EXPECT_EQ(replay::HistogramBuckets::kParts, 4U);
    EXPECT_EQ(replay::HistogramBuckets::bucket(31), 0U);
    EXPECT_EQ(replay::HistogramBuckets::bucket(32), 1U);
    EXPECT_EQ(replay::AsyncBuckets::kParts, 8U) << "docs/file_format.md: 12.5 %";
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

TEST(Histograms, CarryWhatACounterCannotHold) {
    replay::Histograms histograms(10);
    ASSERT_TRUE(histograms.ensure(2));
    for (const unsigned ticks : {3U, 20U}) {  // two counters of bucket 0
        histograms.counter(2, ticks) = std::numeric_limits<replay::Histograms::Counter>::max();
        histograms.add(histograms.base(), 2, ticks);
        histograms.add(histograms.base(), 2, ticks);
    }
    EXPECT_EQ(histograms.counter(2, 3), std::numeric_limits<replay::Histograms::Counter>::max())
        << "counted up later, but told at once";
    for (int later = 0; later < 100; ++later) {
        const std::vector<replay::HistogramCount> counts = histograms.counts();
        ASSERT_EQ(counts.size(), 1U);
        EXPECT_EQ(counts[0].calls, (uint64_t{2} << 16) + 2);
        histograms.add(histograms.base(), replay::Histograms::kNobody, 10);
    }
    EXPECT_EQ(histograms.counter(2, 3), 1U);
}

}  // namespace
}  // namespace umbra::collector
