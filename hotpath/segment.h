// SPDX-License-Identifier: MIT
// The shared segment: what lies where in the memfd that target and collector both map.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace umbra::hotpath {

// memfd, sparse; only touched pages exist:
//
//   0                SegmentHeader
//   kWatchedOffset   one byte for each function index: 0, or whose slowest calls are kept: the
//                    number of the request, from 1
//   kMethodsOffset   RegisteredMethod[kMaxFunctions], by function index
//   kModulesOffset   RegisteredModule[kRegisteredModules], by module index
//   kNamesOffset     RegisteredThread[kRegisteredThreads], by the thread's number
//   kPausesOffset    PauseEntry[kPauseEntries], a ring: the last suspensions of the runtime
//   kThreadsOffset   ThreadBlock[kMaxThreads]
//   kRingsOffset     ring of thread slot 0, ring of thread slot 1, ...   (kRingBytes each)
//
// The agent makes it, seals it against shrinking and growing, and sends the descriptor to the
// collector. Everything in it is hostile input to the collector, and costs the target nothing but
// its profile when the collector scribbles on it.

inline constexpr uint64_t kSegmentMagic = 0x31'30'61'72'62'6d'75ULL;  // "umbra01"
inline constexpr uint32_t kSegmentVersion = 9;

inline constexpr size_t kChunkBytes = size_t{64} * 1024;
inline constexpr uint32_t kChunksPerRing = 32;  // a power of two: chunk counters wrap
inline constexpr size_t kRingBytes = kChunkBytes * kChunksPerRing;
inline constexpr uint32_t kMaxThreads = 5120;        ///< alive at once
inline constexpr uint32_t kMaxFunctions = 1U << 20;  ///< function indexes lie below this
/// A function index the agent gives to none: the collector's for what a thread did before umbra
/// came.
inline constexpr uint32_t kBeforeStartIndex = 1;
inline constexpr uint32_t kPauseEntries = 4096;  ///< a power of two: their count wraps

static_assert((kChunksPerRing & (kChunksPerRing - 1)) == 0);

/// The clock of a segment's ticks.
enum class ClockSource : uint32_t {
    kCounter = 0,  ///< the processor's, see hotpath/counter.h
    kOs = 1,       ///< CLOCK_MONOTONIC_RAW, in nanoseconds
};

/// What the stubs cost on this machine, in ticks, measured at start on the very stubs. A pair is an
/// enter and a leave; "inside" is the part between their two clock readings (in the callee's time),
/// "outside" the rest (in the caller's).
struct ProbeCosts {
    float inside = 0;
    float outside = 0;

    [[nodiscard]] constexpr float pair() const { return inside + outside; }
};

/// One suspension of all managed threads. The runtime makes one at a time.
struct alignas(64) PauseEntry {
    /// Number of this suspension, from 1, stored last (release); another number: being written, or
    /// overwritten.
    std::atomic<uint64_t> number;
    uint64_t suspend_ticks;    ///< the runtime began to stop threads
    uint64_t suspended_ticks;  ///< all stood still
    uint64_t resume_ticks;     ///< the runtime let them go
    uint32_t os_tid;           ///< of the thread that did it
    uint32_t reason;           ///< COR_PRF_SUSPEND_REASON
    uint32_t generations;  ///< bit g: a garbage collection of generation g ran (3 = large objects,
                           ///< 4 = pinned)
    uint32_t collections;  ///< garbage collections begun in it
};
static_assert(sizeof(PauseEntry) == 64);

/// Which method a function index stands for. The agent writes it before the function's first event,
/// while names are sent later, by a thread of their own: of a function that has none when the
/// process has ended, the collector finds it by this.
struct RegisteredMethod {
    std::atomic<uint64_t> word;  ///< 0: not registered

    static constexpr uint64_t pack(uint32_t module, uint32_t token) {
        return uint64_t{module} << 32 | token;
    }
    static constexpr uint32_t module(uint64_t word) { return static_cast<uint32_t>(word >> 32); }
    static constexpr uint32_t token(uint64_t word) { return static_cast<uint32_t>(word); }
};
static_assert(sizeof(RegisteredMethod) == 8);

/// A module that functions are registered of, written before the first of them. Modules with a
/// greater index or a longer path are known by the agent's messages alone.
struct RegisteredModule {
    std::atomic<uint32_t> path_bytes;  ///< stored last (release); 0: nothing is here
    uint32_t runtime;                  ///< number of the runtime that has loaded it
    uint32_t framework;                ///< 1: part of the runtime
    std::array<char, 500> path;        ///< as the runtime opened it
};
static_assert(sizeof(RegisteredModule) == 512);
inline constexpr uint32_t kRegisteredModules = 4096;

