// SPDX-License-Identifier: MIT
// Bytes and descriptors from a local socket.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

#include <sys/socket.h>
#include <sys/types.h>

#include "src/base/unique_fd.h"

namespace umbra {

struct Received {
    ssize_t bytes;                      ///< as recvmsg() answers
    std::vector<UniqueFd> descriptors;  ///< that came along
};

/// One read of a local socket. `flags` as for recvmsg().
[[nodiscard]] inline Received receive(int socket, std::span<std::byte> into, int flags = 0) {
    iovec part{into.data(), into.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    Received received{recvmsg(socket, &header, flags | MSG_CMSG_CLOEXEC), {}};
    if (received.bytes < 0) {
        return received;
    }
    for (cmsghdr* part_of = CMSG_FIRSTHDR(&header); part_of != nullptr;
         part_of = CMSG_NXTHDR(&header, part_of)) {
        if (part_of->cmsg_level != SOL_SOCKET || part_of->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        for (size_t at = CMSG_LEN(0); at + sizeof(int) <= part_of->cmsg_len; at += sizeof(int)) {
            int fd = -1;
            std::memcpy(&fd, reinterpret_cast<const char*>(part_of) + at, sizeof(int));
            received.descriptors.emplace_back(fd);
        }
    }
    return received;
}

}  // namespace umbra
