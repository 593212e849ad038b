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

constexpr uint32_t kChunksATurn = 8;         // then the next ring has its turn
constexpr uint64_t kFarTicks = 1U << 26;     // some 20 to 70 ms, by the clock
constexpr size_t kMostLastTurns = 1U << 16;  // when nothing more is written
// A chunk holds thousands of records: a thread that takes longer than this to fill one pays for
// page faults without noticing.
constexpr auto kSlowChunk = std::chrono::milliseconds(50);
constexpr auto kQuiet = std::chrono::seconds(1);

/// Slots of the records from the first on that are written, all of each.
size_t whole_records(std::span<const uint64_t> slots) {
    size_t at = 0;
    while (at < slots.size()) {
        const uint64_t slot = __atomic_load_n(&slots[at], __ATOMIC_ACQUIRE);
        if (!hotpath::slot_written(slot)) {
            break;
        }
        at += hotpath::record_slots(slot);
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

bool Drain::turn() {
    shard_.apply_inbox();  // also of threads that write nothing
    const bool moved = take_chunks();
    if (!moved || any_waits()) {
        read_tails();
    }
    return moved || any_waits();
}

bool Drain::any_waits() const {
    return std::ranges::any_of(rings_, [](const auto& ring) { return ring->waits(); });
}

void Drain::read_overlays() {
    share_.read_overlays();
    shard_.apply_inbox();
}

size_t Drain::read_front(Ring& ring, RingReader::View view, size_t there) {
    const std::span<const uint64_t> slots(view.slots + ring.slots_read, there);
    const size_t read = ring.thread != nullptr ? ring.thread->consume(slots, view.complete)
                                               : shard_.skip(slots, view.complete);
    ring.slots_read += read;
    return read;
}

void Drain::clear_front(Ring& ring, Clock::time_point now) {
    const uint32_t number = ring.reader.drained();
    if (now - ring.last_chunk > kSlowChunk) {
        share_.segment.clear_chunk(ring.slot, number);
    } else {
        std::memset(ring.reader.chunk(number), 0, hotpath::kChunkBytes);
        ring.resident = true;
    }
}

bool Drain::recycle(Ring& ring, bool ended) {
    // To an ended thread's chunk nobody writes before close() has cleared the ring. Most threads
    // that come and go have touched one page of it: clearing it would bring in all of them.
    const Clock::time_point now = Clock::now();
    if (!ended) {
        clear_front(ring, now);
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

void Drain::pass_over_those_ahead() {
    if (!shard_.tables.async.any()) {
        return;
    }
    const auto read_to = [](const Ready& ready) {
        return ready.chunks == 0 || ready.ring->thread == nullptr
                   ? UINT64_MAX
                   : ready.ring->thread->replay().cut_ticks(0);
    };
    uint64_t least = UINT64_MAX - kFarTicks;
    for (const Ready& ready : ready_) {
        least = std::min(least, read_to(ready));
    }
    std::erase_if(ready_, [&](const Ready& ready) {
        return read_to(ready) != UINT64_MAX && read_to(ready) > least + kFarTicks;
    });
}

bool Drain::take_ready() {
    pass_over_those_ahead();
    // Where the turn before was interrupted this one begins.
    const auto next = std::ranges::find_if(
        ready_, [this](const Ready& ready) { return ready.ring->slot >= next_slot_; });
    std::rotate(ready_.begin(), next, ready_.end());
    next_slot_ = 0;
    // Threads that wait for each other go on in turns.
    for (bool again = true; again && next_slot_ == 0;) {
        again = false;
        for (Ready& ready : ready_) {
            if (ready.chunks == 0 && !ready.ended) {
                continue;
            }
            if (shard_.gate.asked() || shard_.tables.async.crowded()) {
                next_slot_ = ready.ring->slot;
                break;
            }
            const bool moved = take_from(ready);
            again = again || (moved && ready.ring->waits());
        }
    }
    forget_closed();
    shard_.publish_progress();
    return true;
}

bool Drain::take_from(Ready& ready) {
    Ring& ring = *ready.ring;
    bool waits = false;
    bool moved = false;
    while (ready.chunks != 0) {
        const RingReader::View view = ring.reader.front(ready.ended);
        if (view.slots == nullptr || !view.complete) {
            break;  // the target has scribbled on its count
        }
        moved = read_front(ring, view, kSlotsPerChunk - ring.slots_read) != 0 || moved;
        if (ring.waits()) {
            break;
        }
        waits = recycle(ring, ready.ended) || waits;
        --ready.chunks;
    }
    // A thread woken for one chunk would have filled it and be asleep again before the next is
    // there: at a full ring both sides would do little but wake and sleep.
    if (waits) {
        wake_all(ring.reader.grant_word());
    }
    if (ready.ended && !ring.waits() && ring.reader.front(true).slots == nullptr) {
        close(ring);
        ready.ended = false;
    }
    return moved;
}

void Drain::close(Ring& ring) {
    if (ring.thread != nullptr) {
        share_.cpu.close_thread(*ring.thread, ring.block.end_ticks, ring.block.end_cpu_ns);
        shard_.apply_inbox();
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

void Drain::read_tails() {
    tails_.clear();
    for (const std::unique_ptr<Ring>& ring : rings_) {
        const bool waited = ring->waits();
        const RingReader::View view = ring->reader.front(false);
        if (view.slots == nullptr || view.complete) {
            tails_.push_back({.ring = ring.get(), .view = view, .there = 0, .waited = waited});
            continue;
        }
        // Only what is there now: what comes meanwhile may lie behind switches not yet read.
        const size_t there =
            whole_records({view.slots + ring->slots_read, kSlotsPerChunk - ring->slots_read});
        tails_.push_back({.ring = ring.get(), .view = view, .there = there, .waited = waited});
    }
    read_overlays();
    for (bool again = true; again;) {
        again = false;
        for (Tail& tail : tails_) {
            if (tail.there != 0) {
                const size_t read = read_front(*tail.ring, tail.view, tail.there);
                tail.there = tail.ring->waits() ? tail.there - read : 0;
                again = again || (read != 0 && tail.there != 0);
            }
        }
    }
    end_waits(tails_);
    shard_.publish_progress();
}

void Drain::end_waits(const std::vector<Tail>& tails) {
    // By ring, up to when its records have been replayed.
    const auto read_to = [](const Tail& tail) {
        const bool all = tail.view.slots == nullptr || !tail.view.complete;
        return tail.ring->thread == nullptr || (all && !tail.ring->waits())
                   ? UINT64_MAX
                   : tail.ring->thread->replay().cut_ticks(0);
    };
    uint64_t least = UINT64_MAX;
    for (const Tail& tail : tails) {
        least = std::min(least, read_to(tail));
    }
    for (const Tail& tail : tails) {
        if (tail.waited && tail.ring->waits() && read_to(tail) <= least) {
            tail.ring->thread->wait_no_longer();
        }
    }
}

uint64_t Drain::read_tails(uint64_t now_ticks) {
    read_tails();
    uint64_t read = now_ticks;
    for (const std::unique_ptr<Ring>& ring : rings_) {
        const RingReader::View view = ring->reader.front(false);
        const bool more = view.slots != nullptr && view.complete;
        if (ring->thread != nullptr && (more || ring->waits())) {
            read = std::min(read, ring->thread->replay().cut_ticks(0));
        }
    }
    return read;
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
    for (size_t turn = 0; turn == 0 || (turn < kMostLastTurns && any_waits()); ++turn) {
        for (const std::unique_ptr<Ring>& ring : rings_) {
            Ready ready = look_at(*ring, hotpath::kChunksPerRing);
            if (ready.chunks != 0) {
                read_overlays();
            }
            take_from(ready);
            if (ring->thread != nullptr) {
                ring->thread->replay().note_lost(ring->block.lost.load(std::memory_order_relaxed));
            }
        }
        forget_closed();
        read_tails();
    }
    read_overlays();  // of threads that stand
    shard_.publish_progress();
}

}  // namespace umbra::collector
