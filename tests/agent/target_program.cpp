// SPDX-License-Identifier: MIT
// The program under the agent in the end-to-end tests: plays a scenario on the stand-in runtime.
//
// Prints "ready" lines and waits for a line from the test at each; at the end what it did:
//   thread TID ENTERS LEAVES TAILCALLS, path TID CALLS PATH, cost NANOSECONDS
// "programs FIRST COUNT" plays random programs of so many seeds, and prints for each of their
// threads
//   named NAME, then calls CALLS PATH
// "registers" calls the hooks with a pattern in every register, and prints
//   checked CALLS for each thread, or spoiled NAME for each that the first bad call has not kept
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

#include "src/fakeclr/fake_runtime.h"
#include "src/fakeclr/generators.h"
#include "src/fakeclr/register_check.h"
#include "src/fakeclr/script.h"
#include "tests/agent/random_programs.h"
#include "tests/asm/clobbered.h"

namespace umbra::fakeclr {
namespace {

// A ring holds 131,072 records.
constexpr uint64_t kPairsBeyondARing = 200'000;
constexpr uint64_t kPairsWithinARing = 20'000;

void step() {
    std::puts("ready");
    std::fflush(stdout);
    if (std::getchar() != '\n') {
        std::_Exit(3);
    }
}

void print(const std::vector<ThreadOutcome>& outcomes) {
    for (const ThreadOutcome& outcome : outcomes) {
        std::printf("thread %u %lu %lu %lu\n", outcome.os_tid, outcome.events.enters,
                    outcome.events.leaves, outcome.events.tailcalls);
        for (const auto& [path, calls] : outcome.calls_by_path) {
            std::printf("path %u %lu %s\n", outcome.os_tid, calls, path.c_str());
        }
    }
}

class Program {
  public:
    explicit Program(FakeRuntime& runtime) : runtime_(runtime) {
        FakeModule& shop = runtime.model().add_module({.path = "/app/Shop.dll"});
        runtime.load_module(shop);
        FakeType& cart = runtime.model().add_type(shop, {.name = "Shop.Cart"});
        exception_ = &runtime.model().add_type(shop, {.name = "Shop.OutOfStock"});
        for (int i = 0; i < 24; ++i) {
            FakeMethod& method =
                runtime.model().add_method(cart, {.name = "Step" + std::to_string(i)});
            runtime.compile(method);  // here, so that other threads record calls and nothing else
            methods_.push_back(&method);
        }
    }

