// SPDX-License-Identifier: MIT
// Merging of short slices: the longest stay as they are.
#include "src/replay/slowest/slice.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace umbra::replay {
namespace {

bool has_room(const Slice& group, const Slice& slice) {
    return group.calls <= std::numeric_limits<uint32_t>::max() - slice.calls;
}

}  // namespace

uint32_t SliceShortener::Pass::append(const Slice& slice, uint32_t parent) {
    // In place: never behind the slice that is being looked at, of which `slice` is a copy.
    slices[size] = slice;
    slices[size].parent = parent;
    return size++;
}

bool SliceShortener::Pass::is_merged(uint32_t number) const {
    const Slice& slice = slices[number];
    return slice.parent != Slice::kNoParent && !slice.open() && slice.ticks < least_ticks;
}

uint32_t SliceShortener::add(Pass& pass, const Slice& slice) {
    if (slice.parent == Slice::kNoParent) {
        return pass.append(slice, Slice::kNoParent);
    }
    const uint32_t parent = moved(slice.parent);
    if (parent == kLeftOut || (pass.flat && pass.is_merged(parent))) {
        return kLeftOut;
    }
    if (slice.open() || slice.ticks >= pass.least_ticks) {
        last_whole_[parent] = pass.append(slice, parent);
        return last_whole_[parent];
    }
    uint32_t& group =
        groups_.try_emplace({parent, slice.function, slice.kind}, pass.size).first->second;
    // A number from an earlier pass is smaller than those of this one's groups.
    if (group == pass.size || group < last_whole_[parent] || !has_room(pass.slices[group], slice)) {
        group = pass.append(slice, parent);
    } else {
        pass.slices[group].ticks += slice.ticks;
        pass.slices[group].calls += slice.calls;
    }
    return group;
}

void SliceShortener::merge(std::vector<Slice>& slices, size_t first, uint64_t least_ticks,
                           bool flat) {
    first_ = first;
    groups_.clear();
    moved_.clear();
    moved_.reserve(slices.size() - first);
    last_whole_.resize(std::max(last_whole_.size(), slices.size()));
    std::fill(last_whole_.begin() + static_cast<std::ptrdiff_t>(first), last_whole_.end(), 0);
    Pass pass{.slices = slices,
              .least_ticks = least_ticks,
              .flat = flat,
              .size = static_cast<uint32_t>(first)};
    for (size_t number = first; number < slices.size(); ++number) {
        const Slice slice = slices[number];
        moved_.push_back(add(pass, slice));
    }
    slices.resize(pass.size);
}

void SliceShortener::merge_from(std::vector<Slice>& slices, size_t first, uint64_t least_ticks) {
    merge(slices, first, least_ticks, false);
}

uint64_t SliceShortener::length_of_longest(const std::vector<Slice>& slices, size_t most) {
    lengths_.clear();
    for (const Slice& slice : slices) {
        if (!slice.open()) {
            lengths_.push_back(slice.ticks);
        }
    }
    if (most == 0 || lengths_.empty()) {
        return Slice::kOpen;
    }
    const size_t last = std::min(most, lengths_.size()) - 1;
    const auto place = lengths_.begin() + static_cast<std::ptrdiff_t>(last);
    std::ranges::nth_element(lengths_, place, std::greater<>());
    return *place + 1;  // of many that are as long none would go
}

void SliceShortener::shorten(std::vector<Slice>& slices, size_t most) {
    std::vector<uint32_t> moved;
    const auto merge_more = [&](uint64_t least_ticks, bool flat) {
        merge(slices, 0, least_ticks, flat);
        // Numbers are those of before the first pass.
        if (moved.empty()) {
            moved.swap(moved_);
            return;
        }
        for (uint32_t& number : moved) {
            number = number == kLeftOut ? kLeftOut : moved_[number];
        }
    };
    for (size_t whole = most / 2;; whole /= 8) {
        least_ticks_ = whole == 0 ? 0 : length_of_longest(slices, whole);
        merge_more(whole == 0 ? Slice::kOpen : least_ticks_, false);
        if (slices.size() <= most || whole == 0) {
            break;
        }
    }
    if (slices.size() > most) {
        merge_more(Slice::kOpen, true);
    }
    moved_.swap(moved);
}

}  // namespace umbra::replay
