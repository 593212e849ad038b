// SPDX-License-Identifier: MIT
#include "src/replay/async/async_merge.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace umbra::replay {
namespace {

constexpr uint32_t kLast = UINT32_MAX;
constexpr uint32_t kMerged = UINT32_MAX - 1;

bool earlier(const AsyncFact& a, const AsyncFact& b) {
    if (a.ticks != b.ticks) {
        return a.ticks < b.ticks;
    }
    // The number wraps; of one thread two facts of one time are near each other.
    return a.thread != b.thread ? a.thread < b.thread : static_cast<int32_t>(a.order - b.order) < 0;
}

}  // namespace

bool AsyncMerge::needs_type(const AsyncFact& fact) {
    if (fact.event == AsyncFact::Event::kUnwound) {
        return thrown_index(fact.type) != 0;
    }
    if (fact.event != AsyncFact::Event::kControl || fact.type == 0) {
        return false;
    }
    return fact.control == hotpath::ControlType::kAsyncStackSuspended ||
           fact.control == hotpath::ControlType::kAsyncSuspended ||
           fact.control == hotpath::ControlType::kAsyncFaulted ||
           fact.control == hotpath::ControlType::kAsyncAwaits ||
           fact.control == hotpath::ControlType::kTaskWaits;
}

void AsyncMerge::find_runs() {
    following_.assign(facts_.size(), kLast);
    runs_.clear();
    std::unordered_map<uint32_t, uint32_t> last_of_thread;
    uint32_t* last = nullptr;
    for (uint32_t at = 0; at < facts_.size(); ++at) {
        bool begins = false;
        if (at == 0 || facts_[at].thread != facts_[at - 1].thread) {
            const auto [place, is_new] = last_of_thread.try_emplace(facts_[at].thread, at);
            last = &place->second;
            begins = is_new;
        }
        if (begins || earlier(facts_[at], facts_[*last])) {
            runs_.push_back(at);
        } else {
            following_[*last] = at;
        }
        *last = at;
    }
    std::make_heap(runs_.begin(), runs_.end(), [this](uint32_t a, uint32_t b) {
        return earlier(facts_[b], facts_[a]);  // the standard's heaps have the greatest first
    });
}

void AsyncMerge::settle_first_run() {
    const auto comes_before = [this](size_t a, size_t b) {
        return earlier(facts_[runs_[a]], facts_[runs_[b]]);
    };
    for (size_t at = 0, child = 1; child < runs_.size(); child = 2 * at + 1) {
        if (child + 1 < runs_.size() && comes_before(child + 1, child)) {
            ++child;
        }
        if (!comes_before(child, at)) {
            return;
        }
        std::swap(runs_[at], runs_[child]);
        at = child;
    }
}

void AsyncMerge::forget_merged() {
    size_t kept = 0;
    for (size_t at = 0; at < facts_.size(); ++at) {
        if (following_[at] != kMerged) {
            facts_[kept++] = facts_[at];
        }
    }
    facts_.resize(kept);
    // What a rush has needed, or facts that waited for a name, is given back.
    constexpr size_t kUsual = size_t{1} << 16;
    if (facts_.capacity() > kUsual && kept < kUsual / 4) {
        facts_.shrink_to_fit();
        following_ = {};
    }
}

void AsyncMerge::merge(uint64_t watermark_ticks, uint64_t longest_wait_ticks, const Types& types) {
    find_runs();
    const size_t overfull = facts_.size() > limits_.facts ? facts_.size() - limits_.facts / 2 : 0;
    constexpr size_t kMostNameless = size_t{1} << 16;
    for (size_t merged = 0; !runs_.empty(); ++merged) {
        const AsyncFact& fact = facts_[runs_.front()];
        const bool waits = merged >= overfull;
        if (waits && fact.ticks >= watermark_ticks) {
            break;
        }
        std::optional<AsyncType> type;
        if (needs_type(fact)) {
            type = types(fact.type);
            if (!type && !nameless_.contains(fact.type)) {
                if (waits && watermark_ticks - fact.ticks < longest_wait_ticks) {
                    break;
                }
                if (nameless_.size() < kMostNameless) {
                    nameless_.insert(fact.type);
                }
            }
        }
        late_ += fact.ticks < merged_ticks_ ? 1U : 0U;
        merged_ticks_ = std::max(merged_ticks_, fact.ticks);
        calls_.apply(fact, type.value_or(AsyncType{}));
        const uint32_t next = std::exchange(following_[runs_.front()], kMerged);
        runs_.front() = next != kLast ? next : runs_.back();
        if (next == kLast) {
            runs_.pop_back();
        }
        settle_first_run();
    }
    forget_merged();
}

}  // namespace umbra::replay
