// SPDX-License-Identifier: MIT
// One question and one answer on a socket of another process.
#include "src/diagnostics/exchange.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/local_socket.h"
#include "src/diagnostics/process_facts.h"

namespace umbra::diagnostics {
namespace {

constexpr auto kConnectRetryStep = std::chrono::milliseconds(10);

bool is_stopped(const Endpoint& endpoint) {
    const Result<ProcessFacts> process = process_facts(endpoint.pid);
    return process && (process->state == 'T' || process->state == 't');
}

tl::unexpected<Error> stopped(const Endpoint& endpoint) {
    return fail(ErrorCode::kTimedOut,
                fmt::format("process {} cannot answer: it is stopped (SIGSTOP, or a debugger); let "
                            "it go on and try again",
                            endpoint.pid));
}

tl::unexpected<Error> timed_out(const Endpoint& endpoint, const Deadline& deadline) {
    if (is_stopped(endpoint)) {
        return stopped(endpoint);
    }
    return fail(ErrorCode::kTimedOut,
                fmt::format("process {} did not answer within {} ms: it is busy or hangs; try "
                            "again later",
                            endpoint.pid, deadline.limit().count()));
}

tl::unexpected<Error> gone(const Endpoint& endpoint) {
    if (const Result<ProcessFacts> process = process_facts(endpoint.pid);
        !process || process->ends) {
        return fail(ErrorCode::kNotFound, fmt::format("process {} has ended", endpoint.pid));
    }
    return fail(ErrorCode::kNotFound,
                fmt::format("process {} does not listen on {}: it is ending, or its diagnostics "
                            "are shut down",
                            endpoint.pid, endpoint.path()));
}

tl::unexpected<Error> broke_off(const Endpoint& endpoint, int os_error) {
    if (const Result<ProcessFacts> process = process_facts(endpoint.pid);
        !process || process->ends) {
        return gone(endpoint);
    }
    const std::string reason = os_error == 0 ? "" : fmt::format(" ({})", strerrordesc_np(os_error));
    return fail(ErrorCode::kCorrupt,
                fmt::format("process {} closed its diagnostics connection without an answer{}; try "
                            "again",
                            endpoint.pid, reason),
                os_error);
}

/// Waits until `fd` is ready; false when the time is up.
bool wait_for(int fd, short events, const Deadline& deadline) {
    while (!deadline.passed()) {
        pollfd waiting = {.fd = fd, .events = events, .revents = 0};
        const int ready = poll(&waiting, 1, static_cast<int>(deadline.left().count()) + 1);
        if (ready > 0) {
            return true;
        }
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
    return false;
}

Status send_all(const Endpoint& endpoint, int fd, std::span<const std::byte> bytes,
                const Deadline& deadline) {
    while (!bytes.empty()) {
        const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent >= 0) {
            bytes = bytes.subspan(static_cast<size_t>(sent));
        } else if (errno == EAGAIN) {
            if (!wait_for(fd, POLLOUT, deadline)) {
                return timed_out(endpoint, deadline);
            }
        } else if (errno != EINTR) {
            return broke_off(endpoint, errno);
        }
    }
    return {};
}

Status receive_all(const Endpoint& endpoint, int fd, std::span<std::byte> bytes,
                   const Deadline& deadline) {
    while (!bytes.empty()) {
        if (deadline.passed()) {
            return timed_out(endpoint, deadline);
        }
        const ssize_t got = recv(fd, bytes.data(), bytes.size(), 0);
        if (got > 0) {
            bytes = bytes.subspan(static_cast<size_t>(got));
        } else if (got == 0) {
            return broke_off(endpoint, 0);
        } else if (errno == EAGAIN) {
            if (!wait_for(fd, POLLIN, deadline)) {
                return timed_out(endpoint, deadline);
            }
        } else if (errno != EINTR) {
            return broke_off(endpoint, errno);
        }
    }
    return {};
}

/// The other end must be the process that was meant: anybody may put sockets into /tmp.
Status check_peer(const Endpoint& endpoint, int fd) {
    const std::optional<ucred> peer = peer_of(fd);
    if (!peer) {
        return fail(ErrorCode::kSystem, "cannot tell who listens on " + endpoint.path(), errno);
    }
    if (peer->pid != endpoint.pid) {
        return fail(ErrorCode::kRefused,
                    fmt::format("process {} does not listen on {}, process {} does: umbra does not "
                                "talk to it",
                                endpoint.pid, endpoint.path(), peer->pid));
    }
    return {};
}

/// One try; nullopt: the queue of the listener is full.
std::optional<Result<UniqueFd>> try_connect(const Endpoint& endpoint, const LocalAddress& address) {
    UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    if (!fd) {
        return fail(ErrorCode::kSystem,
                    fmt::format("cannot make a socket: {}", strerrordesc_np(errno)), errno);
    }
    if (connect(fd.get(), address.get(), address.size) == 0) {
        return Result<UniqueFd>(std::move(fd));
    }
    switch (errno) {
        case EAGAIN:
        case EINTR:
            return std::nullopt;
        case ECONNREFUSED:
        case ENOENT:
            return gone(endpoint);
        case EACCES:
        case EPERM:
            return fail(ErrorCode::kRefused,
                        fmt::format("process {} belongs to {}: run umbra as that user or as root",
                                    endpoint.pid, user_name(endpoint.uid)),
                        errno);
        default:
            return fail(
                ErrorCode::kSystem,
                fmt::format("cannot connect to {}: {}", endpoint.path(), strerrordesc_np(errno)),
                errno);
    }
}

}  // namespace

Result<UniqueFd> connect_to(const Endpoint& endpoint, const Deadline& deadline) {
    Result<UniqueFd> folder = open_as(endpoint.pid, endpoint.folder, O_PATH | O_DIRECTORY);
    if (!folder) {
        return folder;
    }
    // A path through the descriptor is short however long the folder's is: 107 bytes are all.
    const std::string path = fmt::format("/proc/self/fd/{}/{}", folder->get(), endpoint.name);
    const std::optional<LocalAddress> address = local_address(path);
    if (!address) {
        return fail(ErrorCode::kInvalid, "the name of the socket is too long: " + endpoint.name);
    }
    for (;;) {
        if (std::optional<Result<UniqueFd>> tried = try_connect(endpoint, *address)) {
            if (!*tried) {
                return *std::move(tried);
            }
            if (const Status peer = check_peer(endpoint, (*tried)->get()); !peer) {
                return tl::unexpected<Error>(peer.error());
            }
            return *std::move(tried);
        }
        if (deadline.interrupted()) {
            return fail(ErrorCode::kRefused,
                        fmt::format("process {} was not asked: interrupted", endpoint.pid));
        }
        if (deadline.passed()) {
            return timed_out(endpoint, deadline);
        }
        std::this_thread::sleep_for(std::min(kConnectRetryStep, deadline.left()));
    }
}

Result<Reply> ask(const Endpoint& endpoint, Command command, std::span<const std::byte> payload,
                  const Deadline& deadline) {
    const std::optional<Bytes> request = frame(command, payload);
    if (!request) {
        return fail(ErrorCode::kInvalid,
                    fmt::format("a command of {} bytes is too long for the runtime",
                                payload.size() + kHeaderBytes));
    }
    if (is_stopped(endpoint)) {  // nobody need wait for that
        return stopped(endpoint);
    }
    const Result<UniqueFd> fd = connect_to(endpoint, deadline);
    if (!fd) {
        return tl::unexpected<Error>(fd.error());
    }
    if (Status sent = send_all(endpoint, fd->get(), *request, deadline); !sent) {
        return tl::unexpected<Error>(sent.error());
    }
    Bytes bytes(kHeaderBytes);
    if (Status got = receive_all(endpoint, fd->get(), bytes, deadline); !got) {
        return tl::unexpected<Error>(got.error());
    }
    const std::optional<ReplyHeader> header = parse_reply_header(bytes);
    Reply reply;
    if (header) {
        reply.payload.resize(header->payload_bytes);
        if (Status got = receive_all(endpoint, fd->get(), reply.payload, deadline); !got) {
            return tl::unexpected<Error>(got.error());
        }
        reply.is_error = header->is_error;
    }
    if (header && !header->is_error) {
        return reply;
    }
    const auto hresult = header ? PayloadReader(reply.payload).u32() : std::nullopt;
    if (!hresult) {
        return fail(ErrorCode::kCorrupt,
                    fmt::format("what process {} answered on {} is not an answer of a .NET runtime",
                                endpoint.pid, endpoint.path()));
    }
    reply.hresult = static_cast<int32_t>(*hresult);
    return reply;
}

}  // namespace umbra::diagnostics
