// SPDX-License-Identifier: MIT
// The agent's end of the control socket.
#pragma once

#include <optional>
#include <string>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

class Channel {
  public:
    /// Connects to the collector's socket and checks that its owner is this user or root.
    [[nodiscard]] static Result<Channel> open(const std::string& socket_path);

    /// Speaks over a socket that is connected already, whose other end has been checked.
    [[nodiscard]] static Channel over(UniqueFd socket);

    /// Sends one message, with a descriptor if `fd` >= 0. Blocks for a few seconds at most: a
    /// collector that does not read is as good as gone. One thread at a time.
    [[nodiscard]] Status send(const protocol::Message& message, int fd = -1);

    /// Waits for the answer to Hello, a few seconds at most.
    [[nodiscard]] Result<protocol::Message> receive();

    /// Waits for the next message, however long; nothing when the collector has closed its end,
    /// died or talks nonsense. One thread, beside the one that sends.
    [[nodiscard]] std::optional<protocol::Message> next();

    enum class Got { kMessage, kNothing, kGone };
    /// The next message if it is there already. kGone: see next(). Until it answers kNothing, what
    /// is there may have more.
    [[nodiscard]] Got try_next(protocol::Message& message);
    /// Readable when try_next() has something to tell.
    [[nodiscard]] int descriptor() const { return socket_.get(); }

  private:
    explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}

    UniqueFd socket_;
    protocol::Decoder decoder_;
};

}  // namespace umbra::agent
