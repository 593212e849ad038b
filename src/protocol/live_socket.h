// SPDX-License-Identifier: MIT
// The name of the socket on which an umbra that records shows its figures.
#pragma once

#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include <sys/socket.h>
#include <sys/un.h>

namespace umbra::protocol {

/// The socket has a name and no file (an abstract one): it ends with the umbra that listens,
/// whatever its end, and does not depend on an environment. Behind the prefix stands what makes it
/// the only one. Anybody in the network namespace can take such a name: who listens, and who asks,
/// is told by SO_PEERCRED alone.
inline constexpr std::string_view kLiveSocketPrefix = "umbra-live-";

struct SocketAddress {
    sockaddr_un address{};
    socklen_t size = 0;

    [[nodiscard]] const sockaddr* get() const {
        return reinterpret_cast<const sockaddr*>(&address);
    }
};

/// `name`: without the NUL that makes it abstract; of a longer one than fits, the beginning.
[[nodiscard]] inline SocketAddress abstract_address(std::string_view name) {
    SocketAddress result;
    result.address.sun_family = AF_UNIX;
    constexpr std::size_t kMost = sizeof(result.address.sun_path) - 1;
    name = name.substr(0, kMost);
    std::memcpy(result.address.sun_path + 1, name.data(), name.size());
    result.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    return result;
}

}  // namespace umbra::protocol
