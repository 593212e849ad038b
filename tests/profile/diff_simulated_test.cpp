// SPDX-License-Identifier: MIT
// Thousands of pairs of programs that did not change, and of those with one method that did, with
// the noise of a busy machine: how often a comparison names what it should.
#include <cmath>
#include <cstdint>
#include <iostream>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/profile/diff/diff.h"

namespace umbra::profile {
namespace {

constexpr std::size_t kPlanted = 7;

/// A program: the times of its methods, and how much each of them differs from run to run.
struct Program {
    std::vector<double> cpu_ns;
    std::vector<double> noise;        ///< standard deviation, a part of the time
    std::vector<bool> one_time_cost;  ///< falls on the method in every second run
};

/// Methods of 2 to 500 ms; some are ten times as steady as others, and every tenth now and then
/// pays for something that happens once.
Program any_program(std::mt19937_64& random) {
    std::uniform_real_distribution<double> magnitude(std::log(2e6), std::log(500e6));
    std::uniform_real_distribution<double> noise(std::log(0.003), std::log(0.05));
    std::bernoulli_distribution meets(0.1);
    Program program;
    for (int method = 0; method < 40; ++method) {
        program.cpu_ns.push_back(std::exp(magnitude(random)));
        program.noise.push_back(std::exp(noise(random)));
        program.one_time_cost.push_back(meets(random));
    }
    program.cpu_ns[kPlanted] = 400e6;
    return program;
}

/// Eight methods of 300 to 600 ms, all of them steady.
Program steady_program(std::mt19937_64& random) {
    std::uniform_real_distribution<double> size(300e6, 600e6);
    std::uniform_real_distribution<double> noise(0.002, 0.006);
    Program program;
    for (int method = 0; method < 8; ++method) {
        program.cpu_ns.push_back(size(random));
        program.noise.push_back(noise(random));
        program.one_time_cost.push_back(false);
    }
    return program;
}

/// `slower`: how many times longer the planted method takes.
Run a_run(const Program& program, double slower, std::mt19937_64& random) {
    std::normal_distribution<double> normal;
    std::bernoulli_distribution half(0.5);
    std::exponential_distribution<double> lost;
    std::uniform_real_distribution<double> load(0, 3);
    const double speed = std::exp(0.05 * normal(random));  // of the machine, this time
    const double busy = load(random);                      // lost for each second of CPU time
    Run run;
    run.session.cpu.source = "perf";
    for (std::size_t method = 0; method < program.cpu_ns.size(); ++method) {
        double cpu_ns = program.cpu_ns[method] * speed * (method == kPlanted ? slower : 1) *
                        std::exp(program.noise[method] * normal(random));
        if (program.one_time_cost[method] && half(random)) {
            cpu_ns += 4e6;
        }
        double wall_ns = cpu_ns;
        for (double slices = busy * cpu_ns / 8e6; slices > 0; --slices) {
            wall_ns += 8e6 * std::min(1.0, slices) * lost(random);
        }
        MethodTimes& made = run.methods.emplace_back();
        made.name = "f" + std::to_string(100 + method);
        made.times.calls = 1000;
        made.times.self_ns = made.times.total_ns = static_cast<uint64_t>(wall_ns);
        made.times.cpu = {static_cast<uint64_t>(cpu_ns), static_cast<uint64_t>(cpu_ns)};
    }
    return run;
}

struct Counts {
    int any = 0;            ///< pairs in which a method is named
    int planted_first = 0;  ///< pairs in which it is the planted one that stands first
};

Counts count(int pairs, std::size_t runs, double slower, Program (*a_program)(std::mt19937_64&),
             uint64_t seed) {
    std::mt19937_64 random(seed);
    Counts counts;
    for (int pair = 0; pair < pairs; ++pair) {
        const Program program = a_program(random);
        std::vector<Run> before;
        std::vector<Run> after;
        for (std::size_t run = 0; run < runs; ++run) {  // in turn
            before.push_back(a_run(program, 1, random));
            after.push_back(a_run(program, slower, random));
        }
        const Diff diff = profile::diff(before, after, {});
        counts.any += diff.changed > 0 ? 1 : 0;
        counts.planted_first +=
            diff.changed > 0 && diff.functions[0].name == "f" + std::to_string(100 + kPlanted) ? 1
                                                                                               : 0;
    }
    return counts;
}

TEST(DiffSimulated, OfProgramsThatDidNotChangeOneInTwentyNamesAMethodAtMost) {
    constexpr int kPairs = 1000;
    for (const std::size_t runs : {1U, 2U, 3U, 5U}) {
        const Counts counts = count(kPairs, runs, 1, any_program, 10 + runs);
        RecordProperty("named_with_" + std::to_string(runs), counts.any);
        std::cout << runs << " runs a side: " << counts.any << " of " << kPairs << '\n';
        EXPECT_LE(counts.any, kPairs / 20) << runs << " runs a side";
    }
}

TEST(DiffSimulated, AMethodFivePercentSlowerIsNamedFirstInNineteenOfTwenty) {
    constexpr int kPairs = 1000;
    const Counts counts = count(kPairs, 3, 1.05, steady_program, 20);
    std::cout << counts.planted_first << " of " << kPairs << '\n';
    EXPECT_GE(counts.planted_first, kPairs * 19 / 20);
}

TEST(DiffSimulated, OneRunASideFindsWhatIsTwiceAsSlow) {
    constexpr int kPairs = 500;
    const Counts counts = count(kPairs, 1, 2, any_program, 30);
    std::cout << counts.planted_first << " of " << kPairs << '\n';
    EXPECT_GE(counts.planted_first, kPairs * 19 / 20);
}

}  // namespace
}  // namespace umbra::profile
