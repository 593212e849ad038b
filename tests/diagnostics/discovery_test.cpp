// SPDX-License-Identifier: MIT
#include "src/diagnostics/discovery.h"

#include <csignal>
#include <cstdlib>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/diagnostics/exchange.h"
#include "tests/diagnostics/fake_diagnostics.h"
#include "tests/support/temporary_folder.h"

namespace umbra::diagnostics::testing {
namespace {

using ::testing::HasSubstr;

std::string socket_name(uint64_t key) {
    return "dotnet-diagnostic-" + std::to_string(getpid()) + "-" + std::to_string(key) + "-socket";
}

uint64_t start_ticks() {
    return process_facts(getpid())->start_ticks;
}

const FakeDiagnostics::Handler kSilent = [](const std::string&) { return std::string(); };

/// Leaves a socket file on which nobody listens.
class StaleSocket {
  public:
    explicit StaleSocket(uint64_t key) : path_("/tmp/" + socket_name(key)) {
        const std::string other = path_ + ".tmp";
        FakeDiagnostics gone("/tmp", socket_name(key) + ".tmp", nullptr);
        linked_ = link(other.c_str(), path_.c_str()) == 0;
    }
    StaleSocket(const StaleSocket&) = delete;
    StaleSocket& operator=(const StaleSocket&) = delete;
    ~StaleSocket() { unlink(path_.c_str()); }
    [[nodiscard]] bool linked() const { return linked_; }

  private:
    std::string path_;
    bool linked_ = false;
};

TEST(Discovery, TheKeyIsTheStartTime) {
    if (std::getenv("UMBRA_EMULATED") != nullptr) {
        GTEST_SKIP() << "the emulator's root folder is not the kernel's";
    }
    const StaleSocket older(start_ticks() - 1);
    const StaleSocket newer(start_ticks() + 1);
    ASSERT_TRUE(older.linked() && newer.linked());
    const FakeDiagnostics right("/tmp", socket_name(start_ticks()), kSilent);
    const auto found = find_endpoint(getpid());
    ASSERT_TRUE(found) << found.error().context;
    EXPECT_EQ(found->name, socket_name(start_ticks()));
    EXPECT_EQ(found->path(), "/tmp/" + found->name);
}

TEST(Discovery, WhatAnEarlierProcessLeftIsPassedOver) {
    const StaleSocket stale(start_ticks() - 7);
    ASSERT_TRUE(stale.linked());
    const auto found = find_endpoint(getpid());
    ASSERT_FALSE(found);
    EXPECT_THAT(found.error().context, HasSubstr("is not a .NET program"));
}

TEST(Discovery, AnotherKeyWillDoIfTheProcessListensThere) {
    const FakeDiagnostics other("/tmp", socket_name(start_ticks() + 5), kSilent);
    const auto found = find_endpoint(getpid());
    ASSERT_TRUE(found) << found.error().context;
    EXPECT_EQ(found->name, socket_name(start_ticks() + 5));
}

TEST(Discovery, NobodyListensForAnother) {
    const test::TemporaryFolder folder;
    const FakeDiagnostics mine(folder.path(), "socket", kSilent);
    // The socket is this process's; it is said to be its child's.
    const pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    Endpoint endpoint = mine.endpoint();
    endpoint.pid = child;
    const auto connected = connect_to(endpoint, Deadline(std::chrono::seconds(2)));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    ASSERT_FALSE(connected);
    EXPECT_EQ(connected.error().code, ErrorCode::kRefused);
    EXPECT_THAT(connected.error().context, HasSubstr("does not talk to it"));
}

TEST(Discovery, AgentsAreFoundTheSameWay) {
    EXPECT_THAT(find_agent_endpoint(getpid()).error().context, HasSubstr("is not a .NET program"));
    const std::string name =
        "umbra-agent-" + std::to_string(getpid()) + "-" + std::to_string(start_ticks());
    const FakeDiagnostics agent("/tmp", name, kSilent);
    const auto found = find_agent_endpoint(getpid());
    ASSERT_TRUE(found) << found.error().context;
    EXPECT_EQ(found->name, name);
}

}  // namespace
}  // namespace umbra::diagnostics::testing
