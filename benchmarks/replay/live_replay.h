// SPDX-License-Identifier: MIT
// LiveReplay: an adaptive session over a recorded stream, as if it were written just now.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "benchmarks/collector/strip.h"
#include "benchmarks/replay/stream_file.h"
#include "hotpath/record.h"
#include "hotpath/segment.h"
#include "src/collector/live/clock_policy.h"
#include "src/collector/state/session_state.h"

namespace umbra::bench {

/// The records of one thread out of the blocks of a file, one by one. What recording itself did to
/// the thread is cut out, and what came later comes earlier: its waits for the collector, which had
/// far more to do than in an adaptive session, and where it handed a chunk over (with a futex call,
/// tens of microseconds) all but kHandOver ticks of the interval. An adaptive session has these
/// between two clock readings, but at other places.
class ThreadSource {
  public:
    struct Record {
        uint64_t slot;
        uint64_t ticks;
    };
    static constexpr uint64_t kHandOver = 64;

    void add(std::span<const uint64_t> slots) { pieces_.push_back(slots); }

    /// False at the end, and at what is no timed record.
    bool peek(Record& record) {
        for (;;) {
            while (piece_ < pieces_.size() && at_ == pieces_[piece_].size()) {
                ++piece_;
                at_ = 0;
            }
            if (piece_ == pieces_.size()) {
                return false;
            }
            const std::span<const uint64_t> rest = pieces_[piece_].subspan(at_);
            if (!hotpath::slot_timed(rest[0]) || rest.size() < 2) {
                return false;
            }
            const bool waits = is_wait(rest[0]) && rest.size() > 2;
            if (waits || in_chunk_ + 2 > kChunkSlots) {
                in_chunk_ = 0;  // a thread that waits does so with a new chunk before it
                cut_out(last_ + kHandOver, rest[1]);
            }
            record = {.slot = rest[0], .ticks = rest[1] - waited_};
            if (!waits) {
                return true;
            }
            pop(3);
        }
    }
    void pop(size_t slots = 2) {
        last_ = pieces_[piece_][at_ + 1];
        at_ += slots;
        in_chunk_ += slots;
    }
    [[nodiscard]] uint64_t waited() const { return waited_; }  ///< ticks cut out so far

    /// The thread was off the processors then; in order of time.
    void add_off_cpu(uint64_t begin, uint64_t end) { off_cpu_.emplace_back(begin, end); }
    /// Hands the intervals that ended until `now` to `take`, in the thread's shortened time, but
    /// for what lies in a cut. `now`: no later than the next record; what is cut out before a
    /// record is known only when that has been looked at.
    template <typename Take>
    void take_off_cpu(uint64_t now, Take take) {
        for (; next_off_ < off_cpu_.size() && off_cpu_[next_off_].second - waited_ <= now;
             ++next_off_) {
            keep(off_cpu_[next_off_].first, off_cpu_[next_off_].second);
        }
        for (const auto& [begin, end] : known_) {
            take(begin, end);
        }
        known_.clear();
    }

  private:
    void cut_out(uint64_t begin, uint64_t end) {
        if (last_ == 0 || begin >= end) {
            return;
        }
        for (; next_off_ < off_cpu_.size() && off_cpu_[next_off_].first < end; ++next_off_) {
            auto& [off_begin, off_end] = off_cpu_[next_off_];
            keep(off_begin, std::min(off_end, begin));
            if (off_end > end) {
                off_begin = end;
                break;
            }
        }
        waited_ += end - begin;
    }
    void keep(uint64_t begin, uint64_t end) {
        if (begin < end) {
            known_.emplace_back(begin - waited_, end - waited_);
        }
    }
    static bool is_wait(uint64_t slot) {  // the one record with a payload
        return hotpath::slot_kind(slot) == hotpath::Kind::kControl &&
               hotpath::slot_index(slot) == static_cast<uint32_t>(hotpath::ControlType::kWaited);
    }

    std::vector<std::span<const uint64_t>> pieces_;
    size_t piece_ = 0;
    size_t at_ = 0;
    uint64_t waited_ = 0;
    uint64_t last_ = 0;    ///< ticks of the last record, not shifted
    size_t in_chunk_ = 0;  ///< slots of the recording's own chunk
    std::vector<std::pair<uint64_t, uint64_t>> off_cpu_;
    size_t next_off_ = 0;
    std::vector<std::pair<uint64_t, uint64_t>> known_;  ///< in shortened time, not handed out
};

/// Runs all threads of a stream at once in steps of a millisecond. In each the threads write what
/// they wrote then, with the clock left out where the control bytes say so; the collector takes
/// the chunks that are full, looks who stands still, and decides with the real policy at its real
/// pace. A thread that stands still waits, unless it
/// compiles or has the runtime suspended: a recording does not tell waiting from being preempted.
class LiveReplay {
  public:
    LiveReplay(const StreamFile& file, const collector::ClockPolicy::Thresholds& thresholds,
               bool off_cpu)
        : controls_(hotpath::kMaxFunctions),
          policy_(controls_, thresholds),
          ticks_per_ns_(file.ticks_hz() * 1e-9) {
        for (const Block& block : file.blocks()) {
            if (block.kind == BlockKind::kThread && block.words.size() == 2) {
                threads_.push_back({.replaying = state_.add_thread(
                                        static_cast<uint32_t>(block.words[0]), block.words[1])});
                start_ = std::min(start_, block.words[1]);
            } else if (block.kind == BlockKind::kRecords && block.thread < threads_.size()) {
                threads_[block.thread].source.add(block.words);
            } else if (block.kind == BlockKind::kOffCpu && block.thread < threads_.size() &&
                       off_cpu) {
                threads_[block.thread].source.add_off_cpu(block.words[0], block.words[1]);
            }
        }
    }

