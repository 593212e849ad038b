// SPDX-License-Identifier: MIT
// The harness names what is wrong with a profiler, and nothing else; the agent passes.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "src/runsxs/runner.h"
#include "tests/runsxs/faulty_profiler.h"

namespace umbra::runsxs {

std::ostream& operator<<(std::ostream& out, Check check) {
    return out << facts_of(check).name;
}

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kTimeout{60'000};

constexpr const char* kTwo =
    "instance a 10.0.12\n"
    "instance b 9.0.18\n"
    "start a b\n"
    "run a b calls=200\n"
    "shutdown a b\n"
    "unload a b\n"
    "run a b calls=50\n"
    "expect a b profiled\n";
constexpr const char* kSecondRefused =
    "instance a 10.0.12\n"
    "instance b 9.0.18\n"
    "start a b\n"
    "run a b calls=200\n"
    "expect a profiled\n"
    "expect b refused\n";
constexpr const char* kAttached =
    "instance a 10.0.12\n"
    "instance b 9.0.18\n"
    "start a\n"
    "attach b\n"
    "detach b\n"
    "run a calls=60000\n";

Outcome outcome_of(const char* script, const ProfilerChoice& profiler,
                   milliseconds timeout = kTimeout) {
    const Result<std::vector<Step>> steps = parse_script(script);
    if (!steps) {
        ADD_FAILURE() << steps.error().context;
        return {};
    }
    Result<Outcome> outcome = run_script(*steps, profiler, timeout);
    if (!outcome) {
        ADD_FAILURE() << outcome.error().context;
        return {};
    }
    return std::move(*outcome);
}

std::vector<Check> faults_in(const Outcome& outcome) {
    std::vector<Check> faults;
    for (size_t i = 0; outcome.log && i < kChecks; ++i) {
        if (outcome.log->faults(static_cast<Check>(i)) != 0) {
            faults.push_back(static_cast<Check>(i));
        }
    }
    return faults;
}

struct Seeded {
    Wrong wrong;
    const char* script;
    Check verdict;
    const char* detail;
    milliseconds timeout = kTimeout;
};

class Faulty : public ::testing::TestWithParam<Seeded> {};

TEST_P(Faulty, IsNamed) {
    const Seeded& seeded = GetParam();
    if (seeded.verdict == Check::kCrash && std::getenv("UMBRA_EMULATED") != nullptr) {
        GTEST_SKIP() << "the emulator has a line of its own to say of a crash";
    }
    const Outcome outcome = outcome_of(
        seeded.script, {UMBRA_FAULTY_PROFILER_PATH, clsid_of(seeded.wrong)}, seeded.timeout);
    ASSERT_TRUE(outcome.log);
    EXPECT_EQ(faults_in(outcome), std::vector{seeded.verdict});
    EXPECT_NE(outcome.log->detail(seeded.verdict).find(seeded.detail), std::string::npos)
        << outcome.log->detail(seeded.verdict);
}

INSTANTIATE_TEST_SUITE_P(
    Profilers, Faulty,
    ::testing::Values(
        Seeded{Wrong::kFirstInfo, kTwo, Check::kOwnInfo,
               "GetFunctionInfo of a was called inside a callback of b"},
        Seeded{Wrong::kOthersId, kTwo, Check::kOwnIds,
               "GetFunctionInfo of b was asked about an id of a"},
        Seeded{Wrong::kOneClientData, kTwo, Check::kOwnClientData, "the mappers of a and b"},
        Seeded{Wrong::kNoClientId, kTwo, Check::kClientId, "answered 0"},
        Seeded{Wrong::kInfoAfterShutdown, kTwo, Check::kAfterShutdown,
               "GetFunctionInfo of a was called after its Shutdown"},
        Seeded{Wrong::kInfoAfterDetach, kAttached, Check::kAfterDetach, "GetEventMask of b"},
        Seeded{Wrong::kKeepsRefusedInfo, kSecondRefused, Check::kInfoReferences,
               "1 references to the info of b are left"},
        Seeded{Wrong::kReleasesTooOften, kTwo, Check::kInfoReferences, "more often than taken"},
        Seeded{Wrong::kKeepsDetachedInfo, kAttached, Check::kInfoReferences,
               "after the profiler has gone"},
        Seeded{Wrong::kUncounted, kTwo, Check::kOwnReferences, "1 references and counts 0"},
        Seeded{Wrong::kHasEverything, kTwo, Check::kUnknownInterface, "made up"},
        Seeded{Wrong::kTouchesRefused, kSecondRefused, Check::kRefusal, "b was given"},
        Seeded{Wrong::kThrows, kTwo, Check::kExceptions, "[line 4: run a b calls=200]"},
        Seeded{Wrong::kPrints, kTwo, Check::kOutput, "bytes were printed, first: loaded"},
        Seeded{Wrong::kFirstOnly, kTwo, Check::kExpected, "b is not profiled"},
        Seeded{Wrong::kCrashes, kTwo, Check::kCrash, "ABRT) [line 3: start a b]"},
        Seeded{Wrong::kExits, kTwo, Check::kCrash, "status 3 [line 3"},
        Seeded{Wrong::kWaits, kTwo, Check::kHang, "line 3: start a b", milliseconds(1'500)}),
    [](const auto& seeded) { return "Profiler" + std::to_string(seeded.index); });

TEST(Harness, FindsNothingWrongWithAProfilerThatIsRight) {
    for (const char* script : {kTwo, kAttached}) {
        const Outcome outcome =
            outcome_of(script, {UMBRA_FAULTY_PROFILER_PATH, clsid_of(Wrong::kNothing)});
        EXPECT_EQ(faults_in(outcome), std::vector<Check>());
        ASSERT_TRUE(outcome.log);
        EXPECT_GT(outcome.log->info_calls(), 10U);
    }
}

TEST(Harness, TellsHowOftenHooksWereCalled) {
    const Outcome outcome = outcome_of("instance a 10.0.12\nstart a\nthrough a a calls=3\n",
                                       {UMBRA_FAULTY_PROFILER_PATH, clsid_of(Wrong::kNothing)});
    EXPECT_EQ(outcome.calls.at("Script.a.M0"), 1U);
    EXPECT_EQ(outcome.calls.at("Script.a.M1"), 1U);
    EXPECT_EQ(outcome.calls.at("Script.a.M0;Script.a.M1;Script.a.M0"), 1U);
}

TEST(Harness, SaysWhyAProfilerWasNotLoaded) {
    const Outcome outcome =
        outcome_of("instance a 10.0.12\nstart a\nrun a calls=10\n", {"/nowhere/profiler.so", {}});
    ASSERT_EQ(outcome.notes.size(), 1U);
    EXPECT_NE(outcome.notes[0].find("a: cannot load the profiler /nowhere/profiler.so"),
              std::string::npos)
        << outcome.notes[0];
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Harness, TheAgentPassesEveryScript) {
    const Result<Guid> clsid = fakeclr::class_id("{8C7A1F5E-3B0D-4C7E-9A21-756D62726101}");
    ASSERT_TRUE(clsid);
    size_t scripts = 0;
    for (const auto& entry : std::filesystem::directory_iterator(UMBRA_SCRIPTS)) {
        SCOPED_TRACE(entry.path());
        const Outcome outcome =
            outcome_of(text_of(entry.path()).c_str(), {UMBRA_AGENT_PATH, *clsid});
        EXPECT_EQ(faults_in(outcome), std::vector<Check>());
        ASSERT_TRUE(outcome.log);
        EXPECT_GT(outcome.log->callbacks(), 50U);
        ++scripts;
    }
    EXPECT_GE(scripts, 8U);
}

TEST(Script, WhatItCannotDoIsNamedByItsLine) {
    for (const auto& [text, why] : std::vector<std::pair<const char*, const char*>>{
             {"dance a", "line 1: 'dance' is nothing"},
             {"# nothing\nstart a", "line 2: there is no instance 'a'"},
             {"instance a ten", "'ten' is no version"},
             {"instance a", "takes other words"},
             {"instance a 1.2.3\nrun a calls=many", "'calls=many' is no setting"},
             {"instance a 1.2.3\nrun a calls=0", "is no setting"},
             {"instance a 1.2.3\nrun a threads=5000", "is no setting"},
             {"instance a 1.2.3\nexpect a happy", "profiled or refused"},
             {"repeat 2", "has no 'done'"},
             {"done", "without 'repeat'"},
             {"repeat 2\nrepeat 2\ndone\ndone", "has no other in it"},
             {"instance a 1.2.3\nattach a data=5", "'data=5' is no setting"},
             {"instance a 1.2.3\nattach a data=5g", "'data=5g' is no setting"},
             {"instance a 1.2.3\nstart a data=55", "'data=55' is no setting"},
             {"wait", "takes other words"},
             {"instance a 1.2.3\nthrough a", "takes other words"}}) {
        const Result<std::vector<Step>> steps = parse_script(text);
        ASSERT_FALSE(steps) << text;
        EXPECT_NE(steps.error().context.find(why), std::string::npos) << steps.error().context;
    }
}

TEST(Script, IsReadLineByLine) {
    const Result<std::vector<Step>> steps = parse_script(
        "instance a 10.0.12 ids=4096  # the first\n\n"
        "  start a\n"
        "run a calls=7 threads=3 together\r\n"
        "attach a data=6f6B00\n"
        "tell /tmp/a=b\n"
        "wait /tmp/c\n");
    ASSERT_TRUE(steps) << steps.error().context;
    ASSERT_EQ(steps->size(), 6U);
    EXPECT_EQ((*steps)[0].ids, 4096U);
    EXPECT_EQ((*steps)[1].text, "start a");
    EXPECT_EQ((*steps)[2].line, 4U);
    EXPECT_EQ((*steps)[2].calls, 7U);
    EXPECT_EQ((*steps)[2].threads, 3U);
    EXPECT_TRUE((*steps)[2].together);
    EXPECT_EQ((*steps)[3].data, std::string("ok\0", 3));
    EXPECT_EQ((*steps)[4].words, std::vector<std::string>{"/tmp/a=b"});
    EXPECT_EQ((*steps)[5].what, Step::What::kWait);
}

}  // namespace
}  // namespace umbra::runsxs
