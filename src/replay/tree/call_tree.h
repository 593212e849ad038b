// SPDX-License-Identifier: MIT
// The calling-context tree: places where calls happen, and arcs, the calls from one to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "src/base/pair_index.h"
#include "src/replay/tree/arc.h"
#include "src/replay/tree/arc_index.h"
#include "src/replay/tree/histogram.h"
#include "src/replay/tree/lanes.h"
#include "src/replay/tree/limits.h"
#include "src/replay/tree/path_sums.h"
#include "src/replay/tree/reserved_array.h"

namespace umbra::replay {

/// Where things are after a tree has been pruned, by their numbers before.
struct Pruned {
    struct GoneArc {
        uint32_t arc;    ///< number before
        uint32_t edge;   ///< its edge
        uint32_t place;  ///< that has its time now: its target, or the nearest place above it
        bool own;        ///< it is its target's; else it lies below `place`
    };
    std::vector<bool> stays;       ///< places
    std::vector<uint32_t> places;  ///< of one that is gone: of the nearest place above it
    std::vector<uint32_t> arcs;    ///< 0: gone
    std::vector<GoneArc> gone;     ///< by arc, ascending
};

/// All paths of a session. In a full tree each thread has its own, in a folded one all threads
/// share them: what a thread did is told by function (ThreadFunction).
///
/// A call along an arc ends in the arc's target, a place. In a full tree each arc has a place of
/// its own. In a folded one a call of a function that is on the path already ends in that ancestor
/// (G. Ammons, T. Ball, J. R. Larus, PLDI 1997), so that a path holds each function once. Each path
/// has its place from its first call on; when there are more than Limits::folded_arcs arcs, the
/// paths that took least so far are taken away, but none that took Limits::least_share of the time
/// of all threads (compare D. C. D'Elia, C. Demetrescu, I. Finocchi, PLDI 2011). Their time stands
/// below the nearest place above them, and calls and times by edge stay exact. A path called again
/// later begins anew.
///
/// From then on a new path is collapsed at first. Its calls have a row, but what they call has no
/// path: it is added up by caller and callee, in arcs between common places, one for each function,
/// and as one sum below that row. What has come to be worth it expands the path, and so does
/// whoever asks where a call stands, or a call of a function on the path. Most new paths of a large
/// program are taken once, by a short call: they are not made, only to be taken away.
///
/// Arc 0 and place 0 are scratch: calls that find no room (the tree is full) are booked there and
/// forgotten, so that the hot path needs no case for them.
///
/// One thread. Arcs move in prune() alone.
// Fields: the tree, what finds its arcs, what has no path, and what bounds it.
class CallTree {
  public:
    static constexpr uint32_t kNoFunction = Histograms::kNobody;
    static constexpr uint32_t kAllThreads = (1U << 31) - 1;
    /// Number of all threads that share their paths in a full tree.
    static constexpr uint32_t kLaterThreads = kAllThreads - 1;

    explicit CallTree(const Limits& limits);

    /// The common place of a function is kCommon | function. It is no row.
    static constexpr uint32_t kCommon = 1U << 31;
    static constexpr bool is_common(uint32_t place) { return (place & kCommon) != 0; }

    /// Where a new thread begins: a place, always the same in a folded tree, and for kLaterThreads.
    /// 0 when the tree is full.
    uint32_t add_root(uint32_t thread);

    /// The arc of a function called at a place; 0 if there is none yet.
    [[nodiscard]] uint32_t find(uint32_t place, uint32_t function) const {
        return index_.find(arcs_.data(), place, function);
    }
    /// Where a guess at an arc that was looked up lately may stand, by its key: what stands there
    /// is of some arc. Good for life.
    [[nodiscard]] uint32_t* recent() { return recent_.data(); }
    static constexpr size_t recent_slot(uint64_t key) {
        return key * kHashFactor >> (64 - kRecentBits);
    }
    /// Makes it. The scratch arc when the tree is full (counted in lost_calls). `function` must be
    /// valid. `perhaps_above`: false if the function is surely not on the path of the place.
    uint32_t add(uint32_t place, uint32_t function, bool perhaps_above = true);
    /// The arc of a function called at a place, made if need be; see add().
    uint32_t find_or_add(uint32_t place, uint32_t function, bool perhaps_above = true) {
        const uint32_t known = find(place, function);
        return known != 0 ? known : add(place, function, perhaps_above);
    }

    /// The arc that a path of `other` has here, made if need be: from `root` down, function by
    /// function. 0 for the scratch arc, and where there is no room.
    uint32_t adopt(const CallTree& other, uint32_t arc, uint32_t root);
    /// Number of the edge between two functions, made if need be. 0: there is no room for more.
    uint32_t edge(uint32_t caller, uint32_t callee);

    /// There are so many arcs that some paths should go. Folded trees.
    [[nodiscard]] bool crowded() const { return folded() && sums_.targets.size() > crowd_; }
    /// Leaves half as many places as Limits::folded_arcs, or half of those there are: the ones that
    /// took most. None goes that is `needed` (by number), and none above those or above what took
    /// Limits::least_share of the whole.
    Pruned prune(std::vector<bool> needed);

    /// Whether what calls on a collapsed path have called takes so long that they should have
    /// paths.
    [[nodiscard]] bool is_worth(Lanes callees) const { return ticks_of(callees) >= worth_ticks_; }
    /// What was called without a path by a call along an arc, which has a target, took `callees`.
    /// Expands the path if all that was called there is worth it.
    void add_collapsed(uint32_t arc, Lanes callees);
    /// From now on what calls along an arc call has paths.
    void expand(uint32_t arc) { arcs_[arc].inside = sums_.targets[arc]; }

