// SPDX-License-Identifier: MIT
#include "src/agent/link/channel.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <span>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/local_socket.h"

namespace umbra::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Until the socket is ready; false when the time is over.
bool wait_for(int socket, short events, steady_clock::time_point deadline) {
    const auto left = std::chrono::ceil<milliseconds>(deadline - steady_clock::now());
    if (left <= milliseconds(0)) {
        return false;
    }
    pollfd waiting{socket, events, 0};
    poll(&waiting, 1, static_cast<int>(left.count()));
    return true;  // whether it is ready shows when it is used
}

tl::unexpected<Error> taken_away() {
    return fail(ErrorCode::kSystem, "the program has closed the agent's socket");
}

Status check_peer(int socket) {
    const std::optional<ucred> peer = peer_of(socket);
    if (!peer) {
        return fail(ErrorCode::kSystem, "asking who owns the socket of umbra failed", errno);
    }
    if (!is_user_or_root(*peer)) {
        return fail(ErrorCode::kRefused, "the socket of umbra belongs to user " +
                                             std::to_string(peer->uid) +
                                             ", not to this process's user or root");
    }
    return {};
}

}  // namespace

Result<Channel> Channel::open(const std::string& socket_path) {
    const std::optional<LocalAddress> address = local_address(socket_path);
    if (!address) {
        return fail(ErrorCode::kInvalid, "the path in UMBRA_SOCKET is too long: " + socket_path);
    }
    UniqueFd socket_fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!socket_fd) {
        return fail(ErrorCode::kSystem, "making a socket failed", errno);
    }
    if (connect(socket_fd.get(), address->get(), address->size) != 0) {
        return fail(ErrorCode::kSystem, "no umbra answers at " + socket_path, errno);
    }
    if (Status status = check_peer(socket_fd.get()); !status) {
        return tl::unexpected<Error>(std::move(status.error()));
    }
    return over(std::move(socket_fd));
}

Channel Channel::over(UniqueFd socket) {
    return Channel(std::move(socket));
}

Status Channel::send(const protocol::Message& message, int fd, milliseconds timeout) {
    return write(protocol::encode(message), fd, timeout);
}

Status Channel::send_all(const std::deque<protocol::Message>& messages) {
    constexpr size_t kEnough = size_t{64} << 10;
    std::string bytes;
    Status sent;
    for (const protocol::Message& message : messages) {
        bytes += protocol::encode(message);
        if (bytes.size() >= kEnough) {
            if (sent = write(bytes, -1, kTimeout); !sent) {
                return sent;
            }
            bytes.clear();
        }
    }
    return bytes.empty() ? sent : write(bytes, -1, kTimeout);
}

Status Channel::write(const std::string& bytes, int fd, milliseconds timeout) {
    const steady_clock::time_point deadline = steady_clock::now() + timeout;
    size_t sent = 0;
    while (sent < bytes.size()) {
        if (!socket_.is_ours()) {
            return taken_away();
        }
        iovec part{const_cast<char*>(bytes.data()) + sent, bytes.size() - sent};
        msghdr header{};
        header.msg_iov = &part;
        header.msg_iovlen = 1;
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
        if (fd >= 0 && sent == 0) {
            header.msg_control = control.data();
            header.msg_controllen = control.size();
            cmsghdr* rights = CMSG_FIRSTHDR(&header);
            rights->cmsg_level = SOL_SOCKET;
            rights->cmsg_type = SCM_RIGHTS;
            rights->cmsg_len = CMSG_LEN(sizeof(int));
            std::memcpy(CMSG_DATA(rights), &fd, sizeof(int));
        }
        const ssize_t written = sendmsg(socket_.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (written < 0 &&
            (errno == EINTR || (errno == EAGAIN && wait_for(socket_.get(), POLLOUT, deadline)))) {
            continue;
        }
        if (written <= 0) {
            return fail(ErrorCode::kSystem, "sending to umbra failed", errno);
        }
        sent += static_cast<size_t>(written);
    }
    return {};
}

Result<protocol::Message> Channel::receive(milliseconds timeout) {
    const steady_clock::time_point deadline = steady_clock::now() + timeout;
    std::array<std::byte, 4096> buffer;
    for (;;) {
        protocol::Message message;
        switch (decoder_.next(message)) {
            case protocol::Decoder::Outcome::kMessage:
                return message;
            case protocol::Decoder::Outcome::kBroken:
                return fail(ErrorCode::kVersion,
                            "umbra's answer makes no sense: is it of another version?");
            case protocol::Decoder::Outcome::kNeedMore:
                break;
        }
        if (!wait_for(socket_.get(), POLLIN, deadline)) {
            return fail(ErrorCode::kTimedOut, "umbra did not answer in time");
        }
        if (!socket_.is_ours()) {
            return taken_away();
        }
        const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (got <= 0) {
            return fail(ErrorCode::kSystem, "umbra did not answer", got < 0 ? errno : 0);
        }
        decoder_.append(std::span(buffer).first(static_cast<size_t>(got)));
    }
}

std::optional<protocol::Message> Channel::next() {
    for (;;) {
        protocol::Message message;
        switch (try_next(message)) {
            case Got::kMessage:
                return message;
            case Got::kGone:
                return std::nullopt;
            case Got::kNothing:
                break;
        }
        // Not in recv: a thread that blocks there is woken with every message the other one sends.
        pollfd readable{socket_.get(), POLLIN | POLLRDHUP, 0};
        poll(&readable, 1, -1);
    }
}

Channel::Got Channel::try_next(protocol::Message& message) {
    std::array<std::byte, 4096> buffer;
    for (;;) {
        switch (decoder_.next(message)) {
            case protocol::Decoder::Outcome::kMessage:
                return Got::kMessage;
            case protocol::Decoder::Outcome::kBroken:
                return Got::kGone;
            case protocol::Decoder::Outcome::kNeedMore:
                break;
        }
        if (!socket_.is_ours()) {
            return Got::kGone;
        }
        const ssize_t got = recv(socket_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0 && errno == EAGAIN) {
            return Got::kNothing;
        }
        if (got <= 0) {
            return Got::kGone;
        }
        decoder_.append(std::span(buffer).first(static_cast<size_t>(got)));
    }
}

void Channel::stop_receiving() noexcept {
    if (socket_.is_ours()) {
        shutdown(socket_.get(), SHUT_RD);
    }
}

}  // namespace umbra::agent
