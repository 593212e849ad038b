// SPDX-License-Identifier: MIT
// LiveFeed: what is to be seen of a recording while it runs, here and from elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "src/cli/record/progress.h"
#include "src/collector/live/figures_server.h"
#include "src/collector/server.h"

namespace umbra::cli {

/// The progress line of this umbra, and the figures that others ask for (`umbra top`): the same.
/// Lives on the io_context's thread.
class LiveFeed {
  public:
    /// `recorded` says what is recorded now; `wanted`: whether its figures are, from now on. Both
    /// are called from start() on.
    struct Handlers {
        std::function<std::vector<collector::Recorded>()> recorded;
        std::function<void(bool)> wanted;
    };

    /// `command`: "umbra run". `quiet`: no progress line.
    LiveFeed(boost::asio::io_context& io, std::string command, bool quiet, Handlers handlers);

    /// Where no socket can be had, nobody elsewhere sees the figures; that is all.
    void start();
    /// Somebody looks at the figures.
    [[nodiscard]] bool wanted() const { return progress_.shown() || server_.watched(); }
    /// A process is no longer recorded. Null: nobody has wanted its figures.
    void end(const std::shared_ptr<const protocol::LiveFigures>& last);
    /// Wipes the progress line, so that something else can be printed.
    void clear() { progress_.clear(); }

  private:
    const Handlers handlers_;
    Progress progress_;
    collector::FiguresServer server_;
};

/// For the sessions of a server, which is there when the feed is started.
[[nodiscard]] LiveFeed::Handlers feed_of(const std::unique_ptr<collector::Server>& server);

}  // namespace umbra::cli
