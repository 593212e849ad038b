// SPDX-License-Identifier: MIT
// The slow path of the probes: claims thread slots, changes chunks, waits or drops, ends threads.
#include "hotpath/recorder.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <ctime>

#include <linux/futex.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hotpath/clock.h"
#include "hotpath/ring.h"
#include "hotpath/slot.h"
#include "hotpath/thread_registration.h"
#include "hotpath/tls_model.h"
#include "hotpath/vector_save.h"

using umbra::hotpath::ThreadCursor;

extern "C" {
thread_local constinit ThreadCursor umbra_cursor{};
}

namespace umbra::hotpath {
namespace {

constexpr size_t kDiscardBytes = 4096;  // a thread that drops looks for room every 256 events
// A wait looks up this often whether the probes went off ...
constexpr timespec kWaitSlice{0, 100'000'000};
// ... and this long without a chunk it drops instead, and with it all threads: see g_stall.
constexpr time_t kTimeoutSeconds = 5;

struct State {
    RecorderOptions options;
    std::byte* segment = nullptr;
    ThreadBlock* threads = nullptr;
    pthread_key_t thread_end_key = 0;
    ClockSource clock = ClockSource::kCounter;
};
State g_state;

/// Whether the collector gives no chunks any more: stopped, or hopelessly behind. Odd: so it is,
/// and nobody waits for it; counts up at each change. The first thread that has waited in vain says
/// so for all, or every one of a thousand threads would stand still as long; whoever sees a grant
/// move after that takes it back (look_for_grant). Relaxed: it guards no data.
constinit std::atomic<uint32_t> g_stall{0};

/// What else a thread keeps for itself.
struct OwnPart {
    uint32_t ends;     ///< times end_thread() was called for the thread
    uint32_t stall;    ///< the g_stall in which `granted` was read
    uint32_t granted;  ///< what the thread's ring had been granted then
};
thread_local constinit OwnPart t_own UMBRA_TLS_MODEL = {};

uint64_t now_ticks() noexcept {
    return read_clock(g_state.clock);
}

// The program must find errno as it left it.
class KeptErrno {
  public:
    KeptErrno() = default;
    KeptErrno(const KeptErrno&) = delete;
    KeptErrno& operator=(const KeptErrno&) = delete;
    ~KeptErrno() { errno = value_; }

