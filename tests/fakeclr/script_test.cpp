// SPDX-License-Identifier: MIT
// Players keep the hook contract: caller SPs, exception callbacks, and counts that add up.
#include "src/fakeclr/script.h"

#include <map>
#include <string>
#include <vector>

#include "src/fakeclr/generators.h"
#include "tests/fakeclr/fixture.h"

namespace umbra::fakeclr {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

struct Script : testing::Test {
    FakeMethod& method(const std::string& name) { return host.method(name); }
    /// The log without compilations.
    std::vector<std::string> exceptions() {
        std::vector<std::string> log;
        for (const std::string& line : host.take_log()) {
            if (!line.starts_with("JIT") && !line.starts_with("Mapper")) {
                log.push_back(line);
            }
        }
        return log;
    }

    Host host{{.events_low = kEverything}};
    FakeType& failure = host.runtime.model().add_type(host.shop, {.name = "Shop.Failure"});
    FakeMethod& main = method("Main");
    FakeMethod& parse = method("Parse");
    FakeMethod& read = method("Read");
    FakeMethod& clean = method("Clean");
};

TEST_F(Script, CallerSpFallsWithDepthAndIsEqualForSiblings) {
    Player player(host.runtime, {.stack_top = 0x7000'0000'1000});
    const auto entered_at = [&](FakeMethod& callee) {
        player.enter(callee);
        return host.profiler->counters(callee.id).enter_caller_sp;
    };
    EXPECT_EQ(entered_at(main), 0x7000'0000'1000U);
    const uint64_t parse_sp = entered_at(parse);
    EXPECT_LT(parse_sp, 0x7000'0000'1000U);
    EXPECT_EQ(parse_sp % 16, 0U);
    player.leave();
    EXPECT_EQ(host.profiler->counters(parse.id).leave_caller_sp, parse_sp);
    EXPECT_EQ(entered_at(read), parse_sp);
    EXPECT_LT(entered_at(clean), parse_sp);
}

std::vector<std::string> g_slow_calls;

TEST(SlowHooks, AreCalledAsFunctionsInPlaceOfTheOthers) {
    g_slow_calls.clear();
    Host host({.install_hooks = false, .in_initialize = [](clr::ICorProfilerInfo15& info) {
                   info.SetEventMask2(clr::COR_PRF_MONITOR_ENTERLEAVE, 0);
                   info.SetEnterLeaveFunctionHooks3WithInfo(
                       [](clr::FunctionIDOrClientID, clr::COR_PRF_ELT_INFO) {
                           g_slow_calls.emplace_back("enter");
                       },
                       [](clr::FunctionIDOrClientID, clr::COR_PRF_ELT_INFO) {
                           g_slow_calls.emplace_back("leave");
                       },
                       [](clr::FunctionIDOrClientID, clr::COR_PRF_ELT_INFO) {
                           g_slow_calls.emplace_back("tailcall");
                       });
               }});
    Player player(host.runtime);
    player.enter(host.method("Main"));
    player.tailcall(host.method("Parse"));
    player.leave();
    EXPECT_THAT(g_slow_calls, ElementsAre("enter", "tailcall", "enter", "leave"));
    EXPECT_EQ(host.profiler->info().SetEnterLeaveFunctionHooks3WithInfo(nullptr, nullptr, nullptr),
              clr::kCallOnlyFromInit);
}

TEST_F(Script, ATailcallKeepsTheCallerSp) {
    Player player(host.runtime);
    player.enter(main);
    player.enter(parse);
    const uint64_t sp = host.profiler->counters(parse.id).enter_caller_sp;
    player.tailcall(read);
    EXPECT_EQ(host.profiler->counters(parse.id).tailcalls, 1U);
    EXPECT_EQ(host.profiler->counters(parse.id).leaves, 0U);
    EXPECT_EQ(host.profiler->counters(read.id).enter_caller_sp, sp);
    player.leave();
    player.leave();
    EXPECT_THAT(player.calls_by_path(),
                ElementsAre(Pair("Shop.Cart.Main", 1), Pair("Shop.Cart.Main;Shop.Cart.Parse", 1),
                            Pair("Shop.Cart.Main;Shop.Cart.Read", 1)));
}

TEST_F(Script, AThrowThroughAFinallyRaisesTheCallbacksOfTheRuntime) {
    Player player(host.runtime);
    player.enter(main);
    player.enter(parse);
    player.enter(read);
    exceptions();
    player.raise({.type = &failure,
                  .caught_in = 2,
                  .finallys = {{1, [&](Player& p) { p.call(clean); }}},
                  .handler = [&](Player& p) { p.call(clean); }});
    EXPECT_THAT(
        exceptions(),
        ElementsAre("ExceptionThrown", "SearchFunctionEnter Read", "SearchFunctionLeave",
                    "SearchFunctionEnter Parse", "SearchFunctionLeave", "SearchFunctionEnter Main",
                    "SearchCatcherFound Main", "SearchFunctionLeave", "UnwindFunctionEnter Read",
                    "UnwindFunctionLeave", "UnwindFunctionEnter Parse", "UnwindFinallyEnter Parse",
                    "UnwindFinallyLeave", "UnwindFunctionLeave", "UnwindFunctionEnter Main",
                    "CatcherEnter Main", "CatcherLeave"));
    EXPECT_EQ(player.depth(), 1U);
    EXPECT_EQ(host.profiler->counters(read.id).leaves, 0U);
    player.leave();
    EXPECT_THAT(player.calls_by_path(),
                ElementsAre(Pair("Shop.Cart.Main", 1), Pair("Shop.Cart.Main;Shop.Cart.Clean", 1),
                            Pair("Shop.Cart.Main;Shop.Cart.Parse", 1),
                            Pair("Shop.Cart.Main;Shop.Cart.Parse;Shop.Cart.Clean", 1),
                            Pair("Shop.Cart.Main;Shop.Cart.Parse;Shop.Cart.Read", 1)));
}

TEST_F(Script, BlocksRunDeeperThanTheDeadFrames) {
    Player player(host.runtime);
    player.enter(main);
    player.enter(parse);
    player.enter(read);
    const uint64_t read_sp = host.profiler->counters(read.id).enter_caller_sp;
    const uint64_t parse_sp = host.profiler->counters(parse.id).enter_caller_sp;
    player.raise({.type = &failure, .caught_in = 2, .handler = [&](Player& p) { p.call(clean); }});
    EXPECT_LT(host.profiler->counters(clean.id).enter_caller_sp, read_sp);
    player.call(clean);
    EXPECT_EQ(host.profiler->counters(clean.id).enter_caller_sp, parse_sp);
}

TEST_F(Script, AFilterRunsOnTopOfTheThrowingFrame) {
    Player player(host.runtime);
    player.enter(main);
    player.enter(read);
    exceptions();
    player.raise(
        {.type = &failure, .caught_in = 1, .filters = {{1, [&](Player& p) { p.call(clean); }}}});
    EXPECT_THAT(exceptions(),
                ElementsAre("ExceptionThrown", "SearchFunctionEnter Read", "SearchFunctionLeave",
                            "SearchFunctionEnter Main", "SearchFilterEnter Main",
                            "SearchFilterLeave", "SearchCatcherFound Main", "SearchFunctionLeave",
                            "UnwindFunctionEnter Read", "UnwindFunctionLeave",
                            "UnwindFunctionEnter Main", "CatcherEnter Main", "CatcherLeave"));
    EXPECT_EQ(player.calls_by_path().at("Shop.Cart.Main;Shop.Cart.Read;Shop.Cart.Clean"), 1U);
}

TEST_F(Script, ARethrowUnwindsTheFrameThatHadCaught) {
    Player player(host.runtime);
    player.enter(main);
    player.enter(parse);
    player.enter(read);
    exceptions();
    player.raise({.type = &failure, .caught_in = 1, .handler = [&](Player& p) {
                      p.raise({.type = &failure, .caught_in = 1});
                  }});
    EXPECT_THAT(
        exceptions(),
        ElementsAre("ExceptionThrown", "SearchFunctionEnter Read", "SearchFunctionLeave",
                    "SearchFunctionEnter Parse", "SearchCatcherFound Parse", "SearchFunctionLeave",
                    "UnwindFunctionEnter Read", "UnwindFunctionLeave", "UnwindFunctionEnter Parse",
                    "CatcherEnter Parse", "ExceptionThrown", "SearchFunctionEnter Parse",
                    "SearchFunctionLeave", "SearchFunctionEnter Main", "SearchCatcherFound Main",
                    "SearchFunctionLeave", "UnwindFunctionEnter Parse", "UnwindFunctionLeave",
                    "UnwindFunctionEnter Main", "CatcherEnter Main", "CatcherLeave"));
    EXPECT_EQ(player.depth(), 1U);
}

TEST_F(Script, AnExceptionOutOfAFilterIsSwallowedThere) {
    Player player(host.runtime);
    player.enter(main);
    player.enter(read);
    const auto failing_filter = [&](Player& p) {
        p.enter(clean);
        p.raise({.type = &failure, .caught_in = Exception::kLeavesFilter});
    };
    exceptions();
    player.raise({.type = &failure, .caught_in = 1, .filters = {{0, failing_filter}}});
    EXPECT_THAT(
        exceptions(),
        ElementsAre("ExceptionThrown", "SearchFunctionEnter Read", "SearchFilterEnter Read",
                    "ExceptionThrown", "SearchFunctionEnter Clean", "SearchFunctionLeave",
                    "UnwindFunctionEnter Clean", "UnwindFunctionLeave", "UnwindFunctionEnter Read",
                    "SearchFilterLeave", "SearchFunctionLeave", "SearchFunctionEnter Main",
                    "SearchCatcherFound Main", "SearchFunctionLeave", "UnwindFunctionEnter Read",
                    "UnwindFunctionLeave", "UnwindFunctionEnter Main", "CatcherEnter Main",
                    "CatcherLeave"));
    EXPECT_EQ(player.depth(), 1U);
}

TEST_F(Script, AnUncaughtExceptionUnwindsNothing) {
    Player player(host.runtime);
    player.enter(main);
    player.enter(read);
    exceptions();
    player.raise({.type = &failure, .caught_in = Exception::kUncaught});
    EXPECT_THAT(exceptions(),
                ElementsAre("ExceptionThrown", "SearchFunctionEnter Read", "SearchFunctionLeave",
                            "SearchFunctionEnter Main", "SearchFunctionLeave"));
    EXPECT_EQ(player.depth(), 2U);
}

TEST_F(Script, UnhookedMethodsLeaveNoTrace) {
    Host quiet({.events_low = clr::COR_PRF_MONITOR_JIT_COMPILATION});
    Player player(quiet.runtime);
    player.call(quiet.method("Total"));
    EXPECT_EQ(player.events().total(), 0U);
    EXPECT_THAT(player.calls_by_path(), IsEmpty());
}

TEST_F(Script, AForeignThreadRunsHooksBeforeItIsKnown) {
    std::vector<std::string> at_first_call;
    const ThreadPlan plan{"",
                          [&](Player& p) {
                              p.call(main);
                              at_first_call = host.profiler->log();
                          },
                          true};
    run_threads(host.runtime, {plan});
    for (const std::string& line : at_first_call) {
        EXPECT_NE(line, "ThreadCreated");
    }
    EXPECT_THAT(host.profiler->log(), testing::Contains("ThreadCreated"));
}

// ---- generators -------------------------------------------------------------------------------

TEST_F(Script, RandomLoadsCountWhatTheHooksCount) {
    std::vector<FakeMethod*> methods;
    for (int i = 0; i < 20; ++i) {
        methods.push_back(&method("M" + std::to_string(i)));
    }
    std::vector<ThreadPlan> plans;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        plans.push_back({"worker " + std::to_string(seed), [&, seed](Player& p) {
                             play_random(p, methods, &failure, {.seed = seed, .calls = 20000});
                         }});
    }
    std::map<std::string, uint64_t> calls;
    uint64_t events = 0;
    for (const ThreadOutcome& outcome : run_threads(host.runtime, plans)) {
        events += outcome.events.total();
        for (const auto& [path, count] : outcome.calls_by_path) {
            calls[path.substr(path.rfind(';') + 1)] += count;
        }
    }
    uint64_t hooks = 0;
    for (const FakeMethod* each : methods) {
        const FunctionCounters counters = host.profiler->counters(each->id);
        EXPECT_EQ(counters.enters, calls[each->full_name]) << each->full_name;
        hooks += counters.enters + counters.leaves + counters.tailcalls;
    }
    EXPECT_EQ(hooks, events);
    EXPECT_GT(events, 4 * 20000U);
}

