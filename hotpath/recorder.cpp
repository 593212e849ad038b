// SPDX-License-Identifier: MIT
// The slow path of the probes: claims thread slots, changes chunks, waits or drops, ends threads.
#include "hotpath/recorder.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>

#include <cpuid.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hotpath/clock.h"
#include "hotpath/ring.h"

using umbra::hotpath::ThreadCursor;

extern "C" {
volatile uint32_t umbra_probes_off = 1;
uint64_t umbra_xsave_mask = 0;
uint64_t umbra_xsave_bytes = 0;
thread_local constinit ThreadCursor umbra_cursor{};
}

namespace umbra::hotpath {
namespace {

constexpr size_t kDiscardBytes = 4096;  // a thread that drops looks for room every 256 events
constexpr long kWaitSliceNs = 100'000'000;
constexpr int kWaitSlices = 50;  // 5 s without a chunk: the collector has stalled, drop instead

struct State {
    RecorderOptions options;
    ThreadBlock* threads = nullptr;
    pthread_key_t thread_end_key = 0;
    std::atomic<std::byte*> rings[kMaxThreads];  // mappings stay: a slot is used again and again
};
State g_state;

long futex(const void* word, int operation, uint32_t value, const timespec* timeout) noexcept {
    return syscall(SYS_futex, word, operation, value, timeout, nullptr, 0);
}

void wake_collector() noexcept {
    std::atomic<uint32_t>& asleep = g_state.options.header->collector_asleep;
    if (asleep.load(std::memory_order_seq_cst) != 0) {  // F
        asleep.store(0, std::memory_order_relaxed);
        futex(&asleep, FUTEX_WAKE, 1, nullptr);
    }
}

// The stubs leave a thread alone whose cursor is null as soon as probes are off.
void park(ThreadCursor& cursor) noexcept {
    cursor.next = nullptr;
    cursor.limit = nullptr;
    cursor.end = nullptr;
    cursor.discarding = false;
}

void enter_area(ThreadCursor& cursor, uint64_t* begin, size_t bytes) noexcept {
    cursor.next = begin;
    cursor.end = begin + bytes / kSlotBytes;
    cursor.limit = cursor.end - 1;
}

uint64_t count_events(const uint64_t* at, const uint64_t* end) noexcept {
    uint64_t events = 0;
    while (at < end) {
        ++events;
        const uint64_t slot = *at;
        at += slot_timed(slot) ? 2 : 1;
        if (slot_kind(slot) == Kind::kControl) {
            at += control_payload_slots(static_cast<ControlType>(slot_index(slot)));
        }
    }
    return events;
}

// Counts what went into the discard area and empties it.
void settle_discard(ThreadCursor& cursor) noexcept {
    if (!cursor.discarding) {
        return;
    }
    const uint64_t events = count_events(cursor.discard, cursor.next);
    cursor.next = cursor.discard;
    if (cursor.block != nullptr) {
        cursor.block->lost.fetch_add(events, std::memory_order_relaxed);
        cursor.pending_lost += events;
    } else {
        g_state.options.header->lost_no_slot.fetch_add(events, std::memory_order_relaxed);
    }
}

bool begin_discard(ThreadCursor& cursor) noexcept {
    if (cursor.discard == nullptr) {
        void* area = mmap(nullptr, kDiscardBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (area == MAP_FAILED) {
            park(cursor);
            return false;
        }
        cursor.discard = static_cast<uint64_t*>(area);
    }
    cursor.discarding = true;
    enter_area(cursor, cursor.discard, kDiscardBytes);
    return true;
}

std::byte* map_ring(uint32_t slot) noexcept {
    std::byte* ring = g_state.rings[slot].load(std::memory_order_relaxed);
    if (ring != nullptr) {
        return ring;
    }
    void* mapped = mmap(nullptr, kRingBytes, PROT_READ | PROT_WRITE, MAP_SHARED,
                        g_state.options.segment_fd, static_cast<off_t>(ring_offset(slot)));
    if (mapped == MAP_FAILED) {
        return nullptr;
    }
    ring = static_cast<std::byte*>(mapped);
    g_state.rings[slot].store(ring, std::memory_order_relaxed);  // the slot is ours: no race
    return ring;
}

bool claim_slot(ThreadCursor& cursor) noexcept {
    SegmentHeader& header = *g_state.options.header;
    for (uint32_t slot = 0; slot < kMaxThreads; ++slot) {
        ThreadBlock& block = g_state.threads[slot];
        SlotState expected = SlotState::kFree;
        if (block.state.load(std::memory_order_relaxed) != SlotState::kFree ||
            !block.state.compare_exchange_strong(expected, SlotState::kClaimed,
                                                 std::memory_order_acquire,  // I
                                                 std::memory_order_relaxed)) {
            continue;
        }
        std::byte* ring = map_ring(slot);
        if (ring == nullptr || pthread_setspecific(g_state.thread_end_key, &block) != 0) {
            block.state.store(SlotState::kFree, std::memory_order_release);
            return false;
        }
        block.os_tid = static_cast<uint32_t>(syscall(SYS_gettid));
        block.serial = header.next_serial.fetch_add(1, std::memory_order_relaxed) + 1;
        block.start_ticks = read_ticks();
        uint32_t seen = header.threads_seen.load(std::memory_order_relaxed);
        while (seen <= slot && !header.threads_seen.compare_exchange_weak(
                                   seen, slot + 1, std::memory_order_relaxed)) {
        }
        cursor.block = &block;
        cursor.ring = ring;
        block.state.store(SlotState::kLive, std::memory_order_release);  // H
        return true;
    }
    return false;
}

// Sleeps until the collector has given a chunk back. Null: probes went off, or it has stalled.
uint64_t* wait_for_chunk(ThreadCursor& cursor) noexcept {
    RingWriter writer(*cursor.block, cursor.ring);
    const timespec slice{0, kWaitSliceNs};
    uint64_t* chunk = nullptr;
    for (int i = 0; i < kWaitSlices && chunk == nullptr && umbra_probes_off == 0; ++i) {
        bool sleep = false;
        const uint32_t granted = writer.announce_wait(sleep);
        if (sleep) {
            futex(&cursor.block->ring, FUTEX_WAIT, granted, &slice);
        }
        chunk = writer.take();
    }
    writer.end_wait();
    return chunk;
}

void append(ThreadCursor& cursor, ControlType type, uint32_t operand, uint64_t ticks,
            uint64_t payload) noexcept {
    const uint64_t slots[] = {ticks, payload};
    const size_t count = 1 + control_payload_slots(type);
    publish(cursor.next, make_slot(Kind::kControl, static_cast<uint32_t>(type), true, operand),
            slots, count);
    cursor.next += 1 + count;
}

// Puts the cursor into an area with room for the largest record. False: the event is dropped.
bool make_room(ThreadCursor& cursor) noexcept {
    const int saved_errno = errno;
    if (umbra_probes_off != 0) {
        settle_discard(cursor);
        park(cursor);
        return false;
    }
    settle_discard(cursor);
    if (cursor.block == nullptr && !claim_slot(cursor)) {
        const bool room = begin_discard(cursor);
        errno = saved_errno;
        return room;
    }
    uint64_t* chunk = RingWriter(*cursor.block, cursor.ring).take();
    uint64_t wait_begin = 0;
    if (chunk == nullptr && !g_state.options.drop_when_full && !cursor.discarding) {
        wake_collector();
        wait_begin = read_ticks();
        chunk = wait_for_chunk(cursor);
    }
    if (chunk == nullptr) {
        const bool room = umbra_probes_off == 0 && begin_discard(cursor);
        if (!room) {
            park(cursor);
        }
        errno = saved_errno;
        return room;
    }
    cursor.discarding = false;
    enter_area(cursor, chunk, kChunkBytes);
    wake_collector();
    const uint64_t now = read_ticks();
    if (wait_begin != 0) {
        cursor.block->waits.fetch_add(1, std::memory_order_relaxed);
        cursor.block->wait_ticks.fetch_add(now - wait_begin, std::memory_order_relaxed);
        append(cursor, ControlType::kWaited, 0, now, wait_begin);
    }
    if (cursor.pending_lost != 0) {
        const uint64_t lost = cursor.pending_lost;
        append(cursor, ControlType::kLost,
               lost > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(lost), now, 0);
        cursor.pending_lost = 0;
    }
    errno = saved_errno;
    return true;
}

// Runs as the thread ends (destructor of the thread-specific key). A probe of a later destructor
// finds a null cursor and claims a slot anew.
void end_thread(void* value) noexcept {
    auto* block = static_cast<ThreadBlock*>(value);
    ThreadCursor& cursor = umbra_cursor;
    settle_discard(cursor);
    if (cursor.discard != nullptr) {
        munmap(cursor.discard, kDiscardBytes);
    }
    cursor = ThreadCursor{};
    block->end_ticks = read_ticks();
    block->state.store(SlotState::kEnded, ordered('E', std::memory_order_release));
    if (umbra_probes_off == 0) {
        wake_collector();
    }
}

// The child of a fork shares the rings but is not ours to record: it goes quiet at once.
void after_fork_in_child() noexcept {
    umbra_probes_off = 1;
    umbra_cursor = ThreadCursor{};
    pthread_setspecific(g_state.thread_end_key, nullptr);
}

// What XSAVE must save so that the slow path may be ordinary code: every vector component the
// system has enabled. x87 (bit 0) is left out: neither the hooks nor libc's system calls touch it,
// and AMX (bits 17, 18) belongs to no calling convention.
void choose_vector_save() noexcept {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    constexpr unsigned kOsXsave = 1U << 27;
    if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kOsXsave) == 0) {
        return;
    }
    unsigned low = 0;
    unsigned high = 0;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    constexpr unsigned kVectors = 0xe6;  // SSE, AVX, AVX-512 opmask, ZMM_Hi256, Hi16_ZMM
    const unsigned mask = low & kVectors;
    uint64_t bytes = 512 + 64;  // legacy area and header
    for (unsigned component = 2; component < 8; ++component) {
        if ((mask & (1U << component)) != 0 &&
            __get_cpuid_count(0xd, component, &eax, &ebx, &ecx, &edx) != 0) {
            const uint64_t end = uint64_t{ebx} + eax;
            bytes = end > bytes ? end : bytes;
        }
    }
    umbra_xsave_bytes = bytes;
    umbra_xsave_mask = mask;
}

}  // namespace

