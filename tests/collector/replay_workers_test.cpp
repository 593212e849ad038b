// SPDX-License-Identifier: MIT
// Threads that write into rings while several workers read them and hand them on to each other.
#include "src/collector/replay_workers.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hotpath/clock.h"
#include "hotpath/slot.h"
#include "src/base/utf8.h"
#include "src/collector/tables/profile_builder.h"
#include "src/replay/linear_clock.h"
#include "tests/collector/empty_segment.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using hotpath::Kind;
using hotpath::RingWriter;
using hotpath::ThreadBlock;
using testing::make_segment;

constexpr size_t kSlots = hotpath::kChunkBytes / hotpath::kSlotBytes;

/// A thread of the program: nested calls, one function a level, until `calls` have been made.
class Producer {
  public:
    Producer(SharedSegment& segment, uint32_t slot, uint64_t calls)
        : block_(segment.threads()[slot]),
          writer_(block_, segment.ring(slot)),
          slot_(slot),
          calls_(calls) {
        // As the target does it, before its first record.
        if (!hotpath::claim_slot(block_)) {
            throw std::runtime_error("the slot is taken");
        }
        hotpath::open_slot(block_, slot + 1, hotpath::read_clock(hotpath::ClockSource::kOs), 0);
        thread_ = std::thread([this] { run(); });
    }
    void join() { thread_.join(); }

  private:
    static constexpr uint32_t kDepth = 6;

    void run() {
        for (uint64_t made = 0; made < calls_; made += kDepth) {
            for (uint32_t level = 0; level < kDepth; ++level) {
                write(Kind::kEnter, level);
            }
            for (uint32_t level = kDepth; level-- > 0;) {
                write(Kind::kLeave, level);
            }
        }
        hotpath::end_slot(block_, hotpath::read_clock(hotpath::ClockSource::kOs));
    }