TEST_F(Script, EqualSeedsPlayEqualSequences) {
    const std::vector<FakeMethod*> methods = {&main, &parse, &read, &clean};
    const auto play = [&](uint64_t seed) {
        Player player(host.runtime);
        play_random(player, methods, &failure, {.seed = seed, .calls = 5000});
        return player.calls_by_path();
    };
    EXPECT_EQ(play(7), play(7));
    EXPECT_NE(play(7), play(8));
}

TEST_F(Script, FibMakesAsManyCallsAsItShould) {
    EXPECT_EQ(fib_calls(27), 635621U);
    Player player(host.runtime);
    EXPECT_EQ(play_fib(player, main, 15), 610U);
    EXPECT_EQ(host.profiler->counters(main.id).enters, fib_calls(15));
    EXPECT_EQ(run_fib(host.runtime, parse, 20), 6765U);
    EXPECT_EQ(host.profiler->counters(parse.id).enters, fib_calls(20));
    EXPECT_EQ(host.profiler->counters(parse.id).leaves, fib_calls(20));
}

TEST_F(Script, TheRealStackGivesTheCallersStackPointer) {
    const CompiledBody& body = host.runtime.body(main);
    const auto nothing = [](void*) -> uint64_t { return 0; };
    umbra_fakeclr_call(&host.runtime.slots(), body.client_id, nothing, nullptr);
    const FunctionCounters counters = host.profiler->counters(main.id);
    EXPECT_EQ(counters.enter_caller_sp, counters.leave_caller_sp);
    const auto here = reinterpret_cast<uint64_t>(__builtin_frame_address(0));
    EXPECT_LE(counters.enter_caller_sp, here);  // equal where calls push nothing
    EXPECT_GT(counters.enter_caller_sp, here - 4096);
}

}  // namespace
}  // namespace umbra::fakeclr
