// SPDX-License-Identifier: MIT
// The progress line of a recording: one line on a terminal, nothing anywhere else.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "src/collector/live/figures_server.h"

namespace umbra::cli {

/// What the line shows, of all sessions together.
struct ProgressFigures {
    std::chrono::seconds elapsed{0};
    bool sampled = false;  ///< events are samples
    double events_per_second = 0;
    std::size_t processes = 0;
    uint64_t threads = 0;
    bool known = false;  ///< what follows is
    uint64_t calls = 0;
    uint64_t waits = 0;
    uint64_t lost = 0;
    std::string hottest{};     ///< empty: none
    double hottest_share = 0;  ///< 0 to 1
};

/// In at most `columns` columns: the least telling figures give way, then the name is shortened.
[[nodiscard]] std::string progress_line(const ProgressFigures& figures, std::size_t columns);

/// Draws where standard error is a terminal that can redraw a line, and umbra is in its foreground.
/// Lives on the io_context's thread.
class Progress {
  public:
    using Source = std::function<std::vector<collector::Recorded>()>;

    Progress(boost::asio::io_context& io, bool wanted);

    /// A line will be drawn.
    [[nodiscard]] bool shown() const { return shown_; }
    /// Draws the line twice a second from what `recorded` answers.
    void start(Source recorded);
    /// Wipes the line, so that something else can be printed.
    void clear();

  private:
    void draw();
    void tick();
    ProgressFigures figures();

    boost::asio::steady_timer timer_;
    const bool shown_;
    bool drawn_ = false;
    std::chrono::steady_clock::time_point begin_;
    std::chrono::steady_clock::time_point last_;
    uint64_t last_events_ = 0;
    Source recorded_;
};

}  // namespace umbra::cli