  private:
    const int value_ = errno;
};

bool collector_stalled() noexcept {
    return (g_stall.load(std::memory_order_relaxed) & 1) != 0;
}

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

void enter_area(ThreadCursor& cursor, uint64_t* begin, size_t bytes) noexcept {
    cursor.next = begin;
    cursor.end = begin + bytes / kSlotBytes;
    cursor.limit = cursor.end - 1;
}

uint64_t count_events(const uint64_t* at, const uint64_t* end) noexcept {
    uint64_t events = 0;
    while (at < end) {
        ++events;
        at += record_slots(*at);
    }
    return events;
}

void count_lost(ThreadCursor& cursor, uint64_t events) noexcept {
    if (cursor.block != nullptr) {
        cursor.block->lost.fetch_add(events, std::memory_order_relaxed);
        cursor.pending_lost += events;
    } else {
        g_state.options.header->lost_no_slot.fetch_add(events, std::memory_order_relaxed);
    }
}

// Counts what went into the discard area and empties it.
void settle_discard(ThreadCursor& cursor) noexcept {
    if (cursor.discarding) {
        count_lost(cursor, count_events(cursor.discard, cursor.next));
        cursor.next = cursor.discard;
    }
}

// False: not even that; this one event is dropped (and counted), or the probes went off.
bool begin_discard(ThreadCursor& cursor) noexcept {
    if (probes_off()) {
        disarm(cursor);
        return false;
    }
    if (cursor.discard == nullptr) {
        void* area = mmap(nullptr, kDiscardBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (area == MAP_FAILED) {
            count_lost(cursor, 1);
            disarm(cursor);
            return false;
        }
        cursor.discard = static_cast<uint64_t*>(area);
    }
    cursor.discarding = true;
    enter_area(cursor, cursor.discard, kDiscardBytes);
    return true;
}

// A ring that no thread has had yet may be closed to all access (src/agent/link/segment.cpp).
bool open_ring(std::byte* ring) noexcept {
    return mprotect(ring, kRingBytes, PROT_READ | PROT_WRITE) == 0;
}

bool take_slot(ThreadCursor& cursor) noexcept {
    SegmentHeader& header = *g_state.options.header;
    for (uint32_t slot = 0; slot < kMaxThreads; ++slot) {
        ThreadBlock& block = g_state.threads[slot];
        if (!claim_slot(block)) {
            continue;
        }
        std::byte* const ring = g_state.segment + ring_offset(slot);
        if (!open_ring(ring)) {
            block.state.store(SlotState::kFree, std::memory_order_relaxed);  // nobody has seen it
            return false;
        }
        uint32_t seen = header.threads_seen.load(std::memory_order_relaxed);
        while (seen <= slot && !header.threads_seen.compare_exchange_weak(
                                   seen, slot + 1, std::memory_order_relaxed)) {
        }
        open_slot(block, static_cast<uint32_t>(syscall(SYS_gettid)), now_ticks(),
                  read_thread_cpu_ns());
        cursor.block = &block;
        cursor.ring = ring;
        return true;
    }
    return false;
}

// Has end_thread called for this thread; then looks for a slot. A thread so far in ending that it
// will not be called again gets none.
bool join_recording(ThreadCursor& cursor) noexcept {
    return t_own.ends + 1 < PTHREAD_DESTRUCTOR_ITERATIONS &&
           pthread_setspecific(g_state.thread_end_key, &cursor) == 0 && register_thread(cursor) &&
           take_slot(cursor);
}

// Of a stalled collector. What was granted before it stalled is no sign of life.
void look_for_grant(const RingWriter& writer) noexcept {
    uint32_t stall = g_stall.load(std::memory_order_relaxed);
    if ((stall & 1) == 0) {
        return;
    }
    const uint32_t granted = writer.granted();
    if (t_own.stall != stall) {
        t_own.stall = stall;
        t_own.granted = granted;
    } else if (t_own.granted != granted) {
        g_stall.compare_exchange_strong(stall, stall + 1, std::memory_order_relaxed);
    }
}

// This thread has waited long enough for all.
void tell_stall(const RingWriter& writer) noexcept {
    uint32_t stall = g_stall.load(std::memory_order_relaxed);
    if ((stall & 1) == 0) {
        g_stall.compare_exchange_strong(stall, stall + 1, std::memory_order_relaxed);
    }
    look_for_grant(writer);
}

// Sleeps until the collector has given a chunk back. Null: probes went off, or it has stalled.
uint64_t* wait_for_chunk(ThreadCursor& cursor) noexcept {
    RingWriter writer(*cursor.block, cursor.ring);
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const time_t deadline = now.tv_sec + kTimeoutSeconds;
    uint64_t* chunk = nullptr;
    while (chunk == nullptr && !probes_off() && !collector_stalled() && now.tv_sec < deadline) {
        bool sleep = false;
        const uint32_t granted = writer.announce_wait(sleep);
        if (sleep) {
            futex(&cursor.block->ring, FUTEX_WAIT, granted, &kWaitSlice);
        }
        chunk = writer.take();
        clock_gettime(CLOCK_MONOTONIC, &now);
    }
    writer.end_wait();
    if (chunk == nullptr && !probes_off()) {
        tell_stall(writer);
    }
    return chunk;
}

void append(ThreadCursor& cursor, ControlType type, uint32_t operand, uint64_t ticks,
            const uint64_t* payload = nullptr) noexcept {
    const size_t count = control_payload_slots(type);
    uint64_t* const at = cursor.next;
    for (size_t slot = 0; slot < count; ++slot) {
        store_payload(at[2 + slot], payload != nullptr ? payload[slot] : 0);
    }
    publish(at, make_slot(Kind::kControl, static_cast<uint32_t>(type), operand), ticks);
    cursor.next += 2 + count;
}

// Puts the cursor into an area with room for the largest record. False: the event is dropped.
bool make_room(ThreadCursor& cursor) noexcept {
    const KeptErrno kept;
    settle_discard(cursor);
    if (probes_off()) {
        disarm(cursor);
        return false;
    }
    if ((cursor.block == nullptr && !join_recording(cursor)) || g_state.options.discard) {
        return begin_discard(cursor);
    }
    RingWriter writer(*cursor.block, cursor.ring);
    uint64_t* chunk = writer.take();
    uint64_t wait_begin = 0;
    look_for_grant(writer);
    if (chunk == nullptr && !g_state.options.drop_when_full && !cursor.discarding &&
        !collector_stalled()) {
        wake_collector();
        wait_begin = now_ticks();
        chunk = wait_for_chunk(cursor);
    }
    if (chunk == nullptr) {
        return begin_discard(cursor);
    }
    cursor.discarding = false;
    enter_area(cursor, chunk, kChunkBytes);
    if (writer.fills_up()) {
        wake_collector();
    }
    const uint64_t now = now_ticks();
    if (wait_begin != 0) {
        append(cursor, ControlType::kWaited, 0, now, &wait_begin);
    }
    if (cursor.pending_lost != 0) {
        const uint64_t lost = cursor.pending_lost;
        append(cursor, ControlType::kLost,
               lost > UINT32_MAX ? UINT32_MAX : static_cast<uint32_t>(lost), now);
        cursor.pending_lost = 0;
    }
    return true;
}

void write_control(ThreadCursor& cursor, ControlType type, uint32_t operand,
                   const uint64_t* payload = nullptr) noexcept {
    const size_t slots = 2 + control_payload_slots(type);
    const auto room = static_cast<size_t>(cursor.end - cursor.next);
    if (room >= slots || make_room(cursor)) {
        append(cursor, type, operand, now_ticks(), payload);
    }
}

// Ends a thread's part: counts, gives the slot back. Answers whether it had one.
bool leave_recording(ThreadCursor& cursor, uint64_t now, uint64_t cpu_ns) noexcept {
    settle_discard(cursor);
    if (cursor.discard != nullptr) {
        munmap(cursor.discard, kDiscardBytes);
    }
    ThreadBlock* const block = cursor.block;
    cursor = ThreadCursor{};
    if (block != nullptr) {
        end_slot(*block, now, cpu_ns);
    }
    return block != nullptr;
}

// Runs as the thread ends (destructor of the thread-specific key). A probe of a later destructor
// finds a null cursor and takes a slot anew.
void end_thread(void* /*cursor*/) noexcept {
    ThreadCursor& cursor = umbra_cursor;
    ++t_own.ends;
    {
        const ControlWriter writer;  // what follows is outside the stubs as well
        if (writer.may_write()) {
            if (leave_recording(cursor, now_ticks(), read_thread_cpu_ns())) {
                wake_collector();
            }
        }
    }
    deregister_thread();
    // Probes are off: the segment may be another's by now, but this is the thread's own.
    if (cursor.discard != nullptr) {
        munmap(cursor.discard, kDiscardBytes);
    }
    cursor = ThreadCursor{};
}

// Ends the part of a registered thread, if there is one. False: the thread had to be left behind.
bool detach(ThreadRegistration& registration, uint64_t now, uint64_t deadline) noexcept {
    if (!registration.await_writer(deadline)) {
        return false;
    }
    if (ThreadCursor* const cursor = registration.hold()) {
        const ThreadBlock* block = cursor->block;
        leave_recording(*cursor, now, block == nullptr ? 0 : read_thread_cpu_ns(block->os_tid));
        registration.let_go();
    }
    return true;
}

// The child of a fork shares the rings but is not ours to record: it goes quiet at once.
void after_fork_in_child() noexcept {
    umbra_probes_off.store(1, std::memory_order_relaxed);
    umbra_cursor = ThreadCursor{};
    pthread_setspecific(g_state.thread_end_key, nullptr);
}

}  // namespace

bool start_recording(const RecorderOptions& options) noexcept {
    if (g_state.segment == nullptr) {
        if (pthread_key_create(&g_state.thread_end_key, end_thread) != 0 ||
            pthread_atfork(nullptr, nullptr, after_fork_in_child) != 0) {
            return false;
        }
        choose_vector_save();
        find_process_barrier();
    }
    g_stall.store((g_stall.load(std::memory_order_relaxed) + 1) & ~1U, std::memory_order_relaxed);
    g_state.options = options;
    g_state.clock = options.header->clock;
    g_state.segment = reinterpret_cast<std::byte*>(options.header);
    g_state.threads = reinterpret_cast<ThreadBlock*>(g_state.segment + kThreadsOffset);
    switch_probes_on();
    return true;
}

void stop_recording() noexcept {
    if (!switch_probes_off()) {
        return;
    }
    const uint32_t seen = g_state.options.header->threads_seen.load(std::memory_order_relaxed);
    for (uint32_t slot = 0; slot < seen && slot < kMaxThreads; ++slot) {
        futex(&g_state.threads[slot].ring, FUTEX_WAKE, INT_MAX, nullptr);
    }
}

void cut_off_recording() noexcept {
    if (recording()) {
        g_state.options.header->cut_off.store(1, std::memory_order_relaxed);
        stop_recording();
    }
}

uint32_t end_recording() noexcept {
    stop_recording();
    const uint64_t now = now_ticks();
    const uint64_t deadline = read_os_ns() + kDetachWaitNs;
    uint32_t left_behind = 0;
    for (ThreadRegistration& registration : g_registrations) {
        left_behind += detach(registration, now, deadline) ? 0U : 1U;
    }
    wake_collector();
    return left_behind;
}

bool recording() noexcept {
    return !probes_off();
}

void record_control(ControlType type, uint32_t operand, const uint64_t* payload) noexcept {
    const ControlWriter writer;
    if (writer.may_write()) {
        write_control(umbra_cursor, type, operand, payload);
    }
}

void record_control_if_known(ControlType type, uint32_t operand) noexcept {
    const ControlWriter writer;
    if (writer.may_write() && umbra_cursor.block != nullptr) {
        write_control(umbra_cursor, type, operand);
    }
}

uint64_t recorder_ticks() noexcept {
    return now_ticks();
}

HookFunctions hook_functions(ClockSource clock) noexcept {
    return clock == ClockSource::kOs
               ? HookFunctions{&umbra_enter_os, &umbra_leave_os, &umbra_tailcall_os}
               : HookFunctions{&umbra_enter, &umbra_leave, &umbra_tailcall};
}

IlProbeFunctions il_probe_functions(ClockSource clock) noexcept {
    return clock == ClockSource::kOs ? IlProbeFunctions{&umbra_il_enter_os, &umbra_il_leave_os}
                                     : IlProbeFunctions{&umbra_il_enter, &umbra_il_leave};
}

HookFunctions empty_hook_functions() noexcept {
    return {&umbra_no_probe, &umbra_no_probe, &umbra_no_probe};
}

IlProbeFunctions empty_il_probe_functions() noexcept {
    return {&umbra_no_probe, &umbra_no_probe};
}

}  // namespace umbra::hotpath

extern "C" bool umbra_slow_path() noexcept {
    return umbra::hotpath::make_room(umbra_cursor);
}
