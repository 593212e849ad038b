// SPDX-License-Identifier: MIT
// Threads come and go, names arrive in any order, and everything can be copied out at any moment.
#include "src/collector/state/session_state.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "hotpath/segment.h"
#include "src/collector/state/async_arguments.h"
#include "src/collector/state/thread_snapshot.h"
#include "src/profile/profile.h"

namespace umbra::collector {
namespace {

/// `timelines`: of the same pauses, but for the last ones that some have not been told of yet. Each
/// has counted other threads.
void copy_pauses(const std::vector<replay::PauseTimeline>& timelines, Snapshot& snapshot) {
    const replay::PauseTimeline& whole =
        *std::ranges::max_element(timelines, {}, &replay::PauseTimeline::size);
    snapshot.pauses = whole.rows();
    snapshot.pause_sums = whole.sums();
    snapshot.pause_slices = whole.slices();
    for (const replay::PauseTimeline& timeline : timelines) {
        if (&timeline == &whole) {
            continue;
        }
        // One of the longest of all is one of the longest of those it has been told of.
        auto row = snapshot.pauses.begin();
        for (const replay::PauseTicks& pause : timeline.rows()) {
            row = std::ranges::find_if(row, snapshot.pauses.end(), [&](const auto& known) {
                return known.number >= pause.number;
            });
            if (row != snapshot.pauses.end() && row->number == pause.number) {
                row->threads += pause.threads;
            }
        }
    }
}

/// Of AsyncFact::type.
std::optional<replay::AsyncType> async_type(uint64_t type, const NameTables& names) {
    if (replay::is_thrown_type(type)) {
        const protocol::TypeNamed* thrown = names.type(replay::thrown_index(type));
        return thrown == nullptr ? std::nullopt
                                 : std::optional(replay::AsyncType{.cancelled = thrown->cancelled});
    }
    const replay::AsyncType* meaning = names.async_meaning(type);
    return meaning == nullptr ? std::nullopt : std::optional(*meaning);
}

}  // namespace

SessionState::SessionState(const replay::Limits& limits, bool one_shard)
    : limits_(limits), one_shard_(one_shard), names_(limits), ended_(limits) {
    shards_.emplace_back(0U, limits_, one_shard_);
}

Shard& SessionState::add_shard() {
    const AllGates gates = lock_all();
    Shard& first = shards_.front();
    first.apply_inbox();
    Shard& shard = shards_.emplace_back(static_cast<uint32_t>(shards_.size()), limits_, one_shard_);
    shard.tables.costs = replay::EventCosts(probe_costs_);
    shard.tables.slowest.watch(watched_);
    shard.tables.async.follow(async_functions_);
    shard.tables.async.set_shard(shard.number());
    shard.tables.pauses = first.tables.pauses.without_threads();
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
    thread.shard().apply_inbox();
    to.apply_inbox();
    thread.move_to(to);
}

void SessionState::watch(std::span<const uint8_t> marks) {
    watched_ = marks;
    for (Shard& shard : shards_) {
        shard.tables.slowest.watch(marks);
    }
    if (async_) {
        async_->watch(marks);
    }
}

void SessionState::follow_async(const replay::AsyncFunctions& functions) {
    async_functions_ = functions;
    async_ = std::make_unique<replay::AsyncMerge>(replay::AsyncLimits{}, limits_.slowest);
    async_->watch(watched_);
    for (Shard& shard : shards_) {
        shard.tables.async.follow(functions);
    }
}

bool SessionState::async_crowded() const {
    return std::ranges::any_of(shards_,
                               [](const Shard& shard) { return shard.tables.async.crowded(); });
}

void SessionState::merge_async(uint64_t watermark_ticks, uint64_t longest_wait_ticks) {
    if (!async_) {
        return;
    }
    for (Shard& shard : shards_) {
        const std::lock_guard gate(shard.gate);
        shard.tables.async.take(async_->waiting());
    }
    async_->merge(watermark_ticks, longest_wait_ticks,
                  [this](uint64_t type) { return async_type(type, names_); });
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
    if (next_number_ >= limits_.max_threads) {
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
    const uint32_t number = next_number_++;
    const bool shares_tree =
        limits_.tree == replay::TreeShape::kFull && number >= limits_.own_trees;
    ProfiledThread& thread =
        threads_
            .try_emplace(number, home, sink_, number,
                         shares_tree ? replay::CallTree::kLaterThreads : number, os_tid,
                         start_ticks, older ? hotpath::kBeforeStartIndex : 0)
            .first->second;
    ++thread_slices_.at(start_ticks).began;
    by_os_tid_[os_tid] = &thread;
    if (std::string name = names_ahead_.take(os_tid); !name.empty()) {
        thread.set_name(std::move(name));
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
    const auto known = by_os_tid_.find(message.os_tid);
    if (known != by_os_tid_.end()) {
        // Also of a thread that has ended: a name travels slower than a short thread lives.
        known->second->set_name(NamesAhead::shortened(message.name));
    } else {
        names_ahead_.note(message.os_tid, message.name);
    }
}

void SessionState::note(const protocol::HooksRemoved& message) {
    if (message.function - 1 < limits_.max_functions) {
        deinstrumented_.insert(message.function);
    }
}

Snapshot SessionState::copy_out(uint64_t now_ticks, bool final) const {
    const AllGates gates = lock_all();
    Snapshot snapshot(names_);
    snapshot.taken_ticks = now_ticks;
    snapshot.folded = limits_.tree == replay::TreeShape::kFolded;
    if (snapshot.folded) {
        snapshot.written_paths = limits_.written_paths;
        snapshot.least_share = limits_.least_share;
    }
    if (!limits_.slowest.keep.empty()) {
        snapshot.slowest = SlowestCalls{.by = limits_.slowest.by};
    }
    snapshot.deinstrumented = {deinstrumented_.begin(), deinstrumented_.end()};
    snapshot.probe_costs = replay::believable(probe_costs_);
    snapshot.losses.pauses = lost_pauses_;
    snapshot.losses.rows = names_.dropped();
    snapshot.shards.reserve(shards_.size());
    std::vector<const replay::CompilationTable*> compilations;
    for (const Shard& shard : shards_) {
        const replay::SharedTables& tables = shard.tables;
        snapshot.shards.push_back(copy_shard(tables));
        for (const auto& [arc, calls] : shard.tables.cut_calls) {
            add_calls(snapshot.shards.back().tree, arc, calls);
        }
        compilations.push_back(&tables.compilations);
        snapshot.losses.nodes += tables.tree.lost_calls();
        snapshot.losses.rows += tables.arguments.sums().lost;
        if (snapshot.slowest) {
            merge(snapshot.slowest->on_threads, tables.slowest.sums(), limits_.slowest);
        }
        snapshot.losses.no_thread_slot += shard.lost_without_thread();
    }
    snapshot.compilations = add_up(compilations, limits_.longest_compilations);
    copy_threads(snapshot, now_ticks);
    if (snapshot.slowest) {
        if (async_) {
            snapshot.slowest->async = async_->calls().slowest(snapshot.taken_ticks);
        }
        make_room(snapshot.slowest->on_threads, limits_.slowest.kept_slices);
        make_room(snapshot.slowest->async, limits_.slowest.kept_slices);
    }
    if (async_) {
        snapshot.async = async_->calls().sums(snapshot.taken_ticks);
        for (const Shard& shard : shards_) {
            set_async_calls(*snapshot.async, shard.number(),
                            snapshot.shards[shard.number()].arguments);
            snapshot.async->lost_facts += shard.tables.async.lost();
        }
    }
    if (final && limits_.max_logged_calls != 0) {
        copy_calls(snapshot, now_ticks);
    }
    return snapshot;
}

ShardSnapshot SessionState::copy_shard(const replay::SharedTables& tables) {
    const replay::CallTree& tree = tables.tree;
    ShardSnapshot copy;
    static_cast<replay::CopiedPaths&>(copy.tree) = tree.copy();
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
    snapshot.thread_slices = thread_slices_;
    snapshot.threads.reserve(threads_.size());
    EndedThread later = EndedThreads::no_later_threads();
    for (const auto& [number, thread] : threads_) {
        const replay::ThreadReplay& replay = thread.replay();
        const uint32_t shard = thread.shard().number();
        const uint64_t cut = replay.cut_ticks(now_ticks);
        // What ran after `now` was asked for is in the snapshot too, so its end moves along.
        snapshot.taken_ticks = std::max(snapshot.taken_ticks, cut);
        ShardSnapshot::Tree& tree = snapshot.shards[shard].tree;
        Snapshot::Thread row = thread_row(
            thread, cut,
            [&](uint32_t arc, const replay::CutCalls& calls) { add_calls(tree, arc, calls); });
        if (replay.number() == number) {
            snapshot.threads.push_back(std::move(row));
        } else {
            later.add(EndedThread::of(std::move(row)));
        }
        if (replay.ended()) {
            ++snapshot.thread_slices.at(cut).ended;
        }
        replay.add_open_deductions(cut, snapshot.shards[shard].deductions);
        if (snapshot.slowest) {
            replay.add_open_slow_calls(cut, snapshot.slowest->on_threads);
        }
        if (replay.stack().depth() != 0) {
            replay.overlays().count_pauses(pauses[shard], cut);
        }
        replay.exceptions().add_unfinished(exceptions);
        replay.arguments().add_unfinished(snapshot.shards[shard].arguments);
    }
    ended_.copy_out(snapshot, std::move(later));
    std::ranges::sort(snapshot.threads, {}, &Snapshot::Thread::number);
    copy_pauses(pauses, snapshot);
    snapshot.exceptions.assign(exceptions.rows().begin(), exceptions.rows().end());
}

void SessionState::retire_ended() {
    constexpr size_t kTakenAtOnce = 256;
    const bool any = std::ranges::any_of(
        shards_, [](const Shard& shard) { return shard.ended_count() >= kTakenAtOnce; });
    if (!any) {
        return;
    }
    const AllGates gates = lock_all();
    for (Shard& shard : shards_) {
        const std::vector<ProfiledThread*> ended = shard.take_ended();
        waiting_.insert(waiting_.end(), ended.begin(), ended.end());
    }
    while (waiting_.size() > limits_.waiting_threads) {
        retire(*waiting_.front());
        waiting_.pop_front();
    }
    forget_owners();
}

void SessionState::retire(ProfiledThread& thread) {
    const bool shares_tree = thread.replay().number() != thread.number();
    if (limits_.tree == replay::TreeShape::kFull && !shares_tree) {
        return;  // its paths are its own, and so are its rows
    }
    const uint64_t cut = thread.replay().cut_ticks(0);
    Shard& shard = thread.shard();
    EndedThread ended =
        EndedThread::of(thread_row(thread, cut, [&](uint32_t arc, const replay::CutCalls& calls) {
            shard.tables.cut_calls[arc] += calls;
        }));
    thread.replay().give_up(cut);
    ++thread_slices_.at(cut).ended;
    const auto known = by_os_tid_.find(thread.os_tid());
    if (known != by_os_tid_.end() && known->second == &thread) {
        by_os_tid_.erase(known);
    }
    if (shares_tree) {
        ended_.add_later(ended);
    } else {
        // It may have been replayed in several shards.
        for (Shard& other : shards_) {
            other.tables.deductions.take(thread.number(), 0);
            for (auto& [function, sums] : ended.functions) {
                const auto deducted = other.tables.deductions.take(thread.number(), function);
                sums.self += deducted.self;
                sums.total += deducted.total;
            }
        }
        const bool mentioned =
            ended.row.counts.compilations != 0 || thread.replay().records_slow_calls();
        ended_.add(std::move(ended), mentioned);
    }
    threads_.erase(thread.number());
}

void SessionState::forget_owners() {
    constexpr size_t kFew = 1024;
    size_t told = 0;
    for (const Shard& shard : shards_) {
        told += shard.tables.compilations.rows().size();
        told += shard.tables.slowest.kept_calls();
    }
    told += async_ ? async_->calls().slow().kept_slices() : 0;
    if (ended_.owners().size() <= told + told / 4 + kFew) {
        return;
    }
    std::unordered_set<uint32_t> mentioned;
    for (const Shard& shard : shards_) {
        for (const replay::CompilationTicks& row : shard.tables.compilations.rows()) {
            mentioned.insert(row.thread);
        }
        for (const replay::SlowFunction& function : shard.tables.slowest.sums().functions) {
            for (const auto& call : function.kept) {
                mentioned.insert(call->thread);
            }
        }
    }
    if (async_) {
        async_->calls().slow().for_each_thread([&](uint32_t thread) { mentioned.insert(thread); });
    }
    ended_.forget_owners([&](uint32_t number) { return mentioned.contains(number); });
}

void SessionState::copy_calls(Snapshot& snapshot, uint64_t now_ticks) const {
    // There is one shard where there is a log.
    const replay::SharedTables& tables = shards_.front().tables;
    const replay::CallLog& log = *tables.log;
    std::vector<replay::LoggedCall>& copy = snapshot.shards.front().log;
    copy.assign(log.calls().begin(), log.calls().end());
    snapshot.losses.rows += log.lost();
    for (const auto& [number, thread] : threads_) {
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
