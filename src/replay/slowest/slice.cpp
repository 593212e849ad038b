// SPDX-License-Identifier: MIT
// Merging of short slices: the longest stay as they are.
#include "src/replay/slowest/slice.h"

#include <algorithm>
#include <limits>
#include <unordered_map>

namespace umbra::replay {
namespace {

constexpr uint32_t kLeftOut = Slice::kNoParent;

/// Merges slices into others, or leaves them as they are.
class Merger {
  public:
    /// Slices of `least_ticks` or more stay. `flat`: what is in a merged slice is left out.
    Merger(uint64_t least_ticks, bool flat, std::vector<uint32_t>& moved)
        : least_ticks_(least_ticks), flat_(flat), moved_(moved) {}

    std::vector<Slice> merge(const std::vector<Slice>& slices) {
        moved_.clear();
        moved_.reserve(slices.size());
        for (const Slice& slice : slices) {
            moved_.push_back(add(slice));
        }
        return std::move(out_);
    }

  private:
    struct Key {
        uint32_t parent;
        uint32_t function;
        uint32_t kind;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        size_t operator()(const Key& key) const {
            constexpr uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
            const uint64_t words = (uint64_t{key.parent} << 32 | key.function) * kOdd + key.kind;
            return static_cast<size_t>(words ^ words >> 29);
        }
    };

    /// The new number; kLeftOut: it has none.
    uint32_t add(const Slice& slice) {
        if (slice.parent == Slice::kNoParent) {
            return append(slice, Slice::kNoParent);
        }
        const uint32_t parent = moved_[slice.parent];
        if (parent == kLeftOut || (flat_ && merged_[parent])) {
            return kLeftOut;
        }
        if (slice.open() || slice.ticks >= least_ticks_) {
            const uint32_t number = append(slice, parent);
            last_whole_[parent] = number;
            return number;
        }
        const auto next = static_cast<uint32_t>(out_.size());
        uint32_t& group =
            groups_.try_emplace({parent, slice.function, slice.kind}, next).first->second;
        if (group == next || group < last_whole_[parent] || !has_room(out_[group], slice)) {
            group = append(slice, parent);
            merged_[group] = true;
        } else {
            out_[group].ticks += slice.ticks;
            out_[group].calls += slice.calls;
        }
        return group;
    }

    static bool has_room(const Slice& group, const Slice& slice) {
        return group.calls <= std::numeric_limits<uint32_t>::max() - slice.calls;
    }

    uint32_t append(const Slice& slice, uint32_t parent) {
        out_.push_back(slice);
        out_.back().parent = parent;
        merged_.push_back(false);
        last_whole_.push_back(0);
        return static_cast<uint32_t>(out_.size() - 1);
    }

    const uint64_t least_ticks_;
    const bool flat_;
    std::vector<uint32_t>& moved_;
    std::vector<Slice> out_;
    std::vector<bool> merged_;
    std::vector<uint32_t> last_whole_;  ///< in each: the last slice that was not merged
    std::unordered_map<Key, uint32_t, Hash> groups_;  ///< the last of each kind
};

/// So that `most` slices are as long or longer, as far as there are so many that are over.
uint64_t length_of_longest(const std::vector<Slice>& slices, size_t most) {
    std::vector<uint64_t> lengths;
    for (const Slice& slice : slices) {
        if (!slice.open()) {
            lengths.push_back(slice.ticks);
        }
    }
    if (most == 0 || lengths.empty()) {
        return Slice::kOpen;
    }
    const size_t last = std::min(most, lengths.size()) - 1;
    const auto place = lengths.begin() + static_cast<std::ptrdiff_t>(last);
    std::ranges::nth_element(lengths, place, std::greater<>());
    return *place + 1;  // of many that are as long none would go
}

}  // namespace

void shorten(std::vector<Slice>& slices, size_t most, std::vector<uint32_t>& moved) {
    for (size_t whole = most / 2;; whole /= 8) {
        std::vector<Slice> shorter =
            Merger(length_of_longest(slices, whole), false, moved).merge(slices);
        if (shorter.size() <= most) {
            slices.swap(shorter);
            return;
        }
        if (whole == 0) {
            slices = Merger(Slice::kOpen, true, moved).merge(slices);
            return;
        }
    }
}

}  // namespace umbra::replay
