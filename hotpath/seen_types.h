// SPDX-License-Identifier: MIT
// SeenTypes: the types that records of async calls carry, each once.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace umbra::hotpath {

/// Kind          multi-producer hash set of bounded size, and the list of what has come into it.
/// Who           note: any thread, in a probe. The rest: the thread that names types, one at a
/// time. Promises      A type that is noted again and again is listed once, until it is forgotten.
/// Not promised  A place for every type: kCapacity from one clear() to the next.
/// States        a slot: empty -> type (note) -> forgotten (forget), and so it stays.
/// Ordering      A  slot: relaxed; it tells of nothing but itself
///               B  entry of the list: release by note, acquire by at
/// Loss          lost(): types that were met when there was no room; they have no name.
/// Lifetime      of the process.
class SeenTypes {
  public:
    static constexpr uint32_t kCapacity = 1U << 14;

    /// A MethodTable's address, and the number of the runtime it is of: the address is below 2^48.
    static constexpr uint64_t pack(uint64_t address, uint32_t runtime) {
        return uint64_t{runtime} << kAddressBits | address;
    }
    static constexpr uint64_t address_of(uint64_t type) {
        return type & ((uint64_t{1} << kAddressBits) - 1);
    }
    static constexpr uint32_t runtime_of(uint64_t type) {
        return static_cast<uint32_t>(type >> kAddressBits);
    }

    void note(uint64_t type) noexcept {
        for (uint32_t slot = first_slot(type), probes = 0; probes < kMostProbes;
             slot = (slot + 1) & (kSlots - 1), ++probes) {
            uint64_t there = slots_[slot].load(std::memory_order_relaxed);  // A
            if (there == 0 &&
                slots_[slot].compare_exchange_strong(there, type, std::memory_order_relaxed)) {
                return list(type);
            }
            if (there == type) {
                return;
            }
        }
        lost_.fetch_add(1, std::memory_order_relaxed);
    }

    /// Entries that are listed, or are about to be.
    [[nodiscard]] uint32_t count() const noexcept {
        const uint32_t listed = listed_.load(std::memory_order_relaxed);
        return listed < kCapacity ? listed : kCapacity;
    }
    /// An entry below count(); 0: it is about to be listed.
    [[nodiscard]] uint64_t at(uint32_t entry) const noexcept {
        return list_[entry].load(std::memory_order_acquire);  // B
    }
    /// The type's address may soon be another's: it is listed again when it is next met.
    void forget(uint64_t type) noexcept {
        for (uint32_t slot = first_slot(type), probes = 0; probes < kMostProbes;
             slot = (slot + 1) & (kSlots - 1), ++probes) {
            uint64_t there = type;
            if (slots_[slot].compare_exchange_strong(there, kForgotten,
                                                     std::memory_order_relaxed)) {
                return;
            }
        }
    }
    /// Calls of note() that found no room.
    [[nodiscard]] uint64_t lost() const noexcept { return lost_.load(std::memory_order_relaxed); }

    /// Only while no thread is in a probe.
    void clear() noexcept {
        for (std::atomic<uint64_t>& slot : slots_) {
            slot.store(0, std::memory_order_relaxed);
        }
        for (std::atomic<uint64_t>& entry : list_) {
            entry.store(0, std::memory_order_relaxed);
        }
        listed_.store(0, std::memory_order_relaxed);
        lost_.store(0, std::memory_order_relaxed);
    }

  private:
    static constexpr uint32_t kAddressBits = 48;
    static constexpr uint32_t kSlots = kCapacity * 2;
    static constexpr uint32_t kMostProbes = 64;
    static constexpr uint64_t kForgotten = 1;

    static uint32_t first_slot(uint64_t type) noexcept {
        return static_cast<uint32_t>(type * 0x9e3779b97f4a7c15ULL >> 45) & (kSlots - 1);
    }
    void list(uint64_t type) noexcept {
        const uint32_t entry = listed_.fetch_add(1, std::memory_order_relaxed);
        if (entry < kCapacity) {
            list_[entry].store(type, std::memory_order_release);  // B
        } else {
            lost_.fetch_add(1, std::memory_order_relaxed);
        }
    }

    std::array<std::atomic<uint64_t>, kSlots> slots_{};
    std::array<std::atomic<uint64_t>, kCapacity> list_{};
    std::atomic<uint32_t> listed_{0};
    std::atomic<uint64_t> lost_{0};
};
static_assert(std::atomic<uint64_t>::is_always_lock_free);

/// That of the process.
[[nodiscard]] SeenTypes& seen_types() noexcept;

}  // namespace umbra::hotpath
