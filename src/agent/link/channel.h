// SPDX-License-Identifier: MIT
// The agent's end of the control socket.
#pragma once

#include <chrono>
#include <deque>
#include <optional>
#include <string>

#include "src/agent/link/own_descriptor.h"
#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/protocol/messages.h"

namespace umbra::agent {

/// A socket that the program has closed counts as a collector that has gone.
class Channel {
  public:
    /// For a message to go, or an answer to come, as a whole.
    static constexpr std::chrono::milliseconds kTimeout{5000};

    /// Connects to the collector's socket and checks that its owner is this user or root.
    [[nodiscard]] static Result<Channel> open(const std::string& socket_path);

    /// Speaks over a socket that is connected already, whose other end has been checked.
    [[nodiscard]] static Channel over(UniqueFd socket);

    /// Sends one message, with a descriptor if `fd` >= 0. Blocks for `timeout` at most: a
    /// collector that does not read is as good as gone. One thread at a time.
    [[nodiscard]] Status send(const protocol::Message& message, int fd = -1,
                              std::chrono::milliseconds timeout = kTimeout);

    /// Sends what is there in order, many with one call to the system. Blocks as send() does, for
    /// each 64 KiB. One thread at a time.
    [[nodiscard]] Status send_all(const std::deque<protocol::Message>& messages);

    /// Waits for the answer to Hello, and no longer than this for all of it.
    [[nodiscard]] Result<protocol::Message> receive(std::chrono::milliseconds timeout = kTimeout);

    /// Waits for the next message, however long; nothing when the collector has closed its end,
    /// died or talks nonsense. One thread, beside the one that sends.
    [[nodiscard]] std::optional<protocol::Message> next();

    enum class Got { kMessage, kNothing, kGone };
    /// The next message if it is there already. kGone: see next(). Until it answers kNothing, what
    /// is there may have more.
    [[nodiscard]] Got try_next(protocol::Message& message);
    /// Readable when try_next() has something to tell.
    [[nodiscard]] int descriptor() const { return socket_.get(); }

    /// From now on there is nothing to receive; what has been sent still arrives. Any thread.
    void stop_receiving() noexcept;

  private:
    explicit Channel(UniqueFd socket) : socket_(std::move(socket)) {}

    [[nodiscard]] Status write(const std::string& bytes, int fd, std::chrono::milliseconds timeout);

    OwnDescriptor socket_;
    protocol::Decoder decoder_;
};

}  // namespace umbra::agent
