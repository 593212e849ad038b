// SPDX-License-Identifier: MIT
#include "src/collector/drain.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <ctime>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hotpath/clock.h"
#include "hotpath/slot.h"

namespace umbra::collector {
namespace {

using hotpath::RingReader;
using hotpath::SlotState;
using hotpath::ThreadBlock;

constexpr int kChunksATurn = 8;  // then the next ring has its turn
// A chunk holds thousands of records: a thread that takes longer than this to fill one pays for
// page faults without noticing.
constexpr auto kSlowChunk = std::chrono::milliseconds(50);
constexpr auto kQuiet = std::chrono::seconds(1);
constexpr uint32_t kPollsToRest = 64;  // a thread that stood this long ...
constexpr uint32_t kRestPolls = 16;    // ... is looked at only this often

// Number of slots written, all of them in one piece from the first on; `from` are known to be.
size_t written_slots(const uint64_t* slots, size_t from, size_t end) {
    const auto written = [slots](size_t index) {
        return __atomic_load_n(slots + index, __ATOMIC_ACQUIRE) != 0;
    };
    size_t step = 1;
    size_t low = from;  // all below are written
    while (low < end && written(std::min(low + step, end) - 1)) {
        low = std::min(low + step, end);
        step *= 2;
    }
    size_t high = std::min(low + step, end);  // high - 1 is not, unless low is the end
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (written(middle)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/// Slots of the records from the first on that are written, all of each.
size_t whole_records(std::span<const uint64_t> slots) {
    size_t at = 0;
    while (at < slots.size()) {
        const uint64_t slot = __atomic_load_n(&slots[at], __ATOMIC_ACQUIRE);
        if (!hotpath::slot_written(slot)) {
            break;
        }
        at += hotpath::slot_timed(slot) ? 2U : 1U;
        if (hotpath::slot_kind(slot) == hotpath::Kind::kControl) {
            at += hotpath::control_payload_slots(
                static_cast<hotpath::ControlType>(hotpath::slot_index(slot)));
        }
    }
    return std::min(at, slots.size());
}

void wake(uint32_t* word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace

Drain::Ring* Drain::open_ring(uint32_t slot, ThreadBlock& block) {
    if (rings_.size() <= slot) {
        rings_.resize(slot + 1);
    }
    if (!rings_[slot]) {
        std::byte* memory = segment_.ring(slot);
        if (memory == nullptr) {
            return nullptr;
        }
        auto ring = std::make_unique<Ring>(RingReader(block, memory));
        ring->last_chunk = Clock::now();
        ring->thread = begin_thread(block);
        rings_[slot] = std::move(ring);
        ++live_;
    }
    return rings_[slot].get();
}

ProfiledThread* Drain::begin_thread(const ThreadBlock& block) {
    const uint32_t os_tid = ids_.begun_here(block.os_tid);
    uint64_t start_ticks = block.start_ticks;
    uint64_t start_cpu_ns = block.start_cpu_ns;
    const std::optional<CpuWatch::OlderThread> older = cpu_.take_older_thread(os_tid);
    if (older) {
        start_ticks = std::min(start_ticks, older->seen_ticks);
        start_cpu_ns = older->cpu_ns;
    }
    ProfiledThread* thread = state_.add_thread(os_tid, start_ticks, older.has_value());
    if (thread != nullptr) {
        cpu_.open_thread(*thread, start_cpu_ns, older.has_value());
        on_thread_(*thread);
    }
    return thread;
}

void Drain::read_front(Ring& ring, RingReader::View view, uint64_t tail_before) {
    const std::span<const uint64_t> rest(view.slots + ring.slots_read,
                                         kSlotsPerChunk - ring.slots_read);
    // Of a chunk that is being filled, only what is there now: what comes meanwhile may lie behind
    // switches not yet read.
    const size_t there = view.complete ? rest.size() : whole_records(rest);
    read_overlays();
    const std::span<const uint64_t> slots = rest.first(there);
    ring.slots_read += ring.thread != nullptr
                           ? ring.thread->consume(slots, view.complete, tail_before)
                           : state_.skip(slots, view.complete);
}

void Drain::read_overlays() {
    pauses_.read(state_);
    cpu_.poll();
}

bool Drain::poll_progress() {
    ++polls_;
    for (const std::unique_ptr<Ring>& ring : rings_) {
        if (ring && (ring->stood < kPollsToRest || polls_ % kRestPolls == 0)) {
            poll_progress(*ring);
            moving_ = ring->stood < kPollsToRest ? kPollsToRest : moving_;
        }
    }
    moving_ -= moving_ == 0 ? 0U : 1U;
    return moving_ != 0;
}

void Drain::poll_progress(Ring& ring) {
    const RingReader::View view = ring.reader.front(false);
    if (view.slots == nullptr || view.complete) {
        ring.stood = 0;
        ring.seen_ticks = 0;
        return;
    }
    const uint64_t before = ticks();
    const bool same_chunk = ring.seen_ticks != 0 && ring.seen_chunk == ring.reader.drained();
    const size_t known = same_chunk ? std::max(ring.seen_slots, ring.slots_read) : ring.slots_read;
    const size_t written = written_slots(view.slots, known, kSlotsPerChunk);
    if (!same_chunk || written != ring.seen_slots) {
        ring.seen_chunk = ring.reader.drained();
        ring.seen_slots = written;
        ring.seen_ticks = ticks();
        ring.stood = 0;
        return;
    }
    read_overlays();
    const std::span<const uint64_t> rest(view.slots + ring.slots_read, written - ring.slots_read);
    ++ring.stood;
    if (ring.thread == nullptr) {
        ring.slots_read += state_.skip(rest, false);
        return;
    }
    ring.slots_read += ring.thread->stall(rest, ring.seen_ticks, before);
    if (ring.stood == 1) {
        on_stall_(*ring.thread);
    }
}

uint64_t Drain::ticks() const {
    __builtin_ia32_lfence();  // not before what was loaded above, nor after what is below
    const uint64_t now = hotpath::read_clock(segment_.header().clock);
    __builtin_ia32_lfence();
    return now;
}

bool Drain::recycle(uint32_t slot, Ring& ring) {
    const Clock::time_point now = Clock::now();
    const uint32_t number = ring.reader.drained();
    if (now - ring.last_chunk > kSlowChunk) {
        segment_.clear_chunk(slot, number);
    } else {
        std::memset(ring.reader.chunk(number), 0, hotpath::kChunkBytes);
        ring.resident = true;
    }
    ring.last_chunk = now;
    ring.slots_read = 0;
    return ring.reader.recycle();
}

bool Drain::take_from(uint32_t slot, ThreadBlock& block, bool ended, int budget) {
    Ring* ring = open_ring(slot, block);
    if (ring == nullptr) {
        return false;
    }
    bool moved = false;
    bool waits = false;
    for (; budget > 0; --budget) {
        const RingReader::View view = ring->reader.front(ended);
        if (view.slots == nullptr || !view.complete) {
            break;
        }
        read_front(*ring, view);
        waits = recycle(slot, *ring) || waits;
        moved = true;
    }
    // A thread woken for one chunk would have filled it and be asleep again before the next is
    // there: at a full ring both sides would do little but wake and sleep.
    if (waits) {
        wake(ring->reader.grant_word());
    }
    if (ended && ring->reader.front(true).slots == nullptr) {
        close_ring(slot, block);
        moved = true;
    }
    return moved;
}

void Drain::close_ring(uint32_t slot, ThreadBlock& block) {
    if (ProfiledThread* thread = rings_[slot]->thread) {
        cpu_.close_thread(*thread, block.end_ticks, block.end_cpu_ns);
        thread->replay().note_lost(block.lost.load(std::memory_order_relaxed));
        thread->end(block.end_ticks);
    }
    rings_[slot].reset();
    --live_;
    segment_.clear_ring(slot);
    hotpath::free_slot(block);
}

bool Drain::take_chunks() {
    bool moved = false;
    const uint32_t seen = segment_.threads_seen();
    for (uint32_t slot = 0; slot < seen; ++slot) {
        ThreadBlock& block = segment_.threads()[slot];
        const SlotState state = hotpath::slot_state(block);
        if (state == SlotState::kLive || state == SlotState::kEnded) {
            moved = take_from(slot, block, state == SlotState::kEnded, kChunksATurn) || moved;
        }
    }
    return moved;
}

void Drain::read_tails(uint64_t tail_before) {
    for (const std::unique_ptr<Ring>& ring : rings_) {
        if (ring) {
            const RingReader::View view = ring->reader.front(false);
            if (view.slots != nullptr && !view.complete) {
                read_front(*ring, view, tail_before);
            }
        }
    }
}

void Drain::reclaim_from_quiet(Clock::time_point now) {
    for (uint32_t slot = 0; slot < rings_.size(); ++slot) {
        Ring* ring = rings_[slot].get();
        if (ring == nullptr || !ring->resident || now - ring->last_chunk < kQuiet) {
            continue;
        }
        const uint32_t back = ring->reader.reclaim(1);
        const uint32_t first = ring->reader.granted() + hotpath::kChunksPerRing;
        for (uint32_t i = 0; i < back; ++i) {
            segment_.clear_chunk(slot, first + i);
        }
        ring->resident = false;
        if (back != 0 && ring->reader.grant(back)) {
            wake(ring->reader.grant_word());
        }
    }
}

void Drain::read_out() {
    // A dead thread leaves one ring at most. A living one (the collector is told to stop, or the
    // target lies) could fill what it is given for ever.
    constexpr int kWholeRing = hotpath::kChunksPerRing;
    const uint32_t seen = segment_.threads_seen();
    for (uint32_t slot = 0; slot < seen; ++slot) {
        ThreadBlock& block = segment_.threads()[slot];
        const SlotState state = hotpath::slot_state(block);
        if (state == SlotState::kLive || state == SlotState::kEnded) {
            take_from(slot, block, state == SlotState::kEnded, kWholeRing);
        }
        if (slot < rings_.size() && rings_[slot] && rings_[slot]->thread != nullptr) {
            rings_[slot]->thread->replay().note_lost(block.lost.load(std::memory_order_relaxed));
        }
    }
    read_tails(ticks());
    read_overlays();  // of threads that stand
}

void Drain::sleep(std::chrono::nanoseconds limit) {
    std::atomic<uint32_t>& asleep = segment_.header().collector_asleep;
    asleep.store(1, std::memory_order_seq_cst);  // F
    if (!take_chunks()) {
        const timespec timeout{
            static_cast<time_t>(limit.count() / 1'000'000'000),
            static_cast<long>(limit.count() % 1'000'000'000),
        };
        syscall(SYS_futex, &asleep, FUTEX_WAIT, 1, &timeout, nullptr, 0);
    }
    asleep.store(0, std::memory_order_relaxed);
}

void Drain::interrupt(SharedSegment& segment) {
    std::atomic<uint32_t>& asleep = segment.header().collector_asleep;
    asleep.store(0, std::memory_order_relaxed);
    wake(reinterpret_cast<uint32_t*>(&asleep));
}

}  // namespace umbra::collector
