// SPDX-License-Identifier: MIT
// How fast records become a call tree, beside floors: bare passes over the same slots, and a loop
// that keeps a stack and calls by function. Rows of the replay run that loop after each pass of
// their own, outside the time they tell: `floor/s` is its events a second, `of_floor` the replay's
// share of that.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/collector/bare_stack.h"
#include "benchmarks/collector/streams.h"
#include "benchmarks/replay/stream_file.h"
#include "hotpath/record.h"
#include "src/collector/state/session_state.h"
#include "src/collector/tables/profile_builder.h"
#include "src/replay/record_decoder.h"

namespace umbra {
namespace {

using bench::for_each_chunk;
using bench::kChunkSlots;
using bench::shift;

const std::vector<uint64_t>& fib_stream() {
    static const std::vector<uint64_t> slots = [] {
        bench::StreamWriter out;
        bench::write_fib(out, 30);
        return out.take();
    }();
    return slots;
}

const std::vector<uint64_t>& compiler_stream() {
    static const std::vector<uint64_t> slots = [] {
        bench::StreamWriter out;
        bench::Program(14'000, 7).run(out, 8'000'000);
        return out.take();
    }();
    return slots;
}

void report(benchmark::State& state, const std::vector<uint64_t>& slots) {
    const auto events = static_cast<double>(slots.size() / 2);
    state.counters["events/s"] =
        benchmark::Counter(events, benchmark::Counter::kIsIterationInvariantRate);
    state.counters["ns/event"] = benchmark::Counter(
        events * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void read_only(benchmark::State& state, const std::vector<uint64_t>& slots) {
    uint64_t kinds = 0;
    for (auto _ : state) {
        for_each_chunk(slots, [&](std::span<const uint64_t> chunk) {
            replay::RecordCursor cursor(chunk, 0);
            while (cursor.next()) {
                kinds += hotpath::slot_kind(cursor.slot()) == hotpath::Kind::kEnter ? 1U : 0U;
                kinds ^= cursor.ticks();
            }
        });
        benchmark::DoNotOptimize(kinds);
    }
    report(state, slots);
}

/// The least that any replay does: branch on the kind, push and pop, add durations up in one sum.
void pair_up(benchmark::State& state, const std::vector<uint64_t>& slots) {
    std::vector<uint64_t> entered(1U << 16);
    uint64_t total = 0;
    for (auto _ : state) {
        size_t depth = 0;
        for_each_chunk(slots, [&](std::span<const uint64_t> chunk) {
            replay::RecordCursor cursor(chunk, 0);
            while (cursor.next()) {
                if (hotpath::slot_kind(cursor.slot()) == hotpath::Kind::kEnter) {
                    entered[depth++] = cursor.ticks();
                } else {
                    total += cursor.ticks() - entered[--depth];
                    benchmark::ClobberMemory();  // or the branch becomes arithmetic
                }
            }
        });
        benchmark::DoNotOptimize(total);
    }
    report(state, slots);
}

/// Takes turns of the replay and of its floor over the same records.
class BesideFloor {
  public:
    /// `pass` is what the benchmark times; `bare` the same records for BareStack.
    template <typename Pass, typename Bare>
    void turn(benchmark::State& state, Pass pass, Bare bare) {
        const auto begin = std::chrono::steady_clock::now();
        pass();
        const auto middle = std::chrono::steady_clock::now();
        state.PauseTiming();
        const auto resumed = std::chrono::steady_clock::now();
        bare();
        floor_ += std::chrono::steady_clock::now() - resumed;
        own_ += middle - begin;
        ++turns_;
        state.ResumeTiming();
    }
    /// `events`: of one turn.
    void report(benchmark::State& state, double events) const {
        state.counters["floor/s"] = events * static_cast<double>(turns_) / floor_.count();
        state.counters["of_floor"] = floor_ / own_;
    }

  private:
    std::chrono::duration<double> own_{};
    std::chrono::duration<double> floor_{};
    size_t turns_ = 0;
};

/// One more than the largest function index of the stream.
size_t functions_of(std::span<const uint64_t> slots) {
    uint32_t largest = 0;
    for (size_t at = 0; at < slots.size() && hotpath::slot_written(slots[at]); ++at) {
        const uint64_t slot = slots[at];
        if (hotpath::slot_kind(slot) != hotpath::Kind::kControl) {
            largest = std::max(largest, hotpath::slot_index(slot));
        }
        at += bench::more_slots(slot);
    }
    return largest + 1;
}

void report_nodes(benchmark::State& state, const replay::CallTree& tree) {
    const auto nodes = static_cast<double>(tree.arcs().size());
    state.counters["nodes"] = nodes;
    state.counters["bytes/node"] = static_cast<double>(tree.bytes()) / nodes;
}

/// As every recording by default: async calls are followed. None of these functions is of one.
struct PlainFunctions {
    explicit PlainFunctions(size_t count) : traits(count), methods(count) {
        for (hotpath::RegisteredMethod& method : methods) {
            method.word = hotpath::RegisteredMethod::pack(1, 1);
        }
    }
    void follow(collector::SessionState& session) const {
        session.follow_async({.traits = traits, .methods = methods});
    }

    std::vector<uint8_t> traits;
    std::vector<hotpath::RegisteredMethod> methods;
};

/// Into a tree that has all nodes: what a program does after its first seconds.
void replay(benchmark::State& state, std::vector<uint64_t> slots) {
    const uint64_t run_ticks = slots.back();
    const PlainFunctions plain(functions_of(slots));
    collector::SessionState session;
    plain.follow(session);
    collector::ProfiledThread& thread = *session.add_thread(1, 0);
    const auto consume = [&](std::span<const uint64_t> chunk) { thread.consume(chunk, true); };
    for_each_chunk(slots, consume);
    bench::BareStack bare(functions_of(slots));
    BesideFloor beside;
    for (auto _ : state) {
        state.PauseTiming();
        shift(slots, run_ticks);
        state.ResumeTiming();
        beside.turn(
            state, [&] { for_each_chunk(slots, consume); },
            [&] { for_each_chunk(slots, [&](auto chunk) { bare.consume(chunk); }); });
    }
    report(state, slots);
    beside.report(state, static_cast<double>(slots.size() / 2));
    report_nodes(state, session.tree());
    if (thread.replay().counts().decode_errors != 0) {
        state.SkipWithError("the stream is not sound");
    }
}

/// Into an empty tree: nodes are made and memory is touched for the first time.
void replay_anew(benchmark::State& state, const std::vector<uint64_t>& slots) {
    const PlainFunctions plain(functions_of(slots));
    std::optional<collector::SessionState> session;
    for (auto _ : state) {
        state.PauseTiming();
        session.emplace();
        plain.follow(*session);
        collector::ProfiledThread& thread = *session->add_thread(1, 0);
        state.ResumeTiming();
        for_each_chunk(slots,
                       [&](std::span<const uint64_t> chunk) { thread.consume(chunk, true); });
    }
    report(state, slots);
    report_nodes(state, session->tree());
}

/// All ticks of a recorded chunk one run later.
void shift_chunk(std::vector<uint64_t>& chunk, uint64_t ticks) {
    for (size_t at = 0; at + 1 < chunk.size() && chunk[at] != 0;
         at += hotpath::record_slots(chunk[at])) {
        chunk[at + 1] += ticks;
    }
}

/// A recorded program, all its threads, as bench_replay_record writes it. The file named by
/// UMBRA_STREAM.
void replay_recorded(benchmark::State& state, const bench::StreamFile& file) {
    struct Chunk {
        uint32_t thread;
        std::vector<uint64_t> slots;
    };
    std::vector<Chunk> chunks;
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    uint32_t threads = 0;
    size_t functions = 1;
    for (const bench::Block& block : file.blocks()) {
        if (block.kind != bench::BlockKind::kRecords) {
            continue;
        }
        chunks.push_back({block.thread, {block.words.begin(), block.words.end()}});
        chunks.back().slots.resize(kChunkSlots);
        threads = std::max(threads, block.thread + 1);
        for (size_t at = 0; at + 1 < block.words.size() && block.words[at] != 0; ++at) {
            const uint64_t slot = block.words[at];
            first = std::min(first, block.words[at + 1]);
            last = std::max(last, block.words[at + 1]);
            at += bench::more_slots(slot);
        }
        functions = std::max(functions, functions_of(block.words));
    }
    const PlainFunctions plain(functions);
    collector::SessionState session;
    plain.follow(session);
    for (uint32_t thread = 0; thread < threads; ++thread) {
        session.add_thread(thread + 1, 0);
    }
    const auto pass = [&] {
        for (const Chunk& chunk : chunks) {
            session.threads().at(chunk.thread).consume(chunk.slots, true);
        }
    };
    pass();
    std::vector<bench::BareStack> bare(threads, bench::BareStack(functions));
    BesideFloor beside;
    const auto events = static_cast<double>(session.events());
    for (auto _ : state) {
        state.PauseTiming();
        for (Chunk& chunk : chunks) {
            shift_chunk(chunk.slots, last - first);
        }
        state.ResumeTiming();
        beside.turn(state, pass, [&] {
            for (const Chunk& chunk : chunks) {
                bare[chunk.thread].consume(chunk.slots);
            }
        });
    }
    beside.report(state, events);
    state.counters["events/s"] =
        benchmark::Counter(events, benchmark::Counter::kIsIterationInvariantRate);
    // What a checkpoint, every ten seconds, keeps the replay from its work.
    const auto before = std::chrono::steady_clock::now();
    benchmark::DoNotOptimize(session.copy_out(last));
    state.counters["copy_ms"] =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before)
            .count();
    report_nodes(state, session.tree());
}

void copy_out(benchmark::State& state, const std::vector<uint64_t>& slots) {
    collector::SessionState session;
    collector::ProfiledThread& thread = *session.add_thread(1, 0);
    for_each_chunk(slots, [&](auto chunk) { thread.consume(chunk, true); });
    for (auto _ : state) {
        benchmark::DoNotOptimize(session.copy_out(slots.back()));
    }
    state.counters["nodes"] = static_cast<double>(session.tree().arcs().size());
}

void build(benchmark::State& state, const std::vector<uint64_t>& slots) {
    collector::SessionState session;
    collector::ProfiledThread& thread = *session.add_thread(1, 0);
    for_each_chunk(slots, [&](auto chunk) { thread.consume(chunk, true); });
    const replay::LinearClock clock(0, 2.6e9);
    for (auto _ : state) {
        benchmark::DoNotOptimize(collector::build(session.copy_out(slots.back()), clock, {}));
    }
    state.counters["nodes"] = static_cast<double>(session.tree().arcs().size());
}

BENCHMARK_CAPTURE(read_only, floor / fib, fib_stream())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pair_up, floor / fib, fib_stream())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, fib, fib_stream())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_only, floor / compiler, compiler_stream())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pair_up, floor / compiler, compiler_stream())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay, compiler, compiler_stream())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(replay_anew, compiler, compiler_stream())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(copy_out, compiler, compiler_stream())->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(build, compiler, compiler_stream())->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace umbra

int main(int argc, char** argv) {
    std::optional<umbra::bench::StreamFile> recorded;
    if (const char* path = std::getenv("UMBRA_STREAM")) {
        recorded = umbra::bench::StreamFile::open(path);
        if (!recorded) {
            return 1;
        }
        benchmark::RegisterBenchmark("replay_recorded", [&](benchmark::State& state) {
            umbra::replay_recorded(state, *recorded);
        })->Unit(benchmark::kMillisecond);
    }
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    return 0;
}
