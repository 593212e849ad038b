// SPDX-License-Identifier: MIT
#include "src/cli/live/top_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "src/cli/terminal/name_text.h"
#include "src/cli/terminal/text.h"
#include "src/cli/text/hot_table.h"
#include "src/cli/text/losses.h"

namespace umbra::cli {
namespace {

using protocol::LiveFigures;
using protocol::LiveRow;

constexpr std::size_t kFewestRows = 5;  ///< of the list; what is around it gives way before
constexpr auto kStale = std::chrono::seconds(5);
constexpr std::string_view kReverse = "\x1b[7m";

double ratio(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

double per_second(uint64_t number, const LiveFigures& figures) {
    return ratio(number, figures.window_ns) * 1e9;
}

std::string percent(uint64_t part, uint64_t whole) {
    return fmt::format("{:.1f}%", 100 * ratio(part, whole));
}

std::string rate_text(double rate) {
    return rate > 0 && rate < 9.95 ? fmt::format("{:.1f}", rate)
           : rate < 1e7            ? count(static_cast<uint64_t>(std::llround(rate)))
                                   : fmt::format("{:.1f} M", rate / 1e6);
}

bool is_sampled(const LiveFigures& figures) {
    return figures.kind == LiveFigures::kSamples;
}

uint64_t sort_value(const LiveRow& row, TopOrder order) {
    switch (order) {
        case TopOrder::kSelf:
            return row.self_ns;
        case TopOrder::kTotal:
            return row.total_ns;
        case TopOrder::kCalls:
            return row.calls;
        case TopOrder::kCpu:
            return row.cpu_ns;
        case TopOrder::kNow:
            break;
    }
    return row.recent_busy_ns;
}

std::string header(const LiveFigures& figures, const TopView& view) {
    const std::string program = one_line(figures.program);
    const std::string rest = fmt::format("  {}, pid {}  {}", one_line(figures.runtime), figures.pid,
                                         one_line(view.recorder));
    if (width(program) >= view.style.columns) {
        return coloured(shortened(program, view.style.columns), kBold, view.style);
    }
    return coloured(program, kBold, view.style) +
           shortened(rest, view.style.columns - width(program));
}

/// As many of the parts as there is room for; the first in any case.
std::string joined(const std::vector<std::string>& parts, std::size_t columns) {
    std::string line;
    for (const std::string& part : parts) {
        if (line.empty()) {
            line = shortened(part, columns);
        } else if (width(line) + kColumnGap.size() + width(part) <= columns) {
            line += kColumnGap;
            line += part;
        }
    }
    return line;
}

/// How it is with the process, and what it does.
std::string status_line(const LiveFigures& figures, const TopView& view) {
    if (!view.error.empty()) {
        return coloured(shortened(one_line(view.error), view.style.columns), kRed, view.style);
    }
    const std::string length = duration(figures.time_ns);
    std::vector<std::string> parts;
    if (!figures.ended.empty()) {
        parts.push_back(fmt::format("ended after {}: {}", length, one_line(figures.ended)));
    } else if (view.age >= kStale) {
        parts.push_back(fmt::format("no new figures for {} s; at {}", view.age.count(), length));
    } else {
        parts.push_back(fmt::format("recording for {}", length));
    }
    if (figures.window_ns != 0) {
        parts.push_back(fmt::format(
            "{} {} in the last {}", rate_text(per_second(figures.recent_calls, figures)),
            is_sampled(figures) ? "samples/s" : "calls/s", duration(figures.window_ns)));
    }
    parts.push_back(count(figures.calls, is_sampled(figures) ? "sample" : "call",
                          is_sampled(figures) ? "samples" : "calls"));
    parts.push_back(count(figures.threads, "thread", "threads"));
    parts.push_back(count(figures.functions, "method", "methods"));
    return joined(parts, view.style.columns);
}

profile::Session losses_of(const LiveFigures& figures) {
    profile::Session session;
    session.losses.ring_full = figures.lost_ring_full;
    session.losses.no_thread_slot = figures.lost_no_thread_slot;
    session.losses.depth = figures.lost_depth;
    session.losses.nodes = figures.lost_nodes;
    session.losses.decode_errors = figures.lost_decode_errors;
    return session;
}

std::string lost_text(const LiveFigures& figures) {
    if (lost_events(figures) == 0) {
        return is_sampled(figures) ? "lost no samples" : "lost no events";
    }
    std::string text;
    for (const Loss& loss : losses(losses_of(figures))) {
        if (loss.count > 0) {
            std::string reason(loss.reason);
            std::ranges::replace(reason, '_', ' ');
            text +=
                fmt::format("{}{} {}", text.empty() ? "lost " : ", ", count(loss.count), reason);
        }
    }
    return text;
}

/// How far the figures can be trusted, and what they cost.
std::string trust_line(const LiveFigures& figures, const TopView& view) {
    std::vector<std::string> parts = {lost_text(figures)};
    if (is_sampled(figures)) {
        parts.push_back(
            fmt::format("stopped for {} of the time", percent(figures.probe_ns, figures.time_ns)));
    } else {
        parts.push_back(figures.waits == 0
                            ? "no waits for umbra"
                            : fmt::format("{} for umbra, {}", count(figures.waits, "wait", "waits"),
                                          duration(figures.wait_ns)));
        parts.push_back(fmt::format("probes {} of all self time (taken out)",
                                    percent(figures.probe_ns, figures.self_ns + figures.probe_ns)));
    }
    const std::string line = joined(parts, view.style.columns);
    return coloured(line, lost_events(figures) > 0 ? kRed : kDim, view.style);
}

/// In the order of the report's first screen: what burns a processor, then calls, then what waits.
std::vector<TextColumn> columns_of(const LiveFigures& figures, const std::vector<LiveRow>& rows,
                                   TopOrder order) {
    TableColumns<LiveRow> columns(rows);
    const bool known = figures.window_ns != 0;
    columns.add("now", true, [&](const LiveRow& row) {
        return known ? percent(row.recent_busy_ns, figures.recent_busy_ns) : "-";
    });
    if (figures.has_cpu) {
        columns.add("cpu ", true, [](const LiveRow& row) { return aligned_duration(row.cpu_ns); });
    }
    if (figures.has_total) {
        columns.add("total ", true,
                    [](const LiveRow& row) { return aligned_duration(row.total_ns); });
    }
    columns.add(is_sampled(figures) ? "samples" : "calls", true,
                [](const LiveRow& row) { return count(row.calls); });
    columns.add(is_sampled(figures) ? "samples/s" : "calls/s", true, [&](const LiveRow& row) {
        return known ? rate_text(per_second(row.recent_calls, figures)) : "-";
    });
    columns.add("self ", true, [](const LiveRow& row) { return aligned_duration(row.self_ns); });
    const bool of_cpu = order == TopOrder::kCpu;
    columns.add("share", true, [&](const LiveRow& row) {
        return of_cpu ? percent(row.cpu_ns, figures.cpu_ns) : percent(row.self_ns, figures.self_ns);
    });
    columns.add("module", false, [](const LiveRow& row) {
        constexpr std::size_t kModuleColumns = 24;
        return shortened(one_line(row.module), kModuleColumns);
    });
    return columns.take();
}

/// Headings of the columns that give way, the least telling first; never the one that is sorted by.
std::vector<std::string_view> least_telling(TopOrder order) {
    std::vector<std::string_view> all = {"module", "share", "samples",   "calls",  "total ",
                                         "cpu ",   "self ", "samples/s", "calls/s"};
    const auto stays = [order](std::string_view heading) {
        switch (order) {
            case TopOrder::kCalls:
                return heading == "calls" || heading == "samples";
            case TopOrder::kTotal:
                return heading == "total ";
            case TopOrder::kSelf:
                return heading == "self ";
            case TopOrder::kCpu:
                return heading == "cpu ";
            case TopOrder::kNow:
                break;
        }
        return false;
    };
    std::erase_if(all, stays);
    return all;
}

std::vector<std::string> table(const LiveFigures& figures, const std::vector<LiveRow>& rows,
                               const TopView& view) {
    if (figures.rows.empty()) {
        return {is_sampled(figures) ? "No thread has been seen at work yet."
                                    : "No method has been called yet."};
    }
    std::vector<TextColumn> columns = columns_of(figures, rows, view.order);
    make_room(columns, least_telling(view.order), view.style.columns);
    const std::size_t room = names_room(total_columns(columns), view.style);
    std::vector<std::string> lines{coloured(headings_of(columns) + "name", kBold, view.style)};
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::string line = cells_of(columns, row, view.style, [](const TextColumn& column) {
            return column.heading == "module" ? kDim : std::string_view();
        });
        lines.push_back(line +
                        name_cell(rows[row].name, rows[row].deinstrumented, room, view.style));
    }
    return lines;
}

std::string keys_line(const LiveFigures& figures, const TopView& view) {
    std::string line = "q quit   by:";
    for (const auto& [order, key, name] : kTopOrders) {
        if (!has_order(figures, order)) {
            continue;
        }
        const std::string text = fmt::format("{} {}", key, name);
        // Without colours the brackets are all that tells.
        const bool chosen = order == view.order;
        line += !chosen ? fmt::format("  {} ", text)
                : view.style.colour
                    ? ' ' + coloured(fmt::format(" {} ", text), kReverse, view.style)
                    : fmt::format(" [{}]", text);
    }
    return line;
}

}  // namespace

bool has_order(const LiveFigures& figures, TopOrder order) {
    return (order != TopOrder::kTotal || figures.has_total) &&
           (order != TopOrder::kCpu || figures.has_cpu);
}

std::vector<LiveRow> top_rows(const LiveFigures& figures, TopOrder order, std::size_t most) {
    std::vector<LiveRow> rows = figures.rows;
    // Equals by what else tells of a hot method, then by name, so that they do not change places.
    std::ranges::sort(rows, [order](const LiveRow& a, const LiveRow& b) {
        return std::tuple(sort_value(b, order), b.self_ns, b.calls, a.name) <
               std::tuple(sort_value(a, order), a.self_ns, a.calls, b.name);
    });
    rows.resize(std::min(rows.size(), most));
    return rows;
}

std::vector<std::string> top_frame(const LiveFigures& figures, const TopView& view) {
    std::vector<std::string> above = {header(figures, view), status_line(figures, view)};
    const std::string trust = trust_line(figures, view);
    // Besides these: the heading of the list and the line of the keys.
    constexpr std::size_t kBesides = 2;
    if (view.rows >= above.size() + kBesides + kFewestRows + 1) {
        above.push_back(trust);
    }
    if (view.rows >= above.size() + kBesides + kFewestRows + 2) {
        above.emplace_back();
    }
    std::vector<std::string> below;
    if (view.rows >= above.size() + kBesides + 1) {
        below.push_back(keys_line(figures, view));
    }
    const std::size_t taken = above.size() + 1 + below.size();
    const std::size_t most = view.rows - std::min(view.rows, taken);
    for (std::string& line : table(figures, top_rows(figures, view.order, most), view)) {
        above.push_back(std::move(line));
    }
    above.resize(std::max(above.size(), view.rows - std::min(view.rows, below.size())));
    above.insert(above.end(), below.begin(), below.end());
    return above;
}

std::vector<std::string> waiting_frame(const std::string& what, const TopView& view) {
    std::vector<std::string> lines = {
        shortened(one_line(view.error.empty() ? what : view.error), view.style.columns)};
    lines.resize(std::max<std::size_t>(view.rows, 2) - 1);
    lines.emplace_back("q quit");
    return lines;
}

std::string top_text(const LiveFigures& figures, const TopView& view) {
    std::string out = header(figures, view) + '\n' + status_line(figures, view) + '\n' +
                      trust_line(figures, view) + "\n\n";
    for (const std::string& line : table(figures, top_rows(figures, view.order, view.rows), view)) {
        out += line + '\n';
    }
    return out;
}

std::string top_json(const LiveFigures& figures, const TopView& view, std::size_t most) {
    using Json = nlohmann::ordered_json;
    const auto rate = [&](uint64_t number) {
        return figures.window_ns == 0 ? Json() : Json(per_second(number, figures));
    };
    Json lost = {{"ring_full", figures.lost_ring_full},
                 {"no_thread_slot", figures.lost_no_thread_slot},
                 {"depth", figures.lost_depth},
                 {"nodes", figures.lost_nodes},
                 {"decode_errors", figures.lost_decode_errors}};
    Json methods = Json::array();
    for (const LiveRow& row : top_rows(figures, view.order, most)) {
        Json method = {{"name", row.name},
                       {"module", row.module},
                       {"calls", row.calls},
                       {"calls_per_second", rate(row.recent_calls)},
                       {"now", figures.window_ns == 0
                                   ? Json()
                                   : Json(ratio(row.recent_busy_ns, figures.recent_busy_ns))},
                       {"total_ns", figures.has_total ? Json(row.total_ns) : Json()},
                       {"self_ns", row.self_ns},
                       {"cpu_ns", figures.has_cpu ? Json(row.cpu_ns) : Json()},
                       {"deinstrumented", row.deinstrumented}};
        methods.push_back(std::move(method));
    }
    const Json all = {{"pid", figures.pid},
                      {"program", figures.program},
                      {"runtime", figures.runtime},
                      {"recorder", view.recorder},
                      {"counts", is_sampled(figures) ? "samples" : "calls"},
                      {"ended", figures.ended.empty() ? Json() : Json(figures.ended)},
                      {"time_ns", figures.time_ns},
                      {"window_ns", figures.window_ns},
                      {"events", figures.events},
                      {"events_per_second", rate(figures.recent_events)},
                      {"calls", figures.calls},
                      {"calls_per_second", rate(figures.recent_calls)},
                      {"self_ns", figures.self_ns},
                      {"cpu_ns", figures.has_cpu ? Json(figures.cpu_ns) : Json()},
                      {"probe_ns", figures.probe_ns},
                      {"waits", figures.waits},
                      {"wait_ns", figures.wait_ns},
                      {"lost", std::move(lost)},
                      {"threads", figures.threads},
                      {"functions", figures.functions},
                      {"methods", std::move(methods)}};
    return all.dump() + '\n';
}

}  // namespace umbra::cli
