// SPDX-License-Identifier: MIT
// Histogram memory: blocks of counters are handed out as functions first need them.
#include "src/collector/histogram.h"

#include <algorithm>
#include <new>

namespace umbra::collector {

Histograms::Histograms(uint32_t max_function)
    : functions_(size_t{max_function} + 2),
      blocks_((size_t{max_function} + 1) * HistogramBuckets::kBlocks + 1) {
    if (!blocks_.ensure(1) || !functions_.ensure(1)) {
        throw std::bad_alloc();
    }
}

bool Histograms::ensure(uint32_t function) {
    const size_t needed = size_t{place(function)} + 1;
    if (!functions_.ensure(needed)) {
        return false;
    }
    places_ = std::max(places_, needed);
    return true;
}

uint32_t Histograms::new_block() {
    if (!blocks_.ensure(size_t{block_count_} + 1)) {
        return 0;
    }
    return block_count_++;
}

}  // namespace umbra::collector
