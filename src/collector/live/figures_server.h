// SPDX-License-Identifier: MIT
// FiguresServer: shows the figures of what this umbra records to others that watch.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "src/base/result.h"
#include "src/protocol/messages.h"

namespace umbra::collector {

/// Watchers at once; one more is turned away.
inline constexpr std::size_t kMaxWatchers = 32;
/// A watcher that has not said what it wants, or not read what it was sent, for so long is let go.
inline constexpr auto kWatcherTimeout = std::chrono::seconds(10);

/// What is being recorded. `figures` null: there are none yet.
struct Recorded {
    uint32_t pid = 0;
    std::string program;
    uint64_t events = 0;   ///< so far; samples
    uint32_t threads = 0;  ///< that have not ended
    bool sampled = false;
    std::shared_ptr<const protocol::LiveFigures> figures;
};

/// Watchers are other processes of the same user, or of root. They may say and do what they like:
/// one message is taken from each, and nothing waits for them. Of figures that a watcher is too
/// slow for it gets the newest. Lives and works on the thread that runs `io`.
class FiguresServer {
  public:
    struct Handlers {
        /// What is being recorded now.
        std::function<std::vector<Recorded>()> recorded;
        /// Somebody watches, or nobody any more: figures are wanted or not.
        std::function<void(bool)> watched;
    };

    /// `command`: what this umbra does, "umbra run".
    FiguresServer(boost::asio::io_context& io, std::string command, Handlers handlers);
    FiguresServer(const FiguresServer&) = delete;
    FiguresServer& operator=(const FiguresServer&) = delete;
    ~FiguresServer();

    /// Without it nobody can watch, and nothing else is amiss. Errors: kSystem.
    Status listen();
    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool watched() const { return watched_; }
    /// The recording of a process has ended: `last` go to those who watch it, and their
    /// connections close.
    void end(const protocol::LiveFigures& last);

  private:
    class Watcher;

    void accept();
    void take_in(int socket);
    void drop(Watcher* watcher);
    [[nodiscard]] protocol::Recorder recorder() const;
    [[nodiscard]] bool records(uint32_t pid) const;
    void tick();
    void show();
    void count_watchers();

    boost::asio::io_context& io_;
    const std::string command_;
    const Handlers handlers_;
    std::string name_;
    boost::asio::posix::stream_descriptor listener_;
    boost::asio::steady_timer pause_;  ///< before taking in again where descriptors were short
    boost::asio::steady_timer timer_;
    std::list<std::shared_ptr<Watcher>> watchers_;
    bool watched_ = false;
};

}  // namespace umbra::collector