    /// `stripped`: takes the chunks as they are handed over; may be null.
    void run(StreamFileWriter* stripped) {
        stripped_ = stripped;
        const auto step = static_cast<uint64_t>(1e6 * ticks_per_ns_);
        bool more = !threads_.empty();
        for (now_ = start_ + step; more; now_ += step) {
            more = false;
            for (uint32_t number = 0; number < threads_.size(); ++number) {
                more = write(number) || more;
            }
            for (uint32_t number = 0; number < threads_.size(); ++number) {
                tell_off_cpu(number, now_);
                look(number);
            }
            policy_.run([this](const auto& visit) { visit(state_.intervals()); }, ticks_per_ns_,
                        time());
        }
        for (uint32_t number = 0; number < threads_.size(); ++number) {
            Thread& thread = threads_[number];
            thread.replaying->consume(thread.chunks.open().subspan(thread.read), false, now_);
            if (stripped_ != nullptr) {
                stripped_->block(BlockKind::kRecords, number, thread.chunks.open());
            }
        }
    }

    collector::SessionState& state() { return state_; }
    [[nodiscard]] const collector::ClockPolicy& policy() const { return policy_; }
    [[nodiscard]] uint64_t end_ticks() const { return now_; }
    [[nodiscard]] double waited_ms() const {
        double all = 0;
        for (const Thread& thread : threads_) {
            all += static_cast<double>(thread.source.waited()) / ticks_per_ns_ * 1e-6;
        }
        return all;
    }
    [[nodiscard]] uint64_t events() const { return sum(&Stripper::events); }
    [[nodiscard]] uint64_t timed() const { return sum(&Stripper::timed); }

  private:
    struct Thread {
        collector::ProfiledThread* replaying;
        ThreadSource source{};
        Stripper chunks{};
        size_t read = 0;  ///< slots of the open chunk
        uint64_t chunk = 0;
        uint64_t seen_chunk = 0;
        size_t seen_slots = 0;
        uint64_t seen_ticks = 0;
        uint32_t stood = 0;
        int busy = 0;  ///< compilations and suspensions it is in
    };

    [[nodiscard]] uint64_t sum(uint64_t (Stripper::*count)() const) const {
        uint64_t all = 0;
        for (const Thread& thread : threads_) {
            all += (thread.chunks.*count)();
        }
        return all;
    }

    [[nodiscard]] collector::ClockPolicy::Clock::time_point time() const {
        return collector::ClockPolicy::Clock::time_point(std::chrono::nanoseconds(
            static_cast<int64_t>(static_cast<double>(now_ - start_) / ticks_per_ns_)));
    }

    static int busier(uint64_t slot) {
        switch (static_cast<hotpath::ControlType>(hotpath::slot_index(slot))) {
            case hotpath::ControlType::kCompileStarted:
            case hotpath::ControlType::kSuspendStarted:
                return 1;
            case hotpath::ControlType::kCompileFinished:
            case hotpath::ControlType::kResumeFinished:
                return -1;
            default:
                return 0;
        }
    }

    /// All records of a thread up to now. False: it has written its last.
    bool write(uint32_t number) {
        Thread& thread = threads_[number];
        ThreadSource::Record record{};
        while (thread.source.peek(record)) {
            if (record.ticks > now_) {
                return true;
            }
            thread.source.pop();
            bool timed = true;
            if (hotpath::slot_kind(record.slot) == hotpath::Kind::kControl) {
                thread.busy += busier(record.slot);
            } else {
                timed = controls_[hotpath::slot_index(record.slot) % controls_.size()] == 0;
            }
            if (thread.chunks.add(record.slot, record.ticks, {}, timed)) {
                tell_off_cpu(number, record.ticks);
                thread.replaying->consume(thread.chunks.chunk().subspan(thread.read), true);
                thread.read = 0;
                ++thread.chunk;
                if (stripped_ != nullptr) {
                    stripped_->block(BlockKind::kRecords, number, thread.chunks.chunk());
                }
            }
        }
        return false;
    }

    /// Those that ended until `now`, a time up to which the thread's records are written.
    void tell_off_cpu(uint32_t number, uint64_t now) {
        threads_[number].source.take_off_cpu(now, [&](uint64_t begin, uint64_t end) {
            threads_[number].replaying->add_off_cpu(begin, end);
        });
    }

    /// As Drain::poll_progress.
    void look(uint32_t number) {
        Thread& thread = threads_[number];
        const std::span<const uint64_t> open = thread.chunks.open();
        if (thread.seen_ticks == 0 || thread.seen_chunk != thread.chunk ||
            thread.seen_slots != open.size()) {
            thread.seen_chunk = thread.chunk;
            thread.seen_slots = open.size();
            thread.seen_ticks = now_;
            thread.stood = 0;
            return;
        }
        thread.read += thread.replaying->stall(open.subspan(thread.read), thread.seen_ticks, now_);
        if (++thread.stood == 1 && thread.busy <= 0) {
            policy_.waits(thread.replaying->top_function());
        }
    }

    std::vector<uint8_t> controls_;
    collector::ClockPolicy policy_;
    collector::SessionState state_{{}, true};
    double ticks_per_ns_;
    std::vector<Thread> threads_;
    StreamFileWriter* stripped_ = nullptr;
    uint64_t start_ = UINT64_MAX;
    uint64_t now_ = 0;
};

}  // namespace umbra::bench
