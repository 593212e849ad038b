// SPDX-License-Identifier: MIT
#include "src/collector/server.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/after.h"
#include "src/base/folders.h"
#include "src/base/local_socket.h"
#include "src/base/utf8.h"
#include "src/collector/close_elsewhere.h"
#include "src/collector/receive.h"
#include "src/profile/names/seen_text.h"

namespace umbra::collector {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;

namespace {

constexpr size_t kMaxConnections = 1024;
constexpr size_t kMaxNoticeBytes = 1024;
/// Between two tries to take a connection in that found no descriptor left.
constexpr std::chrono::milliseconds kPause(100);

// Of whatever else it may be, nothing is certain, not even that it can be closed at once.
bool is_memory_file(const UniqueFd& descriptor) {
    return fcntl(descriptor.get(), F_GET_SEALS) >= 0;
}

}  // namespace

struct Server::Listener {
    explicit Listener(Descriptor accepting)
        : descriptor(std::move(accepting)), pause(descriptor.get_executor()) {}
    Descriptor descriptor;
    asio::steady_timer pause;
};

/// One agent's connection. Held by the server's list and by its own pending wait.
class Server::Connection : public std::enable_shared_from_this<Connection> {
  public:
    /// `peer_pid`: of the agent's process as umbra sees it; 0: in no namespace of umbra's.
    Connection(Server& server, int socket, pid_t peer_pid)
        : server_(server), socket_(server.io_, socket), peer_pid_(peer_pid) {}

    void wait() {
        socket_.async_wait(Descriptor::wait_read,
                           [self = shared_from_this()](const boost::system::error_code& error) {
                               if (!error) {
                                   self->readable();
                               }
                           });
    }

    void close() {
        boost::system::error_code ignored;  // closed it is in any case
        socket_.close(ignored);
    }
    std::unique_ptr<Session> take_session() { return std::move(session_); }
    [[nodiscard]] const Session* session() const { return session_.get(); }
    void read_cpu_of(pid_t pid) {
        if (session_ && session_->pid() == static_cast<uint32_t>(pid)) {
            session_->read_process_cpu();
        }
    }

    // All we send is a few hundred bytes: it goes into the socket's buffer whole, or not at all
    // when the agent does not read.
    bool send(const protocol::Message& message) {
        const std::string bytes = protocol::encode(message);
        return ::send(socket_.native_handle(), bytes.data(), bytes.size(),
                      MSG_NOSIGNAL | MSG_DONTWAIT) == static_cast<ssize_t>(bytes.size());
    }

  private:
    void readable() {
        std::array<std::byte, size_t{64} * 1024> buffer;
        Received received = receive(socket_.native_handle(), buffer, MSG_DONTWAIT);
        if (received.bytes < 0 && (errno == EAGAIN || errno == EINTR)) {
            wait();
            return;
        }
        if (received.bytes <= 0 || !keep(std::move(received.descriptors))) {
            server_.drop(this);
            return;
        }
        decoder_.append(std::span(buffer).first(static_cast<size_t>(received.bytes)));
        protocol::Message message;
        for (;;) {
            const protocol::Decoder::Outcome outcome = decoder_.next(message);
            if (outcome == protocol::Decoder::Outcome::kNeedMore) {
                wait();
                return;
            }
            if (outcome == protocol::Decoder::Outcome::kBroken || !handle(std::move(message))) {
                server_.drop(this);
                return;
            }
        }
    }

    // The segment comes with the first message. False: something else has come.
    bool keep(std::vector<UniqueFd> descriptors) {
        bool expected = true;
        for (UniqueFd& descriptor : descriptors) {
            if (!session_ && !descriptor_ && is_memory_file(descriptor)) {
                descriptor_ = std::move(descriptor);
            } else {
                close_elsewhere(std::move(descriptor));
                expected = false;
            }
        }
        return expected;
    }

