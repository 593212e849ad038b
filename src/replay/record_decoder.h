// SPDX-License-Identifier: MIT
// Walks the records of one chunk of a thread's ring; whatever the bytes are, it ends and counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "hotpath/record.h"

namespace umbra::replay {

/// One pass over the slots of one chunk, from a given slot to the chunk's end.
///
/// The producer may still be writing: every slot is read once, slot 0 with acquire, so that the
/// payload the producer stored before it is visible. Records never straddle chunks. A slot not yet
/// written ends the pass: in a complete chunk the rest is padding, in an unfinished one the next
/// pass starts there.
///
/// Time never runs backwards: a record with earlier ticks than the one before has the same time as
/// that (and is counted as an error).
///
/// A local value of the replay loop: keep it in registers, do not hand out its address there.
class RecordCursor {
  public:
    /// Chunks were written by another core; the hardware's own prefetch stops at each page.
    static constexpr size_t kPrefetchSlots = 128;

    /// `slots` runs to the end of the chunk; `ticks` is the time of the thread's last record.
    RecordCursor(std::span<const uint64_t> slots, uint64_t ticks)
        : next_(slots.data()),
          begin_(slots.data()),
          end_(slots.data() + slots.size()),
          ticks_(ticks) {}

    /// Steps to the next record; false at a slot not written, the end, and at a record that would
    /// run past the end (an error; the rest of the chunk is given up).
    bool next() {
        if (next_ == end_) {
            return false;
        }
        __builtin_prefetch(next_ + kPrefetchSlots);
        const uint64_t slot = __atomic_load_n(next_, __ATOMIC_ACQUIRE);
        if (!hotpath::slot_written(slot)) {
            return false;
        }
        if (end_ - next_ < 2) [[unlikely]] {
            return overrun();
        }
        const uint64_t ticks = __atomic_load_n(next_ + 1, __ATOMIC_RELAXED);
        if (ticks < ticks_) [[unlikely]] {
            ++errors_;
        } else {
            ticks_ = ticks;
        }
        slot_ = slot;
        next_ += 2;
        return true;
    }

    /// The payload slots of a control record that has as many. False past the end (an error).
    bool payload(std::span<uint64_t> values) {
        if (static_cast<size_t>(end_ - next_) < values.size()) {
            return overrun();
        }
        for (uint64_t& value : values) {
            value = __atomic_load_n(next_++, __ATOMIC_RELAXED);
        }
        return true;
    }
    bool payload(uint64_t& value) { return payload(std::span(&value, 1)); }
    /// Steps over the payload of the record just read, whatever its kind. False past the end.
    bool skip_payload() {
        const bool control = hotpath::slot_kind(slot_) == hotpath::Kind::kControl;
        const size_t slots =
            control ? hotpath::control_payload_slots(
                          static_cast<hotpath::ControlType>(hotpath::slot_index(slot_)))
                    : 0;
        if (static_cast<size_t>(end_ - next_) < slots) {
            return overrun();
        }
        next_ += slots;
        return true;
    }

    /// The slot that follows, if there is one.
    [[nodiscard]] uint64_t peek() const {
        return next_ == end_ ? 0 : __atomic_load_n(next_, __ATOMIC_ACQUIRE);
    }
    /// Leaves the record just read, of which no payload has been, and all that follows for another
    /// cursor.
    void unread() {
        next_ -= 2;
        stop();
    }
    /// Steps no further: what follows is left for another cursor.
    void stop() { end_ = next_; }

    [[nodiscard]] uint64_t slot() const { return slot_; }    ///< slot 0 of the record
    [[nodiscard]] uint64_t ticks() const { return ticks_; }  ///< its time
    [[nodiscard]] uint64_t errors() const { return errors_; }
    /// Slots that need not be looked at again.
    [[nodiscard]] size_t consumed(bool complete) const {
        return static_cast<size_t>((complete ? end_ : next_) - begin_);
    }

  private:
    bool overrun() {
        ++errors_;
        next_ = end_;
        return false;
    }

    const uint64_t* next_;
    const uint64_t* begin_;
    const uint64_t* end_;
    uint64_t ticks_;
    uint64_t slot_ = 0;
    uint64_t errors_ = 0;
};

}  // namespace umbra::replay
