// SPDX-License-Identifier: MIT
// Local sockets (AF_UNIX): their addresses, and who is at the other end.
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace umbra {

/// What bind() and connect() take.
struct LocalAddress {
    sockaddr_un address{};
    socklen_t size = sizeof(sockaddr_un);

    [[nodiscard]] const sockaddr* get() const {
        return reinterpret_cast<const sockaddr*>(&address);
    }
};

/// Of a socket that is a file. Nothing: the path is too long for one, 107 bytes are all.
[[nodiscard]] inline std::optional<LocalAddress> local_address(std::string_view path) {
    LocalAddress result;
    result.address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(result.address.sun_path)) {
        return std::nullopt;
    }
    std::memcpy(result.address.sun_path, path.data(), path.size());
    return result;
}

/// Of a socket that has a name and no file (an abstract one). `name`: without the NUL that makes it
/// abstract; of a longer one than fits, the beginning.
[[nodiscard]] inline LocalAddress abstract_address(std::string_view name) {
    LocalAddress result;
    result.address.sun_family = AF_UNIX;
    name = name.substr(0, sizeof(result.address.sun_path) - 1);
    std::memcpy(result.address.sun_path + 1, name.data(), name.size());
    result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return result;
}

/// Who is at the other end of a connection: who has connected, or who listens. Nothing, and errno
/// says why: the kernel does not tell.
[[nodiscard]] inline std::optional<ucred> peer_of(int socket) {
    ucred peer{};
    socklen_t length = sizeof(peer);
    if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
        return std::nullopt;
    }
    return peer;
}

/// Whether a peer is `user` or root.
[[nodiscard]] inline bool is_user_or_root(const ucred& peer, uid_t user = geteuid()) {
    return peer.uid == user || peer.uid == 0;
}

}  // namespace umbra