    // False: the connection is of no more use.
    bool handle(protocol::Message message) {
        if (auto* hello = std::get_if<protocol::Hello>(&message)) {
            // What a process takes for its number, another namespace gives to another.
            hello->pid = peer_pid_ > 0 ? static_cast<uint32_t>(peer_pid_) : hello->pid;
            return !session_ && welcome(*hello);
        }
        std::optional<protocol::RecordingReport> report =
            protocol::narrow<protocol::RecordingReport>(std::move(message));
        if (!report) {
            return false;
        }
        return std::visit(
            protocol::Handlers{
                [this](protocol::Notice& notice) {
                    show(notice);
                    return true;
                },
                [this](auto& kind) { return session_ != nullptr && (take(kind), true); },
            },
            *report);
    }

    void show(const protocol::Notice& notice) {
        server_.handlers_.notice(profile::seen_text(cut_utf8(notice.text, kMaxNoticeBytes)));
    }
    template <protocol::PartOf<protocol::ProcessFact> Fact>
    void take(Fact& fact) {
        session_->post(std::move(fact), decoder_.message_bytes());
    }
    void take(const protocol::CaptureBegan& began) {
        if (server_.handlers_.capture_began) {
            server_.handlers_.capture_began(began.methods);
        }
    }
    void take(const protocol::CaptureEnded& /*ended*/) { session_->note_capture_end(); }
    void take(const protocol::Shutdown& shutdown) { session_->note_shutdown(shutdown); }

    bool welcome(const protocol::Hello& hello) {
        std::string reason;
        if (hello.magic != protocol::kMagic || hello.version != protocol::kProtocolVersion) {
            reason = "its agent speaks protocol " + std::to_string(hello.version) +
                     ", this umbra " + std::to_string(protocol::kProtocolVersion) +
                     ": use agent and umbra of one installation";
            server_.handlers_.notice("process " + std::to_string(hello.pid) +
                                     " is not profiled: " + reason);
        } else {
            reason = server_.handlers_.admit(hello);
        }
        if (reason.empty()) {
            Session::Options options = server_.handlers_.options(hello);
            options.remove_hooks = hook_remover();
            Result<std::unique_ptr<Session>> session =
                Session::start(hello, std::move(descriptor_), std::move(options));
            if (session) {
                session_ = std::move(*session);
            } else {
                reason = session.error().context;
                server_.handlers_.notice("process " + std::to_string(hello.pid) +
                                         " is not profiled: " + reason);
            }
        }
        return reason.empty() ? send(server_.spec_.agent) : (send(protocol::Refuse{reason}), false);
    }

    // What a session's own thread uses to send: from there to here, where the socket belongs. What
    // comes when the connection has gone is dropped.
    std::function<void(protocol::RemoveHooks)> hook_remover() {
        return [&io = server_.io_, weak = weak_from_this()](protocol::RemoveHooks request) {
            asio::post(io, [weak, request = std::move(request)] {
                if (const std::shared_ptr<Connection> self = weak.lock(); self && self->session_) {
                    self->send(request);
                }
            });
        };
    }