/// What a managed thread is called. The agent writes it when the thread begins, before its first
/// event, while names are sent later: of a process that has ended before, the collector finds it by
/// this. Of two threads with one place the later one is here.
struct alignas(64) RegisteredThread {
    std::atomic<uint32_t> os_tid;  ///< stored last (release); 0: none, or it is being written
    std::array<char, 60> name;     ///< UTF-8, cut between characters, zeros behind it
};
static_assert(sizeof(RegisteredThread) == 64);
inline constexpr uint32_t kRegisteredThreads = 4096;

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
    uint64_t start_cpu_ns;         ///< CPU time of the thread at start_ticks; 0: not known
    uint64_t end_cpu_ns;           ///< CPU time of the thread at end_ticks; 0: not known

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
    ClockSource clock;
    ProbeCosts probe_costs;

    /// 1 while the collector sleeps on this word; who hands over a chunk of a ring that fills up
    /// wakes it.
    alignas(64) std::atomic<uint32_t> collector_asleep;

    alignas(64) std::atomic<uint32_t> threads_seen;  ///< slots ever claimed lie below this
    std::atomic<uint64_t> lost_no_slot;              ///< events of threads that found no slot
    std::atomic<uint64_t> functions_refused;         ///< not hooked because the registry was full
    std::atomic<uint64_t> missed_hooks;     ///< compiled without the hooks they should have had
    std::atomic<uint64_t> methods_refused;  ///< whose IL cannot take probes
    std::atomic<uint64_t> pauses;           ///< suspensions ever written to the pause ring
    std::atomic<uint32_t> cut_off;  ///< 1: the agent lost its connection, and records no more
};
static_assert(sizeof(SegmentHeader) <= 4096);

inline constexpr size_t kWatchedOffset = 4096;
inline constexpr size_t kTraitsOffset = kWatchedOffset + kMaxFunctions;
inline constexpr size_t kMethodsOffset = kTraitsOffset + kMaxFunctions;
inline constexpr size_t kModulesOffset = kMethodsOffset + kMaxFunctions * sizeof(RegisteredMethod);
inline constexpr size_t kNamesOffset =
    kModulesOffset + kRegisteredModules * sizeof(RegisteredModule);
inline constexpr size_t kPausesOffset =
    kNamesOffset + kRegisteredThreads * sizeof(RegisteredThread);
inline constexpr size_t kThreadsOffset = kPausesOffset + kPauseEntries * sizeof(PauseEntry);
inline constexpr size_t kRingsOffset =
    (kThreadsOffset + kMaxThreads * sizeof(ThreadBlock) + kChunkBytes - 1) / kChunkBytes *
    kChunkBytes;
inline constexpr uint64_t kSegmentBytes = kRingsOffset + uint64_t{kMaxThreads} * kRingBytes;

/// The bytes of watched functions, kMaxFunctions. Written by the agent before a function's first
/// event, read by the collector.
inline uint8_t* watched_functions(void* segment) {
    return static_cast<uint8_t*>(segment) + kWatchedOffset;
}

/// What a function is, bits of the byte that function_traits() has for it.
inline constexpr uint8_t kStateMachine = 1;   ///< MoveNext of an async method's state machine
inline constexpr uint8_t kAsyncIterator = 2;  ///< ... or of an async iterator's
inline constexpr uint8_t kRuntimeAsync = 4;   ///< code that the runtime suspends
inline constexpr uint8_t kTaskStub = 8;       ///< ... what hands out its task: never timed

/// By function index, kMaxFunctions. Written by the agent before a function's first event, read by
/// the collector.
inline uint8_t* function_traits(void* segment) {
    return static_cast<uint8_t*>(segment) + kTraitsOffset;
}

/// By function index, kMaxFunctions.
inline RegisteredMethod* registered_methods(void* segment) {
    return reinterpret_cast<RegisteredMethod*>(static_cast<std::byte*>(segment) + kMethodsOffset);
}
/// By module index, kRegisteredModules.
inline RegisteredModule* registered_modules(void* segment) {
    return reinterpret_cast<RegisteredModule*>(static_cast<std::byte*>(segment) + kModulesOffset);
}

/// By registered_place(), kRegisteredThreads.
inline RegisteredThread* registered_threads(void* segment) {
    return reinterpret_cast<RegisteredThread*>(static_cast<std::byte*>(segment) + kNamesOffset);
}
/// Of a thread, by its number in the target.
constexpr uint32_t registered_place(uint32_t os_tid) {
    return os_tid % kRegisteredThreads;
}

/// Where the ring of a thread slot begins.
constexpr uint64_t ring_offset(uint32_t slot) {
    return kRingsOffset + uint64_t{slot} * kRingBytes;
}

}  // namespace umbra::hotpath
