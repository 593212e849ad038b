// SPDX-License-Identifier: MIT
// The calling-context tree: places where calls happen, and arcs, the calls from one to another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <unordered_map>
#include <vector>

#include "src/base/pair_index.h"
#include "src/replay/tree/histogram.h"
#include "src/replay/tree/lanes.h"
#include "src/replay/tree/limits.h"
#include "src/replay/tree/reserved_array.h"

namespace umbra::replay {

/// All calls of one function out of one place: what the replay adds up. One cache line.
struct alignas(64) Arc {
    uint64_t key;    ///< CallTree::key of the place it comes from and the function
    uint32_t calls;  ///< calls ended, modulo 2^32; see CallTree::calls
    uint32_t edge;   ///< number of its caller and callee; from 1
    /// Guesses, arc numbers or 0. A call mostly repeats what happened last time at this place:
    uint32_t first;  ///< the arc its callee called first
    uint32_t next;   ///< the arc its caller called after this one
    /// net_ticks(); infinite before the first call ends; rounded to 24 bits, as max_ticks.
    float min_ticks;
    float max_ticks;
    Lanes self;   ///< of the calls ended, without their callees
    Lanes total;  ///< with callees; calls inside another call along the same edge add nothing
};
static_assert(sizeof(Arc) == 64);

/// A row of the tree.
struct Place {
    uint32_t parent;    ///< a smaller number; 0 for a root
    uint32_t function;  ///< index, or CallTree::kNoFunction for roots and the scratch place
    /// The place whose merged places take the calls made here that are not worth one of their own:
    /// an ancestor, or itself.
    uint32_t context;
    uint32_t thread : 31;  ///< number of the thread, or CallTree::kAllThreads
    uint32_t merged : 1;   ///< holds all calls of its function, below its parent, that are merged
};

/// All paths of a session. In a full tree each thread has its own, in a folded one all threads
/// share them: what a thread did is told by function (ThreadFunction).
///
/// A call along an arc ends in the arc's target, a place. In a full tree each arc has a place of
/// its own. In a folded one
/// - a call of a function that is on the path already ends in that ancestor (G. Ammons, T. Ball,
///   J. R. Larus, PLDI 1997), so that a path holds each function once;
/// - paths that are not worth a row of their own end in merged places: one for each function below
///   a context, whatever lies between. What is called there is merged below that context as well.
///   Each of their arcs still tells caller and callee, so calls and times by edge stay exact.
/// Which paths are worth it is found out as the program runs (compare D. C. D'Elia, C. Demetrescu,
/// I. Finocchi, PLDI 2011): the first Limits::eager_places are kept; later ones begin merged, and
/// are given a place once their calls took Limits::least_share of the time of all threads. Contexts
/// are few: the root, and places that took Limits::context_share. A context for each kept place
/// would multiply the arcs of all that is merged by the number of paths.
///
/// Arc 0 and place 0 are scratch: calls that find no room (the tree is full) are booked there and
/// forgotten, so that the hot path needs no case for them.
///
/// One thread. Arcs never move.
class CallTree {
  public:
    static constexpr uint32_t kNoFunction = Histograms::kNobody;
    static constexpr uint32_t kAllThreads = (1U << 31) - 1;
    /// Number of all threads that share their paths in a full tree.
    static constexpr uint32_t kLaterThreads = kAllThreads - 1;

    explicit CallTree(const Limits& limits);

    static constexpr uint64_t key(uint32_t place, uint32_t function) {
        return uint64_t{place} << 32 | function;
    }
    static constexpr uint32_t source(const Arc& arc) {
        return static_cast<uint32_t>(arc.key >> 32);
    }
    static constexpr uint32_t function(const Arc& arc) { return static_cast<uint32_t>(arc.key); }

    /// Where a new thread begins: a place, always the same in a folded tree, and for kLaterThreads.
    /// 0 when the tree is full.
    uint32_t add_root(uint32_t thread);

    /// The arc of a function called at a place; 0 if there is none yet.
    [[nodiscard]] uint32_t find(uint32_t place, uint32_t function) const {
        return index_.find(place, function);
    }
    /// Where the number of an arc that was looked up lately may stand, by its key. What stands
    /// there is the number of some arc. Good for life.
    [[nodiscard]] uint32_t* recent() { return recent_.data(); }
    static constexpr size_t recent_slot(uint64_t key) {
        return key * kHashFactor >> (64 - kRecentBits);
    }
    /// Makes it. The scratch arc when the tree is full (counted in lost_calls). `function` must be
    /// valid.
    uint32_t add(uint32_t place, uint32_t function);
    /// Where a call is to be looked up that is made at `place`: there, or, once a folded tree has
    /// no more room, at the place of the same function right below the root.
    [[nodiscard]] uint32_t lookup_place(uint32_t place);
    /// The arc of a function called at a place, there or where it is to be looked up, made if need
    /// be.
    uint32_t find_or_add(uint32_t place, uint32_t function);

    /// The arc that a path of `other` has here, made if need be: from `root` down, function by
    /// function. 0 for the scratch arc, and where there is no room.
    uint32_t adopt(const CallTree& other, uint32_t arc, uint32_t root);
    /// Number of the edge between two functions, made if need be.
    uint32_t edge(uint32_t caller, uint32_t callee);

