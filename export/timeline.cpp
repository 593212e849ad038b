// SPDX-License-Identifier: MIT
#include "export/timeline.h"

#include <algorithm>
#include <cstddef>

namespace umbra::formats {
namespace {

using profile::Row;

constexpr uint32_t kRowBits = (uint32_t{1} << 31) - 1;
constexpr size_t kMostCalls = kRowBits;

/// Rows of the time line by thread, each thread's in their order. One thread's rows lie in
/// [starts[thread], starts[thread + 1]).
struct ByThread {
    std::vector<uint32_t> rows;
    std::vector<size_t> starts;
};

ByThread by_thread(const profile::Profile& profile, size_t calls) {
    const auto thread_of = [&](size_t row) {
        return profile.calltree[profile.timeline[row].node].thread;
    };
    ByThread sorted;
    sorted.rows.resize(calls);
    sorted.starts.resize(profile.threads.size() + 1);
    for (size_t row = 0; row < calls; ++row) {
        ++sorted.starts[thread_of(row) + 1];
    }
    for (size_t thread = 1; thread < sorted.starts.size(); ++thread) {
        sorted.starts[thread] += sorted.starts[thread - 1];
    }
    std::vector<size_t> next = sorted.starts;
    for (size_t row = 0; row < calls; ++row) {
        sorted.rows[next[thread_of(row)]++] = static_cast<uint32_t>(row);
    }
    return sorted;
}

/// Goes through a thread's calls backwards: as they stand in the order in which they ended, a
/// caller then comes before its callees, and the last callee first.
class Backwards {
  public:
    explicit Backwards(const profile::Profile& profile) : profile_(profile) {}

    /// Appends the thread's edges, the last in time first.
    void run(const uint32_t* rows, size_t count, std::vector<TimelineEdge>& out) {
        for (size_t at = count; at-- > 0;) {
            close_up_to(profile_.calltree[profile_.timeline[rows[at]].node].parent, out);
            out.push_back({.call = rows[at] & kRowBits, .ends = 1});
            open_.push_back(rows[at]);
        }
        close_down_to(0, out);
    }

  private:
    [[nodiscard]] Row node(uint32_t row) const { return profile_.timeline[row].node; }

    /// Until the caller `parent` is innermost; all, if it is not there.
    void close_up_to(Row parent, std::vector<TimelineEdge>& out) {
        const auto caller = std::find_if(open_.rbegin(), open_.rend(),
                                         [&](uint32_t row) { return node(row) == parent; });
        close_down_to(static_cast<size_t>(open_.rend() - caller), out);
    }

    void close_down_to(size_t depth, std::vector<TimelineEdge>& out) {
        for (; open_.size() > depth; open_.pop_back()) {
            out.push_back({.call = open_.back() & kRowBits, .ends = 0});
        }
    }

    const profile::Profile& profile_;
    std::vector<uint32_t> open_;
};

}  // namespace

std::vector<TimelineEdge> timeline_edges(const profile::Profile& profile) {
    const size_t calls = std::min(profile.timeline.size(), kMostCalls);
    const ByThread sorted = by_thread(profile, calls);
    std::vector<TimelineEdge> edges;
    edges.reserve(2 * calls);
    for (size_t thread = 0; thread + 1 < sorted.starts.size(); ++thread) {
        const auto begin = static_cast<std::ptrdiff_t>(edges.size());
        Backwards(profile).run(sorted.rows.data() + sorted.starts[thread],
                               sorted.starts[thread + 1] - sorted.starts[thread], edges);
        std::reverse(edges.begin() + begin, edges.end());
    }
    return edges;
}

}  // namespace umbra::formats
