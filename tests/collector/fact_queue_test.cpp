// SPDX-License-Identifier: MIT
// Facts of a process wait in order, and in bounded memory.
#include "src/collector/state/fact_queue.h"

#include <string>
#include <variant>

#include <gtest/gtest.h>

namespace umbra::collector {
namespace {

protocol::ThreadNamed thread(uint32_t os_tid) {
    return {.os_tid = os_tid, .name = "t"};
}

TEST(FactQueue, GivesThemInOrderAndOnce) {
    FactQueue queue;
    queue.push(thread(1), 20);
    queue.push(protocol::HooksRemoved{2}, 12);
    const std::vector<protocol::ProcessFact> told = queue.take();
    ASSERT_EQ(told.size(), 2U);
    EXPECT_EQ(std::get<protocol::ThreadNamed>(told[0]).os_tid, 1U);
    EXPECT_EQ(std::get<protocol::HooksRemoved>(told[1]).function, 2U);
    EXPECT_TRUE(queue.take().empty());
    EXPECT_EQ(queue.lost(), 0U);
}

TEST(FactQueue, WhatHasNoRoomIsCountedAndRoomComesBack) {
    FactQueue queue;
    for (uint32_t number = 0; number < 200; ++number) {
        queue.push(thread(number), size_t{1} << 20);
    }
    const size_t kept = queue.take().size();
    EXPECT_GT(kept, 50U);
    EXPECT_LE(kept, FactQueue::kMostBytes >> 20);
    EXPECT_EQ(queue.lost(), 200 - kept);
    queue.push(thread(7), size_t{1} << 20);
    EXPECT_EQ(queue.take().size(), 1U);
}

TEST(FactQueue, ManySmallOnesAreBoundedToo) {
    FactQueue queue;
    const size_t most = FactQueue::kMostBytes / sizeof(protocol::ProcessFact);
    for (size_t number = 0; number < most + 10; ++number) {
        queue.push(protocol::HooksRemoved{1}, 0);
    }
    EXPECT_EQ(queue.take().size(), most);
    EXPECT_EQ(queue.lost(), 10U);
}

}  // namespace
}  // namespace umbra::collector
