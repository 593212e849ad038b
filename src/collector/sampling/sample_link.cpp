// SPDX-License-Identifier: MIT
#include "src/collector/sampling/sample_link.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/local_socket.h"

namespace umbra::collector {
namespace {

constexpr const char* kSocketName = "control";
constexpr int kNameAttempts = 100;

std::string random_name() {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz0123456789";
    std::array<unsigned char, 12> bytes{};
    [[maybe_unused]] const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    std::string name = "umbra-";
    for (const unsigned char byte : bytes) {
        name += kLetters[byte % kLetters.size()];
    }
    return name;
}

}  // namespace

Result<SampleLink> SampleLink::listen(UniqueFd folder, const std::string& seen_folder,
                                      uid_t owner) {
    SampleLink link;
    link.parent_ = std::move(folder);
    link.owner_ = owner;
    if (Status made = link.make_folder(); !made) {
        return tl::unexpected<Error>(std::move(made.error()));
    }
    link.seen_path_ = seen_folder + '/' + link.name_ + '/' + kSocketName;
    if (Status made = link.make_socket(); !made) {
        return tl::unexpected<Error>(std::move(made.error()));
    }
    return link;
}

Status SampleLink::make_folder() {
    // Another user's program has to pass through to the socket.
    const mode_t mode = owner_ == geteuid() ? 0700 : 0711;
    for (int attempt = 0; attempt < kNameAttempts && name_.empty(); ++attempt) {
        const std::string name = random_name();
        const mode_t mask = umask(0);
        const int made = mkdirat(parent_.get(), name.c_str(), mode);
        const int error = errno;
        umask(mask);
        if (made == 0) {
            name_ = name;
        } else if (error != EEXIST) {
            return fail(ErrorCode::kSystem,
                        "making a folder for the control socket failed: " + name, error);
        }
    }
    UniqueFd opened(
        openat(parent_.get(), name_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    struct stat status {};
    if (!opened || fstat(opened.get(), &status) != 0 || status.st_uid != geteuid() ||
        (status.st_mode & 0777U) != mode) {
        return fail(ErrorCode::kRefused, "the folder of the control socket, " + name_ +
                                             ", is not the one that was made: somebody interferes");
    }
    folder_ = std::move(opened);
    return {};
}

// Whatever folder this is: it is this user's, and nobody else can put anything into it.
Status SampleLink::make_socket() {
    if (!local_address(seen_path_)) {
        return fail(ErrorCode::kInvalid,
                    "the path of the control socket is too long: " + seen_path_);
    }
    const std::optional<LocalAddress> address =
        local_address("/proc/self/fd/" + std::to_string(folder_.get()) + '/' + kSocketName);
    listener_.reset(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!listener_ || !address || bind(listener_.get(), address->get(), address->size) != 0) {
        return fail(ErrorCode::kSystem, "making the socket " + seen_path_ + " failed", errno);
    }
    // Nobody is let in before listen(), and by then the socket is the target's user's alone.
    if (fchmodat(folder_.get(), kSocketName, S_IRUSR | S_IWUSR, 0) != 0 ||
        (owner_ != geteuid() && fchownat(folder_.get(), kSocketName, owner_, static_cast<gid_t>(-1),
                                         AT_SYMLINK_NOFOLLOW) != 0) ||
        ::listen(listener_.get(), 1) != 0) {
        return fail(ErrorCode::kSystem, "listening at " + seen_path_ + " failed", errno);
    }
    return {};
}

SampleLink::~SampleLink() {
    if (!folder_) {
        return;
    }
    unlinkat(folder_.get(), kSocketName, 0);
    struct stat made {};
    struct stat there {};
    if (fstat(folder_.get(), &made) == 0 &&
        fstatat(parent_.get(), name_.c_str(), &there, AT_SYMLINK_NOFOLLOW) == 0 &&
        made.st_dev == there.st_dev && made.st_ino == there.st_ino) {
        unlinkat(parent_.get(), name_.c_str(), AT_REMOVEDIR);
    }
}

void SampleLink::accept() {
    UniqueFd connection(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    const std::optional<ucred> peer = connection ? peer_of(connection.get()) : std::nullopt;
    if (peer && is_user_or_root(*peer, owner_)) {
        connection_ = std::move(connection);
        listener_.reset();
    }
}

void SampleLink::receive_rest(const std::function<bool(protocol::Message)>& handle) {
    constexpr int kLooks = 4;
    constexpr int kLookMs = 50;
    for (int look = 0; look < kLooks; ++look) {
        pollfd readable{descriptor(), POLLIN, 0};
        poll(&readable, 1, kLookMs);
        if (readable.revents != 0 && !receive(handle)) {
            return;
        }
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
