// SPDX-License-Identifier: MIT
// The registry: one index for one function, whoever asks first, until its code is unloaded.
#include "src/agent/methods/registry.h"

#include <atomic>
#include <cstdint>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

/// As the runtime's: pointers, eight-byte aligned.
clr::FunctionID id_of(uint64_t number) {
    return static_cast<clr::FunctionID>(0x7f00'0000'0000 + 8 * number);
}

struct ReservedRegistry : Registry {
    ReservedRegistry() { EXPECT_TRUE(reserve()); }
};

TEST(Registry, GivesIndexesFromTwoAndFindsThemAgain) {
    ReservedRegistry registry;
    EXPECT_EQ(registry.count(), 1U) << "index 1 is the collector's";
    EXPECT_EQ(registry.find(nullptr, id_of(1)), 0U);
    EXPECT_EQ(registry.add(id_of(1), {.token = 11, .selected = true}), 2U);
    EXPECT_EQ(registry.add(id_of(2), {.token = 22}), 3U);
    EXPECT_EQ(registry.add(id_of(1), {.token = 33}), 2U) << "known already";
    EXPECT_EQ(registry.find(nullptr, id_of(2)), 3U);
    EXPECT_EQ(registry.count(), 3U);
    EXPECT_TRUE(registry.at(2).ready);
    EXPECT_TRUE(registry.at(2).selected);
    EXPECT_EQ(registry.at(2).token, 11U);
    EXPECT_FALSE(registry.at(3).selected);
}

TEST(Registry, GivesAFunctionThatIsLoadedAgainAnIndexOfItsOwn) {
    ReservedRegistry registry;
    EXPECT_EQ(registry.add(id_of(1), {}), 2U);
    registry.retire(nullptr, id_of(1));
    EXPECT_EQ(registry.find(nullptr, id_of(1)), 0U);
    EXPECT_EQ(registry.at(2).function.load(), 0U);
    EXPECT_EQ(registry.add(id_of(1), {}), 3U);
    EXPECT_EQ(registry.find(nullptr, id_of(1)), 3U);
    registry.retire(nullptr, id_of(3));  // never known: nothing happens
    EXPECT_EQ(registry.count(), 3U);
}

TEST(Registry, RuntimesOfAProcessMayUseTheSameFunctionID) {
    ReservedRegistry registry;
    // Owners are compared and never looked at.
    auto* first = reinterpret_cast<Profiler*>(uintptr_t{64});
    auto* second = reinterpret_cast<Profiler*>(uintptr_t{128});
    EXPECT_EQ(registry.add(id_of(1), {.token = 11, .owner = first}), 2U);
    EXPECT_EQ(registry.find(second, id_of(1)), 0U);
    EXPECT_EQ(registry.add(id_of(1), {.token = 22, .owner = second}), 3U);
    EXPECT_EQ(registry.find(first, id_of(1)), 2U);
    EXPECT_EQ(registry.find(second, id_of(1)), 3U);
    registry.retire(first, id_of(1));
    EXPECT_EQ(registry.find(first, id_of(1)), 0U);
    EXPECT_EQ(registry.find(second, id_of(1)), 3U) << "the other one's code is still loaded";
}

TEST(Registry, ThreadsThatAddTheSameFunctionsAtOnceGetTheSameIndexes) {
    constexpr uint64_t kFunctions = 5'000;
    constexpr size_t kThreads = 8;
    ReservedRegistry registry;
    std::vector<std::vector<uint32_t>> given(kThreads, std::vector<uint32_t>(kFunctions));
    std::atomic<bool> go{false};
    std::vector<std::thread> threads;
    for (size_t i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            while (!go) {
            }
            for (uint64_t number = 0; number < kFunctions; ++number) {
                given[i][number] =
                    registry.add(id_of(number), {.token = static_cast<clr::mdToken>(number)});
                // What another thread has published is there to be read.
                const FunctionEntry& entry = registry.at(given[i][number]);
                EXPECT_EQ(entry.token, number);
            }
        });
    }
    go = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    for (const std::vector<uint32_t>& indexes : given) {
        EXPECT_EQ(indexes, given.front());
    }
    const std::set<uint32_t> different(given.front().begin(), given.front().end());
    EXPECT_EQ(different.size(), kFunctions);
    EXPECT_EQ(different.count(0), 0U);
    // Who lost a race has left a hole: an index that is ready and means no function.
    uint64_t functions = 0;
    for (uint32_t index = 2; index <= registry.count(); ++index) {
        EXPECT_TRUE(registry.at(index).ready);
        functions += registry.at(index).function.load() != 0 ? 1U : 0U;
    }
    EXPECT_EQ(functions, kFunctions);
}

TEST(Registry, AnswersZeroWhenItIsFullAndKeepsWhatItHas) {
    ReservedRegistry registry;
    for (uint64_t number = 2; number < Registry::kCapacity; ++number) {
        ASSERT_EQ(registry.add(id_of(number), {}), number);
    }
    for (uint64_t number = 0; number < 100; ++number) {
        EXPECT_EQ(registry.add(id_of(Registry::kCapacity + number), {}), 0U);
    }
    EXPECT_EQ(registry.count(), Registry::kCapacity - 1);
    EXPECT_EQ(registry.find(nullptr, id_of(Registry::kCapacity - 1)), Registry::kCapacity - 1);
    EXPECT_EQ(registry.add(id_of(7), {}), 7U);
}

}  // namespace
}  // namespace umbra::agent