    void write(Kind kind, uint32_t level) {
        while (at_ == nullptr || used_ + 2 > kSlots) {
            at_ = writer_.take();
            used_ = 0;
            if (at_ == nullptr) {
                std::this_thread::yield();
            }
        }
        const uint64_t ticks = hotpath::read_clock(hotpath::ClockSource::kOs);
        hotpath::publish(
            at_ + used_,
            hotpath::make_slot(kind, 1 + (slot_ + level) % 20, 0x7000'0000U - 64 * level), ticks);
        used_ += 2;
    }

    ThreadBlock& block_;
    RingWriter writer_;
    uint32_t slot_;
    uint64_t calls_;
    uint64_t* at_ = nullptr;
    size_t used_ = 0;
    std::thread thread_;
};

TEST(ReplayWorkers, LoseNothingWhileThreadsAreHandedOn) {
    constexpr uint32_t kProducers = 8;
    constexpr uint64_t kCalls = 60'000;
    SharedSegment segment = make_segment();
    SessionState state({}, false);
    CpuWatch cpu(0, CpuSource::kNone, hotpath::ClockSource::kOs);
    ThreadIds ids(0);
    ReplayWorkers workers(segment, state, cpu, ids, [](ProfiledThread&) {},
                          {.first = 2, .most = 3});
    for (uint32_t slot = 0; slot < kProducers; ++slot) {
        ASSERT_NE(segment.ring(slot), nullptr);
    }
    segment.header().threads_seen.store(kProducers);
    std::vector<std::unique_ptr<Producer>> producers;
    for (uint32_t slot = 0; slot < kProducers; ++slot) {
        producers.push_back(std::make_unique<Producer>(segment, slot, kCalls));
    }
    std::mt19937 random(1);
    uint64_t turns = 0;
    uint64_t snapshots = 0;
    do {
        const bool moved = workers.turn();
        if (++turns % 4 == 0) {
            workers.move({{.from = random() % workers.size(),
                           .to = random() % workers.size(),
                           .slot = static_cast<uint32_t>(random() % kProducers)}});
        }
        if (turns == 5) {
            workers.add_worker();
        }
        if (turns % 16 == 0) {
            const Snapshot snapshot = state.copy_out(1);
            snapshots += snapshot.shards.size();
        }
        if (!moved) {
            workers.sleep(std::chrono::milliseconds(1));
        }
    } while (turns < 20 || workers.live_threads() != 0 || state.threads().size() < kProducers);
    for (const std::unique_ptr<Producer>& producer : producers) {
        producer->join();
    }
    const RunTimes run_times = workers.run_times();
    workers.read_out();
    EXPECT_EQ(workers.size(), 3U);
    // Those that have ended count as well, whoever asks.
    RunTimes at_end;
    std::thread([&] { at_end = workers.run_times(); }).join();
    EXPECT_GE(at_end.cpu_ns, run_times.cpu_ns);
    EXPECT_GE(at_end.delay_ns, run_times.delay_ns);
    EXPECT_GT(snapshots, 0U);
    EXPECT_EQ(state.progress().events, 2 * kCalls * kProducers);
    const profile::Profile p = build(state.copy_out(1), replay::LinearClock(0, 1e9), {});
    ASSERT_EQ(p.threads.size(), kProducers);
    for (const profile::Thread& thread : p.threads) {
        EXPECT_EQ(thread.calls, kCalls);
        EXPECT_EQ(thread.events, 2 * kCalls);
        EXPECT_EQ(thread.repairs + thread.unmatched_leaves + thread.decode_errors, 0U);
    }
    uint64_t calls = 0;
    for (const profile::Function& function : p.functions) {
        calls += function.times.calls;
    }
    EXPECT_EQ(calls, kProducers * kCalls);
}

TEST(ReplayWorkers, AThreadIsCalledWhatTheSegmentSaysUnlessItHasBeenNamed) {
    SharedSegment segment = make_segment();
    const auto write = [&](uint32_t place, uint32_t os_tid, const std::string& name) {
        hotpath::RegisteredThread& thread = hotpath::registered_threads(&segment.header())[place];
        std::ranges::copy(name, thread.name.begin());
        thread.os_tid.store(os_tid);
    };
    write(1, 1, "in the segment");
    write(2, 2 + hotpath::kRegisteredThreads, "another one's");
    write(3, 3, "before it was renamed");
    write(4, 4, std::string(60, 'x'));
    write(5, 5, "\x1b[31mred\xff");
    SessionState state({}, false);
    state.note(protocol::ThreadNamed{3, "named"});
    CpuWatch cpu(0, CpuSource::kNone, hotpath::ClockSource::kOs);
    ThreadIds ids(0);
    ReplayWorkers workers(segment, state, cpu, ids, [](ProfiledThread&) {},
                          {.first = 1, .most = 1});
    segment.header().threads_seen.store(5);
    for (uint32_t slot = 0; slot < 5; ++slot) {
        ASSERT_NE(segment.ring(slot), nullptr);
        Producer(segment, slot, 6).join();
    }
    workers.turn();
    workers.read_out();
    std::map<uint32_t, std::string> names;
    for (const auto& [number, thread] : state.threads()) {
        names[thread.os_tid()] = thread.name();
    }
    const std::map<uint32_t, std::string> expected = {{1, "in the segment"},
                                                      {2, ""},
                                                      {3, "named"},
                                                      {4, std::string(60, 'x')},
                                                      {5, printable_utf8("\x1b[31mred\xff")}};
    EXPECT_EQ(names, expected);
    EXPECT_EQ(names[5].find('\x1b'), std::string::npos);
}

TEST(ReplayWorkers, ASlotThatIsUsedAgainIsAnotherThread) {
    constexpr uint32_t kRounds = 40;
    SharedSegment segment = make_segment();
    SessionState state({}, false);
    CpuWatch cpu(0, CpuSource::kNone, hotpath::ClockSource::kOs);
    ThreadIds ids(0);
    ReplayWorkers workers(segment, state, cpu, ids, [](ProfiledThread&) {},
                          {.first = 3, .most = 3});
    ASSERT_NE(segment.ring(0), nullptr);
    segment.header().threads_seen.store(1);
    for (uint32_t round = 1; round <= kRounds; ++round) {
        Producer producer(segment, 0, 60);
        while (state.threads().size() < round || workers.live_threads() != 0) {
            if (!workers.turn()) {
                workers.sleep(std::chrono::milliseconds(1));
            }
        }
        producer.join();
    }
    workers.read_out();
    const profile::Profile p = build(state.copy_out(1), replay::LinearClock(0, 1e9), {});
    ASSERT_EQ(p.threads.size(), kRounds);
    for (const profile::Thread& thread : p.threads) {
        EXPECT_EQ(thread.calls, 60U);
    }
}

}  // namespace
}  // namespace umbra::collector
