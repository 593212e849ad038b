// SPDX-License-Identifier: MIT
#include "src/collector/state/thread_snapshot.h"

#include <algorithm>
#include <cstddef>

namespace umbra::collector {
namespace {

void copy_functions(const replay::ShadowStack& stack, Snapshot::Thread& row) {
    const auto for_each = [&](const auto& visit) {
        stack.functions().for_each([&](uint32_t function, const replay::ThreadFunction& times) {
            if (times.calls != 0 || times.outermost != 0 || replay::ticks_of(times.total) != 0) {
                visit(function, times);
            }
        });
    };
    size_t functions = 0;
    for_each([&](uint32_t, const auto&) { ++functions; });
    row.called.reserve(functions);
    row.functions.reserve(functions);
    for_each([&](uint32_t function, const replay::ThreadFunction& times) {
        row.called.push_back(function);
        row.functions.push_back(times);
    });
}

/// What the row has of a function; nothing yet where its only calls are open below a resumption.
replay::ThreadFunction& times_of(Snapshot::Thread& row, uint32_t function) {
    const auto place = std::ranges::lower_bound(row.called, function);
    const auto index = place - row.called.begin();
    if (place == row.called.end() || *place != function) {
        row.called.insert(place, function);
        row.functions.insert(row.functions.begin() + index, replay::ThreadFunction{});
    }
    return row.functions[static_cast<size_t>(index)];
}

void add_call(Snapshot::Thread& row, uint32_t function, const replay::CutCalls& call,
              bool outermost) {
    replay::ThreadFunction& times = times_of(row, function);
    times.self += call.self;
    times.max_ticks = std::max(times.max_ticks, call.max_ticks);
    if (outermost) {
        times.total += call.total;
    }
    // The shortest call is not touched, unless none has ended.
    if (++times.calls == ++row.unfinished[function]) {
        times.min_ticks =
            times.calls == 1 ? call.min_ticks : std::min(times.min_ticks, call.min_ticks);
    }
}

}  // namespace

Snapshot::Thread thread_row(const ProfiledThread& thread, uint64_t cut_ticks,
                            const std::function<void(uint32_t, const replay::CutCalls&)>& book) {
    const replay::ThreadReplay& replay = thread.replay();
    const replay::ShadowStack& stack = replay.stack();
    const replay::CallTree& tree = thread.shard().tables.tree;
    Snapshot::Thread row{.name = thread.name(),
                         .number = thread.number(),
                         .os_tid = thread.os_tid(),
                         .kernel_cpu_ns = thread.kernel_cpu_ns(),
                         .start_ticks = replay.start_ticks(),
                         .end_ticks = cut_ticks,
                         .counts = replay.counts()};
    copy_functions(stack, row);
    replay::Lanes cut = replay.lanes_at(cut_ticks);
    replay::Lanes inner{};  // the length of the call inside, which is open as well
    for (size_t index = stack.depth(); index-- > 0;) {
        const replay::Frame& frame = stack.frame(index);
        if (stack.is_resumption(index)) {
            const replay::Lanes took = frame.children + inner;
            stack.for_each_resumed(index, [&](uint32_t arc, bool outermost) {
                if (outermost) {
                    times_of(row, tree.at(arc).function()).total += took;
                }
                book(arc, {.total = took});
            });
            cut = frame.enter;  // for what is below, no time has passed since
            inner = replay::Lanes{};
            continue;
        }
        const uint32_t arc = tree.number(*frame.arc);
        if (arc == 0) {
            continue;
        }
        const replay::Lanes length = cut - frame.enter;
        const auto ticks = static_cast<float>(replay::net_ticks(length));
        replay::CutCalls call{.calls = 1,
                              .unfinished = 1,
                              .min_ticks = ticks,
                              .max_ticks = ticks,
                              .self = length - frame.children - inner,
                              .total = length};
        inner = length;
        add_call(row, frame.function(), call, stack.is_outermost(index));
        if (!stack.is_outermost_of_edge(index)) {
            call.total = replay::Lanes{};
        }
        book(arc, call);
    }
    return row;
}

replay::CutCalls calls_along(const ShardSnapshot::Tree& tree, uint32_t arc) {
    const replay::Arc& row = tree.arcs[arc];
    const auto open = tree.unfinished.find(arc);
    return {.calls = tree.calls(row, arc),
            .unfinished = open == tree.unfinished.end() ? 0 : open->second,
            .min_ticks = row.min_ticks,
            .max_ticks = row.max_ticks,
            .self = row.self,
            .total = row.total};
}

void add_calls(ShardSnapshot::Tree& tree, uint32_t arc, const replay::CutCalls& more) {
    replay::CutCalls sum = calls_along(tree, arc);
    sum += more;
    replay::Arc& row = tree.arcs[arc];
    tree.add_calls(row, arc, more.calls);
    if (more.unfinished != 0) {
        tree.unfinished[arc] = sum.unfinished;
    }
    row.min_ticks = sum.min_ticks;
    row.max_ticks = sum.max_ticks;
    row.self = sum.self;
    row.total = sum.total;
}

}  // namespace umbra::collector
