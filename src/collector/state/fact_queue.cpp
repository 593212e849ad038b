// SPDX-License-Identifier: MIT
#include "src/collector/state/fact_queue.h"

#include <utility>

namespace umbra::collector {

void FactQueue::push(protocol::ProcessFact fact, size_t bytes) {
    const std::lock_guard lock(mutex_);
    if (bytes_ + bytes + kFactBytes > kMostBytes) {
        ++lost_;
        return;
    }
    bytes_ += bytes + kFactBytes;
    facts_.push_back(std::move(fact));
}

std::vector<protocol::ProcessFact> FactQueue::take() {
    const std::lock_guard lock(mutex_);
    bytes_ = 0;
    return std::exchange(facts_, {});
}

uint64_t FactQueue::lost() const {
    const std::lock_guard lock(mutex_);
    return lost_;
}

}  // namespace umbra::collector
