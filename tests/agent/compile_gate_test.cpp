// SPDX-License-Identifier: MIT
// When ENTERLEAVE is in the event mask: nested compilations, module loads in them, other threads.
#include "src/agent/methods/compile_gate.h"

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "src/clr/types.h"
#include "tests/clr/uncounted.h"

namespace umbra::agent {
namespace {

constexpr uint32_t kBase = clr::COR_PRF_MONITOR_JIT_COMPILATION;
constexpr uint32_t kHigh = 5;

/// Keeps the mask, nothing else.
class MaskInfo final : public clr::InfoBase {
  public:
    clr::HRESULT SetEventMask2(uint32_t low, uint32_t high) override {
        low_ = low;
        sets_ += 1;
        EXPECT_EQ(low & ~clr::COR_PRF_MONITOR_ENTERLEAVE, kBase);
        EXPECT_EQ(high, kHigh);
        return clr::kOk;
    }

    [[nodiscard]] bool on() const { return (low_ & clr::COR_PRF_MONITOR_ENTERLEAVE) != 0; }
    [[nodiscard]] uint32_t sets() const { return sets_; }

  private:
    std::atomic<uint32_t> low_{kBase};
    std::atomic<uint32_t> sets_{0};
};

struct CompileGateTest : ::testing::Test {
    MaskInfo info;
    CompileGate gate{info, kBase, kHigh};
};

TEST_F(CompileGateTest, IsOpenWhileAMethodCompiles) {
    EXPECT_FALSE(info.on());
    gate.compilation_started(1);
    EXPECT_TRUE(info.on());
    CompileGate::mapper_asked(1);
    EXPECT_FALSE(gate.compilation_finished(1));
    EXPECT_FALSE(info.on());
    EXPECT_EQ(info.sets(), 2U);
}

TEST_F(CompileGateTest, TellsACompilationThatNeverAskedTheMapper) {
    gate.compilation_started(1);
    EXPECT_TRUE(gate.compilation_finished(1)) << "no hooks in this code";
}

TEST_F(CompileGateTest, EndsWhatBeganAndNothingElse) {
    gate.compilation_started(1);
    EXPECT_FALSE(gate.compilation_finished(2)) << "a method that is timed since";
    EXPECT_TRUE(info.on());
    EXPECT_TRUE(gate.compilation_finished(1, false)) << "a method that is not timed any more";
    EXPECT_FALSE(info.on());
}

TEST_F(CompileGateTest, StaysOpenThroughNestedCompilations) {
    gate.compilation_started(1);
    CompileGate::mapper_asked(1);
    gate.compilation_started(2);
    gate.compilation_started(3);
    CompileGate::mapper_asked(3);
    EXPECT_FALSE(gate.compilation_finished(3));
    EXPECT_TRUE(info.on());
    EXPECT_TRUE(gate.compilation_finished(2)) << "only 1 and 3 were asked for";
    EXPECT_TRUE(info.on());
    EXPECT_FALSE(gate.compilation_finished(1));
    EXPECT_FALSE(info.on());
    EXPECT_EQ(info.sets(), 2U) << "the mask changes with the first and the last";
}

TEST_F(CompileGateTest, ClosesForAModuleThatLoadsInsideACompilation) {
    gate.compilation_started(1);
    gate.module_load_started();
    EXPECT_FALSE(info.on()) << "the image keeps its precompiled code";
    gate.compilation_started(2);  // the module's initialiser
    EXPECT_TRUE(info.on());
    gate.module_load_started();
    EXPECT_FALSE(info.on());
    gate.module_load_finished();
    EXPECT_TRUE(info.on());
    static_cast<void>(gate.compilation_finished(2));
    EXPECT_FALSE(info.on());
    gate.module_load_finished();
    EXPECT_TRUE(info.on()) << "the outer compilation goes on";
    static_cast<void>(gate.compilation_finished(1));
    EXPECT_FALSE(info.on());
}

TEST_F(CompileGateTest, AModuleThatLoadsAloneChangesNothing) {
    gate.module_load_started();
    gate.module_load_finished();
    gate.module_load_finished();  // one too many
    EXPECT_EQ(info.sets(), 0U);
}

TEST_F(CompileGateTest, ALoadOnOneThreadLeavesItOpenForAnother) {
    gate.compilation_started(1);
    std::thread([&] {
        gate.compilation_started(2);
        gate.module_load_started();
        EXPECT_TRUE(info.on()) << "the other thread still compiles";
        gate.module_load_finished();
        static_cast<void>(gate.compilation_finished(2));
    }).join();
    EXPECT_TRUE(info.on());
    static_cast<void>(gate.compilation_finished(1));
    EXPECT_FALSE(info.on());
}

TEST_F(CompileGateTest, CountsDeeperNestingThanItRemembers) {
    constexpr clr::FunctionID kDepth = 40;
    for (clr::FunctionID function = 1; function <= kDepth; ++function) {
        gate.compilation_started(function);
        gate.module_load_started();
    }
    for (clr::FunctionID function = kDepth; function >= 1; --function) {
        gate.module_load_finished();
        EXPECT_TRUE(info.on()) << function;
        static_cast<void>(gate.compilation_finished(function));
    }
    EXPECT_FALSE(info.on());
    EXPECT_FALSE(gate.compilation_finished(1)) << "nothing was begun";
    EXPECT_FALSE(info.on());
}

TEST_F(CompileGateTest, ManyThreadsLeaveItClosed) {
    std::vector<std::thread> threads;
    for (uint32_t i = 0; i < 8; ++i) {
        threads.emplace_back([this, i] {
            for (clr::FunctionID round = 0; round < 2'000; ++round) {
                const clr::FunctionID function = i * 10'000 + round;
                gate.compilation_started(function);
                EXPECT_TRUE(info.on());
                if (round % 3 == 0) {
                    gate.module_load_started();
                    gate.module_load_finished();
                }
                EXPECT_TRUE(info.on());
                EXPECT_TRUE(gate.compilation_finished(function));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_FALSE(info.on());
}

}  // namespace
}  // namespace umbra::agent
