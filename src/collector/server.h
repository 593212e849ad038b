// SPDX-License-Identifier: MIT
// Server: the socket agents connect to; makes a session of each process that may be profiled.
#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>

#include <boost/asio/io_context.hpp>
#include <sys/types.h>

#include "src/base/result.h"
#include "src/collector/session.h"
#include "src/protocol/messages.h"

namespace umbra::collector {

/// Lives on the io_context's one thread, as do all its callbacks.
class Server {
  public:
    struct Handlers {
        /// A process has said Hello. An empty answer takes it; a text refuses it with that reason.
        std::function<std::string(const protocol::Hello&)> admit;
        /// Makes the options of a new session.
        std::function<Session::Options(const protocol::Hello&)> options;
        /// The process has gone (or closed the connection): finish the session.
        std::function<void(std::unique_ptr<Session>)> ended;
        /// A sentence for the console.
        std::function<void(const std::string&)> notice;
        /// Calls of a process that was running already are timed from now on: so many methods.
        std::function<void(uint32_t)> capture_began{};
        /// A connection has been closed that never became a session.
        std::function<void()> left{};
    };

    /// Without a socket of its own: agents are connected to, see adopt(). `spec` must outlive it.
    [[nodiscard]] static std::unique_ptr<Server> make(boost::asio::io_context& io,
                                                      const RecordingSpec& spec, Handlers handlers);

    /// Listens in a folder of its own (mode 0700) below XDG_RUNTIME_DIR, TMPDIR or /tmp. `spec`
    /// must outlive it.
    [[nodiscard]] static Result<std::unique_ptr<Server>> listen(boost::asio::io_context& io,
                                                                const RecordingSpec& spec,
                                                                Handlers handlers);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;
    /// Removes socket and folder.
    ~Server();

    [[nodiscard]] const std::string& socket_path() const { return path_; }
    /// Sessions whose process is still connected.
    [[nodiscard]] std::vector<const Session*> sessions() const;
    /// A process has ended and is about to be waited for: then the kernel tells nothing of it any
    /// more. Its connection may not have been seen to end yet.
    void read_cpu_of(pid_t pid);
    /// Takes a connection to an agent, which is to say Hello on it.
    void adopt(UniqueFd socket);
    /// Asks agents to end their windows; the sessions end when they have.
    void end_windows();
    /// Closes all connections; each session still there is handed to `ended`.
    void close();

  private:
    class Connection;

    Server(boost::asio::io_context& io, const RecordingSpec& spec, Handlers handlers);
    Status open();
    void accept();
    /// No descriptor or memory is left: a readable listener would be tried without end.
    void accept_later(int os_error);
    void drop(Connection* connection);

    boost::asio::io_context& io_;
    const RecordingSpec& spec_;
    const Handlers handlers_;
    std::string folder_;
    std::string path_;
    struct Listener;
    std::unique_ptr<Listener> listener_;
    std::list<std::shared_ptr<Connection>> connections_;
    bool told_of_shortage_ = false;
};

}  // namespace umbra::collector
