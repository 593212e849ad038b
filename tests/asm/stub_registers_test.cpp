// SPDX-License-Identifier: MIT
// The real hooks keep every register they promise to keep, on every path through them.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hotpath/clock.h"
#include "hotpath/record.h"
#include "hotpath/segment.h"
#include "src/fakeclr/fake_runtime.h"
#include "src/fakeclr/register_check.h"
#include "src/protocol/environment.h"
#include "tests/asm/clobbered.h"
#include "tests/support/test_collector.h"

namespace umbra::fakeclr {
namespace {

using ::testing::IsEmpty;
using umbra::testing::TestCollector;

constexpr uint64_t kEventsPerChunk = hotpath::kChunkBytes / (2 * hotpath::kSlotBytes);
constexpr uint64_t kEventsPerRing = kEventsPerChunk * hotpath::kChunksPerRing;
constexpr uintptr_t kCallerSp = 0x7f00'1234'5670;
constexpr HookKind kKinds[] = {HookKind::kEnter, HookKind::kLeave, HookKind::kTailcall};

/// The agent in this process, at the other end of a TestCollector.
struct Profiled {
    explicit Profiled(protocol::Welcome settings = {}, const char* clock = "")
        : collector(std::move(settings)) {
        setenv(protocol::kClockVariable, clock, 1);
        setenv(protocol::kSocketVariable, collector.socket_path().c_str(), 1);
        setenv("CORECLR_ENABLE_PROFILING", "1", 1);
        setenv("CORECLR_PROFILER", protocol::kProfilerClsid, 1);
        setenv("CORECLR_PROFILER_PATH", UMBRA_AGENT_PATH, 1);
        const auto loaded = runtime.load_profiler_from_environment();
        EXPECT_TRUE(loaded.has_value()) << loaded.error().context;
        EXPECT_TRUE(loaded.value_or(false)) << "the agent asked not to be loaded";
        FakeModule& module = runtime.model().add_module({.path = "/app/Probe.dll"});
        FakeType& type = runtime.model().add_type(module, {.name = "Probe"});
        runtime.load_module(module);
        const CompiledBody& body =
            runtime.compile(runtime.model().add_method(type, {.name = "Call"}));
        EXPECT_TRUE(body.hooked);
        client_id = body.client_id;
    }

    /// AgentWorker's thread may be at work; a real runtime stays until the process ends.
    ~Profiled() { runtime.shutdown(); }
    Profiled(const Profiled&) = delete;
    Profiled& operator=(const Profiled&) = delete;

    [[nodiscard]] Hook hook(HookKind kind) const {
        const HookSlots& slots = runtime.slots();
        return kind == HookKind::kEnter   ? slots.enter
               : kind == HookKind::kLeave ? slots.leave
                                          : slots.tailcall;
    }

    /// Puts `events` (an even number) in this thread's ring, unchecked.
    void fill(uint64_t events) const {
        umbra_fakeclr_pairs(&runtime.slots(), client_id, events / 2);
    }

    TestCollector collector;
    FakeRuntime runtime;
    uintptr_t client_id = 0;
};

/// The stubs promise more than the contract.
bool may_change(HookKind kind, const std::string& name) {
    const std::span<const std::string_view> allowed =
        kind == HookKind::kEnter ? std::span<const std::string_view>(hotpath::kClobberedByEnter)
                                 : hotpath::kClobberedByLeave;
    return std::ranges::find(allowed, name) != allowed.end();
}

void check_once(const Profiled& profiled, HookKind kind, StackAlignment alignment, uint64_t seed) {
    RegisterFile before = register_pattern(kind, profiled.client_id, kCallerSp, seed);
    const RegisterFile after = checked_call(profiled.hook(kind), before, alignment);
    EXPECT_THAT(broken_contract(kind, before, after), IsEmpty());
    auto changed = changed_registers(before, after);
    std::erase_if(changed, [kind](const std::string& name) { return may_change(kind, name); });
    EXPECT_THAT(changed, IsEmpty());
}

/// `count` checked calls through all kinds and alignments; stops at the first broken promise.
void check_many(const Profiled& profiled, uint64_t count) {
    for (uint64_t i = 0; i < count && !::testing::Test::HasFailure(); ++i) {
        check_once(profiled, kKinds[i % 3], kStackAlignments[i / 3 % kStackAlignments.size()],
                   i + 1);
    }
}

long count_waits(const std::vector<TestCollector::Record>& records) {
    return std::ranges::count_if(records, [](const TestCollector::Record& record) {
        return hotpath::slot_kind(record.slot) == hotpath::Kind::kControl &&
               hotpath::slot_index(record.slot) ==
                   static_cast<uint32_t>(hotpath::ControlType::kWaited);
    });
}

uint32_t this_tid() {
    return static_cast<uint32_t>(gettid());
}

/// An agent starts once in a process and stays as it is, so each case has a process of its own.
void in_a_new_process(const std::function<void()>& test) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        test();
        std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << "its own report is above";
}

template <typename Condition>
bool eventually(const Condition& condition) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!condition() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return condition();
}

TEST(StubRegisters, SurviveTheFirstEventOfAThreadAndTheFastPath) {
    in_a_new_process([] {
        Profiled profiled;
        for (const HookKind kind : kKinds) {
            for (const StackAlignment alignment : kStackAlignments) {
                std::thread([&] {
                    EXPECT_EQ(profiled.collector.chunks_begun(this_tid()), 0U);
                    check_once(profiled, kind, alignment, 1);  // claims a slot and a chunk
                    EXPECT_EQ(profiled.collector.chunks_begun(this_tid()), 1U);
                    for (uint64_t seed = 2; seed < 20; ++seed) {
                        check_once(profiled, kind, alignment, seed);
                    }
                    EXPECT_EQ(profiled.collector.chunks_begun(this_tid()), 1U);
                }).join();
            }
        }
    });
}

