// SPDX-License-Identifier: MIT
// The per-thread ring of chunks in shared memory: its contract, and the two handles to its halves.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "hotpath/ordered.h"
#include "hotpath/record.h"
#include "hotpath/segment.h"

namespace umbra::hotpath {

// clang-format off
// Kind            SPSC, bounded, a ring of kChunksPerRing chunks of kChunkBytes. Records are written
//                 one by one; chunks change hands.
// Who             RingWriter: the thread that owns the ThreadBlock, from its stubs and callbacks.
//                 RingReader: the collector's drain thread, in another process.
// Promises        A record whose slot 0 is written (slot_written) is whole. Records of a thread
//                 arrive in order, none twice. A complete chunk may be read without atomics. A reader that stops never
//                 corrupts the writer; a writer killed at any instruction leaves every published
//                 record readable. No locked instruction and no fence for each record: one
//                 compare-and-swap for each chunk.
// Not promised    Order between threads. Space: a full ring is the caller's decision (wait or drop).
// States of a     free, granted -(writer: take)-> filling -(writer: take of the next)-> full
// chunk           full -(reader: zeroes or punches it, grant)-> granted
//                 granted -(reader: reclaim)-> free -(reader: punches it, grant)-> granted
//
// Ordering        letter | operation                            | order   | why
//                 A  writer CAS ring.taken+1 (release half)     | seq_cst | the finished chunk is
//                    / reader load ring, B                      |         | there
//                 B  reader load ring / writer CAS, A           | seq_cst | before reading the chunk;
//                                                               |         | after asleep=1, see F
//                 C  reader CAS ring.granted+n (release half)   | seq_cst | the zeroes are there before
//                    / writer CAS, A (acquire half)             |         | the chunk is refilled
//                 D  writer waiting=1, then load ring           | seq_cst | one of the two sees the
//                    / reader CAS C, then load waiting          |         | other: no lost wake-up
//                 E  writer state=kEnded / reader load of state | rel/acq | last records, end_ticks
//                 F  reader asleep=1, then load ring, B         | seq_cst | no lost wake-up of the
//                    / writer CAS A, then load asleep, if its   |         | collector
//                    ring is a quarter full                     |         |
//                 G  writer store of slot 0 / reader load of it | rel/acq | the payload is there
//                    in the chunk being filled                  |         | (x86: program order)
//                 H  writer state=kLive / reader load of state  | rel/acq | tid and start are there
//                 I  reader state=kFree / writer CAS to         | rel/acq | the ring is zero and its
//                    kClaimed                                   |         | counters are reset
//                 seq_cst only where D and F need it: a store must not pass a later load. These two
//                 guard progress, not data: both sleeps also end by time. E, H and I stand in
//                 slot.h; G stands in publish() and, as plain stores, in the stubs.
//
// Wrap            granted and taken count modulo 2^32; only differences are used, and these are at
//                 most kChunksPerRing.
// Loss            Ring full while dropping: counted in ThreadBlock::lost when the discard area is
//                 emptied (every 256 events, at a new chunk, at the thread's end), and marked by a
//                 kLost record at the place of the gap. What lay in that area when the process was
//                 killed is not counted.
// Lifetime        A ring belongs to its slot; the writer of one thread ends before the next begins.
// clang-format on

/// The two counters in ThreadBlock::ring. A word of 0 is a fresh ring: every chunk may be taken.
struct RingWord {
    uint32_t granted;  ///< chunks granted beyond the first kChunksPerRing
    uint32_t taken;    ///< chunks taken since the thread began

    static constexpr RingWord unpack(uint64_t word) {
        return {static_cast<uint32_t>(word), static_cast<uint32_t>(word >> 32)};
    }
    [[nodiscard]] constexpr uint64_t pack() const { return (uint64_t{taken} << 32) | granted; }
    /// Chunks the writer may still take.
    [[nodiscard]] constexpr uint32_t available() const { return granted + kChunksPerRing - taken; }
};

/// Writes a slot of a record behind its slot 0.
inline void store_payload(uint64_t& slot, uint64_t value) noexcept {
    std::atomic_ref<uint64_t>(slot).store(value, std::memory_order_relaxed);
}

/// Writes a record's time, then publishes it by its slot 0: its payload is there. `at` must have
/// room.
inline void publish(uint64_t* at, uint64_t slot0, uint64_t ticks) noexcept {
    store_payload(at[1], ticks);
    std::atomic_ref<uint64_t>(at[0]).store(slot0, ordered('G', std::memory_order_release));
}

/// The writing half: moves from chunk to chunk. What is written into a chunk between two `take`s is
/// the stubs' affair (or `publish`).
class RingWriter {
  public:
    RingWriter(ThreadBlock& block, std::byte* ring) noexcept : block_(block), ring_(ring) {}

    /// Hands over the chunk being filled (if any) and takes the next. Null: the ring is full.
    uint64_t* take() noexcept {
        uint64_t seen = block_.ring.load(std::memory_order_relaxed);
        for (;;) {
            const RingWord word = RingWord::unpack(seen);
            if (word.available() == 0 || word.available() > kChunksPerRing) {
                return nullptr;  // full; or a word the other side has scribbled on
            }
            const RingWord next{word.granted, word.taken + 1};
            // A, C
            if (block_.ring.compare_exchange_weak(seen, next.pack(),
                                                  take_order(std::memory_order_seq_cst),
                                                  std::memory_order_relaxed)) {
                const size_t chunk = word.taken & (kChunksPerRing - 1);
                return reinterpret_cast<uint64_t*>(ring_ + chunk * kChunkBytes);
            }
        }
    }

