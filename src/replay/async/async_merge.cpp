// SPDX-License-Identifier: MIT
#include "src/replay/async/async_merge.h"

#include <algorithm>

namespace umbra::replay {
namespace {

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

void AsyncMerge::sort_added() {
    const auto middle = static_cast<std::ptrdiff_t>(sorted_.size());
    sorted_.insert(sorted_.end(), added_.begin(), added_.end());
    added_.clear();
    std::stable_sort(sorted_.begin() + middle, sorted_.end(), earlier);
    std::inplace_merge(sorted_.begin(), sorted_.begin() + middle, sorted_.end(), earlier);
}

void AsyncMerge::merge(uint64_t watermark_ticks, uint64_t longest_wait_ticks, const Types& types) {
    sort_added();
    const size_t overfull = sorted_.size() > limits_.facts ? sorted_.size() - limits_.facts / 2 : 0;
    constexpr size_t kMostNameless = size_t{1} << 16;
    size_t next = 0;
    for (; next < sorted_.size(); ++next) {
        const AsyncFact& fact = sorted_[next];
        const bool waits = next >= overfull;
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
    }
    sorted_.erase(sorted_.begin(), sorted_.begin() + static_cast<std::ptrdiff_t>(next));
}

}  // namespace umbra::replay
