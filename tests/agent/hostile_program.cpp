// SPDX-License-Identifier: MIT
// A program that looks like a profiled one to umbra, and does harm until it is killed:
//   umbra_hostile_program run SEED       as `umbra run` starts it
//   umbra_hostile_program leave SEED     the same, twenty times, and closes all its connections
//   umbra_hostile_program dormant SEED   waits for `umbra start`, and answers nothing afterwards
//   umbra_hostile_program deaf SEED      listens for `umbra start`, and takes no connection
// Prints "ready" before it waits, "taken" once umbra has taken it.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <poll.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/agent/link/channel.h"
#include "src/agent/link/control_socket.h"
#include "src/agent/link/segment.h"
#include "src/base/result.h"
#include "src/protocol/environment.h"
#include "tests/support/hostile_process.h"

namespace umbra::testing {
namespace {

constexpr auto kAtMost = std::chrono::seconds(60);
constexpr int kLeaving = 20;

void say(std::string_view word) {
    std::cout << word << std::endl;
}

void wait_for(int descriptor) {
    pollfd readable{descriptor, POLLIN, 0};
    poll(&readable, 1, static_cast<int>(std::chrono::milliseconds(kAtMost).count()));
}

Result<agent::Channel> channel_of(std::string_view how) {
    if (how == "run" || how == "leave") {
        const char* path = std::getenv(protocol::kSocketVariable);
        return path != nullptr ? agent::Channel::open(path)
                               : fail(ErrorCode::kInvalid, "start it with `umbra run`");
    }
    Result<agent::ControlSocket> socket = agent::ControlSocket::open();
    if (!socket) {
        return tl::unexpected<Error>(socket.error());
    }
    say("ready");
    if (how == "deaf") {
        wait_for(-1);
        socket->remove();
        return fail(ErrorCode::kTimedOut, "nobody has ended this program");
    }
    wait_for(socket->descriptor());
    std::optional<agent::ControlSocket::Request> request = socket->accept();
    socket->remove();
    return request ? Result<agent::Channel>(std::move(request->channel))
                   : fail(ErrorCode::kTimedOut, "nobody has asked");
}

/// A recording that umbra has begun.
struct Taken {
    agent::Channel channel;
    agent::Segment segment;
};

Result<Taken> introduce(agent::Channel channel, bool running) {
    Result<agent::Segment> segment = agent::create_segment(hotpath::ClockSource::kCounter);
    if (!segment) {
        return tl::unexpected<Error>(segment.error());
    }
    if (mprotect(segment->header, hotpath::kSegmentBytes, PROT_READ | PROT_WRITE) != 0) {
        return fail(ErrorCode::kSystem, "making all of the segment writable failed");
    }
    protocol::Hello hello;
    hello.command_line = "hostile";
    hello.pid = static_cast<uint32_t>(getpid());
    hello.segment_bytes = hotpath::kSegmentBytes;
    hello.running = running;
    hello.runtimes.assign(running ? 1 : 0, ".NET 10.0.0");
    if (Status sent = channel.send(hello, segment->fd.get()); !sent) {
        return tl::unexpected<Error>(sent.error());
    }
    const Result<protocol::Message> answer = channel.receive();
    if (!answer || !std::holds_alternative<protocol::Welcome>(*answer)) {
        return fail(ErrorCode::kRefused, "umbra has not taken it");
    }
    return Taken{std::move(channel), *std::move(segment)};
}

Status run(std::string_view how, uint64_t seed) {
    std::vector<Taken> taken;
    for (int count = how == "leave" ? kLeaving : 1; count > 0; --count) {
        Result<agent::Channel> channel = channel_of(how);
        if (!channel) {
            return tl::unexpected<Error>(channel.error());
        }
        Result<Taken> one = introduce(*std::move(channel), how == "dormant");
        if (!one) {
            return tl::unexpected<Error>(one.error());
        }
        taken.push_back(*std::move(one));
    }
    if (how == "leave") {
        taken.clear();
        say("taken");
        wait_for(-1);
        return {};
    }
    agent::Channel& channel = taken.front().channel;
    if (how == "dormant") {
        if (Status sent = channel.send(protocol::CaptureBegan{.methods = 1}); !sent) {
            return sent;
        }
    }
    say("taken");
    do_harm(channel, *taken.front().segment.header, seed,
            std::chrono::steady_clock::now() + kAtMost, Talk::kFactsAlone);
    return {};
}

}  // namespace
}  // namespace umbra::testing

int main(int count, char** arguments) {
    if (count != 3) {
        std::cerr << "umbra_hostile_program run|leave|dormant|deaf SEED\n";
        return 2;
    }
    if (const umbra::Status done = umbra::testing::run(arguments[1], std::stoull(arguments[2]));
        !done) {
        std::cerr << done.error().context << '\n';
        return 1;
    }
    return 0;
}
