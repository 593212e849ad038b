// SPDX-License-Identifier: MIT
// Tests of the tree of stacks, and of the room that stacks are taken into.
#include "src/agent/sampling/stack_table.h"

#include <map>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "src/agent/sampling/stack_arena.h"

namespace umbra::agent {
namespace {

TEST(StackTable, TheSameStackIsTheSameNode) {
    StackTable table;
    const uint32_t main = table.child(0, 7);
    const uint32_t work = table.child(main, 8);
    EXPECT_EQ(main, 1U);
    EXPECT_EQ(work, 2U);
    EXPECT_EQ(table.child(0, 7), main);
    EXPECT_EQ(table.child(main, 8), work);
    EXPECT_EQ(table.child(0, 8), 3U);
    EXPECT_EQ(table.size(), 3U);
}

TEST(StackTable, TellsNewNodesInTheirOrder) {
    StackTable table;
    table.child(table.child(0, 5), 6);
    const auto fresh = table.nodes_from(2);
    ASSERT_EQ(fresh.size(), 1U);
    EXPECT_EQ(fresh[0], (protocol::StackNode{1, 6}));
    EXPECT_TRUE(table.nodes_from(3).empty());
}

TEST(StackTable, GrowsLikeAMap) {
    StackTable table;
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> expected;
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        const auto parent = static_cast<uint32_t>(random() % (table.size() + 1));
        const auto function = static_cast<uint32_t>(random() % 50);
        const auto [place, added] = expected.try_emplace({parent, function}, table.size() + 1);
        ASSERT_EQ(table.child(parent, function), place->second);
    }
    EXPECT_EQ(table.size(), expected.size());
    EXPECT_EQ(table.lost(), 0U);
}

TEST(StackTable, WhenFullStacksEndAtTheirCaller) {
    StackTable table(2);
    const uint32_t main = table.child(0, 1);
    const uint32_t work = table.child(main, 2);
    EXPECT_EQ(table.child(work, 3), work);
    EXPECT_EQ(table.child(main, 2), work);
    EXPECT_EQ(table.lost(), 1U);
}

TEST(StackArena, NativeFramesInARowAreOne) {
    StackArena arena;
    arena.reset();
    ASSERT_TRUE(arena.begin_stack(0x10, 4711));
    for (const clr::FunctionID function : {0U, 0U, 5U, 0U, 0U, 6U, 0U, 0U}) {
        ASSERT_TRUE(arena.add_frame(function));
    }
    const auto frames = arena.frames(arena.stacks()[0]);
    EXPECT_EQ(std::vector<clr::FunctionID>(frames.begin(), frames.end()),
              (std::vector<clr::FunctionID>{0, 5, 0, 6}));
}

TEST(StackArena, ACutStackKeepsTheNativeFramesAtItsFoot) {
    StackArena arena;
    arena.reset();
    ASSERT_TRUE(arena.begin_stack(0x10, 4711));
    ASSERT_TRUE(arena.add_frame(5) && arena.add_frame(0));
    arena.cut_stack();
    EXPECT_EQ(arena.frames(arena.stacks()[0]).size(), 2U);
}

TEST(StackArena, StacksAreBoundedAndLieApart) {
    StackArena arena;
    arena.reset();
    ASSERT_TRUE(arena.begin_stack(0x10, 1));
    uint32_t depth = 0;
    while (arena.add_frame(7)) {
        ++depth;
    }
    EXPECT_EQ(depth, StackArena::kMaxDepth);
    ASSERT_TRUE(arena.begin_stack(0x20, 2));
    ASSERT_TRUE(arena.add_frame(8));
    EXPECT_EQ(arena.frames(arena.stacks()[0]).size(), depth);
    EXPECT_EQ(arena.frames(arena.stacks()[1])[0], 8U);
}

TEST(StackArena, GrowsBetweenRoundsUpToItsLimit) {
    StackArena arena;
    size_t room = 0;
    size_t before = 0;
    do {
        before = room;
        room = 0;
        arena.reset();
        while (arena.begin_stack(0x10, 1)) {
            ++room;
        }
    } while (room > before);
    EXPECT_GE(room, StackArena::kMaxStacks);
    EXPECT_LT(room, 2 * StackArena::kMaxStacks);
}

}  // namespace
}  // namespace umbra::agent
