// SPDX-License-Identifier: MIT
// Segments for a recorder without a collector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include <sys/mman.h>

#include "hotpath/segment.h"

namespace umbra::hotpath {

/// One segment's place in memory, with a fresh segment for each capture.
class Segments {
  public:
    SegmentHeader& fresh() {
        if (mmap(address_, kSegmentBytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED) {
            std::abort();
        }
        auto& header = *static_cast<SegmentHeader*>(address_);
        header.clock = ClockSource::kCounter;
        return header;
    }
    [[nodiscard]] std::byte* base() const { return static_cast<std::byte*>(address_); }
    [[nodiscard]] ThreadBlock& block(uint32_t slot) const {
        return reinterpret_cast<ThreadBlock*>(base() + kThreadsOffset)[slot];
    }

  private:
    void* address_ =
        mmap(nullptr, kSegmentBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
};

}  // namespace umbra::hotpath
