// SPDX-License-Identifier: MIT
#include "src/collector/drain.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <memory>
#include <span>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "hotpath/clock.h"
#include "hotpath/fences.h"
#include "hotpath/slot.h"

namespace umbra::collector {
namespace {

using hotpath::RingReader;
using hotpath::SlotState;

constexpr uint32_t kChunksATurn = 8;  // then the next ring has its turn
// A chunk holds thousands of records: a thread that takes longer than this to fill one pays for
// page faults without noticing.
constexpr auto kSlowChunk = std::chrono::milliseconds(50);
constexpr auto kQuiet = std::chrono::seconds(1);
constexpr auto kIdleSleep = std::chrono::milliseconds(10);
constexpr auto kPollInterval = std::chrono::milliseconds(1);
constexpr uint32_t kPollsToRest = 64;  // a thread that stood this long ...
constexpr uint32_t kRestPolls = 16;    // ... is looked at only this often

// Number of slots written, all of them in one piece from the first on; `from` are known to be. May
// be too few where a payload has empty slots.
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

/// Chunks from the front one on that their writer is done with; see RingReader::front().
uint32_t complete_chunks(const Drain::Ring& ring, bool ended) {
    const auto word = hotpath::RingWord::unpack(ring.block.ring.load(std::memory_order_seq_cst));
    const uint32_t begun = word.taken - ring.reader.drained();
    if (begun == 0 || begun > hotpath::kChunksPerRing) {
        return 0;
    }
    return ended ? begun : begun - 1;
}

}  // namespace

void Drain::wake_all(const void* word) {
    syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void Drain::adopt(std::unique_ptr<Ring> ring) {
    const auto place = std::ranges::lower_bound(rings_, ring->slot, {},
                                                [](const auto& known) { return known->slot; });
    rings_.insert(place, std::move(ring));
    ring_count_.store(static_cast<uint32_t>(rings_.size()), std::memory_order_relaxed);
}

const Drain::Ring* Drain::find(uint32_t slot) const {
    const auto place =
        std::ranges::lower_bound(rings_, slot, {}, [](const auto& known) { return known->slot; });
    return place != rings_.end() && (*place)->slot == slot ? place->get() : nullptr;
}

std::unique_ptr<Drain::Ring> Drain::release(const Ring& ring) {
    const auto place =
        std::ranges::find(rings_, &ring, [](const auto& known) { return known.get(); });
    std::unique_ptr<Ring> released = std::move(*place);
    rings_.erase(place);
    ring_count_.store(static_cast<uint32_t>(rings_.size()), std::memory_order_relaxed);
    return released;
}

Drain::Turn Drain::turn(Clock::time_point now) {
    shard_.take_told();  // also of threads that write nothing
    const bool moved = take_chunks();
    if (!shard_.tables.adaptive || shard_.tables.every_event) {
        if (!moved) {
            read_tails();
        }
        return {.moved = moved, .rest = kIdleSleep};
    }
    if (now >= next_poll_) {
        polling_ = poll_progress();
        next_poll_ = now + kPollInterval;
    }
    return {.moved = moved, .rest = polling_ ? kPollInterval : kIdleSleep};
}

void Drain::read_overlays() {
    share_.read_overlays();
    shard_.take_told();
}

void Drain::read_front(Ring& ring, RingReader::View view, size_t there, uint64_t tail_before) {
    const std::span<const uint64_t> slots(view.slots + ring.slots_read, there);
    ring.slots_read += ring.thread != nullptr
                           ? ring.thread->consume(slots, view.complete, tail_before)
                           : shard_.skip(slots, view.complete);
}

bool Drain::poll_progress() {
    ++polls_;
    for (const std::unique_ptr<Ring>& ring : rings_) {
        if (ring->stood < kPollsToRest || polls_ % kRestPolls == 0) {
            poll_progress(*ring);
            moving_ = ring->stood < kPollsToRest ? kPollsToRest : moving_;
        }
    }
    shard_.publish_progress();
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
    // It seems to stand. Records tell, which a payload's empty slots cannot mislead.
    const size_t end = ring.slots_read + whole_records({view.slots + ring.slots_read,
                                                        kSlotsPerChunk - ring.slots_read});
    if (end > written) {
        ring.seen_slots = end;
        ring.seen_ticks = ticks();
        ring.stood = 0;
        return;
    }
    read_overlays();
    const std::span<const uint64_t> rest(view.slots + ring.slots_read, end - ring.slots_read);
    ++ring.stood;
    if (ring.thread == nullptr) {
        ring.slots_read += shard_.skip(rest, false);
        return;
    }
    ring.slots_read += ring.thread->stall(rest, ring.seen_ticks, before);
    // A thread that only waits for a processor says nothing about the function it is in.
    if (ring.stood == 1 && share_.is_waiting(*ring.thread)) {
        waiting_.push_back(ring.thread->top_function());
    }
}

uint64_t Drain::ticks() const {
    hotpath::counter_fence();  // not before what was loaded above, nor after what is below
    const uint64_t now = hotpath::read_clock(share_.segment.header().clock);
    hotpath::counter_fence();
    return now;
}

bool Drain::recycle(Ring& ring) {
    const Clock::time_point now = Clock::now();
    const uint32_t number = ring.reader.drained();
    if (now - ring.last_chunk > kSlowChunk) {
        share_.segment.clear_chunk(ring.slot, number);
    } else {
        std::memset(ring.reader.chunk(number), 0, hotpath::kChunkBytes);
        ring.resident = true;
    }
    ring.last_chunk = now;
    ring.slots_read = 0;
    ++ring.chunks;
    return ring.reader.recycle();
}

Drain::Ready Drain::look_at(Ring& ring, uint32_t most) {
    const SlotState state = hotpath::slot_state(ring.block);
    if (state != SlotState::kLive && state != SlotState::kEnded) {
        return {.ring = &ring, .chunks = 0, .ended = false};
    }
    const bool ended = state == SlotState::kEnded;
    return {.ring = &ring, .chunks = std::min(complete_chunks(ring, ended), most), .ended = ended};
}

bool Drain::take_chunks() {
    ready_.clear();
    bool chunks = false;
    for (const std::unique_ptr<Ring>& ring : rings_) {
        const Ready ready = look_at(*ring, kChunksATurn);
        if (ready.chunks != 0 || ready.ended) {
            ready_.push_back(ready);
            chunks = chunks || ready.chunks != 0;
        }
    }
    if (ready_.empty()) {
        return false;
    }
    if (chunks) {
        read_overlays();
    }
    return take_ready();
}

bool Drain::take_ready() {
    // Where the turn before was interrupted this one begins.
    const auto next = std::ranges::find_if(
        ready_, [this](const Ready& ready) { return ready.ring->slot >= next_slot_; });
    std::rotate(ready_.begin(), next, ready_.end());
    next_slot_ = 0;
    for (const Ready& ready : ready_) {
        if (shard_.gate.asked()) {
            next_slot_ = ready.ring->slot;
            break;
        }
        take_from(ready);
    }
    forget_closed();
    shard_.publish_progress();
    return true;
}

void Drain::take_from(const Ready& ready) {
    Ring& ring = *ready.ring;
    bool waits = false;
    for (uint32_t chunk = 0; chunk < ready.chunks; ++chunk) {
        const RingReader::View view = ring.reader.front(ready.ended);
        if (view.slots == nullptr || !view.complete) {
            break;  // the target has scribbled on its count
        }
        read_front(ring, view, kSlotsPerChunk - ring.slots_read, 0);
        waits = recycle(ring) || waits;
    }
    // A thread woken for one chunk would have filled it and be asleep again before the next is
    // there: at a full ring both sides would do little but wake and sleep.
    if (waits) {
        wake_all(ring.reader.grant_word());
    }
    if (ready.ended && ring.reader.front(true).slots == nullptr) {
        close(ring);
    }
}

void Drain::close(Ring& ring) {
    if (ring.thread != nullptr) {
        share_.cpu.close_thread(*ring.thread, ring.block.end_ticks, ring.block.end_cpu_ns);
        shard_.take_told();
        ring.thread->replay().note_lost(ring.block.lost.load(std::memory_order_relaxed));
        ring.thread->end(ring.block.end_ticks);
    }
    share_.segment.clear_ring(ring.slot);
    hotpath::free_slot(ring.block);
    // Not before: who finds a used slot that nobody has begins a thread.
    share_.taken[ring.slot].store(false, std::memory_order_release);
    share_.live.fetch_sub(1, std::memory_order_relaxed);
    closed_.push_back(&ring);
}

void Drain::forget_closed() {
    for (const Ring* ring : closed_) {
        static_cast<void>(release(*ring));
    }
    closed_.clear();
}

void Drain::read_tails(uint64_t tail_before) {
    for (const std::unique_ptr<Ring>& ring : rings_) {
        const RingReader::View view = ring->reader.front(false);
        if (view.slots == nullptr || view.complete) {
            continue;
        }
        // Only what is there now: what comes meanwhile may lie behind switches not yet read.
        const size_t there =
            whole_records({view.slots + ring->slots_read, kSlotsPerChunk - ring->slots_read});
        read_overlays();
        read_front(*ring, view, there, tail_before);
    }
    shard_.publish_progress();
}

void Drain::reclaim_from_quiet(Clock::time_point now) {
    for (const std::unique_ptr<Ring>& ring : rings_) {
        if (!ring->resident || now - ring->last_chunk < kQuiet) {
            continue;
        }
        const uint32_t back = ring->reader.reclaim(1);
        const uint32_t first = ring->reader.granted() + hotpath::kChunksPerRing;
        for (uint32_t i = 0; i < back; ++i) {
            share_.segment.clear_chunk(ring->slot, first + i);
        }
        ring->resident = false;
        if (back != 0 && ring->reader.grant(back)) {
            wake_all(ring->reader.grant_word());
        }
    }
}

void Drain::read_out() {
    // A dead thread leaves one ring at most. A living one (the collector is told to stop, or the
    // target lies) could fill what it is given for ever.
    for (const std::unique_ptr<Ring>& ring : rings_) {
        const Ready ready = look_at(*ring, hotpath::kChunksPerRing);
        if (ready.chunks != 0) {
            read_overlays();
        }
        take_from(ready);
        if (ring->thread != nullptr) {
            ring->thread->replay().note_lost(ring->block.lost.load(std::memory_order_relaxed));
        }
    }
    forget_closed();
    read_tails(ticks());
    read_overlays();  // of threads that stand
    shard_.publish_progress();
}

}  // namespace umbra::collector
