// SPDX-License-Identifier: MIT
// Drain: takes chunks out of all rings of a segment and feeds them to the session's state.
#pragma once

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

/// One thread: the session's. Memory follows traffic: the chunks of a busy thread are zeroed in
/// place, those of a slow one go back to the system, and what a thread that fell quiet holds in
/// reserve is taken back.
class Drain {
  public:
    using Clock = std::chrono::steady_clock;

    /// Hears of a thread.
    using OnThread = std::function<void(ProfiledThread&)>;

    /// `on_thread` hears of each new thread, `on_stall` of each that stands still. What the
    /// threads call themselves becomes what they are called here.
    Drain(SharedSegment& segment, SessionState& state, CpuWatch& cpu, ThreadIds& ids,
          OnThread on_thread, OnThread on_stall)
        : segment_(segment),
          state_(state),
          cpu_(cpu),
          ids_(ids),
          pauses_(segment.header().pauses, segment.pauses(), &ids),
          on_thread_(std::move(on_thread)),
          on_stall_(std::move(on_stall)) {}

    /// Takes whole chunks, a few from each ring; ends threads that have ended. False: nothing
    /// moved.
    bool take_chunks();
    /// Reads chunks that are still being filled; `tail_before` as in ThreadReplay::consume. Costs
    /// the threads that fill them a cache miss, so only when nothing else is to do.
    void read_tails(uint64_t tail_before = 0);
    /// Looks how far each thread has come, and replays up to where one has stood still since the
    /// last look: what that waited for belongs to its place. About once a millisecond. False: every
    /// thread has stood for so long that there is no hurry.
    bool poll_progress();
    /// Takes back what quiet threads hold in reserve. About once a second.
    void reclaim_from_quiet(Clock::time_point now);
    /// The target is gone: everything it published is read, whatever state its threads are in.
    void read_out();

    /// Sleeps until a thread hands over a chunk, or `limit` has passed.
    void sleep(std::chrono::nanoseconds limit);
    /// Ends a sleep early, from another thread; one that begins just now runs to its limit.
    static void interrupt(SharedSegment& segment);

    [[nodiscard]] uint32_t live_threads() const { return live_; }

  private:
    struct Ring {
        explicit Ring(hotpath::RingReader ring_reader) : reader(ring_reader) {}

        hotpath::RingReader reader;
        ProfiledThread* thread = nullptr;  // null: there are too many
        size_t slots_read = 0;             // of the front chunk
        Clock::time_point last_chunk;
        bool resident = false;  // granted chunks were zeroed in place
        // What the last look has seen:
        uint32_t seen_chunk = 0;
        size_t seen_slots = 0;    // written ones of the chunk
        uint64_t seen_ticks = 0;  // when it had come that far; 0 = never looked
        uint32_t stood = 0;       // looks at the same place
    };
    static constexpr size_t kSlotsPerChunk = hotpath::kChunkBytes / hotpath::kSlotBytes;

    Ring* open_ring(uint32_t slot, hotpath::ThreadBlock& block);
    [[nodiscard]] ProfiledThread* begin_thread(const hotpath::ThreadBlock& block);
    /// At most `budget` chunks of one ring.
    bool take_from(uint32_t slot, hotpath::ThreadBlock& block, bool ended, int budget);
    void read_front(Ring& ring, hotpath::RingReader::View view, uint64_t tail_before = 0);
    /// Pauses and context switches up to now. Between seeing what a thread has written and
    /// replaying it: what the thread went through before is then known.
    void read_overlays();
    void poll_progress(Ring& ring);
    [[nodiscard]] uint64_t ticks() const;
    /// Gives the front chunk back. True: its thread waits for one, and is to be woken.
    [[nodiscard]] bool recycle(uint32_t slot, Ring& ring);
    void close_ring(uint32_t slot, hotpath::ThreadBlock& block);

    SharedSegment& segment_;
    SessionState& state_;
    CpuWatch& cpu_;
    ThreadIds& ids_;
    PauseReader pauses_;
    OnThread on_thread_;
    OnThread on_stall_;
    std::vector<std::unique_ptr<Ring>> rings_;  // by slot; null: no thread there
    uint32_t live_ = 0;
    uint32_t polls_ = 0;
    uint32_t moving_ = 0;  ///< looks until there is no hurry
};

}  // namespace umbra::collector
