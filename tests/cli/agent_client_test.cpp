// SPDX-License-Identifier: MIT
// Asking an agent that lets go of connections: this process plays the agent.
#include "src/cli/record/agent_client.h"

#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "src/base/local_socket.h"
#include "src/diagnostics/process_facts.h"
#include "src/protocol/agent_socket.h"

namespace umbra::cli {
namespace {

using protocol::AgentState;
using protocol::Ask;
using ::testing::AnyOf;
using ::testing::HasSubstr;

/// An agent of this process that closes its first connections without listening to them.
class DeafAgent {
  public:
    explicit DeafAgent(int deaf_to)
        : path_("/tmp/" +
                protocol::agent_socket_name(static_cast<uint32_t>(getpid()),
                                            diagnostics::process_facts(getpid())->own_start_ticks)),
          listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)) {
        const std::optional<LocalAddress> address = local_address(path_);
        unlink(path_.c_str());
        listens_ = address && bind(listener_.get(), address->get(), address->size) == 0 &&
                   listen(listener_.get(), 8) == 0;
        thread_ = std::thread([this, deaf_to] { serve(deaf_to); });
    }
    DeafAgent(const DeafAgent&) = delete;
    DeafAgent& operator=(const DeafAgent&) = delete;
    ~DeafAgent() {
        ends_ = true;
        thread_.join();
        unlink(path_.c_str());
    }
    [[nodiscard]] bool listens() const { return listens_; }
    [[nodiscard]] int connections() const { return connections_; }

  private:
    void serve(int deaf_to) {
        while (!ends_) {
            pollfd waiting{listener_.get(), POLLIN, 0};
            if (poll(&waiting, 1, 10) <= 0) {
                continue;
            }
            const UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
            ++connections_;
            pollfd readable{connection.get(), POLLIN, 0};
            poll(&readable, 1, 1000);
            std::array<char, 4096> asked{};
            if (connections_ > deaf_to &&
                recv(connection.get(), asked.data(), asked.size(), 0) > 0) {
                const std::string bytes = protocol::encode(AgentState{.text = "heard"});
                send(connection.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
            }
        }
    }

    std::string path_;
    UniqueFd listener_;
    bool listens_ = false;
    std::atomic<bool> ends_ = false;
    std::atomic<int> connections_ = 0;
    std::thread thread_;
};

TEST(AgentClient, WhatWasNotHeardIsAskedAgain) {
    const DeafAgent agent(2);
    ASSERT_TRUE(agent.listens());
    const Result<AgentState> state = ask_agent(getpid(), Ask::kStop, std::chrono::seconds(20));
    ASSERT_TRUE(state) << state.error().context;
    EXPECT_EQ(state->text, "heard");
    EXPECT_EQ(agent.connections(), 3);
}

TEST(AgentClient, AnAgentThatNeverListensIsAskedUntilTheTimeIsUp) {
    const DeafAgent agent(1'000'000);
    ASSERT_TRUE(agent.listens());
    const Result<AgentState> state =
        ask_agent(getpid(), Ask::kStop, std::chrono::milliseconds(200));
    ASSERT_FALSE(state);
    // The time may be up between two questions or while the answer to one is waited for.
    EXPECT_THAT(state.error().context, AnyOf(HasSubstr("has closed the connection to its agent"),
                                             HasSubstr("the agent did not answer within")));
    EXPECT_GT(agent.connections(), 1);
}

}  // namespace
}  // namespace umbra::cli
