// SPDX-License-Identifier: MIT
#include "src/collector/live/figures_server.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include <boost/asio/post.hpp>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/base/after.h"
#include "src/base/local_socket.h"
#include "src/base/unique_fd.h"
#include "src/base/utf8.h"
#include "src/protocol/live_socket.h"

namespace umbra::collector {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;
using std::chrono::steady_clock;

namespace {

constexpr auto kPeriod = std::chrono::milliseconds(200);
constexpr auto kPause = std::chrono::seconds(1);
constexpr int kSocketNameAttempts = 16;

std::string new_name() {
    constexpr std::string_view kDigits = "0123456789abcdef";
    std::array<unsigned char, 8> bytes{};
    [[maybe_unused]] const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    std::string name = std::string(protocol::kLiveSocketPrefix) + std::to_string(getpid()) + '-';
    for (const unsigned char byte : bytes) {
        name += kDigits[byte & 0xfU];
        name += kDigits[byte >> 4U];
    }
    return name;
}

/// The user, or root.
bool may_watch(int socket) {
    const std::optional<ucred> peer = peer_of(socket);
    return peer && is_user_or_root(*peer);
}

}  // namespace

/// One connection. Held by the server's list and by its own pending waits.
class FiguresServer::Watcher : public std::enable_shared_from_this<Watcher> {
  public:
    Watcher(FiguresServer& server, int socket) : server_(server), socket_(server.io_, socket) {}

    /// The process it watches; 0: none (yet).
    [[nodiscard]] uint32_t pid() const { return pid_; }
    [[nodiscard]] bool timed_out(steady_clock::time_point now) const {
        return (pid_ == 0 || !unsent_.empty()) && now - since_ > kWatcherTimeout;
    }
    /// Figures are sent once.
    [[nodiscard]] bool has(const protocol::LiveFigures& figures) const {
        return sent_ns_ == figures.time_ns;
    }

    void close() {
        boost::system::error_code ignored;  // closed it is in any case
        socket_.close(ignored);
    }

    void wait_for_words() {
        socket_.async_wait(Descriptor::wait_read,
                           [self = shared_from_this()](const boost::system::error_code& error) {
                               if (!error) {
                                   self->readable();
                               }
                           });
    }

    /// Left out while earlier ones are on their way.
    void show(const std::string& frame, const protocol::LiveFigures& figures) {
        if (unsent_.empty()) {
            sent_ns_ = figures.time_ns;
            send(frame);
        }
    }

    /// The last word: goes out behind what is on its way, then the connection closes.
    void conclude(const std::string& frame) {
        last_ = true;
        if (unsent_.empty()) {
            send(frame);
        } else {
            unsent_ += frame;
        }
        if (unsent_.empty()) {
            server_.drop(this);
        }
    }

  private:
    void readable() {
        std::array<std::byte, 256> buffer;
        const ssize_t got =
            recv(socket_.native_handle(), buffer.data(), buffer.size(), MSG_DONTWAIT);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            return wait_for_words();
        }
        if (got <= 0 || pid_ != 0) {
            return server_.drop(this);
        }
        received_ += static_cast<size_t>(got);
        decoder_.append(std::span(buffer).first(static_cast<size_t>(got)));
        protocol::Message message;
        switch (decoder_.next(message)) {
            case protocol::Decoder::Outcome::kNeedMore:
                return wait_for_words();
            case protocol::Decoder::Outcome::kMessage:
                if (const auto* watch = std::get_if<protocol::Watch>(&message);
                    watch != nullptr && received_ == decoder_.message_bytes()) {
                    return answer(*watch);
                }
                [[fallthrough]];
            case protocol::Decoder::Outcome::kBroken:
                return server_.drop(this);
        }
    }

    void answer(const protocol::Watch& watch) {
        if (watch.version != protocol::kProtocolVersion) {
            return conclude(encode(
                protocol::Refuse{"the umbra that records, process " + std::to_string(getpid()) +
                                 ", is of another version: watch with the same one"}));
        }
        if (watch.pid == 0) {
            return conclude(encode(server_.recorder()));
        }
        if (!server_.records(watch.pid)) {
            return conclude(encode(protocol::Refuse{"process " + std::to_string(watch.pid) +
                                                    " is not recorded any more"}));
        }
        pid_ = watch.pid;
        wait_for_words();  // for its end
        server_.count_watchers();
    }

    void send(const std::string& frame) {
        unsent_ = frame;
        since_ = steady_clock::now();
        flush();
    }

    void flush() {
        const ssize_t sent = ::send(socket_.native_handle(), unsent_.data(), unsent_.size(),
                                    MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && errno != EAGAIN && errno != EINTR) {
            unsent_.clear();
            return asio::post(server_.io_, [self = shared_from_this()] {
                if (self->socket_.is_open()) {
                    self->server_.drop(self.get());
                }
            });
        }
        unsent_.erase(0, static_cast<size_t>(std::max<ssize_t>(sent, 0)));
        if (unsent_.empty()) {
            return;
        }
        socket_.async_wait(Descriptor::wait_write,
                           [self = shared_from_this()](const boost::system::error_code& error) {
                               if (error) {
                                   return;
                               }
                               self->flush();
                               if (self->last_ && self->unsent_.empty()) {
                                   self->server_.drop(self.get());
                               }
                           });
    }

