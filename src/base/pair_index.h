// SPDX-License-Identifier: MIT
// PairIndex: from two numbers to a third, by open addressing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "src/base/huge_pages.h"
#include "src/base/pair_hash.h"

namespace umbra {

/// A hash table with linear probing, at most half full: 16 bytes a place. A value of 0 means "not
/// there". One thread.
class PairIndex {
  public:
    /// 0 if the pair was never set.
    [[nodiscard]] uint32_t find(uint32_t a, uint32_t b) const { return slots_[place(a, b)].value; }

    /// The value of a pair; 0, to be replaced by another, if it was not there. Good until the next
    /// call.
    uint32_t& at(uint32_t a, uint32_t b) {
        if ((used_ + 1) * 2 > slots_.size()) {
            grow();
        }
        Slot& slot = slots_[place(a, b)];
        if (slot.value == 0) {
            slot.a = a;
            slot.b = b;
            ++used_;
        }
        return slot.value;
    }

    /// Forgets all pairs, and keeps the memory.
    void clear() {
        slots_.assign(slots_.size(), Slot{});
        used_ = 0;
    }

    [[nodiscard]] size_t bytes() const { return slots_.size() * sizeof(Slot); }

  private:
    struct Slot {
        uint32_t a;
        uint32_t b;
        uint32_t value;
        uint32_t unused;
    };
    using Slots = std::vector<Slot, HugePageAllocator<Slot>>;
    static constexpr size_t kFirstSlots = 16;

    /// Of the pair, or where it would be.
    [[nodiscard]] size_t place(uint32_t a, uint32_t b) const {
        const size_t mask = slots_.size() - 1;
        size_t at = pair_hash(a, b) >> 32 & mask;
        while (slots_[at].value != 0 && (slots_[at].a != a || slots_[at].b != b)) {
            at = (at + 1) & mask;
        }
        return at;
    }

    void grow() {
        Slots smaller(slots_.size() * 2);
        smaller.swap(slots_);
        for (const Slot& slot : smaller) {
            if (slot.value != 0) {
                slots_[place(slot.a, slot.b)] = slot;
            }
        }
    }

    Slots slots_ = Slots(kFirstSlots);
    size_t used_ = 0;
};

}  // namespace umbra
