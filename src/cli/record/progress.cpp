// SPDX-License-Identifier: MIT
#include "src/cli/record/progress.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "src/base/after.h"
#include "src/cli/terminal/console.h"
#include "src/cli/terminal/name_text.h"
#include "src/cli/terminal/text.h"

namespace umbra::cli {
namespace {

using std::chrono::steady_clock;

constexpr auto kPeriod = std::chrono::milliseconds(500);
constexpr std::size_t kLegibleName = 24;  ///< figures give way until the name has this much
constexpr std::string_view kGap = "  ";
// Whatever is wider than thought ends at the edge instead of running into a second line, which
// could not be wiped.
constexpr std::string_view kBegin = "\r\x1b[?7l";
constexpr std::string_view kEnd = "\x1b[K\x1b[?7h";
constexpr std::string_view kWipe = "\r\x1b[K";

struct Part {
    std::string text;
    int weight;  ///< the least gives way first
};

std::string elapsed_text(std::chrono::seconds elapsed) {
    const int64_t all = elapsed.count();
    const int64_t minutes = all / 60;
    return minutes < 60 ? fmt::format("{}:{:02}", minutes, all % 60)
                        : fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, all % 60);
}

std::string rate_text(double per_second, bool sampled) {
    const std::string_view what = sampled ? "samples/s" : "events/s";
    return per_second < 1e5 ? fmt::format("{} {}", count(static_cast<uint64_t>(per_second)), what)
                            : fmt::format("{:.1f} M {}", per_second / 1e6, what);
}

std::vector<Part> parts_of(const ProgressFigures& figures) {
    std::vector<Part> parts = {{"umbra " + elapsed_text(figures.elapsed), 9},
                               {rate_text(figures.events_per_second, figures.sampled), 6}};
    if (figures.known) {
        parts.push_back(figures.sampled ? Part{count(figures.calls, "sample", "samples"), 7}
                                        : Part{count(figures.calls, "call", "calls"), 7});
    }
    if (figures.processes > 1) {
        parts.push_back({fmt::format("{} processes", figures.processes), 4});
    }
    parts.push_back({count(figures.threads, "thread", "threads"), 3});
    if (figures.known && !figures.sampled) {
        parts.push_back({count(figures.waits, "wait", "waits"), figures.waits > 0 ? 5 : 1});
    }
    if (figures.known) {
        parts.push_back({count(figures.lost) + " lost", figures.lost > 0 ? 8 : 2});
    }
    return parts;
}

std::size_t total_width(const std::vector<Part>& parts) {
    std::size_t columns = 0;
    for (const Part& part : parts) {
        columns += width(part.text) + kGap.size();
    }
    return columns;
}

/// A background job must not write into what its user is typing; one that may not write would be
/// stopped, and the program with it.
bool in_foreground() {
    const pid_t group = tcgetpgrp(STDERR_FILENO);
    return group < 0 || group == getpgrp();
}

}  // namespace

std::string progress_line(const ProgressFigures& figures, std::size_t columns) {
    std::vector<Part> parts = parts_of(figures);
    const std::string hot =
        figures.hottest.empty() ? "" : fmt::format("hot {:.0f}% ", 100 * figures.hottest_share);
    const std::string name = one_line(figures.hottest);
    const std::size_t wanted = name.empty() ? 0 : width(hot) + std::min(width(name), kLegibleName);
    while (parts.size() > 1 && total_width(parts) + wanted > columns) {
        parts.erase(std::ranges::min_element(parts, {}, &Part::weight));
    }
    std::string line;
    for (const Part& part : parts) {
        line += (line.empty() ? "" : kGap);
        line += part.text;
    }
    const std::size_t room = columns - std::min(columns, total_width(parts) + width(hot));
    if (!name.empty() && room >= std::min(width(name), kLegibleName / 2)) {
        line += fmt::format("{}{}{}", kGap, hot, shortened_name(name, room));
    }
    return shortened(line, columns);
}

Progress::Progress(boost::asio::io_context& io, bool wanted)
    : timer_(io), shown_(wanted && is_screen(STDERR_FILENO)) {
}

void Progress::start(Source recorded) {
    if (!shown_) {
        return;
    }
    recorded_ = std::move(recorded);
    begin_ = last_ = steady_clock::now();
    tick();
}

void Progress::tick() {
    after(timer_, kPeriod, [this] {
        draw();
        tick();
    });
}

ProgressFigures Progress::figures() {
    const steady_clock::time_point now = steady_clock::now();
    ProgressFigures figures;
    figures.elapsed = std::chrono::duration_cast<std::chrono::seconds>(now - begin_);
    uint64_t events = 0;
    double load = 0;
    for (const collector::Recorded& recorded : recorded_()) {
        ++figures.processes;
        events += recorded.events;
        figures.threads += recorded.threads;
        figures.sampled = recorded.sampled;
        if (recorded.figures == nullptr) {
            continue;
        }
        const protocol::LiveFigures& live = *recorded.figures;
        figures.known = true;
        figures.calls += live.calls;
        figures.waits += live.waits;
        figures.lost += lost_events(live);
        const auto hottest =
            std::ranges::max_element(live.rows, {}, &protocol::LiveRow::recent_busy_ns);
        const double of_thread = hottest == live.rows.end() || live.window_ns == 0
                                     ? 0
                                     : static_cast<double>(hottest->recent_busy_ns) /
                                           static_cast<double>(live.window_ns);
        if (of_thread > load) {
            load = of_thread;
            figures.hottest = hottest->name;
            figures.hottest_share = static_cast<double>(hottest->recent_busy_ns) /
                                    static_cast<double>(live.recent_busy_ns);
        }
    }
    if (events > last_events_) {
        figures.events_per_second = static_cast<double>(events - last_events_) /
                                    std::chrono::duration<double>(now - last_).count();
    }
    last_ = now;
    last_events_ = events;
    return figures;
}

void Progress::draw() {
    if (!in_foreground() || !takes_output(STDERR_FILENO)) {
        return;
    }
    print_error(fmt::format("{}{}{}", kBegin, progress_line(figures(), error_columns() - 1), kEnd));
    drawn_ = true;
}

void Progress::clear() {
    if (drawn_) {
        print_error(kWipe);
        drawn_ = false;
    }
}

}  // namespace umbra::cli