    Server& server_;
    Descriptor socket_;
    pid_t peer_pid_;
    protocol::Decoder decoder_;
    UniqueFd descriptor_;
    std::unique_ptr<Session> session_;
};

Result<std::unique_ptr<Server>> Server::listen(asio::io_context& io, const RecordingSpec& spec,
                                               Handlers handlers) {
    std::unique_ptr<Server> server(new Server(io, spec, std::move(handlers)));
    if (Status status = server->open(); !status) {
        return tl::unexpected<Error>(status.error());
    }
    return server;
}

std::unique_ptr<Server> Server::make(asio::io_context& io, const RecordingSpec& spec,
                                     Handlers handlers) {
    return std::unique_ptr<Server>(new Server(io, spec, std::move(handlers)));
}

Server::Server(asio::io_context& io, const RecordingSpec& spec, Handlers handlers)
    : io_(io), spec_(spec), handlers_(std::move(handlers)) {
}

Server::~Server() {
    for (const std::shared_ptr<Connection>& connection : connections_) {
        connection->close();
        // A wait that the io_context still holds may keep the connection beyond the server's end,
        // and with it whatever the session delivers to.
        connection->take_session();
    }
    if (!folder_.empty()) {
        unlink(path_.c_str());
        rmdir(folder_.c_str());
    }
}

Status Server::open() {
    std::string folder =
        std::string(folder_named_by({"XDG_RUNTIME_DIR", "TMPDIR"})) + "/umbra-XXXXXX";
    if (mkdtemp(folder.data()) == nullptr) {
        const int why = errno;
        return fail(ErrorCode::kSystem,
                    "making a folder for the control socket failed: " + folder + ": " +
                        std::generic_category().message(why) + " (TMPDIR may name another place)",
                    why);
    }
    folder_ = folder;
    path_ = folder + "/control";
    const std::optional<LocalAddress> address = local_address(path_);
    if (!address) {
        return fail(ErrorCode::kInvalid, "the path of the control socket is too long: " + path_ +
                                             " (let TMPDIR name a shorter one)");
    }
    UniqueFd socket_fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket_fd || bind(socket_fd.get(), address->get(), address->size) != 0 ||
        ::listen(socket_fd.get(), SOMAXCONN) != 0) {
        return fail(ErrorCode::kSystem, "listening at " + path_ + " failed", errno);
    }
    listener_ = std::make_unique<Listener>(Descriptor(io_, socket_fd.release()));
    accept();
    return {};
}

void Server::accept() {
    listener_->descriptor.async_wait(
        Descriptor::wait_read, [this](const boost::system::error_code& error) {
            if (error) {
                return;
            }
            for (;;) {
                const int socket = accept4(listener_->descriptor.native_handle(), nullptr, nullptr,
                                           SOCK_CLOEXEC | SOCK_NONBLOCK);
                if (socket < 0) {
                    break;
                }
                adopt(UniqueFd(socket));
            }
            errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM
                ? accept_later(errno)
                : accept();
        });
}

void Server::accept_later(int os_error) {
    if (!told_of_shortage_) {
        told_of_shortage_ = true;
        handlers_.notice(std::string("a process cannot be taken in for now: ") +
                         std::generic_category().message(os_error) +
                         " (ulimit -n may be too small)");
    }
    after(listener_->pause, kPause, [this] { accept(); });
}

void Server::adopt(UniqueFd socket) {
    const std::optional<ucred> peer = peer_of(socket.get());
    const bool is_allowed = peer && (is_user_or_root(*peer) || geteuid() == 0);
    if (!is_allowed || connections_.size() >= kMaxConnections) {
        return;
    }
    connections_.push_back(std::make_shared<Connection>(*this, socket.release(), peer->pid));
    connections_.back()->wait();
}

void Server::end_windows() {
    for (const std::shared_ptr<Connection>& connection : connections_) {
        connection->send(protocol::EndCapture{});
    }
}

void Server::drop(Connection* connection) {
    for (auto it = connections_.begin(); it != connections_.end(); ++it) {
        if (it->get() == connection) {
            const std::shared_ptr<Connection> held = *it;
            connections_.erase(it);
            held->close();
            if (std::unique_ptr<Session> session = held->take_session()) {
                session->read_process_cpu();
                handlers_.ended(std::move(session));
            } else if (handlers_.left) {
                handlers_.left();
            }
            return;
        }
    }
}

std::vector<const Session*> Server::sessions() const {
    std::vector<const Session*> result;
    for (const std::shared_ptr<Connection>& connection : connections_) {
        if (connection->session() != nullptr) {
            result.push_back(connection->session());
        }
    }
    return result;
}

void Server::read_cpu_of(pid_t pid) {
    for (const std::shared_ptr<Connection>& connection : connections_) {
        connection->read_cpu_of(pid);
    }
}

void Server::close() {
    if (listener_) {
        listener_->descriptor.close();
        listener_->pause.cancel();
    }
    while (!connections_.empty()) {
        drop(connections_.front().get());
    }
}

}  // namespace umbra::collector
