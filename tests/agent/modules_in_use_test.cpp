// SPDX-License-Identifier: MIT
// Modules that are worked with, and the callback that tells of their end.
#include "src/agent/methods/modules_in_use.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

using Work = ModulesInUse::Work;
using Leaving = ModulesInUse::Leaving;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

TEST(ModulesInUse, NobodyWaitsForAModuleThatNobodyKeeps) {
    ModulesInUse modules;
    Work work(modules);
    ASSERT_TRUE(work.keep(1));
    const auto begin = steady_clock::now();
    EXPECT_TRUE(Leaving(modules, 2).in_order());
    EXPECT_LT(steady_clock::now() - begin, ModulesInUse::kTimeout / 2);
}

TEST(ModulesInUse, TheEndWaitsUntilTheModuleIsLetGo) {
    ModulesInUse modules;
    std::atomic<bool> let_go{false};
    std::atomic<bool> kept{false};
    std::thread worker([&] {
        Work work(modules);
        EXPECT_TRUE(work.keep(1));
        EXPECT_TRUE(work.keep(1)) << "as often as one likes";
        kept = true;
        std::this_thread::sleep_for(milliseconds(50));
        let_go = true;
        work.let_go();
    });
    while (!kept) {
        std::this_thread::yield();
    }
    EXPECT_TRUE(Leaving(modules, 1).in_order());
    EXPECT_TRUE(let_go);
    worker.join();
}

TEST(ModulesInUse, TheEndDoesNotWaitForEver) {
    ModulesInUse modules;
    Work work(modules);
    ASSERT_TRUE(work.keep(1));
    EXPECT_FALSE(Leaving(modules, 1, milliseconds(20)).in_order());
}

TEST(ModulesInUse, WhatIsAnnouncedIsRefusedWhileItsEndIsTold) {
    ModulesInUse modules;
    {
        const Leaving leaving(modules, 1);
        Work work(modules);
        EXPECT_FALSE(work.keep(1));
        EXPECT_TRUE(work.keep(2));
    }
    Work later(modules);
    EXPECT_TRUE(later.keep(1)) << "the id means another module now";
}

TEST(ModulesInUse, WhatHasGoneIsRefusedByWhoeverWasAtWorkThen) {
    ModulesInUse modules;
    Work work(modules);  // has listed the modules by now
    { const Leaving leaving(modules, 1); }
    EXPECT_FALSE(work.keep(1));
    {
        Work other(modules);
        EXPECT_FALSE(other.keep(1)) << "he cannot know which of the two it means";
    }
    EXPECT_FALSE(work.keep(1));
}

TEST(ModulesInUse, NoModuleGoesWhileARequestRuns) {
    ModulesInUse modules;
    std::atomic<bool> done{false};
    std::atomic<bool> told{false};
    std::thread finalizer;
    {
        const ModulesInUse::Request request(modules);
        finalizer = std::thread([&] {
            told = true;
            EXPECT_TRUE(Leaving(modules, 1).in_order());
            EXPECT_TRUE(done) << "nobody keeps the module itself";
        });
        while (!told) {
            std::this_thread::yield();
        }
        std::this_thread::sleep_for(milliseconds(20));
        const ModulesInUse::Request within(modules);  // does not wait for the end it holds up
        done = true;
    }
    finalizer.join();
}

TEST(ModulesInUse, RequestsHoldUpEndsForSoLongTogether) {
    ModulesInUse modules;
    const ModulesInUse::Request request(modules);
    const auto begin = steady_clock::now();
    EXPECT_TRUE(Leaving(modules, 1).in_order());
    EXPECT_GE(steady_clock::now() - begin, ModulesInUse::kPatience);
    const auto second = steady_clock::now();
    EXPECT_TRUE(Leaving(modules, 2).in_order());
    EXPECT_LT(steady_clock::now() - second, ModulesInUse::kPatience);
}

TEST(ModulesInUse, ARequestWaitsUntilWhatWasToldToGoHasGone) {
    ModulesInUse modules;
    std::atomic<bool> told{false};
    std::atomic<bool> requested{false};
    std::thread finalizer([&] {
        { const Leaving leaving(modules, 1); }
        told = true;
        while (!requested) {  // gives its memory back
        }
    });
    while (!told) {
        std::this_thread::yield();
    }
    const auto begin = steady_clock::now();
    { const ModulesInUse::Request request(modules); }
    EXPECT_GE(steady_clock::now() - begin, ModulesInUse::kSettled);
    requested = true;
    finalizer.join();
}

TEST(ModulesInUse, ARequestWaitsForNothingWhereNothingGoes) {
    ModulesInUse modules;
    const auto begin = steady_clock::now();
    { const ModulesInUse::Request request(modules); }
    EXPECT_LT(steady_clock::now() - begin, ModulesInUse::kTimeout);
}

TEST(ModulesInUse, RequestsDoNotHoldUpAnEndForEver) {
    ModulesInUse modules;
    std::atomic<bool> gone{false};
    std::thread finalizer([&] {
        EXPECT_TRUE(Leaving(modules, 1).in_order());
        gone = true;
    });
    while (!gone) {
        const ModulesInUse::Request request(modules);
        std::this_thread::sleep_for(milliseconds(1));
    }
    finalizer.join();
}

// What the agent does with the runtime: module i of the program is here while loaded[i].
TEST(ModulesInUse, AKeptModuleIsThere) {
    constexpr clr::ModuleID kModules = 4;
    constexpr auto kTime = milliseconds(300);
    ModulesInUse modules;
    std::vector<std::atomic<bool>> loaded(kModules);
    std::atomic<bool> stop{false};
    std::atomic<uint64_t> used{0};
    std::vector<std::thread> threads;
    for (clr::ModuleID module = 0; module < kModules; ++module) {
        threads.emplace_back([&, module] {
            while (!stop) {
                loaded[module] = true;
                std::this_thread::yield();
                const Leaving leaving(modules, module);
                loaded[module] = false;
            }
        });
    }
    for (int worker = 0; worker < 2; ++worker) {
        threads.emplace_back([&] {
            while (!stop) {
                Work work(modules);
                std::vector<clr::ModuleID> listed;
                for (clr::ModuleID module = 0; module < kModules; ++module) {
                    if (loaded[module]) {
                        listed.push_back(module);
                    }
                }
                for (const clr::ModuleID module : listed) {
                    if (work.keep(module)) {
                        EXPECT_TRUE(loaded[module]);
                        ++used;
                        std::this_thread::yield();
                        EXPECT_TRUE(loaded[module]);
                        work.let_go();
                    }
                }
            }
        });
    }
    std::this_thread::sleep_for(kTime);
    stop = true;
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_GT(used, 0U);
}

}  // namespace
}  // namespace umbra::agent
