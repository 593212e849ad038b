// SPDX-License-Identifier: MIT
// What the replay of one long call takes when the course of the call is kept, beside the replay of
// the same records when it is not, by turns: `of_plain` is the one by the other.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "benchmarks/collector/streams.h"
#include "src/collector/state/session_state.h"
#include "src/replay/tree/limits.h"

namespace umbra {
namespace {

constexpr size_t kRequests = 4;
constexpr uint32_t kRequest = 1;  ///< function whose calls are kept

/// Ticks of a call: most are short, a few are much longer.
uint64_t length(std::mt19937_64& random) {
    const uint64_t ticks = 20 + random() % 64;
    return random() % 256 == 0 ? ticks * (1 + random() % 64) : ticks;
}

/// Calls that call nothing, of `functions` methods in turn.
std::vector<uint64_t> leaves(size_t calls, uint32_t functions) {
    std::mt19937_64 random(7);
    bench::StreamWriter out;
    for (size_t request = 0; request < kRequests; ++request) {
        out.enter(kRequest, bench::kStackTop, 1'000);
        for (size_t call = 0; call < calls; ++call) {
            const auto function = static_cast<uint32_t>(2 + call % functions);
            out.enter(function, bench::kStackTop - 96, 20);
            out.leave(function, bench::kStackTop - 96, length(random));
        }
        out.leave(kRequest, bench::kStackTop, 1'000);
    }
    return out.take();
}

/// Calls that make one or two calls each, and these again, four deep.
void nested_call(bench::StreamWriter& out, std::mt19937_64& random, uint32_t depth, size_t& calls) {
    const auto function = static_cast<uint32_t>(2 + depth * 4 + random() % 3);
    const uint32_t caller_sp = bench::kStackTop - 96 * (depth + 1);
    out.enter(function, caller_sp, 20);
    for (uint64_t inner = depth == 3 ? 0 : 1 + random() % 2; inner > 0; --inner) {
        nested_call(out, random, depth + 1, calls);
    }
    out.leave(function, caller_sp, length(random));
    calls -= calls == 0 ? 0U : 1U;
}

std::vector<uint64_t> nested(size_t calls) {
    std::mt19937_64 random(7);
    bench::StreamWriter out;
    for (size_t request = 0; request < kRequests; ++request) {
        out.enter(kRequest, bench::kStackTop, 1'000);
        for (size_t left = calls; left > 0;) {
            nested_call(out, random, 0, left);
        }
        out.leave(kRequest, bench::kStackTop, 1'000);
    }
    return out.take();
}

/// A session of one thread.
class Session {
  public:
    explicit Session(bool keeps) : state_(limits(keeps)), marks_(64), thread_(nullptr) {
        marks_[kRequest] = keeps ? 1 : 0;
        state_.watch(marks_);
        thread_ = state_.add_thread(1, 0);
    }

    /// Seconds that it took.
    double consume(const std::vector<uint64_t>& slots) {
        const auto before = std::chrono::steady_clock::now();
        bench::for_each_chunk(
            slots, [&](std::span<const uint64_t> chunk) { thread_->consume(chunk, true); });
        const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - before;
        return taken.count();
    }
    [[nodiscard]] size_t kept_calls() {
        const auto& functions = state_.tables().slowest.sums().functions;
        return functions.empty() ? 0 : functions.front().kept.size();
    }

  private:
    static replay::Limits limits(bool keeps) {
        replay::Limits limits;
        if (keeps) {
            limits.slowest.keep = {20};
        }
        return limits;
    }

    collector::SessionState state_;
    std::vector<uint8_t> marks_;
    collector::ProfiledThread* thread_;
};

void keep_slow_calls(benchmark::State& state, std::vector<uint64_t> slots) {
    const uint64_t run_ticks = slots.back();
    Session plain(false);
    Session keeping(true);
    double plain_seconds = 0;
    double keeping_seconds = 0;
    for (auto _ : state) {
        const double once = keeping.consume(slots);
        state.SetIterationTime(once);
        keeping_seconds += once;
        plain_seconds += plain.consume(slots);
        bench::shift(slots, run_ticks);
    }
    if (keeping.kept_calls() == 0) {
        state.SkipWithError("no call has been kept");
    }
    const double events =
        static_cast<double>(slots.size() / 2) * static_cast<double>(state.iterations());
    state.counters["ns/event"] = keeping_seconds / events * 1e9;
    state.counters["plain_ns"] = plain_seconds / events * 1e9;
    state.counters["of_plain"] = keeping_seconds / plain_seconds;
}

BENCHMARK_CAPTURE(keep_slow_calls, few, leaves(10'000, 1))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(keep_slow_calls, one_method, leaves(2'000'000, 1))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(keep_slow_calls, three_methods, leaves(2'000'000, 3))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(keep_slow_calls, nested, nested(400'000))
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace umbra

BENCHMARK_MAIN();