    /// Gives a place of its own to each path whose calls took `ticks` or more. Folded trees.
    void keep_hot(double ticks);
    /// Arcs that keep_hot() looks at.
    [[nodiscard]] size_t candidates() const { return candidates_.size(); }
    /// The same for one arc, which is worth it: true if it has one now. `ticks`: what its calls
    /// took.
    bool keep(uint32_t arc, double ticks);
    /// What a place has to have taken to become a context; of the time of all threads so far.
    void set_context_ticks(double ticks) { context_ticks_ = ticks; }

    /// Counts one ended call, which took `ticks`: net_ticks(). `histograms` is histogram_base(),
    /// which loops keep in a register.
    void count(Arc& arc, uint64_t ticks, Histograms::Counter* histograms) {
        if (++arc.calls == 0) [[unlikely]] {
            ++carried_[number(arc)];
        }
        const auto length = static_cast<float>(static_cast<int64_t>(ticks));
        // Branches: a new extreme is rare, and storing the old one again is not free.
        if (length < arc.min_ticks) [[unlikely]] {
            arc.min_ticks = length;
        }
        if (length > arc.max_ticks) [[unlikely]] {
            arc.max_ticks = length;
        }
        histograms_.add(histograms, function(arc), ticks);
    }
    /// Both good for life.
    [[nodiscard]] Histograms::Counter* histogram_base() const { return histograms_.base(); }
    [[nodiscard]] Arc* base() const { return arcs_.data(); }

    [[nodiscard]] bool valid(uint32_t function) const { return function - 1 < max_functions_; }
    [[nodiscard]] Arc& at(uint32_t number) const { return arcs_[number]; }
    [[nodiscard]] uint32_t number(const Arc& arc) const {
        return static_cast<uint32_t>(&arc - arcs_.data());
    }
    [[nodiscard]] uint32_t target(uint32_t arc) const { return targets_[arc]; }
    [[nodiscard]] const Place& place(uint32_t number) const { return places_[number]; }
    [[nodiscard]] bool kept(uint32_t place) const { return places_[place].merged == 0; }
    [[nodiscard]] bool folded() const { return limits_.tree == TreeShape::kFolded; }
    /// New paths begin merged.
    [[nodiscard]] bool lazy() const { return folded() && kept_ >= limits_.eager_places; }
    [[nodiscard]] uint64_t calls(uint32_t arc) const;

    [[nodiscard]] std::span<const Arc> arcs() const { return {arcs_.data(), targets_.size()}; }
    [[nodiscard]] std::span<const uint32_t> targets() const { return targets_; }
    [[nodiscard]] std::span<const Place> places() const { return places_; }
    [[nodiscard]] const std::unordered_map<uint32_t, uint64_t>& carried() const { return carried_; }
    [[nodiscard]] const Histograms& histograms() const { return histograms_; }
    /// All functions with an arc have a smaller index.
    [[nodiscard]] uint32_t function_end() const { return function_end_; }
    [[nodiscard]] uint64_t lost_calls() const { return lost_calls_; }
    /// Memory in use for arcs, places and what finds them, without histograms.
    [[nodiscard]] size_t bytes() const;

  private:
    static constexpr int kRecentBits = 15;                          ///< 128 KiB
    static constexpr uint64_t kHashFactor = 0x9e3779b97f4a7c15ULL;  ///< 2^64 / golden ratio

    /// A folded tree goes on below its root when it is full, where there are no more arcs than
    /// callers and callees.
    [[nodiscard]] size_t most_arcs() const {
        return folded() ? 4 * size_t{limits_.max_folded_arcs} : limits_.max_arcs;
    }
    uint32_t resolve(uint32_t place, uint32_t function);
    uint32_t add_place(uint32_t parent, uint32_t function, bool kept);
    uint32_t merged_place(uint32_t context, uint32_t function);
    [[nodiscard]] uint32_t ancestor(uint32_t place, uint32_t function) const;
    [[nodiscard]] uint32_t root(uint32_t place) const;

    Limits limits_;
    uint32_t max_functions_;
    Histograms histograms_;
    ReservedArray<Arc> arcs_;
    std::vector<uint32_t> targets_;  ///< by arc
    std::vector<Place> places_;
    std::vector<uint32_t> recent_ = std::vector<uint32_t>(size_t{1} << kRecentBits);
    PairIndex index_;                                 ///< arcs by place and function
    PairIndex merged_;                                ///< merged places by context and function
    PairIndex edges_;                                 ///< numbers of edges by caller and callee
    std::vector<uint32_t> candidates_;                ///< arcs from kept places to merged ones
    std::unordered_map<uint32_t, uint64_t> carried_;  ///< by arc: overflows of Arc::calls
    uint32_t function_end_ = 1;
    uint32_t edge_count_ = 0;
    uint32_t shared_root_ = 0;
    size_t kept_ = 0;
    size_t contexts_ = 0;
    double context_ticks_ = 0;
    uint64_t lost_calls_ = 0;
};

}  // namespace umbra::replay
