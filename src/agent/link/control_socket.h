// SPDX-License-Identifier: MIT
// The socket an agent listens on in a running process: for `umbra start`, `stop`, `detach`, `ps`.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <sys/types.h>

#include "src/agent/link/channel.h"
#include "src/agent/link/own_descriptor.h"
#include "src/agent/link/owning_process.h"
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

    /// False: the program has closed the descriptor, or given its number to a file of its own.
    [[nodiscard]] bool is_ours() const { return listener_.is_ours(); }
    [[nodiscard]] int descriptor() const { return listener_.get(); }

    /// Removes the file. Any thread, any number of times; the child of a fork removes nothing.
    void remove() const noexcept;

  private:
    ControlSocket(UniqueFd listener, std::string path)
        : listener_(std::move(listener)), path_(std::move(path)) {}

    OwnDescriptor listener_;
    std::string path_;
    OwningProcess owner_;
};

}  // namespace umbra::agent
