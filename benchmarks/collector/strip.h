// SPDX-License-Identifier: MIT
// Takes clock readings out of a stream, as the stubs leave them out, and cuts it into chunks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "benchmarks/collector/streams.h"
#include "hotpath/record.h"
#include "hotpath/segment.h"

namespace umbra::bench {

/// Writes the chunks of one thread, record by record, as stubs and slow path do.
class Stripper {
  public:
    /// Appends a record; `payload` follows its ticks. `timed`: whatever the place, its clock
    /// reading stays. True: a chunk is full, see `chunk`; the record went into the next.
    bool add(uint64_t slot, uint64_t ticks, std::span<const uint64_t> payload, bool timed) {
        // Two slots are kept back for the reading that closes the chunk, one for a timed record.
        bool full = false;
        if (used_ + 3 + payload.size() > kChunkSlots - 2) {
            close(ticks);
            full = true;
        }
        std::vector<uint64_t>& out = chunks_[current_];
        ++events_;
        if (timed || used_ % hotpath::kBurstPeriodSlots < hotpath::kBurstSlots) {
            ++timed_;
            out[used_++] = slot;
            out[used_++] = ticks;
            for (const uint64_t value : payload) {
                out[used_++] = value;
            }
        } else {
            out[used_++] = slot & ~uint64_t{hotpath::kTimedBit};
        }
        return full;
    }
    /// Ends the chunk being written with a clock reading.
    void close(uint64_t ticks) {
        chunks_[current_][used_] = hotpath::make_slot(
            hotpath::Kind::kControl, static_cast<uint32_t>(hotpath::ControlType::kTick), true, 0);
        chunks_[current_][used_ + 1] = ticks;
        current_ ^= 1U;
        chunks_[current_].assign(kChunkSlots, 0);
        used_ = 0;
    }
    /// The chunk closed last.
    [[nodiscard]] std::span<const uint64_t> chunk() const { return chunks_[current_ ^ 1U]; }
    /// What is written of the next.
    [[nodiscard]] std::span<const uint64_t> open() const {
        return std::span(chunks_[current_]).first(used_);
    }
    [[nodiscard]] uint64_t events() const { return events_; }
    [[nodiscard]] uint64_t timed() const { return timed_; }

  private:
    std::array<std::vector<uint64_t>, 2> chunks_{std::vector<uint64_t>(kChunkSlots),
                                                 std::vector<uint64_t>(kChunkSlots)};
    size_t current_ = 0;
    size_t used_ = 0;
    uint64_t events_ = 0;
    uint64_t timed_ = 0;
};

}  // namespace umbra::bench
