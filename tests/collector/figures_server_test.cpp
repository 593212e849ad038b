// SPDX-License-Identifier: MIT
// Watchers of live figures, well-behaved and not, over real sockets.
#include "src/collector/live/figures_server.h"

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include <poll.h>
#include <sys/socket.h>

#include <gtest/gtest.h>

#include "src/base/local_socket.h"
#include "src/base/unique_fd.h"
#include "src/protocol/live_socket.h"

namespace umbra::collector {
namespace {

using protocol::LiveFigures;
using protocol::Message;

constexpr auto kLong = std::chrono::seconds(20);

/// A watcher's end of a connection.
class Client {
  public:
    explicit Client(const std::string& name) : socket_(socket(AF_UNIX, SOCK_STREAM, 0)) {
        const LocalAddress address = abstract_address(name);
        EXPECT_EQ(connect(socket_.get(), address.get(), address.size), 0);
    }
    void say(const std::string& bytes) const {
        EXPECT_EQ(send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
                  static_cast<ssize_t>(bytes.size()));
    }
    /// Takes what has come. False: the other side has closed.
    bool read() {
        std::array<std::byte, 65536> buffer;
        ssize_t got = 0;
        while ((got = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0) {
            decoder_.append(std::span(buffer).first(static_cast<size_t>(got)));
            Message message;
            while (decoder_.next(message) == protocol::Decoder::Outcome::kMessage) {
                messages.push_back(message);
            }
        }
        return got < 0;
    }
    std::vector<Message> messages;

  private:
    UniqueFd socket_;
    protocol::Decoder decoder_;
};

class FiguresServerTest : public ::testing::Test {
  protected:
    void SetUp() override { ASSERT_TRUE(server_.listen()); }

    static LiveFigures figures(uint64_t time_ns, size_t rows = 1) {
        LiveFigures made;
        made.pid = 4711;
        made.time_ns = time_ns;
        made.rows.resize(rows);
        for (protocol::LiveRow& row : made.rows) {
            row.name = std::string(1000, 'n');
        }
        return made;
    }
    void publish(const LiveFigures& made) {
        recorded_.front().figures = std::make_shared<const LiveFigures>(made);
    }
    /// Runs the server until `done` or a long time has passed.
    bool until(const auto& done) {
        const auto end = std::chrono::steady_clock::now() + kLong;
        while (!done()) {
            if (std::chrono::steady_clock::now() > end) {
                return false;
            }
            io_.run_for(std::chrono::milliseconds(5));
        }
        return true;
    }

