// SPDX-License-Identifier: MIT
// The shared segment: what lies where in the memfd that target and collector both map.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace umbra::hotpath {

// memfd, sparse; only touched pages exist:
//
//   0               SegmentHeader
//   kThreadsOffset  ThreadBlock[kMaxThreads]
//   kRingsOffset    ring of thread slot 0, ring of thread slot 1, ...   (kRingBytes each)
//
// The agent makes it, seals it against shrinking and growing, and sends the descriptor to the
// collector. Everything in it is hostile input to the collector, and costs the target nothing but
// its profile when the collector scribbles on it.

inline constexpr uint64_t kSegmentMagic = 0x31'30'61'72'62'6d'75ULL;  // "umbra01"
inline constexpr uint32_t kSegmentVersion = 1;

inline constexpr size_t kChunkBytes = size_t{64} * 1024;
inline constexpr uint32_t kChunksPerRing = 32;  // a power of two: chunk counters wrap
inline constexpr size_t kRingBytes = kChunkBytes * kChunksPerRing;
inline constexpr uint32_t kMaxThreads = 4096;

static_assert((kChunksPerRing & (kChunksPerRing - 1)) == 0);

/// Life of a thread slot: who may move it stands behind each arrow.
///   kFree -(thread)-> kClaimed -(thread)-> kLive -(thread)-> kEnded -(collector)-> kFree
enum class SlotState : uint32_t {
    kFree = 0,     ///< ring empty and all zero
    kClaimed = 1,  ///< taken by a thread that has not yet filled in who it is
    kLive = 2,
    kEnded = 3,  ///< the thread is gone; what it wrote waits to be drained
};

/// One thread's place in the segment. Fields are written by the thread unless said otherwise.
struct alignas(64) ThreadBlock {
    std::atomic<SlotState> state;  ///< see SlotState
    uint32_t os_tid;               ///< written before kLive, then constant
    uint64_t start_ticks;          ///< before kLive, then constant
    uint64_t end_ticks;            ///< written before kEnded

    /// Hand-over counters of the ring, both modulo 2^32: chunks granted anew (low half,
    /// moved by the collector) and chunks taken by it (high half, moved by the thread). One word,
    /// so that the collector can take back a grant the thread has not used. See ring.h.
    alignas(64) std::atomic<uint64_t> ring;
    std::atomic<uint32_t> waiting;  ///< 1: the thread sleeps until the grant moves

    alignas(64) std::atomic<uint64_t> lost;  ///< events dropped because the ring was full, in sum
};
static_assert(sizeof(ThreadBlock) == 192);
static_assert(std::is_trivially_destructible_v<ThreadBlock>);
static_assert(std::atomic<uint64_t>::is_always_lock_free);
static_assert(std::atomic<SlotState>::is_always_lock_free);

struct SegmentHeader {
    uint64_t magic;
    uint32_t version;
    uint32_t max_threads;
    uint32_t chunks_per_ring;
    uint32_t chunk_bytes;
    uint64_t total_bytes;
    uint64_t start_ticks;  ///< when the agent started; time 0 of the session

    /// 1 while the collector sleeps on this word; who hands over a chunk wakes it.
    alignas(64) std::atomic<uint32_t> collector_asleep;

    alignas(64) std::atomic<uint32_t> threads_seen;  ///< slots ever claimed lie below this
    std::atomic<uint64_t> lost_no_slot;              ///< events of threads that found no slot
    std::atomic<uint64_t> functions_refused;         ///< not hooked because the registry was full
    std::atomic<uint64_t> missed_hooks;  ///< compiled without the hooks they should have had
};
static_assert(sizeof(SegmentHeader) <= 4096);

inline constexpr size_t kThreadsOffset = 4096;
inline constexpr size_t kRingsOffset =
    (kThreadsOffset + kMaxThreads * sizeof(ThreadBlock) + kChunkBytes - 1) / kChunkBytes *
    kChunkBytes;
inline constexpr uint64_t kSegmentBytes = kRingsOffset + uint64_t{kMaxThreads} * kRingBytes;

/// Where the ring of a thread slot begins.
constexpr uint64_t ring_offset(uint32_t slot) {
    return kRingsOffset + uint64_t{slot} * kRingBytes;
}

}  // namespace umbra::hotpath
