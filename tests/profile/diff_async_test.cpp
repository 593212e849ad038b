// SPDX-License-Identifier: MIT
// Async methods are judged by whole calls: who awaits longer is named, and who awaits that one is
// said to be slower below.
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/profile/diff/diff.h"

namespace umbra::profile {
namespace {

constexpr double kMs = 1e6;

/// What a call of a method takes, in milliseconds, and how many there are.
struct Method {
    std::string name;
    double calls;
    double awaiting_ms;
    double children_ms = 0;
    double cpu_ms = 0.01;
};

using Methods = std::vector<Method>;

Run run_with(const Methods& methods) {
    Run run;
    run.session.cpu.source = "perf";
    run.session.wall_ns = 4'000'000'000;
    for (const Method& method : methods) {
        const auto of_all = [&](double ms) {
            return static_cast<uint64_t>(method.calls * ms * kMs);
        };
        MethodTimes& made = run.methods.emplace_back();
        made.name = method.name;
        made.times.calls = made.async.calls = static_cast<uint64_t>(method.calls);
        made.times.self_ns = made.times.cpu.self_ns = made.times.cpu.total_ns =
            of_all(method.cpu_ms);
        AsyncTimes& times = made.async.times;
        times.running_ns = of_all(method.cpu_ms);
        times.outside_ns = of_all(method.awaiting_ms);
        times.children_ns = of_all(method.children_ms);
        times.wall_ns = times.running_ns + times.outside_ns + times.children_ns;
        made.times.total_ns = times.wall_ns;
    }
    return run;
}

/// A handler that awaits two queries.
Methods handler(double load_ms, double calls = 400) {
    return {{"Handle", calls, 0, load_ms + 3}, {"Load", calls, load_ms}, {"Price", calls, 3}};
}

std::vector<Run> three(const Run& run) {
    return {run, run, run};
}

const FunctionChange& of(const Diff& diff, const std::string& name) {
    for (const FunctionChange& change : diff.functions) {
        if (change.name == name) {
            return change;
        }
    }
    ADD_FAILURE() << name;
    return diff.functions.front();
}

Diff three_of_each(const Methods& before, const Methods& after) {
    return diff(three(run_with(before)), three(run_with(after)), {});
}

TEST(DiffAsync, NamesWhoAwaitsLongerAndSaysOfItsAwaiterThatItIsBelow) {
    const Diff found = three_of_each(handler(5), handler(10));
    EXPECT_EQ(found.changed, 2U);
    const FunctionChange& load = found.functions[0];
    EXPECT_EQ(load.name, "Load");
    EXPECT_EQ(load.verdict, Verdict::kSlower);
    EXPECT_EQ(load.self.by, JudgedBy::kAsyncWall);
    EXPECT_NEAR(load.self.relative, 1, 0.01);
    EXPECT_EQ(load.before_async.awaiting_ns, 5'000'000U);
    EXPECT_EQ(load.after_async.awaiting_ns, 10'000'000U);
    const FunctionChange& handle = of(found, "Handle");
    EXPECT_EQ(handle.verdict, Verdict::kSlowerBelow);
    EXPECT_EQ(handle.total.by, JudgedBy::kAsyncWall);
    EXPECT_NEAR(handle.total.relative, 5.0 / 8, 0.01);
    EXPECT_NEAR(worst_increase(found), 1, 0.01);

    const Diff back = three_of_each(handler(10), handler(5));
    EXPECT_EQ(of(back, "Load").verdict, Verdict::kFaster);
    EXPECT_EQ(of(back, "Handle").verdict, Verdict::kFasterBelow);
    EXPECT_EQ(worst_increase(back), 0);
}

TEST(DiffAsync, ACallThatAwaitsWhatItWasBlockedByTakesAsLong) {
    const Methods blocked = {{"Handle", 400, 0, 0, 5}, {"Load", 400, 5}};
    const Methods awaits = {{"Handle", 400, 5, 0, 0.01}, {"Load", 400, 5}};
    std::vector<profile::Run> before = three(run_with(blocked));
    for (profile::Run& run : before) {  // it holds its thread, and no processor
        run.methods[0].times.cpu.self_ns = run.methods[0].times.cpu.total_ns = 4'000'000;
    }
    for (const bool back : {false, true}) {
        const std::vector<profile::Run> after = three(run_with(awaits));
        const Diff found = back ? diff(after, before, {}) : diff(before, after, {});
        EXPECT_EQ(of(found, "Handle").verdict, Verdict::kSame) << back;
    }
}

TEST(DiffAsync, OneRunOfEachNamesADoubledAwaitToo) {
    const Diff found = diff({run_with(handler(5))}, {run_with(handler(10))}, {});
    EXPECT_EQ(of(found, "Load").verdict, Verdict::kSlower);
    EXPECT_EQ(of(found, "Price").verdict, Verdict::kSame);
}

TEST(DiffAsync, WithoutCpuTimesTheSameIsSaid) {
    profile::Run before = run_with(handler(5));
    profile::Run after = run_with(handler(10));
    before.session.cpu.source = after.session.cpu.source = "none";
    const Diff found = diff(three(before), three(after), {});
    EXPECT_EQ(of(found, "Load").verdict, Verdict::kSlower);
    EXPECT_EQ(of(found, "Handle").verdict, Verdict::kSlowerBelow);
    EXPECT_EQ(of(found, "Handle").total.by, JudgedBy::kAsyncWall);
}

TEST(DiffAsync, EveryAwaitDoubledIsNothingThatAllHaveInCommon) {
    Methods before;
    for (const double ms : {2, 3, 4, 5, 6, 8, 10}) {
        before.push_back({"Query" + std::to_string(before.size()), 400, ms});
    }
    Methods after = before;
    for (Method& method : after) {
        method.awaiting_ms *= 2;
    }
    EXPECT_EQ(three_of_each(before, after).changed, before.size());
}

TEST(DiffAsync, ACallThatTakesLongerIsNamedThoughThereAreFewer) {
    // Clients that ask as soon as they are answered.
    const Diff found = three_of_each(handler(5, 800), handler(10, 400));
    EXPECT_EQ(of(found, "Load").verdict, Verdict::kSlower);
    EXPECT_NEAR(of(found, "Load").self.relative, 1, 0.01);
}

TEST(DiffAsync, MoreCallsOfAQueryMakeItNoSlowerButItsAwaiter) {
    Methods before = handler(5);
    Methods after = handler(5);
    after[0].children_ms += 5;
    after[1].calls *= 2;
    const Diff found = three_of_each(before, after);
    EXPECT_EQ(of(found, "Load").verdict, Verdict::kMoreCalls);
    EXPECT_EQ(of(found, "Handle").verdict, Verdict::kSlowerBelow);
    EXPECT_EQ(of(found, "Price").verdict, Verdict::kSame);
    EXPECT_GT(worst_increase(found), 0.5);
}

TEST(DiffAsync, AQueryThatIsNewMakesItsAwaiterSlowerBelow) {
    Methods before = handler(5);
    Methods after = handler(5);
    after[0].children_ms += 4;
    after.push_back({"Audit", 400, 4});
    const Diff found = three_of_each(before, after);
    EXPECT_EQ(of(found, "Audit").verdict, Verdict::kNew);
    EXPECT_EQ(of(found, "Handle").verdict, Verdict::kSlowerBelow);
}

TEST(DiffAsync, CallsThatLastAsLongAsTheRunAreNotJudged) {
    const auto with_loop = [](double ms) {
        profile::Run run = run_with({{"Loop", 4, ms}});
        run.methods[0].async.open = 4;
        return run;
    };
    EXPECT_EQ(diff(three(with_loop(1000)), three(with_loop(2000)), {}).changed, 0U);
}

TEST(DiffAsync, RunsThatWereNotFollowedAreNotComparedByWholeCalls) {
    profile::Run pieces = run_with(handler(5));
    for (MethodTimes& method : pieces.methods) {
        method.async = {};
        method.times.total_ns = method.times.self_ns;
    }
    const profile::Run whole = run_with(handler(10));
    for (const char* source : {"perf", "none"}) {
        profile::Run before = pieces;
        profile::Run after = whole;
        before.session.cpu.source = after.session.cpu.source = source;
        EXPECT_EQ(diff(three(before), three(after), {}).changed, 0U) << source;
        EXPECT_EQ(diff({before, after}, {before, after}, {}).changed, 0U) << source;
    }
}

TEST(DiffAsync, InstantiationsOfANameAreOneMethod) {
    Profile profile;
    profile.threads.resize(1);
    for (const char* raw : {"Shop.Queries.Load", "Shop.Queries/<Load>d__1.MoveNext"}) {
        Function& function = profile.functions.emplace_back();
        function.name = "Shop.Queries.Load<T>(T)";
        function.raw_name = raw;
        function.times.calls = 2;
        function.times.self_ns = function.times.total_ns = 10;
        profile.calltree.push_back(
            {kNone, static_cast<Row>(profile.calltree.size()), 0, function.times});
    }
    profile.functions[1].name = "Shop.Queries.Load<T>(T) [body]";
    for (const uint64_t ns : {100U, 20U}) {
        AsyncMethod& method = profile.async_methods.emplace_back();
        method.function = 1;
        method.counts.calls = 1;
        method.counts.times.wall_ns = method.counts.times.outside_ns = ns;
    }
    const profile::Run run = run_of(profile, {});
    ASSERT_EQ(run.methods.size(), 1U);
    EXPECT_EQ(run.methods[0].async.calls, 2U);
    EXPECT_EQ(own_awaiting_ns(run.methods[0].async.times), 120U);
    const Filter nobody{{NamePattern("Nobody")}, {}, {}};
    EXPECT_TRUE(run_of(profile, {.filter = nobody}).methods.empty());
}

/// A run on a machine that is busier or less busy from run to run: each suspension lasts longer by
/// `late` then, and a method's calls by what differs from one to the next.
Run noisy_run(double load_ms, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::exponential_distribution<double> queue;
    const double late = 0.8 + 0.4 * queue(random);
    const auto awaits = [&](double ms) { return (ms + late) * std::exp(0.04 * normal(random)); };
    Methods methods;
    double sum = 0;
    for (const double ms : {load_ms, 2.0, 3.0, 4.0, 20.0}) {
        methods.push_back({"Query" + std::to_string(methods.size()), 240, awaits(ms)});
        sum += methods.size() <= 2 ? methods.back().awaiting_ms : 0;
    }
    methods.push_back({"Handle", 240, 0.003 * queue(random), sum});
    methods.push_back({"Yield", 240, 0.1 * queue(random)});
    methods.push_back({"Main", 1, 2 * queue(random), 60 * sum});
    for (int burn = 0; burn < 6; ++burn) {
        const double ms = 0.5 * (burn + 1) * std::exp(0.02 * normal(random));
        methods.push_back({"Burn" + std::to_string(burn), 240, 0, 0, ms});
    }
    Run run = run_with(methods);
    for (MethodTimes& method : run.methods) {
        if (method.name.starts_with("Burn")) {
            method.async = {};
        }
    }
    return run;
}

struct Counts {
    int any = 0;      ///< pairs in which a method is named
    int failing = 0;  ///< pairs that --fail-above 5% does not let pass
    int first = 0;    ///< pairs in which the doubled query stands first, slower by what it awaits
    int below = 0;    ///< pairs in which its awaiter is slower below
};

Counts count(int pairs, std::size_t runs, double load_ms, uint64_t seed) {
    std::mt19937_64 random(seed);
    Counts counts;
    for (int pair = 0; pair < pairs; ++pair) {
        std::vector<Run> before;
        std::vector<Run> after;
        for (std::size_t run = 0; run < runs; ++run) {
            before.push_back(noisy_run(5, random));
            after.push_back(noisy_run(load_ms, random));
        }
        const Diff found = diff(before, after, {});
        counts.any += found.changed > 0 ? 1 : 0;
        counts.failing += worst_increase(found) > 0.05 ? 1 : 0;
        const FunctionChange& first = found.functions.front();
        counts.first += first.name == "Query0" && first.verdict == Verdict::kSlower &&
                                first.self.by == JudgedBy::kAsyncWall
                            ? 1
                            : 0;
        counts.below += of(found, "Handle").verdict == Verdict::kSlowerBelow ? 1 : 0;
    }
    return counts;
}

TEST(DiffAsyncSimulated, EqualRunsPass) {
    constexpr int kPairs = 1000;
    for (const std::size_t runs : {1U, 2U, 3U, 5U}) {
        const Counts counts = count(kPairs, runs, 5, 40 + runs);
        std::cout << runs << " runs a side: " << counts.any << " named, " << counts.failing
                  << " failing of " << kPairs << '\n';
        EXPECT_LE(counts.any, kPairs / 20) << runs << " runs a side";
        EXPECT_LE(counts.failing, kPairs / 50) << runs << " runs a side";
    }
}

TEST(DiffAsyncSimulated, ADoubledAwaitFailsAndItsAwaiterIsNotWhatIsNamed) {
    constexpr int kPairs = 400;
    const Counts counts = count(kPairs, 5, 10, 55);
    std::cout << counts.failing << " failing, " << counts.first << " first, " << counts.below
              << " below of " << kPairs << '\n';
    EXPECT_EQ(counts.failing, kPairs);
    EXPECT_GE(counts.first, kPairs * 199 / 200);
    EXPECT_GE(counts.below, kPairs * 19 / 20);
}

}  // namespace
}  // namespace umbra::profile