    /// Counts one ended call, which took `ticks`: net_ticks(). `histograms` is histogram_base(),
    /// which loops keep in a register.
    void count(Arc& arc, uint64_t ticks, Histograms::Counter* histograms) {
        if (++arc.calls == 0) [[unlikely]] {
            ++sums_.carried[number(arc)];
        }
        const auto length = static_cast<float>(static_cast<int64_t>(ticks));
        // Branches: a new extreme is rare, and storing the old one again is not free.
        if (length < arc.min_ticks) [[unlikely]] {
            arc.min_ticks = length;
        }
        if (length > arc.max_ticks) [[unlikely]] {
            arc.max_ticks = length;
        }
        histograms_.add(histograms, arc.function(), ticks);
    }
    /// A call that has just been counted is a piece of one that was counted before.
    void take_back_call(Arc& arc) {
        if (arc.calls-- == 0) {
            --sums_.carried[number(arc)];
        }
    }
    /// Both good for life.
    [[nodiscard]] Histograms::Counter* histogram_base() const { return histograms_.base(); }
    [[nodiscard]] Arc* base() const { return arcs_.data(); }

    [[nodiscard]] bool valid(uint32_t function) const { return function - 1 < max_functions_; }
    [[nodiscard]] Arc& at(uint32_t number) const { return arcs_[number]; }
    [[nodiscard]] uint32_t number(const Arc& arc) const {
        return static_cast<uint32_t>(&arc - arcs_.data());
    }
    [[nodiscard]] uint32_t target(uint32_t arc) const { return sums_.targets[arc]; }
    /// Number of the caller and the callee of an arc; from 1. 0: the scratch arc's.
    [[nodiscard]] uint32_t edge_of(uint32_t arc) const { return sums_.edges_of[arc]; }
    [[nodiscard]] uint32_t edge_of(const Arc& arc) const { return sums_.edges_of[number(arc)]; }
    /// The function called at a place, common or not.
    [[nodiscard]] uint32_t function_at(uint32_t place) const {
        return is_common(place) ? place & ~kCommon : sums_.places[place].function;
    }
    [[nodiscard]] const Place& place(uint32_t number) const { return sums_.places[number]; }
    [[nodiscard]] bool folded() const { return limits_.tree == TreeShape::kFolded; }
    [[nodiscard]] uint64_t calls(uint32_t arc) const { return sums_.calls(arcs_[arc], arc); }

    [[nodiscard]] std::span<const Arc> arcs() const { return {arcs_.data(), sums_.targets.size()}; }
    [[nodiscard]] std::span<const Place> places() const { return sums_.places; }
    /// By number of the edge; there is none 0.
    [[nodiscard]] std::span<const EdgeEnds> edges() const { return sums_.edges; }
    /// What has no path is what prune() took away, and what was called on collapsed paths. By edge
    /// it is in this copy; numbers that are not there have none.
    [[nodiscard]] CopiedPaths copy() const;
    /// These calls by place. Those that ended there; and what lies below it, with its whole time
    /// as `self`, and as calls those that were made at the place and then taken away, with
    /// their shortest and longest, and those that made some on a collapsed path.
    [[nodiscard]] const SparseSums<GoneCalls>& gone_here() const { return sums_.gone_here; }
    [[nodiscard]] const SparseSums<GoneCalls>& gone_below() const { return sums_.gone_below; }
    [[nodiscard]] const Histograms& histograms() const { return histograms_; }
    [[nodiscard]] uint64_t lost_calls() const { return lost_calls_; }
    /// Memory in use for arcs, places and what finds them, without histograms.
    [[nodiscard]] size_t bytes() const;

  private:
    static constexpr int kRecentBits = 15;                          ///< 128 KiB
    static constexpr uint64_t kHashFactor = 0x9e3779b97f4a7c15ULL;  ///< 2^64 / golden ratio

    [[nodiscard]] GoneCalls calls_along(uint32_t arc) const;
    /// The place of a function on the path of a place; 0: it is not on it.
    [[nodiscard]] uint32_t ancestor(uint32_t place, uint32_t function) const;
    uint32_t add_place(uint32_t parent, uint32_t function);
    /// By place, what all calls there and below took so far, in ticks.
    [[nodiscard]] std::vector<uint64_t> inclusive_ticks() const;
    /// By place, whether it stays; see prune(). `ticks`: inclusive_ticks().
    [[nodiscard]] std::vector<bool> staying(std::vector<bool> needed,
                                            const std::vector<uint64_t>& ticks) const;
    void move_places(Pruned& pruned);
    void move_gone(const Pruned& pruned);
    void move_arcs(Pruned& pruned);
    void add_gone(uint32_t arc, Pruned& pruned);
    void find_again();

    Limits limits_;
    uint32_t max_functions_;
    Histograms histograms_;
    ReservedArray<Arc> arcs_;
    PathSums sums_;
    std::vector<uint32_t> recent_ = std::vector<uint32_t>(size_t{1} << kRecentBits);
    ArcIndex index_;
    PairIndex edges_;  ///< numbers of edges by caller and callee
    uint32_t shared_root_ = 0;
    size_t crowd_;              ///< of arcs
    bool collapses_ = false;    ///< new paths
    uint64_t worth_ticks_ = 0;  ///< see is_worth()
    uint64_t lost_calls_ = 0;
};

}  // namespace umbra::replay
