// SPDX-License-Identifier: MIT
#include "src/cli/record/agent_client.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <span>
#include <thread>
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

constexpr auto kAskTimeout = std::chrono::seconds(5);
constexpr auto kRetryStep = std::chrono::milliseconds(10);

/// Whether the agent has closed a connection before it read what was asked: it waits a second for
/// that, and on a busy machine this process may not run for so long. Then it may be asked again.
bool is_unheard(int os_error) {
    return os_error == EPIPE || os_error == ECONNRESET;
}

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
    const diagnostics::Deadline deadline(kAskTimeout, end_signal_pending);
    const std::string bytes = protocol::encode(protocol::Ask{.what = what});
    for (;;) {
        const Result<diagnostics::Endpoint> endpoint = diagnostics::find_agent_endpoint(pid);
        if (!endpoint) {
            return tl::unexpected<Error>(endpoint.error());
        }
        Result<UniqueFd> socket = diagnostics::connect_to(*endpoint, deadline);
        if (!socket) {
            return tl::unexpected<Error>(socket.error());
        }
        if (send(socket->get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(bytes.size())) {
            return socket;
        }
        const int os_error = errno;
        if (!is_unheard(os_error) || deadline.passed()) {
            return fail(ErrorCode::kSystem,
                        fmt::format("asking the agent of process {} failed: {}", pid,
                                    strerrordesc_np(os_error)),
                        os_error);
        }
        std::this_thread::sleep_for(kRetryStep);
    }
}

Result<protocol::AgentState> ask_agent(pid_t pid, protocol::Ask::What what,
                                       std::chrono::milliseconds timeout) {
    const diagnostics::Deadline deadline(timeout);
    for (;;) {
        Result<UniqueFd> socket = call_agent(pid, what);
        if (!socket) {
            return tl::unexpected<Error>(socket.error());
        }
        Result<protocol::AgentState> state = receive_state(socket->get(), deadline);
        if (state || !is_unheard(state.error().os_error) || deadline.passed()) {
            return state;
        }
        std::this_thread::sleep_for(kRetryStep);
    }
}

}  // namespace umbra::cli