    /// Says that the writer is about to sleep; answers the grant to sleep on, or false in `sleep`
    /// when a chunk has come meanwhile.
    uint32_t announce_wait(bool& sleep) noexcept {
        block_.waiting.store(1, std::memory_order_seq_cst);  // D
        const RingWord word = RingWord::unpack(block_.ring.load(std::memory_order_seq_cst));
        sleep = word.available() == 0;
        return word.granted;
    }
    /// Moves whenever the collector gives chunks or takes some back, and only then: its sign of
    /// life. Orders nothing.
    [[nodiscard]] uint32_t granted() const noexcept {
        return RingWord::unpack(block_.ring.load(std::memory_order_relaxed)).granted;
    }
    void end_wait() noexcept { block_.waiting.store(0, std::memory_order_relaxed); }

    /// Whether a sleeping collector is to be woken: it looks by itself every few milliseconds, and
    /// a system call for each chunk would be dear.
    [[nodiscard]] bool fills_up() const noexcept {
        return RingWord::unpack(block_.ring.load(std::memory_order_relaxed)).available() <=
               kChunksPerRing - kChunksPerRing / 4;
    }

  private:
    // The mutants of A and C weaken the same instruction: dropping A keeps acquire, dropping C
    // keeps release.
    static constexpr std::memory_order take_order(std::memory_order order) {
        if (ordered('A', order) != order) {
            return std::memory_order_acquire;
        }
        return ordered('C', order) != order ? std::memory_order_release : order;
    }

    ThreadBlock& block_;
    std::byte* ring_;
};

/// The reading half. Keeps its own count of what it has drained and granted: the shared word is
/// only believed within what is possible.
class RingReader {
  public:
    /// `start`: what the ring's word says now, all that was taken being recycled; 0 for a new
    /// thread.
    RingReader(ThreadBlock& block, std::byte* ring, RingWord start = {}) noexcept
        : block_(block), ring_(ring), drained_(start.taken), granted_(start.granted) {}

    struct View {
        uint64_t* slots = nullptr;
        bool complete = false;  ///< false: the writer may still be filling it
    };

    /// The oldest chunk not yet recycled; `slots` is null when the writer has not begun one.
    /// `ended`: the writer is known to be gone, so that its last chunk is complete too. A counter
    /// that cannot be is taken for an empty ring.
    [[nodiscard]] View front(bool ended) const noexcept {
        const RingWord word =
            RingWord::unpack(block_.ring.load(ordered('B', std::memory_order_seq_cst)));
        const uint32_t begun = word.taken - drained_;
        if (begun == 0 || begun > kChunksPerRing) {
            return {};
        }
        return {chunk(drained_), begun > 1 || ended};
    }

    /// Gives back the front chunk, which must be zero again, unless the writer is gone and all of
    /// the ring will be cleared before its slot is free. True: the writer sleeps and wants a futex
    /// wake on `grant_word()`.
    [[nodiscard]] bool recycle() noexcept {
        ++drained_;
        return grant(1);
    }

    /// Takes back grants the writer has not used, all but `keep`. Answers how many; their chunks
    /// are the reader's until `grant`.
    uint32_t reclaim(uint32_t keep) noexcept {
        uint64_t seen = block_.ring.load(std::memory_order_relaxed);
        for (;;) {
            const RingWord word = RingWord::unpack(seen);
            if (word.granted != granted_ || word.available() > kChunksPerRing ||
                word.available() <= keep) {
                return 0;
            }
            const uint32_t back = word.available() - keep;
            const RingWord next{word.granted - back, word.taken};
            // Relaxed: the writer has never touched these chunks, and sees them again through C.
            if (block_.ring.compare_exchange_weak(seen, next.pack(), std::memory_order_relaxed,
                                                  std::memory_order_relaxed)) {
                granted_ -= back;
                return back;
            }
        }
    }

    /// Grants `count` more chunks; they must be zero. True: wake the writer.
    [[nodiscard]] bool grant(uint32_t count) noexcept {
        uint64_t seen = block_.ring.load(std::memory_order_relaxed);
        for (;;) {
            const RingWord word = RingWord::unpack(seen);
            const RingWord next{granted_ + count, word.taken};
            // C, D
            if (block_.ring.compare_exchange_weak(seen, next.pack(),
                                                  ordered('C', std::memory_order_seq_cst),
                                                  std::memory_order_relaxed)) {
                break;
            }
        }
        granted_ += count;
        return block_.waiting.load(std::memory_order_seq_cst) != 0;  // D
    }

    /// The 32-bit word a waiting writer sleeps on.
    [[nodiscard]] uint32_t* grant_word() const noexcept {
        return reinterpret_cast<uint32_t*>(&block_.ring);  // low half: little endian
    }

    /// Number of the front chunk: chunks recycled so far.
    [[nodiscard]] uint32_t drained() const noexcept { return drained_; }
    [[nodiscard]] uint32_t granted() const noexcept { return granted_; }
    [[nodiscard]] uint64_t* chunk(uint32_t number) const noexcept {
        return reinterpret_cast<uint64_t*>(ring_ + (number & (kChunksPerRing - 1)) * kChunkBytes);
    }

  private:
    ThreadBlock& block_;
    std::byte* ring_;
    uint32_t drained_;
    uint32_t granted_;
};

}  // namespace umbra::hotpath
