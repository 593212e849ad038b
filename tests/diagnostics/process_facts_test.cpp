// SPDX-License-Identifier: MIT
#include "src/diagnostics/process_facts.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

#include <elf.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/diagnostics/own_machine.h"
#include "src/diagnostics/target_check.h"

namespace umbra::diagnostics {
namespace {

using ::testing::Contains;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string this_program() {
    return std::filesystem::read_symlink("/proc/self/exe").string();
}

TEST(ProcessFacts, TellOfThisProcess) {
    const auto facts = process_facts(getpid());
    ASSERT_TRUE(facts) << facts.error().context;
    EXPECT_EQ(facts->pid, getpid());
    EXPECT_EQ(facts->uid, geteuid());
    EXPECT_GT(facts->start_ticks, 0U);
    EXPECT_LT(age_ms(*facts), 120'000U);
    EXPECT_THAT(all_processes(), Contains(getpid()));
}

TEST(ProcessFacts, ANameMayLookLikeFields) {
    ASSERT_EQ(prctl(PR_SET_NAME, "a) Z 1 (b"), 0);
    const auto facts = process_facts(getpid());
    ASSERT_TRUE(facts);
    EXPECT_NE(facts->state, 'Z');
    EXPECT_GT(facts->start_ticks, 1U);
}

TEST(ProcessFacts, WhoseDescriptorsCloseAtItsEndEndsBefore) {
    for (int round = 0; round < 200; ++round) {
        std::array<int, 2> ends{};
        ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
        const pid_t child = fork();
        if (child == 0) {
            pause();
            _exit(0);
        }
        close(ends[1]);
        const auto before = process_facts(child);
        kill(child, SIGKILL);
        char byte = 0;
        const ssize_t closed = read(ends[0], &byte, 1);
        const auto after = process_facts(child);
        close(ends[0]);
        waitpid(child, nullptr, 0);
        ASSERT_EQ(closed, 0);
        ASSERT_TRUE(before && !before->ends);
        ASSERT_TRUE(after && after->ends) << "round " << round << ", state " << after->state;
    }
}

TEST(ProcessFacts, ThereIsNoProcessOfThisNumber) {
    for (const pid_t pid : {-1, 0, 0x3fffffff}) {
        const auto facts = process_facts(pid);
        ASSERT_FALSE(facts);
        EXPECT_EQ(facts.error().code, ErrorCode::kNotFound);
        EXPECT_THAT(facts.error().context, HasSubstr("there is no process"));
    }
}

TEST(ProcessFacts, AThreadIsNoProcess) {
    std::string message;
    std::thread([&] {
        const auto facts = process_facts(gettid());
        message = facts ? "" : facts.error().context;
    }).join();
    EXPECT_THAT(message, EndsWith("name the process"));
}

TEST(Environment, VariablesAreFoundByTheirWholeName) {
    const std::string block("AB=1\0A=2\0C=\0A=3", 15);
    EXPECT_EQ(variable(block, "A"), "2");
    EXPECT_EQ(variable(block, "C"), "");
    EXPECT_FALSE(variable(block, "B"));
    EXPECT_FALSE(variable("", "A"));
}

TEST(ProcessFacts, CodeAndKindOfThisProgram) {
    if (std::getenv("UMBRA_EMULATED") != nullptr) {
        GTEST_SKIP() << "the kernel knows the emulator as this program";
    }
    EXPECT_THAT(mapped_code(getpid()), Contains(HasSubstr("libc")));
    const auto kind = program_kind(getpid());
    ASSERT_TRUE(kind);
    EXPECT_TRUE(kind->is_64_bit);
    EXPECT_EQ(kind->machine, kOwnElfMachine);
    EXPECT_EQ(loaded_profiler(getpid()).kind, LoadedProfiler::Kind::kNone);
    EXPECT_FALSE(has_runtime_library(getpid()));
}

TEST(OpenAs, StaysBelowTheRootOfTheProcess) {
    EXPECT_TRUE(open_as(getpid(), this_program(), O_RDONLY));
    const auto missing = open_as(getpid(), "/no/such/file", O_RDONLY);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
}

TEST(WhyUnreachable, SaysWhatIsNotDotNet) {
    const Error error = why_unreachable(getpid());
    EXPECT_EQ(error.code, ErrorCode::kUnsupported);
    EXPECT_THAT(error.context, HasSubstr("is not a .NET program"));
}

TEST(WhyUnreachable, SaysThatAProcessHasEnded) {
    const pid_t child = fork();
    if (child == 0) {
        _exit(0);
    }
    siginfo_t info = {};
    ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
    EXPECT_THAT(why_unreachable(child).context, HasSubstr("has ended"));
    waitpid(child, nullptr, 0);
}

TEST(CheckLibrary, WantsAnAbsolutePathThatTheProcessSees) {
    EXPECT_TRUE(check_library(getpid(), this_program()));
    EXPECT_EQ(check_library(getpid(), "agent.so").error().code, ErrorCode::kInvalid);
    const auto missing = check_library(getpid(), "/no/agent.so");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
    EXPECT_THAT(missing.error().context, HasSubstr("container"));
}

}  // namespace
}  // namespace umbra::diagnostics
