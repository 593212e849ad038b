// SPDX-License-Identifier: MIT
// Tables of threads first, then deductions shard by shard.
#include "src/collector/live/live_sums.h"

#include <algorithm>
#include <mutex>
#include <utility>

namespace umbra::collector {
namespace {

constexpr size_t kThreadUnits = 8;   ///< a look at a thread that has nothing new
constexpr size_t kBucketUnits = 16;  ///< a row of a table whose rows lie anywhere

size_t rows_of(const replay::ShadowStack& stack) {
    return stack.functions().bytes() / sizeof(replay::ThreadFunction);
}

}  // namespace

LiveSum& LiveSum::operator+=(const LiveSum& other) {
    calls += other.calls;
    self += other.self;
    total += other.total;
    off_cpu_ticks += other.off_cpu_ticks;
    return *this;
}

LiveSum& LiveSums::at(std::vector<LiveSum>& sums, uint32_t function) {
    if (function >= sums.size()) {
        sums.resize(size_t{function} + 1);
    }
    return sums[function];
}

uint64_t LiveSums::covered_ticks() const {
    uint64_t ticks = 0;
    for (const LiveSum& sum : done_) {
        ticks += replay::ticks_of(sum.self);
    }
    return ticks;
}

bool LiveSums::add_slice(const SessionState& state, size_t units) {
    if (!in_pass()) {
        begin_pass(state);
    }
    while (units > 0) {
        if (stage_ == Stage::kThreads) {
            if (add_threads(state, units)) {
                stage_ = Stage::kDeductions;
            }
        } else if (add_deductions(state, units)) {
            end_pass();
            return true;
        }
    }
    return false;
}

void LiveSums::begin_pass(const SessionState& state) {
    pass_.assign(done_.size(), {});
    uint32_t function = 0;
    for (const EndedFunction& sums : state.ended().functions()) {
        at(pass_, function++) = {.calls = sums.times.calls,
                                 .self = sums.times.self,
                                 .total = sums.times.total,
                                 .off_cpu_ticks = sums.self.off_cpu_ticks};
    }
    next_thread_ = 0;
    stage_ = Stage::kThreads;
}

bool LiveSums::add_threads(const SessionState& state, size_t& units) {
    auto place = state.threads().lower_bound(next_thread_);
    for (; units > 0 && place != state.threads().end(); ++place) {
        const ProfiledThread& thread = place->second;
        const std::lock_guard gate(thread.shard().gate);
        const replay::ShadowStack& stack = thread.replay().stack();
        stack.functions().for_each([&](uint32_t function, const replay::ThreadFunction& row) {
            if (row.calls != 0 || replay::ticks_of(row.total) != 0) {
                at(pass_, function) += {.calls = row.calls, .self = row.self, .total = row.total};
            }
        });
        units -= std::min(units, kThreadUnits + rows_of(stack));
        next_thread_ = place->first + 1;
    }
    return place == state.threads().end();
}

bool LiveSums::add_deductions(const SessionState& state, size_t& units) {
    while (units > 0 && shard_ < state.shards().size()) {
        const Shard& shard = state.shards()[shard_];
        const std::lock_guard gate(shard.gate);
        const auto& rows = shard.tables.deductions.function_self().rows();
        if (bucket_ != 0 && rows.bucket_count() != buckets_) {  // they have been dealt out anew
            bucket_ = 0;
        }
        if (bucket_ == 0) {
            buckets_ = rows.bucket_count();
            table_.clear();
        }
        for (; units > 0 && bucket_ < buckets_; ++bucket_) {
            size_t used = 1;
            for (auto row = rows.begin(bucket_); row != rows.end(bucket_); ++row) {
                at(table_, static_cast<uint32_t>(row->first)).off_cpu_ticks +=
                    row->second.off_cpu_ticks;
                used += kBucketUnits;
            }
            units -= std::min(units, used);
        }
        if (bucket_ == buckets_) {
            for (uint32_t function = 0; function < table_.size(); ++function) {
                at(pass_, function) += table_[function];
            }
            bucket_ = 0;
            ++shard_;
        }
    }
    const bool over = shard_ == state.shards().size();
    shard_ = over ? 0 : shard_;
    return over;
}

void LiveSums::end_pass() {
    stage_ = Stage::kNone;
    done_.swap(pass_);
}

}  // namespace umbra::collector
