// SPDX-License-Identifier: MIT
// A thread slot and its ring in plain memory, and a writer and a reader that work it hard.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <thread>

#include "hotpath/ring.h"
#include "hotpath/slot.h"

namespace umbra::hotpath {

inline constexpr size_t kSlotsPerChunk = kChunkBytes / kSlotBytes;

/// One slot of a segment, zero as a new memfd is.
struct PlainRing {
    ThreadBlock block{};
    std::unique_ptr<uint64_t[]> words = std::make_unique<uint64_t[]>(kRingBytes / kSlotBytes);

    [[nodiscard]] std::byte* memory() const { return reinterpret_cast<std::byte*>(words.get()); }
};

/// What a load looks like. The same seed writes the same records.
struct RingLoad {
    uint32_t threads = 8;           ///< one after the other, all in the same slot
    uint32_t records = 60'000;      ///< each
    bool read_tails = true;         ///< look into chunks that are still being filled
    uint32_t pause_per_mille = 20;  ///< of 1,000 chunks, how many are followed by a yield
    uint64_t seed = 1;
};

/// One thread's life in the slot: records whose ticks count from `thread << 32`.
inline void write_thread(PlainRing& ring, uint32_t thread, const RingLoad& load) {
    while (!claim_slot(ring.block)) {
        std::this_thread::yield();
    }
    const uint64_t first = uint64_t{thread} << 32;
    open_slot(ring.block, thread, first);
    RingWriter writer(ring.block, ring.memory());
    std::minstd_rand dice(static_cast<uint32_t>(load.seed + thread));
    uint64_t* next = nullptr;
    const uint64_t* end = nullptr;
    for (uint64_t i = 0; i < load.records; ++i) {
        if (next == end) {
            while ((next = writer.take()) == nullptr) {
                std::this_thread::yield();
            }
            end = next + kSlotsPerChunk;
            if (dice() % 1000 < load.pause_per_mille) {
                std::this_thread::yield();
            }
        }
        const uint64_t ticks = first + i;
        publish(next, make_slot(Kind::kEnter, 1, static_cast<uint32_t>(i)), ticks);
        next += 2;
    }
    end_slot(ring.block, first + load.records);
}

/// Reads what write_thread wrote. What the contract says may be read without atomics is read
/// without: under ThreadSanitizer each missing order is then a race.
class LoadReader {
  public:
    LoadReader(PlainRing& ring, const RingLoad& load)
        : ring_(ring), load_(load), dice_(static_cast<uint32_t>(load.seed)) {}

    /// Until all threads have come and gone. False: a record was wrong, missing or there twice.
    [[nodiscard]] bool run() {
        for (uint32_t thread = 1; thread <= load_.threads; ++thread) {
            if (!read_thread(thread)) {
                return false;
            }
        }
        return true;
    }

  private:
    bool read_thread(uint32_t thread) {
        SlotState state = SlotState::kFree;
        while ((state = slot_state(ring_.block)) != SlotState::kLive &&
               state != SlotState::kEnded) {
            std::this_thread::yield();
        }
        if (ring_.block.os_tid != thread || ring_.block.start_ticks != uint64_t{thread} << 32) {
            return false;
        }
        expected_ = uint64_t{thread} << 32;
        read_ = 0;
        RingReader reader(ring_.block, ring_.memory());
        bool ended = false;
        while (!ended) {
            ended = slot_state(ring_.block) == SlotState::kEnded;
            if (!read_chunks(reader, ended)) {
                return false;
            }
            if (!ended && dice_() % 4 == 0) {
                keep_back(reader);
            }
        }
        if (ring_.block.end_ticks != expected_ || expected_ % (1ULL << 32) != load_.records) {
            return false;
        }
        std::memset(ring_.memory(), 0, kRingBytes);
        free_slot(ring_.block);
        return true;
    }

    bool read_chunks(RingReader& reader, bool ended) {
        for (;;) {
            const RingReader::View view = reader.front(ended);
            if (view.slots == nullptr) {
                return true;
            }
            if (!view.complete) {
                return !load_.read_tails || read_tail(view.slots);
            }
            for (; read_ < kSlotsPerChunk && slot_written(view.slots[read_]); read_ += 2) {
                if (!check(view.slots[read_], view.slots[read_ + 1])) {
                    return false;
                }
            }
            std::memset(view.slots, 0, kChunkBytes);
            read_ = 0;
            static_cast<void>(reader.recycle());
        }
    }

    bool read_tail(uint64_t* slots) {
        for (; read_ < kSlotsPerChunk; read_ += 2) {
            const uint64_t slot =
                std::atomic_ref<uint64_t>(slots[read_]).load(std::memory_order_acquire);  // G
            if (!slot_written(slot)) {
                return true;
            }
            if (!check(slot, slots[read_ + 1])) {
                return false;
            }
        }
        return true;
    }

    bool check(uint64_t slot, uint64_t ticks) {
        const bool right = ticks == expected_ && slot_operand(slot) == uint32_t(expected_);
        ++expected_;
        return right;
    }

    /// Takes grants back and hands them out again, as for a thread that fell quiet.
    void keep_back(RingReader& reader) {
        const uint32_t back = reader.reclaim(static_cast<uint32_t>(1 + dice_() % 3));
        const uint32_t first = reader.granted() + kChunksPerRing;
        for (uint32_t i = 0; i < back; ++i) {
            std::memset(reader.chunk(first + i), 0, kChunkBytes);
        }
        if (back != 0) {
            static_cast<void>(reader.grant(back));
        }
    }

    PlainRing& ring_;
    const RingLoad load_;
    std::minstd_rand dice_;
    uint64_t expected_ = 0;
    size_t read_ = 0;  // slots of the front chunk
};

/// Runs a load on two threads, the reader on this one.
[[nodiscard]] inline bool run_load(const RingLoad& load) {
    PlainRing ring;
    std::thread writer([&] {
        for (uint32_t thread = 1; thread <= load.threads; ++thread) {
            write_thread(ring, thread, load);
        }
    });
    const bool sound = LoadReader(ring, load).run();
    if (sound) {
        writer.join();
    } else {
        writer.detach();  // it may wait for ever for a reader that gave up
    }
    return sound;
}

}  // namespace umbra::hotpath