    boost::asio::io_context io_;
    std::vector<Recorded> recorded_ = {{.pid = 4711, .program = "shop.dll", .figures = nullptr}};
    bool wanted_ = false;
    FiguresServer server_{io_,
                          "umbra start",
                          {.recorded = [this] { return recorded_; },
                           .watched = [this](bool wanted) { wanted_ = wanted; }}};
};

TEST_F(FiguresServerTest, SaysWhatIsRecordedAndWantsNoFiguresForIt) {
    Client client(server_.name());
    client.say(encode(protocol::Watch{}));
    ASSERT_TRUE(until([&] { return !client.read(); }));
    ASSERT_EQ(client.messages.size(), 1U);
    const auto& recorder = std::get<protocol::Recorder>(client.messages[0]);
    EXPECT_EQ(recorder.command, "umbra start");
    EXPECT_EQ(recorder.pid, static_cast<uint32_t>(getpid()));
    EXPECT_EQ(recorder.processes, (std::vector<protocol::RecordedProcess>{{4711, "shop.dll"}}));
    EXPECT_FALSE(wanted_);
}

TEST_F(FiguresServerTest, EachWatcherSeesNewFiguresOnceAndTheLast) {
    Client first(server_.name());
    Client second(server_.name());
    for (const Client* client : {&first, &second}) {
        client->say(encode(protocol::Watch{.pid = 4711}));
    }
    ASSERT_TRUE(until([&] { return wanted_; }));
    publish(figures(1));
    const auto have = [&](size_t count) {
        first.read();
        second.read();
        return first.messages.size() == count && second.messages.size() == count;
    };
    ASSERT_TRUE(until([&] { return have(1); }));
    io_.run_for(std::chrono::milliseconds(500));
    EXPECT_TRUE(have(1)) << "nothing is new";
    publish(figures(2));
    ASSERT_TRUE(until([&] { return have(2); }));
    LiveFigures last = figures(3);
    last.ended = "exit 0";
    recorded_.clear();
    server_.end(last);
    ASSERT_TRUE(until([&] { return !first.read() && !second.read(); }));
    EXPECT_EQ(std::get<LiveFigures>(first.messages.back()), last);
    EXPECT_EQ(std::get<LiveFigures>(second.messages.back()), last);
    EXPECT_FALSE(wanted_) << "nobody is left";
}

TEST_F(FiguresServerTest, AWatcherThatGoesIsForgotten) {
    {
        const Client client(server_.name());
        client.say(encode(protocol::Watch{.pid = 4711}));
        ASSERT_TRUE(until([&] { return wanted_; }));
    }
    EXPECT_TRUE(until([&] { return !wanted_; }));
}

TEST_F(FiguresServerTest, WhatIsNotRecordedAndAnotherVersionAreRefusedInWords) {
    const std::vector<std::pair<protocol::Watch, const char*>> refused = {
        {{.pid = 4712}, "4712"}, {{.version = protocol::kProtocolVersion + 1}, "another version"}};
    for (const auto& [watch, why] : refused) {
        Client client(server_.name());
        client.say(encode(watch));
        ASSERT_TRUE(until([&] { return !client.read(); }));
        ASSERT_EQ(client.messages.size(), 1U);
        EXPECT_NE(std::get<protocol::Refuse>(client.messages[0]).reason.find(why),
                  std::string::npos);
    }
}

TEST_F(FiguresServerTest, NonsenseEndsAConnectionAndNothingElse) {
    Client good(server_.name());
    good.say(encode(protocol::Watch{.pid = 4711}));
    const std::string watch = encode(protocol::Watch{.pid = 4711});
    const std::vector<std::string> nonsense = {std::string(300, '\xff'),
                                               encode(protocol::Hello{}),
                                               encode(figures(1)),
                                               std::string("\xff\xff\xff\x7f\x19\0\0\0", 8),
                                               watch + watch,
                                               watch + "x"};
    for (const std::string& bytes : nonsense) {
        Client bad(server_.name());
        bad.say(bytes);
        EXPECT_TRUE(until([&] { return !bad.read(); }));
    }
    publish(figures(1));
    EXPECT_TRUE(until([&] { return good.read() && good.messages.size() == 1; }));
}

TEST_F(FiguresServerTest, AWatcherThatDoesNotReadDelaysNobodyAndGetsTheNewest) {
    Client slow(server_.name());
    Client quick(server_.name());
    slow.say(encode(protocol::Watch{.pid = 4711}));
    quick.say(encode(protocol::Watch{.pid = 4711}));
    ASSERT_TRUE(until([&] { return wanted_; }));
    // Half a megabyte each: more than a socket holds after the first.
    for (uint64_t number = 1; number <= 5; ++number) {
        publish(figures(number, protocol::kMaxLiveRows));
        ASSERT_TRUE(until([&] { return quick.read() && quick.messages.size() == number; }));
    }
    ASSERT_TRUE(until([&] { return slow.read() && slow.messages.size() == 2; }));
    EXPECT_EQ(std::get<LiveFigures>(slow.messages[0]).time_ns, 1U);
    EXPECT_EQ(std::get<LiveFigures>(slow.messages[1]).time_ns, 5U) << "those between are left out";
}

TEST_F(FiguresServerTest, SoManyMayWatchAndNoMore) {
    std::vector<std::unique_ptr<Client>> clients;
    for (size_t number = 0; number < kMaxWatchers; ++number) {
        clients.push_back(std::make_unique<Client>(server_.name()));
        clients.back()->say(encode(protocol::Watch{.pid = 4711}));
        io_.run_for(std::chrono::milliseconds(1));
    }
    Client more(server_.name());
    EXPECT_TRUE(until([&] { return !more.read(); }));
    clients.pop_back();
    io_.run_for(std::chrono::milliseconds(50));
    Client again(server_.name());
    again.say(encode(protocol::Watch{}));
    EXPECT_TRUE(until([&] { return !again.read(); }));
    EXPECT_EQ(again.messages.size(), 1U);
}

}  // namespace
}  // namespace umbra::collector
