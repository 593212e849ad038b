// SPDX-License-Identifier: MIT
#include "src/cli/record/attach_link.h"

#include <chrono>
#include <cstdint>
#include <cstring>
#include <optional>
#include <thread>
#include <variant>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include "src/cli/record/end_signals.h"
#include "src/diagnostics/client.h"
#include "src/protocol/attach_data.h"
#include "src/protocol/environment.h"

namespace umbra::cli {

using collector::SampleLink;
using std::chrono::steady_clock;

namespace {

constexpr auto kLook = std::chrono::milliseconds(50);

/// The few words with an agent that is to stay.
class Arrival {
  public:
    explicit Arrival(pid_t pid, SampleLink& socket) : pid_(pid), socket_(socket) {}

    /// Waits for the agent's word, as long as the runtime has not refused it.
    Status wait_for(std::future<Status> attaching) {
        const auto deadline = steady_clock::now() + kAttachTimeout;
        Status attached;
        while (!listens_ && !refusal_ && attached && steady_clock::now() < deadline) {
            if (end_signal_pending()) {
                return fail(ErrorCode::kRefused,
                            fmt::format("process {} was not timed: interrupted", pid_));
            }
            pollfd readable{gone_ ? -1 : socket_.descriptor(), POLLIN, 0};
            poll(&readable, 1, static_cast<int>(kLook.count()));
            if (readable.revents != 0 &&
                !socket_.receive([this](const protocol::Message& m) { return handle(m); })) {
                gone_ = true;  // the runtime is about to say why
            }
            if (attaching.valid() &&
                attaching.wait_for(std::chrono::seconds(0)) == std::future_status::ready) {
                attached = attaching.get();
            }
        }
        if (!attached && !refusal_ && !gone_) {
            // The agent knows better why, and may have said so.
            socket_.receive_rest([this](const protocol::Message& m) { return handle(m); });
        }
        if (refusal_) {
            return tl::unexpected<Error>(*refusal_);
        }
        if (!attached || listens_) {
            return attached;
        }
        return fail(ErrorCode::kTimedOut,
                    fmt::format("the agent in process {} has not answered: UMBRA_LOG in its "
                                "environment would name a file in which it says why",
                                pid_));
    }

  private:
    bool handle(const protocol::Message& message) {
        if (const auto* hello = std::get_if<protocol::Hello>(&message)) {
            const std::string refusal = version_refusal(pid_, *hello);
            if (refusal.empty()) {
                return socket_.send(protocol::Remain{});
            }
            refusal_ = Error{ErrorCode::kVersion, 0, refusal};
            socket_.send(protocol::Refuse{refusal});
            return false;
        }
        if (const auto* notice = std::get_if<protocol::Notice>(&message)) {
            refusal_ =
                Error{ErrorCode::kRefused, 0, fmt::format("process {}: {}", pid_, notice->text)};
        }
        listens_ = std::holds_alternative<protocol::AgentState>(message);
        return false;
    }

    const pid_t pid_;
    SampleLink& socket_;
    std::optional<Error> refusal_;
    bool listens_ = false;
    bool gone_ = false;
};

}  // namespace

Result<AttachLink> AttachLink::open(pid_t pid, std::string library, const char* clsid) {
    const Result<diagnostics::Endpoint> endpoint = diagnostics::find_endpoint(pid);
    if (!endpoint) {
        return tl::unexpected<Error>(endpoint.error());
    }
    // As the target would open it: below its root, where its links lead.
    Result<UniqueFd> folder =
        diagnostics::open_as(endpoint->pid, endpoint->folder, O_PATH | O_DIRECTORY);
    if (!folder) {
        return tl::unexpected<Error>(folder.error());
    }
    Result<SampleLink> socket =
        SampleLink::listen(*std::move(folder), endpoint->folder, endpoint->uid);
    if (!socket) {
        return tl::unexpected<Error>(socket.error());
    }
    return AttachLink(*endpoint, *std::move(socket), std::move(library), clsid);
}

std::future<Status> AttachLink::attach(std::shared_ptr<const UniqueFd> ended) const {
    const std::string data =
        protocol::encode(protocol::AttachData{.socket_path = socket_.seen_path()});
    diagnostics::AttachRequest request;
    request.timeout = kAttachTimeout;
    request.clsid = clsid_;
    request.library = library_;
    request.data.resize(data.size());
    std::memcpy(request.data.data(), data.data(), data.size());
    std::promise<Status> promise;
    std::future<Status> answer = promise.get_future();
    std::thread([endpoint = endpoint_, request = std::move(request), ended = std::move(ended),
                 promise = std::move(promise)]() mutable {
        promise.set_value(diagnostics::attach_profiler(endpoint, request));
        if (ended) {
            const uint64_t one = 1;
            [[maybe_unused]] const ssize_t told = write(ended->get(), &one, sizeof(one));
        }
    }).detach();
    return answer;
}

std::string version_refusal(pid_t pid, const protocol::Hello& hello) {
    if (hello.magic == protocol::kMagic && hello.version == protocol::kProtocolVersion) {
        return "";
    }
    return fmt::format(
        "the agent in process {} speaks protocol {}, this umbra {}: use agent and "
        "umbra of one installation",
        pid, hello.version, protocol::kProtocolVersion);
}

Status bring_agent(pid_t pid, std::string library) {
    Result<AttachLink> link = AttachLink::open(pid, std::move(library), protocol::kProfilerClsid);
    if (!link) {
        return tl::unexpected<Error>(link.error());
    }
    return Arrival(pid, link->socket()).wait_for(link->attach());
}

}  // namespace umbra::cli