    /// Sixteen threads, each with calls, tail calls and exceptions of its own.
    void random() {
        std::vector<ThreadPlan> plans;
        for (uint64_t seed = 1; seed <= 16; ++seed) {
            plans.push_back(
                {.name = "worker " + std::to_string(seed), .program = [this, seed](Player& p) {
                     play_random(p, methods_, exception_, {.seed = seed, .calls = 8'000});
                 }});
        }
        print(run_threads(runtime_, plans));
    }

    /// Every slot is used again and again.
    void sequence() {
        for (int i = 0; i < 200; ++i) {
            print(run_threads(runtime_, {{.program = [&](Player& p) { pairs(p, 50); }}}));
        }
    }

    void crowd() {
        const ThreadPlan plan{.program = [&](Player& p) { pairs(p, 500); }};
        print(run_threads(runtime_, std::vector<ThreadPlan>(300, plan)));
    }

    /// One thread that outruns the collector, then goes on at its pace.
    void burst() {
        print(run_threads(
            runtime_, {{.program = [&](Player& p) {
                pairs(p, 10);
                step();
                p.call(*methods_[1], [&](Player& inside) { pairs(inside, kPairsBeyondARing); });
                step();
                p.call(*methods_[2], [&](Player& inside) { pairs(inside, kPairsWithinARing); });
            }}}));
    }

    /// One thread that ends while it outruns the collector.
    void burst_to_the_end() {
        print(run_threads(runtime_, {{.program = [&](Player& p) {
                              pairs(p, 10);
                              step();
                              pairs(p, kPairsBeyondARing);
                          }}}));
        step();
    }

    /// More than the collector can take at once, twice over.
    void steady() {
        const ThreadPlan plan{.program = [&](Player& p) { pairs(p, 4 * kPairsBeyondARing); }};
        print(run_threads(runtime_, {plan, plan}));
    }

    /// The collector goes while threads run; then what a pair of probes costs.
    void orphan() {
        std::vector<ThreadPlan> plans(4,
                                      {.program = [&](Player& p) { pairs(p, kPairsWithinARing); }});
        plans.push_back({.program = [&](Player& p) {
            step();
            pairs(p, 5 * kPairsBeyondARing);
            print_cost();
        }});
        print(run_threads(runtime_, plans));
    }

    /// Nothing but calls of one method inside another, until its hooks are gone; then some more.
    void tiny() {
        constexpr auto kTimeout = std::chrono::seconds(60);
        print(run_threads(runtime_, {{.program = [&](Player& p) {
                              p.enter(*methods_[1]);
                              const auto end = std::chrono::steady_clock::now() + kTimeout;
                              while (runtime_.body(*methods_[0]).hooked &&
                                     std::chrono::steady_clock::now() < end) {
                                  pairs(p, 1'000);
                              }
                              std::puts(runtime_.body(*methods_[0]).hooked ? "hooked" : "unhooked");
                              pairs(p, kPairsWithinARing);
                              p.call(*methods_[2]);
                              p.leave();
                          }}}));
    }

    /// Through the first event of a thread, fast paths, and changes of chunks.
    void registers() {
        for (int thread = 0; thread < 3; ++thread) {
            std::thread([this] { check_registers(5'000); }).join();
        }
    }

    void die() {
        run_threads(runtime_, {{.program = [&](Player& p) {
                        p.enter(*methods_[3]);
                        pairs(p, 1234);
                        step();
                    }}});
    }

  private:
    void pairs(Player& player, uint64_t count) const {
        for (uint64_t i = 0; i < count; ++i) {
            player.enter(*methods_[0]);
            player.leave();
        }
    }

    void check_registers(uint64_t rounds) const {
        constexpr uintptr_t kCallerSp = 0x7f00'1234'5670;
        constexpr HookKind kKinds[] = {HookKind::kEnter, HookKind::kLeave, HookKind::kEnter,
                                       HookKind::kTailcall};
        const HookSlots& slots = runtime_.slots();
        const uintptr_t id = runtime_.body(*methods_[0]).client_id;
        uint64_t checked = 0;
        for (uint64_t round = 0; round < rounds; ++round) {
            const StackAlignment alignment = kStackAlignments[round % kStackAlignments.size()];
            for (const HookKind kind : kKinds) {
                const Hook hook = kind == HookKind::kEnter   ? slots.enter
                                  : kind == HookKind::kLeave ? slots.leave
                                                             : slots.tailcall;
                RegisterFile before = register_pattern(kind, id, kCallerSp, ++checked);
                const RegisterFile after = checked_call(hook, before, alignment);
                const auto may_change = [kind](const std::string& name) {
                    return kind == HookKind::kEnter
                               ? std::ranges::count(hotpath::kClobberedByEnter, name) != 0
                               : std::ranges::count(hotpath::kClobberedByLeave, name) != 0;
                };
                std::vector<std::string> spoiled = changed_registers(before, after);
                std::erase_if(spoiled, may_change);
                for (const std::string& name : spoiled) {
                    std::printf("spoiled %s\n", name.c_str());
                }
                if (!spoiled.empty()) {
                    return;
                }
            }
        }
        std::printf("checked %lu\n", checked);
    }

    void print_cost() {
        const CompiledBody& body = runtime_.body(*methods_[0]);
        constexpr uint64_t kPairs = 1'000'000;
        const auto begin = std::chrono::steady_clock::now();
        umbra_fakeclr_pairs(&runtime_.slots(), body.client_id, kPairs);
        const std::chrono::duration<double, std::nano> took =
            std::chrono::steady_clock::now() - begin;
        std::printf("cost %.3f\n", took.count() / kPairs);
    }

    FakeRuntime& runtime_;
    FakeType* exception_ = nullptr;
    std::vector<FakeMethod*> methods_;
};

/// Four programs at a time, each with methods and threads of its own.
void play_programs(FakeRuntime& runtime, uint64_t first, uint64_t count) {
    constexpr uint64_t kAtOnce = 4;
    FakeModule& module = runtime.model().add_module({.path = "/app/Random.dll"});
    runtime.load_module(module);
    for (uint64_t seed = first; seed < first + count;) {
        std::vector<RandomProgram> programs;
        for (; seed < first + count && programs.size() < kAtOnce; ++seed) {
            programs.emplace_back(runtime, module, seed);
        }
        std::vector<ThreadPlan> plans;
        for (const RandomProgram& program : programs) {
            std::ranges::move(program.threads(), std::back_inserter(plans));
        }
        const std::vector<ThreadOutcome> outcomes = run_threads(runtime, plans);
        for (size_t thread = 0; thread < outcomes.size(); ++thread) {
            std::printf("named %s\n", plans[thread].name.c_str());
            for (const auto& [path, calls] : outcomes[thread].calls_by_path) {
                if (calls != 0) {
                    std::printf("calls %lu %s\n", calls, path.c_str());
                }
            }
        }
    }
}

int run(const std::string& scenario) {
    // As the CLR's: it and the profiler in it last until the process ends, and so are no leaks.
    static FakeRuntime& runtime = *new FakeRuntime;
    const Result<bool> loaded = runtime.load_profiler_from_environment();
    if (!loaded || !*loaded) {
        std::puts("not profiled");
        return 2;
    }
    unsigned long first = 0;
    unsigned long count = 0;
    if (std::sscanf(scenario.c_str(), "programs %lu %lu", &first, &count) == 2) {
        play_programs(runtime, first, count);
        runtime.shutdown();
        std::fflush(stdout);
        return 0;
    }
    Program program(runtime);
    const std::map<std::string, std::function<void()>> scenarios = {
        {"random", [&] { program.random(); }},
        {"sequence", [&] { program.sequence(); }},
        {"crowd", [&] { program.crowd(); }},
        {"burst", [&] { program.burst(); }},
        {"burst_to_the_end", [&] { program.burst_to_the_end(); }},
        {"steady", [&] { program.steady(); }},
        {"orphan", [&] { program.orphan(); }},
        {"tiny", [&] { program.tiny(); }},
        {"registers", [&] { program.registers(); }},
        {"die", [&] { program.die(); }},
    };
    const auto chosen = scenarios.find(scenario);
    if (chosen == scenarios.end()) {
        return 4;
    }
    chosen->second();
    runtime.shutdown();
    std::fflush(stdout);
    return 0;
}

}  // namespace
}  // namespace umbra::fakeclr

int main(int argc, char** argv) {
    return argc == 2 ? umbra::fakeclr::run(argv[1]) : 4;
}