TEST(StubRegisters, SurviveTheChangeToTheNextChunk) {
    in_a_new_process([] {
        Profiled profiled;
        for (uint64_t turn = 0; turn < 6; ++turn) {  // another hook meets each boundary
            const uint32_t before = profiled.collector.chunks_begun(this_tid());
            check_many(profiled, kEventsPerChunk + 1);
            EXPECT_EQ(profiled.collector.chunks_begun(this_tid()), before + 1 + (before == 0));
        }
    });
}

TEST(StubRegisters, SurviveAFullRingThatDrops) {
    in_a_new_process([] {
        protocol::Welcome settings;
        settings.drop = true;
        Profiled profiled(settings);
        profiled.fill(kEventsPerRing - 100);
        check_many(profiled, 2000);  // over the edge, and through several rounds of dropping
        ASSERT_NE(profiled.collector.block(this_tid()), nullptr);
        EXPECT_GT(profiled.collector.block(this_tid())->lost.load(), 0U);
        profiled.collector.drain(this_tid());
        check_many(profiled, 1000);  // back into the ring, with a record of the loss
    });
}

TEST(StubRegisters, SurviveAWaitForTheCollector) {
    in_a_new_process([] {
        Profiled profiled;
        const uint32_t tid = this_tid();
        std::atomic<long> waits{0};  // their records, wherever they were drained
        for (uint64_t turn = 0; turn < 6; ++turn) {
            waits += count_waits(profiled.collector.drain(tid));
            profiled.fill(kEventsPerRing - kEventsPerChunk - 100);
            std::jthread drainer([&] {
                hotpath::ThreadBlock* block = profiled.collector.block(tid);
                EXPECT_TRUE(eventually([&] { return block->waiting.load() != 0; }));
                waits += count_waits(profiled.collector.drain(tid));
            });
            check_many(profiled, kEventsPerChunk + 200 + turn);
        }
        EXPECT_EQ(waits + count_waits(profiled.collector.drain(tid)), 6);
    });
}

TEST(StubRegisters, SurviveACollectorThatGoesAway) {
    in_a_new_process([] {
        Profiled profiled;
        check_many(profiled, 10);
        profiled.collector.hang_up();
        // The rest of the chunk is still filled; then the probes return early.
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        check_many(profiled, 2 * kEventsPerChunk);
        EXPECT_EQ(profiled.collector.chunks_begun(this_tid()), 1U);
        std::thread([&] {
            check_many(profiled, 100);
            EXPECT_EQ(profiled.collector.block(this_tid()), nullptr);
        }).join();
    });
}

TEST(StubRegisters, SurviveACollectorThatDiesWhileAProbeWaits) {
    in_a_new_process([] {
        Profiled profiled;
        profiled.fill(kEventsPerRing - 10);
        const uint32_t tid = this_tid();
        std::jthread killer([&] {
            hotpath::ThreadBlock* block = profiled.collector.block(tid);
            EXPECT_TRUE(eventually([&] { return block->waiting.load() != 0; }));
            profiled.collector.hang_up();
        });
        check_many(profiled, 100);
    });
}

TEST(StubRegisters, SurviveTheSystemsClock) {
    in_a_new_process([] {
        Profiled profiled({}, protocol::kOsClock);
        profiled.collector.drain(this_tid());  // the compilation's records
        const uint64_t begin = hotpath::read_os_ns();
        check_many(profiled, 3000);
        const uint64_t end = hotpath::read_os_ns();
        for (const TestCollector::Record& record : profiled.collector.drain(this_tid())) {
            EXPECT_GE(record.ticks, begin);
            EXPECT_LE(record.ticks, end);
        }
    });
}

TEST(ProbeCosts, AreMeasuredAtTheStart) {
    in_a_new_process([] {
        Profiled profiled;
        const hotpath::ProbeCosts costs = profiled.collector.header()->probe_costs;
        EXPECT_GT(costs.inside, 0);
        EXPECT_GT(costs.outside, 0);
    });
}

TEST(StubRegisters, TheRecordsSayWhatWasCalled) {
    in_a_new_process([] {
        Profiled profiled;
        check_once(profiled, HookKind::kEnter, StackAlignment::kAligned, 1);
        check_once(profiled, HookKind::kTailcall, StackAlignment::kAligned, 2);
        check_once(profiled, HookKind::kLeave, kStackAlignments.back(), 3);
        const uint32_t index = hotpath::slot_index(profiled.client_id);
        const auto sp = static_cast<uint32_t>(kCallerSp);
        std::vector<uint64_t> hooks;
        for (const TestCollector::Record& record : profiled.collector.drain(this_tid())) {
            if (hotpath::slot_kind(record.slot) != hotpath::Kind::kControl) {
                hooks.push_back(record.slot);
            }
        }
        EXPECT_THAT(hooks,
                    ::testing::ElementsAre(hotpath::make_slot(hotpath::Kind::kEnter, index, sp),
                                           hotpath::make_slot(hotpath::Kind::kTailcall, index, sp),
                                           hotpath::make_slot(hotpath::Kind::kLeave, index, sp)));
    });
}

}  // namespace
}  // namespace umbra::fakeclr
