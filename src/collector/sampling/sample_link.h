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
    /// Listens in a folder of its own, mode 0700, below `folder`, which the target knows as
    /// `seen_folder`. Folder and socket belong to `owner`, the user of the target.
    [[nodiscard]] static Result<SampleLink> listen(const std::string& folder,
                                                   const std::string& seen_folder, uid_t owner);
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
    /// False: the agent does not read, or has gone.
    bool send(const protocol::Message& message);

  private:
    SampleLink() = default;
    void accept();

    std::string folder_;
    std::string path_;
    std::string seen_path_;
    uid_t owner_ = 0;
    UniqueFd listener_;
    UniqueFd connection_;
    protocol::Decoder decoder_;
};

}  // namespace umbra::collector
