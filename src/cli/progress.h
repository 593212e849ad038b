// SPDX-License-Identifier: MIT
// The progress line of a recording: one line on a terminal, nothing anywhere else.
#pragma once

#include <chrono>
#include <functional>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "src/collector/session.h"

namespace umbra::cli {

/// Lives on the io_context's thread.
class Progress {
  public:
    Progress(boost::asio::io_context& io, bool wanted);

    /// Draws the line twice a second from what `sessions` answers.
    void start(std::function<std::vector<const collector::Session*>()> sessions);
    /// Wipes the line, so that something else can be printed.
    void clear();

  private:
    void draw();
    void tick();

    boost::asio::steady_timer timer_;
    const bool wanted_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::time_point last_;
    uint64_t last_events_ = 0;
    std::function<std::vector<const collector::Session*>()> sessions_;
};

}  // namespace umbra::cli