bool start_recording(const RecorderOptions& options) noexcept {
    if (pthread_key_create(&g_state.thread_end_key, end_thread) != 0) {
        return false;
    }
    choose_vector_save();
    pthread_atfork(nullptr, nullptr, after_fork_in_child);
    g_state.options = options;
    g_state.threads = reinterpret_cast<ThreadBlock*>(reinterpret_cast<std::byte*>(options.header) +
                                                     kThreadsOffset);
    umbra_probes_off = 0;
    return true;
}

void stop_recording() noexcept {
    if (g_state.options.header == nullptr || umbra_probes_off != 0) {
        return;
    }
    umbra_probes_off = 1;
    const uint32_t seen = g_state.options.header->threads_seen.load(std::memory_order_relaxed);
    for (uint32_t slot = 0; slot < seen && slot < kMaxThreads; ++slot) {
        futex(&g_state.threads[slot].ring, FUTEX_WAKE, INT_MAX, nullptr);
    }
}

bool recording() noexcept {
    return umbra_probes_off == 0;
}

void record_control(ControlType type, uint32_t operand) noexcept {
    ThreadCursor& cursor = umbra_cursor;
    const size_t slots = 2 + control_payload_slots(type);
    const auto room = static_cast<size_t>(cursor.end - cursor.next);
    if (room < slots && !make_room(cursor)) {
        return;
    }
    append(cursor, type, operand, read_ticks(), 0);
}

}  // namespace umbra::hotpath

extern "C" bool umbra_slow_path() noexcept {
    return umbra::hotpath::make_room(umbra_cursor);
}
