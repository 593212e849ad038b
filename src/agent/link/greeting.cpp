// SPDX-License-Identifier: MIT
#include "src/agent/link/greeting.h"

#include <optional>
#include <utility>
#include <variant>

#include <unistd.h>

#include "src/agent/support/command_line.h"

namespace umbra::agent {

protocol::Hello hello_of(std::string runtime) {
    protocol::Hello hello;
    hello.tool_version = UMBRA_VERSION;
    hello.pid = static_cast<uint32_t>(getpid());
    hello.runtime = std::move(runtime);
    hello.command_line = own_command_line();
    return hello;
}

Result<protocol::HelloAnswer> greet(Channel& channel, const protocol::Hello& hello, int fd) {
    if (Status sent = channel.send(hello, fd); !sent) {
        return tl::unexpected<Error>(sent.error());
    }
    Result<protocol::Message> message = channel.receive();
    if (!message) {
        return tl::unexpected<Error>(message.error());
    }
    std::optional<protocol::HelloAnswer> answer =
        protocol::narrow<protocol::HelloAnswer>(std::move(*message));
    if (!answer) {
        return fail(ErrorCode::kVersion, "umbra answered Hello with something else");
    }
    if (const auto* refuse = std::get_if<protocol::Refuse>(&*answer)) {
        return fail(ErrorCode::kRefused, "umbra refuses this process: " + refuse->reason);
    }
    return std::move(*answer);
}

}  // namespace umbra::agent
