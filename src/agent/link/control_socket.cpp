// SPDX-License-Identifier: MIT
#include "src/agent/link/control_socket.h"

#include <cerrno>
#include <optional>
#include <utility>

#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/folders.h"
#include "src/base/local_socket.h"
#include "src/base/proc_text.h"
#include "src/base/read_file.h"
#include "src/protocol/agent_socket.h"

namespace umbra::agent {
namespace {

constexpr int kBacklog = 16;
constexpr int kTimeoutMs = 1000;  // for a client's first message

std::optional<std::string> socket_path() {
    constexpr size_t kMaxBytes = 4096;  // one line, of a name of 15 bytes and 51 numbers
    const std::string stat = read_file("/proc/self/stat", kMaxBytes).value_or("");
    const std::optional<uint64_t> start_time = start_time_of(stat);
    if (!start_time) {
        return std::nullopt;
    }
    return std::string(folder_named_by({"TMPDIR"})) + '/' +
           protocol::agent_socket_name(static_cast<uint32_t>(getpid()), *start_time);
}

// What a process of this number and start time left behind is a second run of ours in it.
void remove_if_ours(const std::string& path) {
    struct stat there {};
    if (lstat(path.c_str(), &there) == 0 && S_ISSOCK(there.st_mode) && there.st_uid == geteuid()) {
        unlink(path.c_str());
    }
}

}  // namespace

Result<ControlSocket> ControlSocket::open() {
    const std::optional<std::string> path = socket_path();
    if (!path) {
        return fail(ErrorCode::kSystem, "/proc/self/stat cannot be read: is /proc mounted?");
    }
    const std::optional<LocalAddress> address = local_address(*path);
    if (!address) {
        return fail(ErrorCode::kInvalid, "the path of the agent's socket is too long: " + *path +
                                             " (let TMPDIR name a shorter one)");
    }
    UniqueFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    remove_if_ours(*path);
    // Nobody is let in before listen(), and by then the file is the owner's alone.
    if (!listener || bind(listener.get(), address->get(), address->size) != 0 ||
        chmod(path->c_str(), S_IRUSR | S_IWUSR) != 0 || listen(listener.get(), kBacklog) != 0) {
        return fail(ErrorCode::kSystem, "listening at " + *path + " failed", errno);
    }
    return ControlSocket(std::move(listener), *path);
}

std::optional<ControlSocket::Request> ControlSocket::accept() {
    UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const std::optional<ucred> client = connection ? peer_of(connection.get()) : std::nullopt;
    if (!client || !is_user_or_root(*client)) {
        return std::nullopt;
    }
    Request request{
        .channel = Channel::over(std::move(connection)), .ask = {}, .client = client->pid};
    pollfd readable{request.channel.descriptor(), POLLIN, 0};
    protocol::Message message;
    if (poll(&readable, 1, kTimeoutMs) <= 0 ||
        request.channel.try_next(message) != Channel::Got::kMessage) {
        return std::nullopt;
    }
    const auto* ask = std::get_if<protocol::Ask>(&message);
    if (ask == nullptr) {
        return std::nullopt;
    }
    request.ask = *ask;
    return request;
}

void ControlSocket::remove() const noexcept {
    if (owner_.is_this()) {
        unlink(path_.c_str());
    }
}

}  // namespace umbra::agent
