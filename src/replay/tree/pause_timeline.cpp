// SPDX-License-Identifier: MIT
#include "src/replay/tree/pause_timeline.h"

#include <functional>
#include <iterator>

namespace umbra::replay {
namespace {

/// What a pause can be told to be about; the target may say anything.
constexpr uint32_t kReasons = 16;
constexpr uint32_t kGenerations = 0x1f;

auto longest_first(const PauseTicks& pause) {
    return std::pair(~pause.ticks(), pause.number);
}

/// Threads of `pauses`, the differences between which are added up and forgotten.
void count_up(std::vector<PauseTicks>& pauses, std::vector<int64_t>& counts) {
    int64_t threads = 0;
    for (size_t index = 0; index < pauses.size(); ++index) {
        threads += counts[index];
        pauses[index].threads += static_cast<uint32_t>(threads);
    }
    counts.assign(pauses.size() + 1, 0);
}

/// Keeps the `most` longest, in their order.
void keep_longest(std::vector<PauseTicks>& pauses, size_t most) {
    if (pauses.size() <= most) {
        return;
    }
    std::vector<std::pair<uint64_t, uint64_t>> order;
    order.reserve(pauses.size());
    for (const PauseTicks& pause : pauses) {
        order.push_back(longest_first(pause));
    }
    const auto last = order.begin() + static_cast<ptrdiff_t>(most);
    std::ranges::nth_element(order, last);
    std::erase_if(pauses, [&](const PauseTicks& pause) { return longest_first(pause) >= *last; });
}

}  // namespace

void PauseTimeline::add(PauseTicks pause) {
    if (!latest_.empty()) {
        pause.begin_ticks = std::max(pause.begin_ticks, latest_.back().end_ticks);
    }
    pause.end_ticks = std::max(pause.end_ticks, pause.begin_ticks);
    pause.suspended_ticks = std::clamp(pause.suspended_ticks, pause.begin_ticks, pause.end_ticks);
    pause.reason = pause.reason < kReasons ? pause.reason : 0;
    pause.generations &= kGenerations;
    pause.threads = 0;
    pause.number = size();
    if (latest_.size() >= std::max<size_t>(2 * limits_.latest, 2)) {
        shorten();
    }
    latest_.push_back(pause);
    before_.push_back(paused_ticks_);
    counts_.push_back(0);  // behind the last
    paused_ticks_ += pause.ticks();
    add_up(pause);
}

void PauseTimeline::add_up(const PauseTicks& pause) {
    auto sum = std::ranges::find_if(sums_, [&](const PauseSum& known) {
        return known.reason == pause.reason && known.generations == pause.generations;
    });
    if (sum == sums_.end()) {
        sums_.push_back({.reason = pause.reason, .generations = pause.generations});
        sum = std::prev(sums_.end());
    }
    ++sum->count;
    sum->ticks += pause.ticks();
    sum->stopping_ticks += pause.suspended_ticks - pause.begin_ticks;
    sum->longest_ticks = std::max(sum->longest_ticks, pause.ticks());
    slices_.spread_over(pause.begin_ticks, pause.end_ticks,
                        [](PauseSlice& slice, uint64_t ticks) { slice.ticks += ticks; });
    PauseSlice& begun = slices_.at(pause.begin_ticks);
    ++begun.count;
    begun.longest_ticks = std::max(begun.longest_ticks, pause.ticks());
}

void PauseTimeline::shorten() {
    const size_t gone = latest_.size() / 2;
    const auto count = static_cast<ptrdiff_t>(gone);
    int64_t threads = 0;
    for (size_t index = 0; index < gone; ++index) {
        threads += counts_[index];
        kept_.push_back(latest_[index]);
        kept_.back().threads = static_cast<uint32_t>(threads);
        kept_counts_.push_back(0);
    }
    counts_[gone] += threads;
    latest_.erase(latest_.begin(), latest_.begin() + count);
    before_.erase(before_.begin(), before_.begin() + count);
    counts_.erase(counts_.begin(), counts_.begin() + count);
    first_ += gone;
    if (kept_.size() > 2 * limits_.longest) {
        drop_shortest();
    }
}

void PauseTimeline::drop_shortest() {
    count_up(kept_, kept_counts_);
    keep_longest(kept_, limits_.longest);
    kept_counts_.assign(kept_.size() + 1, 0);
}

size_t PauseTimeline::first_ending_after(uint64_t ticks, size_t start) const {
    const size_t skipped = std::min(start - std::min(start, first_), latest_.size());
    const auto found = std::upper_bound(
        latest_.begin() + static_cast<ptrdiff_t>(skipped), latest_.end(), ticks,
        [](uint64_t value, const PauseTicks& pause) { return value < pause.end_ticks; });
    return first_ + static_cast<size_t>(found - latest_.begin());
}

uint64_t PauseTimeline::paused_before(uint64_t ticks) const {
    const size_t index = first_ending_after(ticks);
    if (index == size()) {
        return paused_ticks_;
    }
    const PauseTicks& next = latest_[index - first_];
    if (knows(ticks)) {
        return before_[index - first_] + (ticks - std::min(ticks, next.begin_ticks));
    }
    uint64_t before = 0;
    slices_.for_each([&](uint64_t begin_ticks, const PauseSlice& slice) {
        const uint64_t part = std::min(ticks - std::min(ticks, begin_ticks), slices_.width());
        const double share = static_cast<double>(part) / static_cast<double>(slices_.width());
        before += part == slices_.width()
                      ? slice.ticks
                      : static_cast<uint64_t>(share * static_cast<double>(slice.ticks));
    });
    return std::min(before, before_.front());
}

std::vector<PauseTicks> PauseTimeline::between(uint64_t from, uint64_t to, size_t most) const {
    std::vector<PauseTicks> found;
    for (size_t index = first_ending_after(from); index < size() && found.size() < most; ++index) {
        const PauseTicks& pause = latest_[index - first_];
        if (pause.begin_ticks >= to) {
            break;
        }
        found.push_back(pause);
    }
    return found;
}

void PauseTimeline::count_thread(size_t first, size_t last) {
    last = std::min(last, size());
    if (first >= last) {
        return;
    }
    const auto count = [](std::vector<int64_t>& counts, size_t begin, size_t end) {
        if (begin < end) {
            ++counts[begin];
            --counts[end];  // of the next pause, which may be yet to come
        }
    };
    count(counts_, std::max(first, first_) - first_, std::max(last, first_) - first_);
    if (first < first_) {
        const auto place = [this](size_t number) {
            return static_cast<size_t>(
                std::ranges::lower_bound(kept_, number, {}, &PauseTicks::number) - kept_.begin());
        };
        count(kept_counts_, place(first), place(last));
    }
}

std::vector<PauseTicks> PauseTimeline::rows() const {
    std::vector<PauseTicks> rows = kept_;
    std::vector<int64_t> counts = kept_counts_;
    count_up(rows, counts);
    const size_t older = rows.size();
    rows.insert(rows.end(), latest_.begin(), latest_.end());
    int64_t threads = 0;
    for (size_t index = 0; index < latest_.size(); ++index) {
        threads += counts_[index];
        rows[older + index].threads = static_cast<uint32_t>(threads);
    }
    keep_longest(rows, limits_.longest);
    return rows;
}

PauseTimeline PauseTimeline::without_threads() const {
    PauseTimeline copy = *this;
    std::ranges::fill(copy.counts_, 0);
    std::ranges::fill(copy.kept_counts_, 0);
    for (PauseTicks& pause : copy.kept_) {
        pause.threads = 0;
    }
    return copy;
}

}  // namespace umbra::replay
