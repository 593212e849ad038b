// SPDX-License-Identifier: MIT
// Drain: takes chunks out of the rings of one worker and feeds them to its shard.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "hotpath/ring.h"
#include "src/collector/cpu/cpu_watch.h"
#include "src/collector/cpu/pause_reader.h"
#include "src/collector/cpu/thread_ids.h"
#include "src/collector/shared_segment.h"
#include "src/collector/state/session_state.h"

namespace umbra::collector {

/// What the drains of a session share. Any worker.
class DrainShare {
  public:
    /// All that is given by reference must outlive it. `ids`: what threads are called here.
    DrainShare(SharedSegment& shared_segment, SessionState& state, CpuWatch& watch, ThreadIds& ids)
        : segment(shared_segment),
          cpu(watch),
          taken(hotpath::kMaxThreads),
          state_(state),
          pauses_(shared_segment.header().pauses, shared_segment.pauses(), &ids) {}

    /// Pauses and context switches up to now come to where they belong, or to inboxes.
    void read_overlays() {
        pauses_.read(state_);
        cpu.poll();
    }

    SharedSegment& segment;
    CpuWatch& cpu;
    /// By slot: some drain has it. Set by the drain thread; cleared by the worker, when the slot is
    /// free.
    std::vector<std::atomic<bool>> taken;
    std::atomic<uint32_t> live{0};  ///< slots taken

  private:
    SessionState& state_;
    PauseReader pauses_;
};

/// Memory follows traffic: the chunks of a busy thread are zeroed in place, those of a slow one go
/// back to the system, and what a thread that fell quiet holds in reserve is taken back.
///
/// Its worker's alone; others lock the shard's gate first. When somebody asks at the gate, a turn
/// ends early.
class Drain {
  public:
    using Clock = std::chrono::steady_clock;

    Drain(DrainShare& share, Shard& shard) : share_(share), shard_(shard) {
        shard.tables.async.let_wait();
    }

    /// One thread's ring, and what is known of its reading.
    struct Ring {
        Ring(uint32_t slot_number, hotpath::ThreadBlock& thread_block, std::byte* memory,
             ProfiledThread* profiled)
            : slot(slot_number),
              block(thread_block),
              reader(thread_block, memory),
              thread(profiled),
              last_chunk(Clock::now()) {}

        const uint32_t slot;
        hotpath::ThreadBlock& block;
        hotpath::RingReader reader;
        ProfiledThread* const thread;  // null: there are too many
        size_t slots_read = 0;         // of the front chunk
        Clock::time_point last_chunk;
        bool resident = false;  // granted chunks were zeroed in place
        uint32_t chunks = 0;    // taken since somebody reset it

        /// See ThreadReplay::waits().
        [[nodiscard]] bool waits() const { return thread != nullptr && thread->waits(); }
    };
    using Rings = std::vector<std::unique_ptr<Ring>>;

    /// Wakes all who wait at a word of shared memory.
    static void wake_all(const void* word);

    /// From now on the ring is read here.
    void adopt(std::unique_ptr<Ring> ring);
    /// Null: it is not read here.
    [[nodiscard]] const Ring* find(uint32_t slot) const;
    /// The ring, which is read here, is from now on read elsewhere.
    [[nodiscard]] std::unique_ptr<Ring> release(const Ring& ring);
    /// By slot.
    [[nodiscard]] const Rings& rings() const { return rings_; }
    /// How many; any thread.
    [[nodiscard]] uint32_t ring_count() const {
        return ring_count_.load(std::memory_order_relaxed);
    }
    [[nodiscard]] Shard& shard() const { return shard_; }

    /// If nothing has moved, so long nothing needs to be done.
    static constexpr std::chrono::nanoseconds kRest = std::chrono::milliseconds(10);
    /// What a worker does again and again: chunks, and where there are none those being filled.
    /// False: no chunk was there.
    bool turn();

    /// Takes whole chunks, a few from each ring; ends threads that have ended. False: nothing
    /// moved.
    bool take_chunks();
    /// Reads chunks that are still being filled. Costs the threads that fill them a cache miss, so
    /// only when nothing else is to do.
    void read_tails();
    /// Reads chunks that are still being filled, and returns a time before which all records of its
    /// threads have been replayed: `now_ticks`, which is past, or earlier where a thread has
    /// written too much. Costs the threads that fill them a cache miss.
    uint64_t read_tails(uint64_t now_ticks);
    /// Takes back what quiet threads hold in reserve. About once a second.
    void reclaim_from_quiet(Clock::time_point now);
    /// The target is gone: everything it published is read, whatever state its threads are in.
    void read_out();

  private:
    /// A ring in a turn: chunks to be taken, known to be complete before the overlays were read.
    struct Ready {
        Ring* ring;
        uint32_t chunks;
        bool ended;  ///< its thread, before the chunks were counted
    };
    /// A chunk that is being filled, as far as it was before the overlays were read.
    struct Tail {
        Ring* ring;
        hotpath::RingReader::View view;
        size_t there;  ///< slots not read yet
        bool waited;   ///< the thread did, before anybody looked how far the others are
    };
    static constexpr size_t kSlotsPerChunk = hotpath::kChunkBytes / hotpath::kSlotBytes;

    [[nodiscard]] static Ready look_at(Ring& ring, uint32_t most);
    /// Takes from those in ready_.
    bool take_ready();
    /// Of those in ready_, threads that are far ahead of others in time have no turn while facts of
    /// async calls are put in the order of time: theirs would only wait, until there were too many.
    void pass_over_those_ahead();
    /// False: nothing of it could be replayed.
    bool take_from(Ready& ready);
    /// Threads that wait for others wait no longer where those have been read.
    void end_waits(const std::vector<Tail>& tails);
    [[nodiscard]] bool any_waits() const;
    /// Replays the front chunk, `there` slots of it. `view` and `there`: as they were when the
    /// overlays were read. Answers the slots that were replayed.
    size_t read_front(Ring& ring, hotpath::RingReader::View view, size_t there);
    /// What the threads went through up to now is known then: to be called between seeing what they
    /// have written and replaying it.
    void read_overlays();
    /// Makes the front chunk zero, in place or, where chunks are rare, by giving back its memory.
    void clear_front(Ring& ring, Clock::time_point now);
    /// Gives the front chunk back; `ended`: its thread has. True: it waits for one, and is to be
    /// woken.
    [[nodiscard]] bool recycle(Ring& ring, bool ended);
    void close(Ring& ring);
    void forget_closed();

    DrainShare& share_;
    Shard& shard_;
    Rings rings_;  ///< by slot
    std::atomic<uint32_t> ring_count_{0};
    std::vector<Ready> ready_;
    std::vector<Tail> tails_;
    uint32_t next_slot_ = 0;           ///< where the turn before ended early; 0: it did not
    std::vector<const Ring*> closed_;  ///< to be forgotten
};

}  // namespace umbra::collector
