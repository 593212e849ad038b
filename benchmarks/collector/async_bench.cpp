// SPDX-License-Identifier: MIT
// What it takes to make logical calls of what threads tell of them: requests with three levels of
// awaits (as tests/managed/server/Levels.cs has them), which go on on another thread twice.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <benchmark/benchmark.h>

#include "hotpath/record.h"
#include "hotpath/segment.h"
#include "src/replay/async/async_merge.h"

namespace umbra {
namespace {

using hotpath::ControlType;
using replay::AsyncFact;
using replay::AsyncMerge;
using replay::AsyncType;

constexpr size_t kProcessors = 2;
constexpr size_t kThreads = 8;
constexpr size_t kRequests = 50'000;
constexpr uint64_t kTicks = 100;  ///< between two facts of a thread
constexpr size_t kBurst = 8'192;  ///< facts of a thread that come together

enum Method : uint32_t { kAnswer = 1, kHandle, kRead, kPrice, kCached, kSave };

/// Type and method of a box have the number of its method.
std::optional<AsyncType> type_of(uint64_t type) {
    return AsyncType{.method = type};
}

/// What one thread tells, in its order.
class Thread {
  public:
    explicit Thread(uint32_t number) : number_(number) {}

    uint64_t now = 0;

    void enter(Method method) {
        add({.type = method,
             .sp = sp_,
             .function = method,
             .event = AsyncFact::Event::kEnter,
             .traits = hotpath::kStateMachine});
        sp_ -= kFrame;
    }
    void leave(Method method) {
        sp_ += kFrame;
        add({.sp = sp_, .function = method, .event = AsyncFact::Event::kLeave});
    }
    void control(ControlType control, uint32_t key, uint32_t second = 0, uint64_t type = 0) {
        add({.keys = hotpath::make_async_keys(key, second),
             .type = type,
             .sp = sp_,
             .control = control});
    }
    /// `begins` has the key and deeper frames until end().
    void begin(ControlType begins, uint32_t key) {
        control(begins, key);
        sp_ -= kFrame;
    }
    void end(ControlType ends) {
        sp_ += kFrame;
        control(ends, 0);
    }
    void cached() {
        enter(kCached);
        leave(kCached);
    }
    void suspend(Method method, uint32_t key, uint32_t awaited) {
        control(ControlType::kAsyncSuspended, key, 0, method);
        if (awaited == 0) {
            control(ControlType::kWorkQueued, key);
        } else {
            control(ControlType::kAsyncAwaits, key, awaited, method);
        }
        leave(method);
    }
    void go_on(Method method, uint32_t key) {
        begin(ControlType::kAsyncResumed, key);
        enter(method);
    }
    void gone_on(Method method) {
        leave(method);
        end(ControlType::kAsyncResumeEnds);
    }

    [[nodiscard]] std::span<const AsyncFact> facts() const { return facts_; }

  private:
    static constexpr uint32_t kFrame = 128;

    void add(AsyncFact fact) {
        fact.ticks = now += kTicks;
        fact.thread = number_;
        fact.order = static_cast<uint32_t>(facts_.size());
        facts_.push_back(fact);
    }

