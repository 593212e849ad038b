// SPDX-License-Identifier: MIT
// Threads come and go, names arrive in any order, and everything can be copied out at any moment.
#include "src/collector/state/session_state.h"

#include <algorithm>
#include <utility>

#include "hotpath/segment.h"
#include "src/profile/profile.h"

namespace umbra::collector {
namespace {

constexpr size_t kMaxThreadNameBytes = 1024;
constexpr size_t kMaxNamesAhead = 4096;

}  // namespace

SessionState::SessionState(const replay::Limits& limits, bool one_shard)
    : limits_(limits), one_shard_(one_shard), names_(limits) {
    shards_.emplace_back(0U, limits_, one_shard_);
}

Shard& SessionState::add_shard() {
    const AllGates gates = lock_all();
    Shard& first = shards_.front();
    first.take_told();
    Shard& shard = shards_.emplace_back(static_cast<uint32_t>(shards_.size()), limits_, one_shard_);
    shard.tables.costs = replay::EventCosts(probe_costs_);
    shard.tables.slowest.watch(watched_);
    for (const replay::PauseTicks& pause : first.tables.pauses.rows()) {
        shard.tables.pauses.add(pause);
    }
    return shard;
}

SessionState::AllGates SessionState::lock_all() const {
    AllGates gates;
    gates.reserve(shards_.size());
    for (const Shard& shard : shards_) {
        gates.emplace_back(shard.gate);
    }
    return gates;
}

void SessionState::move(ProfiledThread& thread, Shard& to) {
    thread.shard().take_told();
    to.take_told();
    thread.move_to(to);
}

void SessionState::watch(std::span<const uint8_t> marks) {
    watched_ = marks;
    for (Shard& shard : shards_) {
        shard.tables.slowest.watch(marks);
    }
}

void SessionState::set_probe_costs(const hotpath::ProbeCosts& costs) {
    probe_costs_ = costs;
    for (Shard& shard : shards_) {
        const std::lock_guard gate(shard.gate);
        shard.tables.costs = replay::EventCosts(costs);
    }
}

Progress SessionState::progress() const {
    Progress sum;
    for (const Shard& shard : shards_) {
        const Progress progress = shard.progress();
        sum.events += progress.events;
        sum.wait_ticks += progress.wait_ticks;
    }
    return sum;
}

ProfiledThread* SessionState::add_thread(uint32_t os_tid, uint64_t start_ticks, bool older,
                                         Shard* shard) {
    if (threads_.size() >= limits_.max_threads) {
        return nullptr;
    }
    if (older && names_.function(hotpath::kBeforeStartIndex) == nullptr) {
        protocol::FunctionNamed before;
        before.index = hotpath::kBeforeStartIndex;
        before.method = profile::kBeforeStart;
        names_.note(before);
    }
    Shard& home = shard == nullptr ? shards_.front() : *shard;
    const std::lock_guard gate(home.gate);
    if (home.tables.ended_bytes > limits_.max_ended_bytes) {
        return nullptr;
    }
    ProfiledThread& thread =
        threads_.emplace_back(home, sink_, static_cast<uint32_t>(threads_.size()), os_tid,
                              start_ticks, older ? hotpath::kBeforeStartIndex : 0);
    by_os_tid_[os_tid] = &thread;
    if (auto ahead = names_ahead_.extract(os_tid)) {
        thread.set_name(std::move(ahead.mapped()));
    }
    return &thread;
}

void SessionState::note_pause(const replay::PauseTicks& pause) {
    for (Shard& shard : shards_) {
        shard.tell(pause);
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
    if (message.function - 1 < limits_.max_functions) {
        limited_.insert(message.function);
    }
}

Snapshot SessionState::copy_out(uint64_t now_ticks, bool final) const {
    const AllGates gates = lock_all();
    Snapshot snapshot(names_);
    snapshot.taken_ticks = now_ticks;
    snapshot.folded = limits_.tree == replay::TreeShape::kFolded;
    snapshot.keeps_slowest = !limits_.slowest.keep.empty();
    snapshot.slowest_by_cpu = limits_.slowest.by_cpu;
    snapshot.limited = {limited_.begin(), limited_.end()};
    snapshot.probe_costs = replay::believable(probe_costs_);
    snapshot.losses.pauses = lost_pauses_;
    snapshot.losses.rows = names_.dropped();
    snapshot.shards.reserve(shards_.size());
    for (const Shard& shard : shards_) {
        const replay::SharedTables& tables = shard.tables;
        snapshot.shards.push_back(copy_shard(tables));
        snapshot.compilations.insert(snapshot.compilations.end(), tables.compilations.begin(),
                                     tables.compilations.end());
        snapshot.losses.nodes += tables.tree.lost_calls();
        snapshot.losses.rows += tables.compilations_lost;
        snapshot.losses.rows += tables.arguments.sums().lost;
        merge(snapshot.slowest, tables.slowest.sums(), limits_.slowest);
        snapshot.losses.no_thread_slot += shard.lost_without_thread();
    }
    // Each shard has been told of every pause.
    snapshot.losses.pauses += shards_.front().lost_pauses();
    if (shards_.size() > 1) {
        std::ranges::stable_sort(snapshot.compilations, {}, [](const auto& compilation) {
            return compilation.start_ticks + compilation.duration_ticks;
        });
    }
    copy_threads(snapshot, now_ticks);
    make_room(snapshot.slowest, limits_.slowest.kept_slices);
    if (final && limits_.max_logged_calls != 0) {
        copy_calls(snapshot, now_ticks);
    }
    return snapshot;
}

ShardSnapshot SessionState::copy_shard(const replay::SharedTables& tables) {
    const replay::CallTree& tree = tables.tree;
    ShardSnapshot copy;
    copy.tree.arcs.assign(tree.arcs().begin(), tree.arcs().end());
    copy.tree.targets.assign(tree.targets().begin(), tree.targets().end());
    copy.tree.places.assign(tree.places().begin(), tree.places().end());
    copy.tree.calls.reserve(copy.tree.arcs.size());
    for (const replay::Arc& arc : copy.tree.arcs) {
        copy.tree.calls.push_back(arc.calls);
    }
    for (const auto& [arc, overflows] : tree.carried()) {
        copy.tree.calls[arc] += overflows << 32;
    }
    copy.histograms = tree.histograms().counts();
    copy.deductions = tables.deductions;
    copy.arguments = tables.arguments.sums();
    return copy;
}

void SessionState::copy_threads(Snapshot& snapshot, uint64_t now_ticks) const {
    replay::ExceptionCounts exceptions = shards_.front().tables.exceptions;
    std::vector<replay::PauseTimeline> pauses;
    for (const Shard& shard : shards_) {
        pauses.push_back(shard.tables.pauses);
    }
    for (size_t number = 1; number < shards_.size(); ++number) {
        for (const auto& [key, count] : shards_[number].tables.exceptions.rows()) {
            exceptions.add(key, count);
        }
    }
    snapshot.threads.reserve(threads_.size());
    for (const ProfiledThread& thread : threads_) {
        const replay::ThreadReplay& replay = thread.replay();
        const uint32_t shard = thread.shard().number();
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
        cut_open_calls(thread, replay.lanes_at(cut), snapshot);
        replay.add_open_deductions(cut, snapshot.shards[shard].deductions);
        replay.add_open_slow_calls(cut, snapshot.slowest);
        if (replay.stack().depth() != 0) {
            replay.overlays().count_pauses(pauses[shard], cut);
        }
        replay.exceptions().add_unfinished(exceptions);
        replay.arguments().add_unfinished(snapshot.shards[shard].arguments);
    }
    for (const replay::PauseTimeline& timeline : pauses) {
        // The same pauses in each, but for the last ones that some have not been told of yet.
        std::vector<replay::PauseTicks> rows = timeline.rows();
        if (rows.size() > snapshot.pauses.size()) {
            rows.swap(snapshot.pauses);
        }
        for (size_t pause = 0; pause < rows.size(); ++pause) {
            snapshot.pauses[pause].threads += rows[pause].threads;
        }
    }
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

void SessionState::cut_open_calls(const ProfiledThread& profiled, replay::Lanes cut,
                                  Snapshot& snapshot) {
    const replay::ShadowStack& stack = profiled.replay().stack();
    ShardSnapshot::Tree& tree = snapshot.shards[profiled.shard().number()].tree;
    Snapshot::Thread& thread = snapshot.threads.back();
    replay::Lanes inner{};  // the length of the call inside, which is open as well
    for (size_t index = stack.depth(); index-- > 0;) {
        const replay::Frame& frame = stack.frame(index);
        const uint32_t number = profiled.shard().tables.tree.number(*frame.arc);
        if (number == 0) {
            continue;
        }
        const replay::Lanes length = cut - frame.enter;
        const replay::Lanes self = length - frame.children - inner;
        inner = length;
        replay::Arc& arc = tree.arcs[number];
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
        if (++tree.calls[number] == ++tree.unfinished[number]) {
            arc.min_ticks = std::min(arc.min_ticks, ticks);
        }
        if (++function.calls == ++thread.unfinished[frame.function()]) {
            function.min_ticks = function.calls == 1 ? ticks : std::min(function.min_ticks, ticks);
        }
    }
}

void SessionState::copy_calls(Snapshot& snapshot, uint64_t now_ticks) const {
    // There is one shard where there is a log.
    const replay::SharedTables& tables = shards_.front().tables;
    const replay::CallLog& log = *tables.log;
    std::vector<replay::LoggedCall>& copy = snapshot.shards.front().log;
    copy.assign(log.calls().begin(), log.calls().end());
    snapshot.losses.rows += log.lost();
    for (const ProfiledThread& thread : threads_) {
        const uint64_t cut = thread.replay().cut_ticks(now_ticks);
        const replay::ShadowStack& stack = thread.replay().stack();
        for (size_t depth = stack.depth(); log.lost() == 0 && depth-- > 0;) {
            const replay::Frame& frame = stack.frame(depth);
            const uint32_t arc = tables.tree.number(*frame.arc);
            if (arc != 0) {
                copy.push_back({.begin_ticks = frame.enter_ticks(),
                                .duration_ticks = cut - frame.enter_ticks(),
                                .node = arc});
            }
        }
    }
}

}  // namespace umbra::collector
