// SPDX-License-Identifier: MIT
// SampleLink: the socket an attached agent connects to, and the connection it makes.
#pragma once

#include <functional>
#include <string>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/protocol/messages.h"

namespace umbra::collector {

/// One agent, once. Never blocks. One thread.
class SampleLink {
  public:
    /// Listens in a folder of its own below `folder`, which is open as a path and which the target
    /// knows as `seen_folder`. Only `owner`, the user of the target, can connect.
    ///
    /// That user may own `folder`, and put anything in the place of what is made in it, at any
    /// moment. So what is made is only ever reached through descriptors, and nothing of this user's
    /// is given away but the socket: its folder stays this user's, open to be passed through.
    [[nodiscard]] static Result<SampleLink> listen(UniqueFd folder, const std::string& seen_folder,
                                                   uid_t owner);
    SampleLink(const SampleLink&) = delete;
    SampleLink& operator=(const SampleLink&) = delete;
    SampleLink(SampleLink&&) = default;
    SampleLink& operator=(SampleLink&&) = delete;
    /// Removes socket and folder.
    ~SampleLink();

    /// The socket's path as the target sees it.
    [[nodiscard]] const std::string& seen_path() const { return seen_path_; }
    /// Readable when receive() has something to do; changes once, when the agent connects.
    [[nodiscard]] int descriptor() const {
        return connection_ ? connection_.get() : listener_.get();
    }
    [[nodiscard]] bool connected() const { return static_cast<bool>(connection_); }

    /// Takes what is there and hands it on. False: the agent has closed its end, talks nonsense, or
    /// `handle` has answered false.
    [[nodiscard]] bool receive(const std::function<bool(protocol::Message)>& handle);
    /// Hands over what an agent says that is about to go: to its last word, a fifth of a second at
    /// most.
    void receive_rest(const std::function<bool(protocol::Message)>& handle);
    /// False: the agent does not read, or has gone.
    bool send(const protocol::Message& message);

  private:
    SampleLink() = default;
    Status make_folder();
    Status make_socket();
    void accept();

    UniqueFd parent_;   // of the folder
    std::string name_;  // of the folder; empty: there is none yet
    UniqueFd folder_;   // empty when another had its place already
    std::string seen_path_;
    uid_t owner_ = 0;
    UniqueFd listener_;
    UniqueFd connection_;
    protocol::Decoder decoder_;
};

}  // namespace umbra::collector