    FiguresServer& server_;
    Descriptor socket_;
    protocol::Decoder decoder_;
    size_t received_ = 0;  ///< bytes
    uint32_t pid_ = 0;
    uint64_t sent_ns_ = 0;  ///< LiveFigures::time_ns of the last
    std::string unsent_;
    steady_clock::time_point since_ = steady_clock::now();
    bool last_ = false;
};

FiguresServer::FiguresServer(asio::io_context& io, std::string command, Handlers handlers)
    : io_(io),
      command_(std::move(command)),
      handlers_(std::move(handlers)),
      listener_(io),
      pause_(io),
      timer_(io) {
}

FiguresServer::~FiguresServer() {
    for (const std::shared_ptr<Watcher>& watcher : watchers_) {
        watcher->close();
    }
}

Status FiguresServer::listen() {
    UniqueFd made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    int bound = -1;
    for (int attempt = 0; made && bound != 0 && attempt < kSocketNameAttempts; ++attempt) {
        name_ = new_name();
        const LocalAddress address = abstract_address(name_);
        bound = bind(made.get(), address.get(), address.size);
    }
    if (!made || bound != 0 || ::listen(made.get(), static_cast<int>(kMaxWatchers)) != 0) {
        return fail(ErrorCode::kSystem, "making the socket for umbra top failed", errno);
    }
    listener_.assign(made.release());
    accept();
    return {};
}

void FiguresServer::accept() {
    listener_.async_wait(Descriptor::wait_read, [this](const boost::system::error_code& error) {
        if (error) {
            return;
        }
        const int taken =
            accept4(listener_.native_handle(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (taken >= 0) {
            take_in(taken);
        } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
            // No descriptor or memory is left: a readable listener would be tried without end.
            return after(pause_, kPause, [this] { accept(); });
        }
        accept();
    });
}

void FiguresServer::take_in(int socket) {
    UniqueFd taken(socket);
    if (watchers_.size() >= kMaxWatchers || !may_watch(socket)) {
        return;
    }
    const bool first = watchers_.empty();
    watchers_.push_back(std::make_shared<Watcher>(*this, taken.release()));
    watchers_.back()->wait_for_words();
    if (first) {
        tick();
    }
}

void FiguresServer::drop(Watcher* watcher) {
    for (auto it = watchers_.begin(); it != watchers_.end(); ++it) {
        if (it->get() == watcher) {
            const std::shared_ptr<Watcher> held = *it;
            watchers_.erase(it);
            held->close();
            break;
        }
    }
    count_watchers();
}

void FiguresServer::count_watchers() {
    const bool any = std::ranges::any_of(
        watchers_, [](const std::shared_ptr<Watcher>& watcher) { return watcher->pid() != 0; });
    if (any != std::exchange(watched_, any)) {
        handlers_.watched(any);
    }
}

protocol::Recorder FiguresServer::recorder() const {
    protocol::Recorder answer{
        .pid = static_cast<uint32_t>(getpid()), .command = command_, .processes = {}};
    for (const Recorded& recorded : handlers_.recorded()) {
        answer.processes.push_back(
            {.pid = recorded.pid,
             .program = std::string(cut_utf8(recorded.program, protocol::kMaxRecordedNameBytes))});
    }
    return answer;
}

bool FiguresServer::records(uint32_t pid) const {
    return std::ranges::any_of(handlers_.recorded(),
                               [pid](const Recorded& recorded) { return recorded.pid == pid; });
}

void FiguresServer::tick() {
    after(timer_, kPeriod, [this] {
        show();
        if (!watchers_.empty()) {
            tick();
        }
    });
}

void FiguresServer::show() {
    const steady_clock::time_point now = steady_clock::now();
    std::vector<Watcher*> late;
    for (const std::shared_ptr<Watcher>& watcher : watchers_) {
        if (watcher->timed_out(now)) {
            late.push_back(watcher.get());
        }
    }
    for (Watcher* watcher : late) {
        drop(watcher);
    }
    if (!watched_) {
        return;
    }
    for (const Recorded& recorded : handlers_.recorded()) {
        std::string frame;
        for (const std::shared_ptr<Watcher>& watcher : watchers_) {
            if (recorded.figures == nullptr || watcher->pid() != recorded.pid ||
                watcher->has(*recorded.figures)) {
                continue;
            }
            frame = frame.empty() ? encode(*recorded.figures) : frame;
            watcher->show(frame, *recorded.figures);
        }
    }
}

void FiguresServer::end(const protocol::LiveFigures& last) {
    std::vector<std::shared_ptr<Watcher>> watching;
    std::ranges::copy_if(
        watchers_, std::back_inserter(watching),
        [&](const std::shared_ptr<Watcher>& watcher) { return watcher->pid() == last.pid; });
    if (watching.empty()) {
        return;
    }
    const std::string frame = encode(last);
    for (const std::shared_ptr<Watcher>& watcher : watching) {
        watcher->conclude(frame);
    }
}

}  // namespace umbra::collector
