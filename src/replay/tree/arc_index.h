// SPDX-License-Identifier: MIT
// ArcIndex: arcs by place and function.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/huge_pages.h"
#include "src/base/pair_hash.h"
#include "src/replay/tree/arc.h"

namespace umbra::replay {

/// A hash table with linear probing, at most half full, of guesses at arcs: four bytes a slot, as
/// the keys stand in the arcs, and whoever finds one needs it next. `arcs`: all of them, by number.
/// One thread.
class ArcIndex {
  public:
    /// 0 if there is none.
    [[nodiscard]] uint32_t find(const Arc* arcs, uint32_t place, uint32_t function) const {
        const size_t mask = slots_.size() - 1;
        for (size_t at = home(place, function) & mask; slots_[at] != 0; at = (at + 1) & mask) {
            const uint32_t arc = ArcGuess::arc(slots_[at]);
            if (ArcGuess::may_be(slots_[at], function) &&
                arcs[arc].key == Arc::key_of(place, function)) {
                return arc;
            }
        }
        return 0;
    }

    /// The arcs 1 .. `arc` are there; those before it were already.
    void add(const Arc* arcs, uint32_t arc) {
        if (size_t{arc} * 2 > slots_.size()) {
            slots_ = Slots(slots_.size() * 2);
            add_all(arcs, arc);
        } else {
            put(arcs[arc], arc);
        }
    }

    /// The arcs 1 .. `last` are there, and no others.
    void begin_again(const Arc* arcs, uint32_t last) {
        std::ranges::fill(slots_, 0U);
        add_all(arcs, last);
    }

    [[nodiscard]] size_t bytes() const { return slots_.size() * sizeof(uint32_t); }

  private:
    using Slots = std::vector<uint32_t, HugePageAllocator<uint32_t>>;
    static constexpr size_t kFirstSlots = 16;

    static size_t home(uint32_t place, uint32_t function) {
        return pair_hash(place, function) >> 32;
    }
    void put(const Arc& arc, uint32_t number) {
        const size_t mask = slots_.size() - 1;
        size_t at = home(arc.source(), arc.function()) & mask;
        while (slots_[at] != 0) {
            at = (at + 1) & mask;
        }
        slots_[at] = ArcGuess::of(number, arc.function());
    }
    void add_all(const Arc* arcs, uint32_t last) {
        for (uint32_t arc = 1; arc <= last; ++arc) {
            put(arcs[arc], arc);
        }
    }

    Slots slots_ = Slots(kFirstSlots);
};

}  // namespace umbra::replay
