// SPDX-License-Identifier: MIT
// A map by async keys, in one array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace umbra::replay {

/// Open addressing with linear probing, at most half full: what is looked up lies in one line of
/// the cache. Keys are not 0, which stands for a place that is free. One thread.
template <typename Value>
class KeyMap {
  public:
    /// Null: it is not there. Good until something is put in or taken.
    [[nodiscard]] Value* find(uint32_t key) {
        const size_t at = place(key);
        return is_there(at) ? &slots_[at].value : nullptr;
    }
    [[nodiscard]] const Value* find(uint32_t key) const {
        const size_t at = place(key);
        return is_there(at) ? &slots_[at].value : nullptr;
    }
    /// The value of a key that is not 0, made where there is none.
    Value& operator[](uint32_t key) {
        if ((size_ + 1) * 2 > slots_.size()) {
            grow();
        }
        Slot& slot = slots_[place(key)];
        if (slot.key == 0) {
            slot.key = key;
            ++size_;
        }
        return slot.value;
    }
    void erase(uint32_t key) {
        size_t hole = place(key);
        if (!is_there(hole)) {
            return;
        }
        // What was put in behind it because its own place was taken moves up.
        const size_t mask = slots_.size() - 1;
        for (size_t at = (hole + 1) & mask; slots_[at].key != 0; at = (at + 1) & mask) {
            if (((at - home(slots_[at].key)) & mask) >= ((at - hole) & mask)) {
                slots_[hole] = std::move(slots_[at]);
                hole = at;
            }
        }
        slots_[hole] = Slot{};
        --size_;
    }
    /// Keeps the memory.
    void clear() {
        slots_.assign(slots_.size(), Slot{});
        size_ = 0;
    }

    [[nodiscard]] size_t size() const { return size_; }
    void for_each(const auto& change) {
        for (Slot& slot : slots_) {
            if (slot.key != 0) {
                change(slot.value);
            }
        }
    }

  private:
    struct Slot {
        uint32_t key = 0;
        Value value{};
    };
    static constexpr unsigned kFirstBits = 4;

    /// Ids of tasks follow one another, and are asked for near each other: eight lie together.
    /// Eights are spread by multiplying with 2^32 over the golden ratio, which keeps those that
    /// follow one another apart (Knuth, The Art of Computer Programming, 6.4).
    [[nodiscard]] size_t home(uint32_t key) const {
        return ((key >> 3) * 0x9e3779b1U >> shift_ & ~7U) | (key & 7U);
    }

    [[nodiscard]] bool is_there(size_t at) const {
        return at < slots_.size() && slots_[at].key != 0;
    }

    /// Of the key, or where it would be; where there is no place at all, 0.
    [[nodiscard]] size_t place(uint32_t key) const {
        if (slots_.empty()) {
            return 0;
        }
        const size_t mask = slots_.size() - 1;
        size_t at = home(key);
        while (slots_[at].key != 0 && slots_[at].key != key) {
            at = (at + 1) & mask;
        }
        return at;
    }

    void grow() {
        shift_ -= slots_.empty() ? 0U : 1U;
        std::vector<Slot> smaller(size_t{1} << (32 - shift_));
        smaller.swap(slots_);
        for (Slot& slot : smaller) {
            if (slot.key != 0) {
                slots_[place(slot.key)] = std::move(slot);
            }
        }
    }

    std::vector<Slot> slots_;
    unsigned shift_ = 32 - kFirstBits;  ///< from 32 bits to those of an index
    size_t size_ = 0;
};

}  // namespace umbra::replay
