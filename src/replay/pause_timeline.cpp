// SPDX-License-Identifier: MIT
#include "src/replay/pause_timeline.h"

#include <algorithm>

namespace umbra::replay {

bool PauseTimeline::add(PauseTicks pause) {
    if (pauses_.size() >= max_pauses_) {
        return false;
    }
    uint64_t sum = 0;
    if (!pauses_.empty()) {
        const PauseTicks& last = pauses_.back();
        pause.begin_ticks = std::max(pause.begin_ticks, last.end_ticks);
        sum = sums_.back() + (last.end_ticks - last.begin_ticks);
    }
    pause.end_ticks = std::max(pause.end_ticks, pause.begin_ticks);
    pause.suspended_ticks = std::clamp(pause.suspended_ticks, pause.begin_ticks, pause.end_ticks);
    pauses_.push_back(pause);
    sums_.push_back(sum);
    counts_.push_back(0);  // behind the last
    return true;
}

size_t PauseTimeline::first_ending_after(uint64_t ticks, size_t start) const {
    const auto begin = pauses_.begin() + static_cast<ptrdiff_t>(std::min(start, pauses_.size()));
    const auto found = std::upper_bound(
        begin, pauses_.end(), ticks,
        [](uint64_t value, const PauseTicks& pause) { return value < pause.end_ticks; });
    return static_cast<size_t>(found - pauses_.begin());
}

uint64_t PauseTimeline::sum_before(uint64_t ticks) const {
    const size_t index = first_ending_after(ticks);
    if (index == pauses_.size()) {
        return index == 0 ? 0
                          : sums_.back() + (pauses_.back().end_ticks - pauses_.back().begin_ticks);
    }
    const uint64_t begin = pauses_[index].begin_ticks;
    return sums_[index] + (ticks > begin ? ticks - begin : 0);
}

uint64_t PauseTimeline::overlap(uint64_t from, uint64_t to) const {
    return from < to ? sum_before(to) - sum_before(from) : 0;
}

void PauseTimeline::count_thread(size_t first, size_t last) {
    last = std::min(last, pauses_.size());
    if (first < last) {
        ++counts_[first];
        --counts_[last];  // of the next pause, which may be yet to come
    }
}

std::vector<PauseTicks> PauseTimeline::rows() const {
    std::vector<PauseTicks> rows = pauses_;
    int64_t threads = 0;
    for (size_t index = 0; index < rows.size(); ++index) {
        threads += counts_[index];
        rows[index].threads = static_cast<uint32_t>(threads);
    }
    return rows;
}

}  // namespace umbra::replay
