// SPDX-License-Identifier: MIT
#include "src/cli/progress.h"

#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "src/cli/console.h"
#include "src/cli/text.h"

namespace umbra::cli {
namespace {

using std::chrono::steady_clock;

constexpr auto kPeriod = std::chrono::milliseconds(500);

}  // namespace

Progress::Progress(boost::asio::io_context& io, bool wanted)
    : timer_(io), wanted_(wanted && isatty(STDERR_FILENO) == 1) {
}

void Progress::start(std::function<std::vector<const collector::Session*>()> sessions) {
    if (!wanted_) {
        return;
    }
    sessions_ = std::move(sessions);
    begin_ = last_ = steady_clock::now();
    tick();
}

void Progress::tick() {
    timer_.expires_after(kPeriod);
    timer_.async_wait([this](const boost::system::error_code& error) {
        if (!error) {
            draw();
            tick();
        }
    });
}

void Progress::draw() {
    const steady_clock::time_point now = steady_clock::now();
    uint64_t events = 0;
    uint32_t threads = 0;
    const std::vector<const collector::Session*> sessions = sessions_();
    for (const collector::Session* session : sessions) {
        events += session->live().events.load(std::memory_order_relaxed);
        threads += session->live().threads.load(std::memory_order_relaxed);
    }
    const double seconds = std::chrono::duration<double>(now - last_).count();
    const auto rate =
        events < last_events_ ? 0.0 : static_cast<double>(events - last_events_) / seconds;
    last_ = now;
    last_events_ = events;
    std::string line = fmt::format("umbra: {:.0f} s  {} events  {:.1f} M/s  {}",
                                   std::chrono::duration<double>(now - begin_).count(),
                                   count(events), rate / 1e6, count(threads, "thread", "threads"));
    if (sessions.size() > 1) {
        line += fmt::format("  {} processes", sessions.size());
    }
    print_error("\r\033[K" + shortened(line, error_columns() - 1));
    drawn_ = true;
}

void Progress::clear() {
    if (drawn_) {
        print_error("\r\033[K");
        drawn_ = false;
    }
}

}  // namespace umbra::cli
