// SPDX-License-Identifier: MIT
#include "src/collector/sampling/sample_link.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <span>
#include <utility>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace umbra::collector {

Result<SampleLink> SampleLink::listen(const std::string& folder, const std::string& seen_folder,
                                      uid_t owner) {
    SampleLink link;
    std::string made = folder + "/umbra-XXXXXX";
    if (mkdtemp(made.data()) == nullptr) {
        return fail(ErrorCode::kSystem, "making a folder for the control socket failed: " + made,
                    errno);
    }
    link.folder_ = made;
    link.owner_ = owner;
    link.path_ = made + "/control";
    link.seen_path_ = seen_folder + made.substr(folder.size()) + "/control";
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (link.path_.size() >= sizeof(address.sun_path)) {
        return fail(ErrorCode::kInvalid,
                    "the path of the control socket is too long: " + link.path_);
    }
    std::memcpy(address.sun_path, link.path_.c_str(), link.path_.size() + 1);
    link.listener_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!link.listener_ ||
        bind(link.listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) !=
            0 ||
        ::listen(link.listener_.get(), 1) != 0) {
        return fail(ErrorCode::kSystem, "listening at " + link.path_ + " failed", errno);
    }
    if (owner != geteuid() && (chown(link.path_.c_str(), owner, static_cast<gid_t>(-1)) != 0 ||
                               chown(link.folder_.c_str(), owner, static_cast<gid_t>(-1)) != 0)) {
        return fail(ErrorCode::kSystem, "giving " + link.folder_ + " to the target's user failed",
                    errno);
    }
    return link;
}

SampleLink::~SampleLink() {
    if (!folder_.empty()) {
        unlink(path_.c_str());
        rmdir(folder_.c_str());
    }
}

void SampleLink::accept() {
    UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    ucred peer{};
    socklen_t length = sizeof(peer);
    if (connection && getsockopt(connection.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) == 0 &&
        (peer.uid == owner_ || peer.uid == 0)) {
        connection_ = std::move(connection);
        listener_.reset();
    }
}

bool SampleLink::receive(const std::function<bool(protocol::Message)>& handle) {
    if (!connection_) {
        accept();
        return true;
    }
    std::array<std::byte, size_t{64} * 1024> buffer;
    const ssize_t got = recv(connection_.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
        return true;
    }
    if (got <= 0) {
        return false;
    }
    decoder_.append(std::span(buffer).first(static_cast<size_t>(got)));
    for (;;) {
        protocol::Message message;
        switch (decoder_.next(message)) {
            case protocol::Decoder::Outcome::kNeedMore:
                return true;
            case protocol::Decoder::Outcome::kBroken:
                return false;
            case protocol::Decoder::Outcome::kMessage:
                if (!handle(std::move(message))) {
                    return false;
                }
        }
    }
}

bool SampleLink::send(const protocol::Message& message) {
    const std::string bytes = protocol::encode(message);
    return connection_ && ::send(connection_.get(), bytes.data(), bytes.size(),
                                 MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
}

}  // namespace umbra::collector
