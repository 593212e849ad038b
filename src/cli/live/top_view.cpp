// SPDX-License-Identifier: MIT
#include "src/cli/live/top_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/report_footer.h"
#include "src/cli/text/report_text.h"

namespace umbra::cli {
namespace {

using profile::HotFunction;
using profile::HotList;
using profile::Session;
using profile::SortBy;

constexpr std::size_t kFewestRows = 8;  ///< facts give way until the list has so many
constexpr std::string_view kReverse = "\x1b[7m";

SortBy sort_of(TopOrder order) {
    switch (order) {
        case TopOrder::kTotal:
            return SortBy::kTotal;
        case TopOrder::kCalls:
            return SortBy::kCalls;
        case TopOrder::kCpu:
            return SortBy::kCpu;
        case TopOrder::kSelf:
        case TopOrder::kNow:
            break;
    }
    return SortBy::kSelf;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return lines;
}

std::string rate_text(double per_second) {
    return per_second > 0 && per_second < 9.95
               ? fmt::format("{:.1f}", per_second)
               : count(static_cast<uint64_t>(std::llround(per_second)));
}

/// How the process is, how old this is, how much it does: as much of it as has room.
std::string status_line(const Checkpoint& checkpoint, const RecentActivity& activity,
                        const TopView& view) {
    const Session& session = checkpoint.profile.session;
    if (!view.error.empty()) {
        return coloured(shortened(one_line(view.error), view.style.columns), kRed, view.style);
    }
    std::string line =
        session.complete
            ? fmt::format("ended after {}: {}", duration(session.wall_ns), one_line(session.ended))
            : fmt::format("running  checkpoint at {}, written {}", duration(session.wall_ns),
                          age_text(view.now - checkpoint.written));
    std::vector<std::string> more = {count(checkpoint.profile.threads.size(), "thread", "threads"),
                                     count(session.counts.events, "event", "events")};
    if (activity.length().count() > 0) {
        more.insert(more.begin(),
                    fmt::format("{} calls/s in the last {}", rate_text(activity.calls_per_second()),
                                duration(static_cast<uint64_t>(activity.length().count()))));
    }
    for (const std::string& part : more) {
        if (width(line) + kColumnGap.size() + width(part) <= view.style.columns) {
            line += kColumnGap;
            line += part;
        }
    }
    return shortened(line, view.style.columns);
}

std::vector<TextColumn> recent_columns(const HotList& list, const RecentActivity& activity) {
    std::vector<TextColumn> columns = {{"calls/s"}, {"now"}};
    for (const HotFunction& row : list.functions) {
        const bool known = activity.length().count() > 0;
        const RecentActivity::Rate rate = activity.of(row);
        columns[0].add(known ? rate_text(rate.calls_per_second) : "-");
        columns[1].add(known ? fmt::format("{:.1f}%", 100 * rate.share) : "-");
    }
    return columns;
}

std::string keys_line(const Session& session, const TopView& view) {
    struct Key {
        TopOrder order;
        std::string_view text;
    };
    constexpr std::array<Key, 5> kKeys = {{{TopOrder::kSelf, "s self"},
                                           {TopOrder::kTotal, "t total"},
                                           {TopOrder::kCalls, "c calls"},
                                           {TopOrder::kNow, "n now"},
                                           {TopOrder::kCpu, "p cpu"}}};
    std::string line = "q quit   by:";
    for (const Key& key : kKeys) {
        if (key.order == TopOrder::kCpu && !profile::has_cpu_times(session)) {
            continue;
        }
        // Without colours the brackets are all that tells.
        const bool chosen = key.order == view.order;
        line += !chosen ? fmt::format("  {} ", key.text)
                : view.style.colour
                    ? ' ' + coloured(fmt::format(" {} ", key.text), kReverse, view.style)
                    : fmt::format(" [{}]", key.text);
    }
    return line;
}

/// The facts of the footer that say how far the list can be trusted, what matters most first, in at
/// most `room` lines.
std::vector<std::string> facts(const Checkpoint& checkpoint, const HotList& list,
                               const TextStyle& style, std::size_t room) {
    constexpr std::array<std::string_view, 7> kShown = {"lost",  "doubts", "clock", "probes",
                                                        "waits", "budget", "cpu"};
    const std::vector<Fact> all = footer_facts(checkpoint.profile, list.view);
    std::vector<std::string> out;
    for (const std::string_view name : kShown) {
        const auto fact = std::ranges::find(all, name, &Fact::name);
        if (fact == all.end()) {
            continue;
        }
        const std::vector<std::string> lines = lines_of(fact_text(*fact, style));
        if (out.size() + lines.size() > room) {
            break;
        }
        out.insert(out.end(), lines.begin(), lines.end());
    }
    return out;
}

}  // namespace

std::string age_text(std::chrono::system_clock::duration age) {
    const int64_t seconds =
        std::max<int64_t>(std::chrono::duration_cast<std::chrono::seconds>(age).count(), 0);
    return seconds < 120    ? fmt::format("{} s ago", seconds)
           : seconds < 7200 ? fmt::format("{} min ago", seconds / 60)
                            : fmt::format("{} h ago", seconds / 3600);
}

HotList top_list(const Checkpoint& checkpoint, const RecentActivity& activity, TopOrder order,
                 std::size_t top) {
    std::vector<HotFunction> rows = checkpoint.list.functions;
    const bool by_cpu = order == TopOrder::kCpu;
    const auto value = [&](const HotFunction& row) {
        return static_cast<double>(by_cpu ? row.times.cpu.self_ns : row.times.self_ns);
    };
    double all = 0;
    for (const HotFunction& row : rows) {
        all += value(row);
    }
    const auto share = [&](const HotFunction& row) { return all > 0 ? 100 * value(row) / all : 0; };
    profile::View view = {.sort = sort_of(order), .top = top};
    if (order != TopOrder::kNow || activity.length().count() == 0) {
        return profile::ranked(std::move(rows), view, share);
    }
    std::vector<std::pair<double, HotFunction>> recent;
    recent.reserve(rows.size());
    for (HotFunction& row : rows) {
        recent.emplace_back(activity.of(row).share, std::move(row));
    }
    std::ranges::stable_sort(recent, std::greater<>(), [](const auto& row) { return row.first; });
    HotList list;
    list.view = view;
    for (std::size_t row = 0; row < std::min(top, recent.size()); ++row) {
        list.functions.push_back(std::move(recent[row].second));
        list.functions.back().share_percent = share(list.functions.back());
    }
    return list;
}

std::vector<std::string> top_frame(const Checkpoint& checkpoint, const RecentActivity& activity,
                                   const TopView& view) {
    const Session& session = checkpoint.profile.session;
    std::vector<std::string> lines = lines_of(report_header(session, view.style));
    lines.push_back(status_line(checkpoint, activity, view));
    lines.emplace_back();
    // Heading of the list, blank line before the facts, keys.
    const std::size_t taken = lines.size() + 3;
    const std::size_t room = view.rows - std::min(view.rows, taken);
    const HotList none = top_list(checkpoint, activity, view.order, 0);
    const std::vector<std::string> below =
        facts(checkpoint, none, view.style, room - std::min(room, kFewestRows));
    HotList list = top_list(checkpoint, activity, view.order, room - below.size());
    list.left_out = 0;  // a taller screen shows more
    const std::vector<std::string> table =
        lines_of(list.functions.empty()
                     ? "No function has been called yet.\n"
                     : hot_table(session, list, view.style, false, recent_columns(list, activity)));
    lines.insert(lines.end(), table.begin(), table.end());
    lines.resize(std::max(lines.size(), view.rows - std::min(view.rows, below.size() + 1)));
    lines.insert(lines.end(), below.begin(), below.end());
    lines.push_back(keys_line(session, view));
    return lines;
}

std::vector<std::string> waiting_frame(const std::string& what, const TopView& view) {
    std::vector<std::string> lines = {what};
    lines.resize(std::max<std::size_t>(view.rows, 2) - 1);
    lines.emplace_back("q quit");
    return lines;
}

std::string top_text(const Checkpoint& checkpoint, TopOrder order, std::size_t top,
                     const TextStyle& style) {
    const HotList list = top_list(checkpoint, {}, order, top);
    std::string text = report_text(checkpoint.profile, list, style);
    if (!checkpoint.profile.session.complete) {
        const std::string age = age_text(std::chrono::system_clock::now() - checkpoint.written);
        text += fact_text({"checkpoint", {"written " + age}}, style);
    }
    return text;
}

}  // namespace umbra::cli
