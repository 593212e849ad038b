// SPDX-License-Identifier: MIT
// What an event costs when several workers replay a program of 64 threads, beside one worker.
//
// Each worker owns its threads and takes eight chunks of one after the other, as Drain does. The
// time of an iteration is wall time; `cpu_ns/event` is processor time of all workers, which tells
// what more workers cost where there are fewer processors than workers.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <thread>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/collector/streams.h"
#include "hotpath/clock.h"
#include "src/collector/state/session_state.h"
#include "src/collector/tables/profile_builder.h"

namespace umbra {
namespace {

using bench::kChunkSlots;
using collector::ProfiledThread;
using collector::SessionState;
using collector::Shard;
using Clock = std::chrono::steady_clock;

constexpr size_t kThreads = 64;
constexpr size_t kEventsOfThread = 150'000;
constexpr size_t kChunksATurn = 8;

/// 64 threads of one program, each with work of its own.
const std::vector<std::vector<uint64_t>>& streams() {
    static const std::vector<std::vector<uint64_t>> streams = [] {
        bench::Program program(14'000, 7);
        std::vector<std::vector<uint64_t>> all;
        for (size_t thread = 0; thread < kThreads; ++thread) {
            bench::StreamWriter out;
            program.run(out, kEventsOfThread);
            all.push_back(out.take());
        }
        return all;
    }();
    return streams;
}

/// The threads of one worker: chunk after chunk, in turns.
class Worker {
  public:
    explicit Worker(Shard& shard) : shard_(shard) {}

    void add(ProfiledThread& thread, std::vector<uint64_t>& stream) {
        threads_.push_back({.thread = &thread, .stream = &stream});
    }
    /// All streams from their begin. Returns the processor time it took.
    uint64_t pass() {
        const uint64_t before = hotpath::read_thread_cpu_ns();
        for (Reading& reading : threads_) {
            reading.at = 0;
        }
        for (bool moved = true; moved;) {
            moved = false;
            const collector::Gate::Work inside(shard_.gate);
            shard_.apply_inbox();
            for (Reading& reading : threads_) {
                for (size_t chunk = 0; chunk < kChunksATurn; ++chunk) {
                    moved = take(reading) || moved;
                }
            }
            shard_.publish_progress();
        }
        return hotpath::read_thread_cpu_ns() - before;
    }
    [[nodiscard]] const Shard& shard() const { return shard_; }

  private:
    struct Reading {
        ProfiledThread* thread;
        std::vector<uint64_t>* stream;
        size_t at = 0;
    };

    static bool take(Reading& reading) {
        const size_t left = reading.stream->size() - reading.at;
        const size_t count = std::min(kChunkSlots, left);
        if (count != 0) {
            reading.thread->consume(std::span(*reading.stream).subspan(reading.at, count), true);
            reading.at += count;
        }
        return count != 0;
    }

    Shard& shard_;
    std::vector<Reading> threads_;
};

/// A session whose threads are dealt out to `count` workers.
class Session {
  public:
    explicit Session(size_t count) : state_({}, count == 1), streams_(streams()) {
        while (state_.shards().size() < count) {
            state_.add_shard();
        }
        for (Shard& shard : state_.shards()) {
            workers_.push_back(std::make_unique<Worker>(shard));
        }
        for (size_t thread = 0; thread < kThreads; ++thread) {
            Worker& worker = *workers_[thread % count];
            ProfiledThread* profiled = state_.add_thread(static_cast<uint32_t>(thread + 1), 0,
                                                         false, &state_.shards()[thread % count]);
            worker.add(*profiled, streams_[thread]);
            length_ = std::max(length_, streams_[thread].back());
        }
    }

    /// Processor time of all workers.
    uint64_t pass() {
        std::atomic<uint64_t> cpu_ns{0};
        std::vector<std::thread> threads;
        for (size_t worker = 1; worker < workers_.size(); ++worker) {
            threads.emplace_back([&, worker] { cpu_ns += workers_[worker]->pass(); });
        }
        cpu_ns += workers_[0]->pass();
        for (std::thread& thread : threads) {
            thread.join();
        }
        return cpu_ns;
    }
    /// All streams one pass later.
    void shift() {
        for (std::vector<uint64_t>& slots : streams_) {
            for (size_t index = 1; index < slots.size(); index += 2) {
                slots[index] += length_;
            }
        }
    }
    [[nodiscard]] SessionState& state() { return state_; }
    [[nodiscard]] uint64_t length() const { return length_; }
    [[nodiscard]] size_t nodes() const {
        size_t nodes = 0;
        for (const Shard& shard : state_.shards()) {
            nodes += shard.tables.tree.arcs().size();
        }
        return nodes;
    }

  private:
    SessionState state_;
    std::vector<std::vector<uint64_t>> streams_;
    std::vector<std::unique_ptr<Worker>> workers_;
    uint64_t length_ = 0;
};

double events() {
    size_t slots = 0;
    for (const std::vector<uint64_t>& stream : streams()) {
        slots += stream.size();
    }
    return static_cast<double>(slots) / 2;
}

void replay_64_threads(benchmark::State& state) {
    Session session(static_cast<size_t>(state.range(0)));
    session.pass();
    uint64_t cpu_ns = 0;
    for (auto _ : state) {
        session.shift();
        const Clock::time_point before = Clock::now();
        cpu_ns += session.pass();
        state.SetIterationTime(std::chrono::duration<double>(Clock::now() - before).count());
    }
    const auto passes = static_cast<double>(state.iterations());
    state.counters["wall_events/s"] =
        benchmark::Counter(events() * passes, benchmark::Counter::kIsRate);
    state.counters["cpu_events/s"] = events() * passes * 1e9 / static_cast<double>(cpu_ns);
    state.counters["cpu_ns/event"] = static_cast<double>(cpu_ns) / (events() * passes);
    state.counters["nodes"] = static_cast<double>(session.nodes());
    uint64_t errors = 0;
    for (const auto& [number, thread] : session.state().threads()) {
        const replay::ThreadCounts counts = thread.replay().counts();
        errors += counts.decode_errors + counts.stack.repairs;
    }
    if (errors != 0) {
        state.SkipWithError("the streams are not sound");
    }
}

/// From the shards to a profile: copied out, merged, built.
void build_64_threads(benchmark::State& state) {
    Session session(static_cast<size_t>(state.range(0)));
    session.pass();
    const replay::LinearClock clock(0, 2.6e9);
    for (auto _ : state) {
        benchmark::DoNotOptimize(
            collector::build(session.state().copy_out(session.length()), clock, {}));
    }
    state.counters["nodes"] = static_cast<double>(session.nodes());
}

BENCHMARK(replay_64_threads)
    ->Arg(1)
    ->Arg(2)
    ->Arg(4)
    ->Arg(8)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(build_64_threads)->Arg(1)->Arg(4)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace umbra

BENCHMARK_MAIN();
