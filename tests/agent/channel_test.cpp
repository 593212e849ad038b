// SPDX-License-Identifier: MIT
// The agent's end of the socket, with a collector that takes its time, and in a program that closes
// descriptors which are not its own.
#include "src/agent/link/channel.h"

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace umbra::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr auto kTimeout = milliseconds(300);
constexpr auto kBusyMachine = milliseconds(2000);

struct Pair {
    Pair() {
        std::array<int, 2> ends{};
        EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
        ours.reset(ends[0]);
        theirs.reset(ends[1]);
    }
    UniqueFd ours;
    UniqueFd theirs;
};

/// Does something again and again, some milliseconds apart, until it goes.
template <typename What>
class Repeated {
  public:
    explicit Repeated(What what)
        : thread_([this, what] {
              while (!stop_) {
                  what();
                  std::this_thread::sleep_for(milliseconds(20));
              }
          }) {}
    Repeated(const Repeated&) = delete;
    Repeated& operator=(const Repeated&) = delete;
    ~Repeated() {
        stop_ = true;
        thread_.join();
    }

  private:
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

TEST(Channel, AnAnswerThatComesByteByByteIsNotWaitedForWithoutEnd) {
    Pair pair;
    Channel channel = Channel::over(std::move(pair.ours));
    const std::string answer = protocol::encode(protocol::Refuse{std::string(1000, 'x')});
    size_t at = 0;
    const Repeated drip([&] {
        if (at < answer.size()) {
            send(pair.theirs.get(), &answer[at++], 1, MSG_NOSIGNAL);
        }
    });
    const auto begin = steady_clock::now();
    EXPECT_FALSE(channel.receive(kTimeout));
    EXPECT_LT(steady_clock::now() - begin, kTimeout + kBusyMachine);
}

TEST(Channel, AMessageThatIsReadByteByByteIsGivenUp) {
    Pair pair;
    Channel channel = Channel::over(std::move(pair.ours));
    const protocol::StackNodes large{std::vector<protocol::StackNode>(protocol::kMaxRowsAtOnce)};
    while (channel.send(large, -1, milliseconds(0))) {
    }
    const Repeated sip([&] {
        std::array<char, 1000> some{};
        recv(pair.theirs.get(), some.data(), some.size(), MSG_DONTWAIT);
    });
    const auto begin = steady_clock::now();
    EXPECT_FALSE(channel.send(large, -1, kTimeout)) << "it would take seconds";
    EXPECT_LT(steady_clock::now() - begin, kTimeout + kBusyMachine);
}

TEST(Channel, AWholeAnswerComes) {
    Pair pair;
    Channel channel = Channel::over(std::move(pair.ours));
    Channel other = Channel::over(std::move(pair.theirs));
    ASSERT_TRUE(other.send(protocol::Refuse{"why not"}));
    const Result<protocol::Message> answer = channel.receive(kTimeout);
    ASSERT_TRUE(answer);
    EXPECT_EQ(std::get<protocol::Refuse>(*answer).reason, "why not");
}

/// A program that has closed our socket, and has one of its own in the place.
class TakenAway : public testing::Test {
  protected:
    TakenAway() : channel_(Channel::over(std::move(pair_.ours))), number_(channel_->descriptor()) {
        EXPECT_EQ(dup2(own_.ours.get(), number_), number_);
        own_.ours.reset();
        EXPECT_EQ(send(own_.theirs.get(), "abc", 3, 0), 3);
    }
    void TearDown() override {
        channel_.reset();
        std::array<char, 8> bytes{};
        EXPECT_EQ(recv(number_, bytes.data(), bytes.size(), MSG_DONTWAIT), 3)
            << "what was sent to the program is not there, or its socket is closed";
        EXPECT_EQ(recv(own_.theirs.get(), bytes.data(), bytes.size(), MSG_DONTWAIT), -1)
            << "something was sent in the program's name";
        close(number_);
    }

    Pair pair_;
    Pair own_;
    std::optional<Channel> channel_;
    int number_;
};

TEST_F(TakenAway, NothingIsSentThroughIt) {
    EXPECT_FALSE(channel_->send(protocol::Notice{"text"}));
}

TEST_F(TakenAway, NothingIsReceivedFromIt) {
    protocol::Message message;
    EXPECT_EQ(channel_->try_next(message), Channel::Got::kGone);
    EXPECT_FALSE(channel_->next());
    EXPECT_FALSE(channel_->receive(kTimeout));
}

TEST_F(TakenAway, ItIsNotShutDown) {
    channel_->stop_receiving();
}

TEST_F(TakenAway, ItIsNotClosedByAnAssignmentEither) {
    Pair another;
    *channel_ = Channel::over(std::move(another.ours));
}

// The child lives on, as a daemon does, and the other end hears of the process's end all the same.
TEST(Channel, TheChildOfAForkHasNoneOfIt) {
    Pair pair;
    std::optional<Channel> channel = Channel::over(std::move(pair.ours));
    std::array<int, 2> life{};
    ASSERT_EQ(pipe(life.data()), 0);
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        close(life[1]);
        char byte = 0;
        const bool sent = channel->send(protocol::Notice{"text"}).has_value();
        [[maybe_unused]] const ssize_t waited = read(life[0], &byte, 1);
        _exit(sent ? 1 : 0);
    }
    close(life[0]);
    channel.reset();
    pollfd ended{pair.theirs.get(), POLLIN | POLLRDHUP, 0};
    EXPECT_EQ(poll(&ended, 1, static_cast<int>(kTimeout.count())), 1)
        << "the child holds the socket";
    char byte = 0;
    EXPECT_EQ(recv(pair.theirs.get(), &byte, 1, MSG_DONTWAIT), 0) << "the child has sent something";
    close(life[1]);
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << "the child has sent something";
}

}  // namespace
}  // namespace umbra::agent
