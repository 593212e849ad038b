// SPDX-License-Identifier: MIT
// Threads come and go, names arrive in any order, and everything can be copied out at any moment.
#include "src/collector/state/session_state.h"

#include <algorithm>
#include <utility>

#include "hotpath/segment.h"

namespace umbra::collector {
namespace {

constexpr size_t kMaxThreadNameBytes = 1024;
constexpr size_t kMaxNamesAhead = 4096;

}  // namespace

SessionState::SessionState(const replay::Limits& limits, bool adaptive)
    : shared_(limits), names_(limits) {
    shared_.adaptive = adaptive;
}

ProfiledThread* SessionState::add_thread(uint32_t os_tid, uint64_t start_ticks, bool older) {
    if (threads_.size() >= shared_.limits.max_threads) {
        return nullptr;
    }
    if (older && names_.function(hotpath::kBeforeStartIndex) == nullptr) {
        protocol::FunctionNamed before;
        before.index = hotpath::kBeforeStartIndex;
        before.method = "(running before start)";
        names_.note(before);
    }
    ProfiledThread& thread =
        threads_.emplace_back(shared_, sink_, static_cast<uint32_t>(threads_.size()), os_tid,
                              start_ticks, older ? hotpath::kBeforeStartIndex : 0);
    by_os_tid_[os_tid] = &thread;
    if (auto ahead = names_ahead_.extract(os_tid)) {
        thread.set_name(std::move(ahead.mapped()));
    }
    return &thread;
}

size_t SessionState::skip(std::span<const uint64_t> slots, bool complete) {
    replay::RecordCursor cursor(slots, 0);
    for (;;) {
        while (cursor.next()) {
            ++lost_no_thread_;
        }
        const size_t untimed = cursor.untimed().size();
        if (untimed == 0) {
            return cursor.consumed(complete);
        }
        lost_no_thread_ += untimed;
        cursor.skip(untimed);
    }
}

void SessionState::note_pause(const replay::PauseTicks& pause) {
    if (!shared_.pauses.add(pause)) {
        ++lost_pauses_;
    }
}

void SessionState::note(const protocol::FunctionNamed& message) {
    names_.note(message);
    if (sink_ != nullptr) {
        sink_->function_named(message);
    }
}

void SessionState::note(const protocol::ThreadNamed& message) {
    std::string name = message.name.substr(0, kMaxThreadNameBytes);
    const auto known = by_os_tid_.find(message.os_tid);
    if (known != by_os_tid_.end()) {
        // Also of a thread that has ended: a name travels slower than a short thread lives.
        known->second->set_name(std::move(name));
    } else if (names_ahead_.size() < kMaxNamesAhead || names_ahead_.contains(message.os_tid)) {
        names_ahead_[message.os_tid] = std::move(name);
    }
}

void SessionState::note(const protocol::HooksRemoved& message) {
    if (shared_.tree.valid(message.function)) {
        limited_.insert(message.function);
    }
}

Snapshot SessionState::copy_out(uint64_t now_ticks, bool final) const {
    const replay::CallTree& tree = shared_.tree;
    Snapshot snapshot(names_);
    snapshot.taken_ticks = now_ticks;
    snapshot.tree.arcs.assign(tree.arcs().begin(), tree.arcs().end());
    snapshot.tree.targets.assign(tree.targets().begin(), tree.targets().end());
    snapshot.tree.places.assign(tree.places().begin(), tree.places().end());
    snapshot.tree.calls.reserve(snapshot.tree.arcs.size());
    for (const replay::Arc& arc : snapshot.tree.arcs) {
        snapshot.tree.calls.push_back(arc.calls);
    }
    for (const auto& [arc, overflows] : tree.carried()) {
        snapshot.tree.calls[arc] += overflows << 32;
    }
    snapshot.histograms = tree.histograms().counts();
    snapshot.compilations = shared_.compilations;
    snapshot.limited = {limited_.begin(), limited_.end()};
    snapshot.tree.folded = tree.folded();
    snapshot.estimation.adaptive = shared_.adaptive;
    snapshot.estimation.residuals = shared_.residuals;
    snapshot.probe_costs = probe_costs_;
    if (shared_.adaptive) {
        const replay::EstimatedEvents* estimated = shared_.estimated.data();
        snapshot.estimation.events.assign(estimated, estimated + tree.function_end());
        snapshot.estimation.spreads = shared_.intervals.spreads();
    }
    copy_threads(snapshot, now_ticks);
    snapshot.losses.no_thread_slot = lost_no_thread_;
    snapshot.losses.pauses = lost_pauses_;
    snapshot.losses.nodes = tree.lost_calls();
    snapshot.losses.rows = shared_.compilations_lost + names_.dropped();
    if (final && shared_.log != nullptr) {
        copy_calls(snapshot, now_ticks);
    }
    return snapshot;
}

void SessionState::copy_threads(Snapshot& snapshot, uint64_t now_ticks) const {
    replay::ExceptionCounts exceptions = shared_.exceptions;
    replay::PauseTimeline pauses = shared_.pauses;
    snapshot.deductions = shared_.deductions;
    snapshot.threads.reserve(threads_.size());
    for (const ProfiledThread& thread : threads_) {
        const replay::ThreadReplay& replay = thread.replay();
        const uint64_t cut = replay.cut_ticks(now_ticks);
        // What ran after `now` was asked for is in the snapshot too, so its end moves along.
        snapshot.taken_ticks = std::max(snapshot.taken_ticks, cut);
        snapshot.threads.push_back({.name = thread.name(),
                                    .os_tid = thread.os_tid(),
                                    .kernel_cpu_ns = thread.kernel_cpu_ns(),
                                    .start_ticks = replay.start_ticks(),
                                    .end_ticks = cut,
                                    .counts = replay.counts()});
        copy_functions(replay.stack(), snapshot.threads.back());
        cut_open_calls(replay.stack(), replay.lanes_at(cut), snapshot);
        replay.add_open_deductions(cut, snapshot.deductions);
        if (replay.stack().depth() != 0) {
            replay.overlays().count_pauses(pauses, cut);
        }
        replay.exceptions().add_unfinished(exceptions);
    }
    snapshot.pauses = pauses.rows();
    snapshot.exceptions.assign(exceptions.rows().begin(), exceptions.rows().end());
}

void SessionState::copy_functions(const replay::ShadowStack& stack, Snapshot::Thread& thread) {
    stack.functions().for_each([&](uint32_t function, const replay::ThreadFunction& row) {
        if (row.calls != 0 || row.outermost != 0) {
            thread.called.push_back(function);
            thread.functions.push_back(row);
        }
    });
}

void SessionState::cut_open_calls(const replay::ShadowStack& stack, replay::Lanes cut,
                                  Snapshot& snapshot) const {
    Snapshot::Thread& thread = snapshot.threads.back();
    replay::Lanes inner{};  // the length of the call inside, which is open as well
    for (size_t index = stack.depth(); index-- > 0;) {
        const replay::Frame& frame = stack.frame(index);
        const uint32_t number = shared_.tree.number(*frame.arc);
        if (number == 0) {
            continue;
        }
        const replay::Lanes length = cut - frame.enter;
        const replay::Lanes self = length - frame.children - inner;
        inner = length;
        replay::Arc& arc = snapshot.tree.arcs[number];
        const auto place = std::ranges::lower_bound(thread.called, frame.function());
        replay::ThreadFunction& function =
            thread.functions[static_cast<size_t>(place - thread.called.begin())];
        arc.self += self;
        function.self += self;
        if (stack.is_outermost_of_edge(index)) {
            arc.total += length;
        }
        if (stack.is_outermost(index)) {
            function.total += length;
        }
        // How long it will have taken is not known, but no less than this. The shortest call is not
        // touched, unless none has ended.
        const auto ticks = static_cast<float>(replay::ticks_of(length));
        arc.max_ticks = std::max(arc.max_ticks, ticks);
        function.max_ticks = std::max(function.max_ticks, ticks);
        if (++snapshot.tree.calls[number] == ++snapshot.tree.unfinished[number]) {
            arc.min_ticks = std::min(arc.min_ticks, ticks);
        }
        if (++function.calls == ++thread.unfinished[frame.function()]) {
            function.min_ticks = function.calls == 1 ? ticks : std::min(function.min_ticks, ticks);
        }
    }
}

void SessionState::copy_calls(Snapshot& snapshot, uint64_t now_ticks) const {
    const replay::CallLog& log = *shared_.log;
    snapshot.log.assign(log.calls().begin(), log.calls().end());
    snapshot.losses.rows += log.lost();
    for (const ProfiledThread& thread : threads_) {
        const uint64_t cut = thread.replay().cut_ticks(now_ticks);
        const replay::ShadowStack& stack = thread.replay().stack();
        for (size_t depth = stack.depth(); log.lost() == 0 && depth-- > 0;) {
            const replay::Frame& frame = stack.frame(depth);
            const uint32_t arc = shared_.tree.number(*frame.arc);
            if (arc != 0) {
                snapshot.log.push_back({.begin_ticks = frame.enter_ticks(),
                                        .duration_ticks = cut - frame.enter_ticks(),
                                        .node = arc});
            }
        }
    }
}

}  // namespace umbra::collector
