// SPDX-License-Identifier: MIT
// Slices: what happened inside one call, in order, and how a long list of them is shortened.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace umbra::replay {

/// What is left of a time; never below 0.
inline uint64_t without(uint64_t ticks, uint64_t part) {
    return ticks - std::min(part, ticks);
}

/// A call inside a recorded call, or an interval in which the thread did not run its code. Calls of
/// one function may share a slice, see SliceShortener.
struct Slice {
    enum Kind : uint32_t {
        kCall,
        kOffCpu,  ///< the thread was off the processors
        kWaited,  ///< the thread waited for the collector
        // Of an async call:
        kRunning,   ///< it ran on a thread
        kAwaiting,  ///< what it awaited was not there
        kQueued,    ///< ... was there, and no thread had taken it up again
    };
    static constexpr uint64_t kOpen = UINT64_MAX;
    static constexpr uint32_t kNoParent = UINT32_MAX;

    uint64_t begin_ticks;  ///< of the first
    uint64_t ticks;        ///< of all together; kOpen: the call goes on
    /// Function index; of kRunning the thread's number, of kAwaiting a row of AsyncSums::waits, of
    /// other intervals 0.
    uint32_t function;
    uint32_t parent;  ///< slice that it happened in, a smaller number; kNoParent: the first
    uint32_t calls;   ///< that share the slice; of intervals as well
    Kind kind;

    [[nodiscard]] bool open() const { return ticks == kOpen; }
};
static_assert(sizeof(Slice) == 32);

/// Shortens lists of slices: of the shortest, those of the same function (or kind) and the same
/// parent with no longer one between them become one, and so do the slices in them. Open slices,
/// and the first one, stay. Slices keep their order and stand behind their parents.
///
/// Sums of Slice::calls shrink by the calls left out; times are those of whole slices, so what is
/// left out is still in its caller's. One thread. Keeps its memory: 16 bytes a slice, and an entry
/// of a hash map for each group of merged ones.
class SliceShortener {
  public:
    /// Has at most `most` slices left, if that can be done. If merging does not suffice the slices
    /// in merged ones are left out.
    void shorten(std::vector<Slice>& slices, size_t most);
    /// Merges slices shorter than `least_ticks` among those from number `first` on.
    void merge_from(std::vector<Slice>& slices, size_t first, uint64_t least_ticks);

    /// What shorten() has merged was shorter than this; 0: it took more than that.
    [[nodiscard]] uint64_t least_ticks() const { return least_ticks_; }
    /// The new number of a slice that is open, by the one before the last call of either.
    [[nodiscard]] uint32_t moved(uint32_t number) const {
        return number < first_ ? number : moved_[number - first_];
    }

  private:
    static constexpr uint32_t kLeftOut = Slice::kNoParent;

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
    /// Merging of slices shorter than `least_ticks`, in place.
    struct Pass {
        std::vector<Slice>& slices;
        uint64_t least_ticks;
        bool flat;      ///< what is in a merged slice is left out
        uint32_t size;  ///< slices that are done

        uint32_t append(const Slice& slice, uint32_t parent);
        [[nodiscard]] bool is_merged(uint32_t number) const;
    };

    void merge(std::vector<Slice>& slices, size_t first, uint64_t least_ticks, bool flat);
    /// The new number; kLeftOut: it has none.
    uint32_t add(Pass& pass, const Slice& slice);
    /// So that `most` slices are as long or longer, as far as there are so many that are over.
    uint64_t length_of_longest(const std::vector<Slice>& slices, size_t most);

    uint64_t least_ticks_ = 0;
    size_t first_ = 0;
    std::vector<uint32_t> moved_;  ///< by number less first_
    /// By slice: the last one in it that was not merged, of this pass or an earlier one.
    std::vector<uint32_t> last_whole_;
    std::unordered_map<Key, uint32_t, Hash> groups_;  ///< the last of each kind
    std::vector<uint64_t> lengths_;
};

}  // namespace umbra::replay
