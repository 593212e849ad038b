// SPDX-License-Identifier: MIT
// The socket an agent listens on in a running process: for `umbra start`, `stop`, `detach`, `ps`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <sys/types.h>

#include "src/agent/channel.h"
#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// Speaks to processes of this process's user and of root alone. One thread, but for remove().
class ControlSocket {
  public:
    /// Makes the socket, where protocol/agent_socket.h says.
    [[nodiscard]] static Result<ControlSocket> open();

    /// What a client wants, and the connection to answer on.
    struct Request {
        Channel channel;
        protocol::Ask ask;
        pid_t client = 0;  ///< 0: in a pid namespace that is not seen from here
    };
    /// After descriptor() has become readable. Nothing: nobody who may ask has asked in time (a
    /// second).
    [[nodiscard]] std::optional<Request> accept();

    /// False: the program has closed the descriptor, or given its number to a file of its own. It
    /// is of no more use then, and not ours to close.
    [[nodiscard]] bool is_ours() const;
    [[nodiscard]] int descriptor() const { return listener_.get(); }

    /// Removes the file. Any thread, any number of times.
    void remove() const noexcept;
    /// Lets go of a descriptor that is not ours any more.
    void abandon() noexcept { (void)listener_.release(); }

  private:
    ControlSocket(UniqueFd listener, std::string path);

    UniqueFd listener_;
    std::string path_;
    uint64_t device_ = 0;
    uint64_t inode_ = 0;
};

}  // namespace umbra::agent
