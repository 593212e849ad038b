// SPDX-License-Identifier: MIT
#include "src/collector/state/ended_threads.h"

#include <algorithm>
#include <string_view>

#include "src/replay/tree/shortest_call.h"

namespace umbra::collector {
namespace {

constexpr std::string_view kOtherNames = "(other names)";
constexpr std::string_view kLaterThreads = "(later threads)";

Snapshot::Thread sum_row(std::string name, uint32_t number) {
    Snapshot::Thread row;
    row.name = std::move(name);
    row.number = number;
    row.threads = 0;
    return row;
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// For replay::add_shortest().
struct Shortest {
    uint64_t calls;
    uint64_t unfinished;
    float min_ticks;

    explicit Shortest(const EndedFunction& function)
        : calls(function.times.calls),
          unfinished(function.unfinished),
          min_ticks(function.times.min_ticks) {}
};

}  // namespace

std::string name_of_many(const std::string& name) {
    std::string made;
    for (const char c : name) {
        if (!is_digit(c)) {
            made += c;
        } else if (made.empty() || made.back() != '*') {
            made += '*';
        }
    }
    return made;
}

EndedFunction& EndedFunction::operator+=(const EndedFunction& other) {
    if (times.calls == 0) {
        times.min_ticks = other.times.min_ticks;
    } else if (other.times.calls != 0) {
        Shortest sum(*this);
        replay::add_shortest(sum, Shortest(other));
        times.min_ticks = sum.min_ticks;
    }
    times.self += other.times.self;
    times.total += other.times.total;
    times.calls += other.times.calls;
    times.max_ticks = std::max(times.max_ticks, other.times.max_ticks);
    unfinished += other.unfinished;
    self += other.self;
    total += other.total;
    return *this;
}

EndedThread EndedThread::of(Snapshot::Thread row) {
    EndedThread made;
    for (size_t index = 0; index < row.called.size(); ++index) {
        EndedFunction& function = made.functions[row.called[index]];
        function.times = row.functions[index];
        function.times.outermost = 0;
        const auto unfinished = row.unfinished.find(row.called[index]);
        function.unfinished = unfinished == row.unfinished.end() ? 0 : unfinished->second;
    }
    row.called = {};
    row.functions = {};
    row.unfinished = {};
    made.row = std::move(row);
    return made;
}

uint64_t EndedThread::weight() const {
    uint64_t ticks = 0;
    uint64_t off_ticks = 0;
    for (const auto& [function, sums] : functions) {
        ticks += replay::ticks_of(sums.times.self);
        off_ticks += sums.self.off_cpu_ticks;
    }
    return ticks - std::min(ticks, off_ticks);
}

void EndedThread::add(const EndedThread& other) {
    row.kernel_cpu_ns += other.row.kernel_cpu_ns;
    row.start_ticks =
        row.threads == 0 ? other.row.start_ticks : std::min(row.start_ticks, other.row.start_ticks);
    row.threads += other.row.threads;
    row.end_ticks = std::max(row.end_ticks, other.row.end_ticks);
    row.counts += other.row.counts;
    for (const auto& [function, sums] : other.functions) {
        functions[function] += sums;
    }
}

void EndedThread::copy_out(std::vector<Snapshot::Thread>& rows,
                           replay::CallDeductions& deductions) const {
    Snapshot::Thread& copy = rows.emplace_back(row);
    for (const auto& [function, sums] : functions) {
        copy.called.push_back(function);
    }
    std::ranges::sort(copy.called);
    copy.functions.reserve(copy.called.size());
    for (const uint32_t function : copy.called) {
        const EndedFunction& sums = functions.at(function);
        copy.functions.push_back(sums.times);
        if (sums.unfinished != 0) {
            copy.unfinished[function] = sums.unfinished;
        }
        deductions.add(row.number, function, sums.self, sums.total);
    }
}

EndedThread EndedThreads::no_later_threads() {
    EndedThread none;
    none.row = sum_row(std::string(kLaterThreads), replay::CallTree::kLaterThreads);
    return none;
}

void EndedThreads::add_later(const EndedThread& thread) {
    add_up(thread);
    later_.add(thread);
}

void EndedThreads::add_up(const EndedThread& thread) {
    ++threads_;
    counts_ += thread.row.counts;
    for (const auto& [function, sums] : thread.functions) {
        if (function >= functions_.size()) {
            functions_.resize(size_t{function} + 1);
        }
        functions_[function] += sums;
    }
}

void EndedThreads::add(EndedThread thread, bool mentioned) {
    add_up(thread);
    kept_functions_ += thread.functions.size();
    const std::pair key(thread.weight(), thread.row.number);
    heaviest_.emplace(key, Kept{.thread = std::move(thread), .mentioned = mentioned});
    while (heaviest_.size() > limits_.heaviest_threads ||
           kept_functions_ > limits_.heaviest_thread_functions) {
        drop_lightest();
    }
}

void EndedThreads::drop_lightest() {
    const auto lightest = heaviest_.extract(heaviest_.begin());
    const Kept& kept = lightest.mapped();
    EndedThread& sum = sum_for(kept.thread);
    if (kept.mentioned) {
        owners_[kept.thread.row.number] = sum.row.number;
    }
    sum.add(kept.thread);
    kept_functions_ -= kept.thread.functions.size();
}

EndedThread& EndedThreads::sum_for(const EndedThread& thread) {
    const bool calls = !thread.functions.empty();
    std::string name = name_of_many(thread.row.name);
    if (sums_.size() >= limits_.thread_sums && !sums_.contains({name, calls})) {
        name = kOtherNames;
    }
    const auto number = kFirstSum + static_cast<uint32_t>(sums_.size());
    const auto [place, is_new] = sums_.try_emplace({name, calls});
    if (is_new) {
        place->second.row = sum_row(std::move(name), number);
    }
    return place->second;
}

void EndedThreads::copy_out(Snapshot& snapshot, EndedThread later) const {
    replay::CallDeductions& deductions = snapshot.shards.front().deductions;
    for (const auto& [weight, kept] : heaviest_) {
        kept.thread.copy_out(snapshot.threads, deductions);
    }
    for (const auto& [name, sum] : sums_) {
        sum.copy_out(snapshot.threads, deductions);
    }
    if (later_.row.threads != 0) {
        later.add(later_);
    }
    if (later.row.threads != 0) {
        later.copy_out(snapshot.threads, deductions);
    }
    snapshot.owners.insert(owners_.begin(), owners_.end());
}

}  // namespace umbra::collector
