// SPDX-License-Identifier: MIT
#include "src/cli/record/agent_client.h"

#include <array>
#include <cerrno>
#include <span>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include "src/cli/record/end_signals.h"
#include "src/diagnostics/discovery.h"
#include "src/diagnostics/exchange.h"

namespace umbra::cli {
namespace {

constexpr auto kTimeout = std::chrono::seconds(5);

Result<protocol::AgentState> receive_state(int socket, const diagnostics::Deadline& deadline) {
    protocol::Decoder decoder;
    std::array<std::byte, 4096> buffer;
    for (;;) {
        protocol::Message message;
        const protocol::Decoder::Outcome outcome = decoder.next(message);
        if (outcome == protocol::Decoder::Outcome::kMessage) {
            if (auto* state = std::get_if<protocol::AgentState>(&message)) {
                return std::move(*state);
            }
        }
        if (outcome != protocol::Decoder::Outcome::kNeedMore) {
            return fail(ErrorCode::kVersion,
                        "the agent's answer makes no sense: is it of another version?");
        }
        pollfd readable{socket, POLLIN, 0};
        if (poll(&readable, 1, static_cast<int>(deadline.left().count())) == 0) {
            return fail(ErrorCode::kTimedOut,
                        fmt::format("the agent did not answer within {} s: is the process stopped?",
                                    deadline.limit().count() / 1000));
        }
        const ssize_t got = recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            continue;
        }
        if (got <= 0) {
            return fail(ErrorCode::kSystem, "the process has closed the connection to its agent",
                        got < 0 ? errno : 0);
        }
        decoder.append(std::span(buffer).first(static_cast<size_t>(got)));
    }
}

}  // namespace

std::string still_waiting(pid_t pid) {
    return fmt::format(
        "umbra: process {} has not answered yet; Ctrl-C again ends without waiting for it\n", pid);
}

Result<UniqueFd> call_agent(pid_t pid, protocol::Ask::What what) {
    const Result<diagnostics::Endpoint> endpoint = diagnostics::find_agent_endpoint(pid);
    if (!endpoint) {
        return tl::unexpected<Error>(endpoint.error());
    }
    Result<UniqueFd> socket =
        diagnostics::connect_to(*endpoint, diagnostics::Deadline(kTimeout, end_signal_pending));
    if (!socket) {
        return tl::unexpected<Error>(socket.error());
    }
    const std::string bytes = protocol::encode(protocol::Ask{.what = what});
    if (send(socket->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(bytes.size())) {
        return fail(ErrorCode::kSystem, fmt::format("asking the agent of process {} failed", pid),
                    errno);
    }
    return socket;
}

Result<protocol::AgentState> ask_agent(pid_t pid, protocol::Ask::What what,
                                       std::chrono::milliseconds timeout) {
    Result<UniqueFd> socket = call_agent(pid, what);
    if (!socket) {
        return tl::unexpected<Error>(socket.error());
    }
    return receive_state(socket->get(), diagnostics::Deadline(timeout));
}

}  // namespace umbra::cli
