// SPDX-License-Identifier: MIT
// AttachLink: has the runtime of a running process load the agent, and listens for it.
#pragma once

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <sys/types.h>

#include "src/base/result.h"
#include "src/base/unique_fd.h"
#include "src/collector/sampling/sample_link.h"
#include "src/diagnostics/discovery.h"

namespace umbra::cli {

/// What an agent has for being loaded, and for saying Hello.
inline constexpr std::chrono::milliseconds kAttachTimeout(10'000);

class AttachLink {
  public:
    /// `library`: path of libumbra_agent.so; `clsid`: which of its classes
    /// (protocol/environment.h). The error says why this process cannot be attached to.
    [[nodiscard]] static Result<AttachLink> open(pid_t pid, std::string library, const char* clsid);

    /// Where the agent will connect, and say Hello.
    [[nodiscard]] collector::SampleLink& socket() { return socket_; }

    /// Asks the runtime, on a thread of its own, which ends when that has answered, kAttachTimeout
    /// at most; the agent connects meanwhile, so somebody has to answer it. `ended`, an eventfd or
    /// nothing, becomes readable then. Whoever does not want to wait lets the future go.
    [[nodiscard]] std::future<Status> attach(std::shared_ptr<const UniqueFd> ended = nullptr) const;

  private:
    AttachLink(diagnostics::Endpoint endpoint, collector::SampleLink socket, std::string library,
               const char* clsid)
        : endpoint_(std::move(endpoint)),
          socket_(std::move(socket)),
          library_(std::move(library)),
          clsid_(clsid) {}

    diagnostics::Endpoint endpoint_;
    collector::SampleLink socket_;
    std::string library_;
    const char* clsid_;
};

/// Why an agent of another version cannot be talked to; empty: it is of this one.
[[nodiscard]] std::string version_refusal(pid_t pid, const protocol::Hello& hello);

/// Has a process load the agent, which stays there, dormant. Returns when it listens, or with the
/// reason why it does not; at once when a signal that ends umbra is pending, which has to be
/// blocked.
[[nodiscard]] Status bring_agent(pid_t pid, std::string library);

}  // namespace umbra::cli