    uint32_t number_;
    uint32_t sp_ = 1 << 20;
    std::vector<AsyncFact> facts_;
};

/// A part of a request that one thread does at once; the next one is done by any.
struct Step {
    uint32_t key;  ///< of the request's first task
    uint32_t number;
    uint64_t ready_ticks;
};

void run(Thread& thread, const Step& step) {
    const uint32_t answer = step.key;
    const uint32_t handle = step.key + 1;
    const uint32_t read = step.key + 2;
    const uint32_t save = step.key + 3;
    switch (step.number) {
        case 0:
            thread.enter(kAnswer);
            thread.enter(kHandle);
            thread.enter(kRead);
            thread.suspend(kRead, read, 0);
            thread.suspend(kHandle, handle, read);
            thread.suspend(kAnswer, answer, handle);
            return;
        case 1:
            thread.begin(ControlType::kWorkRuns, read);
            thread.go_on(kRead, read);
            thread.cached();
            thread.control(ControlType::kAsyncCompleted, read);
            thread.go_on(kHandle, handle);
            thread.enter(kPrice);
            for (int price = 0; price < 3; ++price) {
                thread.cached();
            }
            thread.leave(kPrice);
            thread.enter(kSave);
            thread.suspend(kSave, save, 0);
            thread.control(ControlType::kAsyncSuspended, handle, 0, kHandle);
            thread.control(ControlType::kAsyncAwaits, handle, save, kSave);
            thread.gone_on(kHandle);
            thread.gone_on(kRead);
            thread.end(ControlType::kWorkEnds);
            return;
        default:
            thread.begin(ControlType::kWorkRuns, save);
            thread.go_on(kSave, save);
            thread.control(ControlType::kAsyncCompleted, save);
            thread.go_on(kHandle, handle);
            thread.control(ControlType::kAsyncCompleted, handle);
            thread.go_on(kAnswer, answer);
            thread.control(ControlType::kAsyncCompleted, answer);
            thread.gone_on(kAnswer);
            thread.gone_on(kHandle);
            thread.gone_on(kSave);
            thread.end(ControlType::kWorkEnds);
    }
}

std::vector<Thread> requests() {
    std::vector<Thread> threads;
    for (uint32_t number = 1; number <= kThreads; ++number) {
        threads.emplace_back(number);
    }
    std::array<uint64_t, kProcessors> clocks{};
    std::mt19937 random(7);
    std::deque<Step> steps;
    for (uint32_t request = 0; request < kRequests; ++request) {
        steps.push_back({.key = 1 + 4 * request, .number = 0, .ready_ticks = 0});
        // As many at once as there are threads.
        while (steps.size() > kThreads || (request + 1 == kRequests && !steps.empty())) {
            const Step step = steps.front();
            steps.pop_front();
            uint64_t& clock = *std::ranges::min_element(clocks);
            const auto processor = static_cast<size_t>(&clock - clocks.data());
            Thread& thread = threads[random() % (kThreads / kProcessors) * kProcessors + processor];
            thread.now = std::max(clock, step.ready_ticks);
            run(thread, step);
            clock = thread.now;
            if (step.number < 2) {
                steps.push_back({step.key, step.number + 1, thread.now});
            }
        }
    }
    return threads;
}

void requests_of_a_server(benchmark::State& state) {
    const std::vector<Thread> threads = requests();
    size_t facts = 0;
    for (const Thread& thread : threads) {
        facts += thread.facts().size();
    }
    constexpr uint64_t kStepTicks = kBurst * kTicks;
    for (auto _ : state) {
        AsyncMerge merge;
        std::vector<size_t> told(kThreads);
        size_t all_told = 0;
        for (uint64_t now = kStepTicks; all_told < facts; now += kStepTicks) {
            for (size_t number = 0; number < kThreads; ++number) {
                const std::span<const AsyncFact> all = threads[number].facts();
                const auto from = all.begin() + static_cast<std::ptrdiff_t>(told[number]);
                const auto to = std::lower_bound(
                    from, all.end(), now,
                    [](const AsyncFact& fact, uint64_t ticks) { return fact.ticks < ticks; });
                merge.waiting().insert(merge.waiting().end(), from, to);
                told[number] += static_cast<size_t>(to - from);
                all_told += static_cast<size_t>(to - from);
            }
            merge.merge(now - kStepTicks / 8, 0, type_of);
        }
        merge.merge(UINT64_MAX, 0, type_of);
        if (merge.calls().live() != 0 || merge.late() != 0) {
            state.SkipWithError("calls are left open, or facts came late");
        }
    }
    state.SetItemsProcessed(static_cast<int64_t>(facts) * state.iterations());
    state.counters["facts_per_request"] = static_cast<double>(facts) / kRequests;
}
BENCHMARK(requests_of_a_server)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace umbra

BENCHMARK_MAIN();
