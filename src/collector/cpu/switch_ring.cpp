// SPDX-License-Identifier: MIT
#include "src/collector/cpu/switch_ring.h"

#include <algorithm>
#include <cstring>

namespace umbra::collector {
namespace {

/// What sample_id_all appends to each record.
struct SampleId {
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
};
static_assert(sizeof(SampleId) == 16);

constexpr size_t kLostCountOffset = sizeof(perf_event_header) + sizeof(uint64_t);

}  // namespace

void SwitchRing::copy(uint64_t at, void* to, size_t bytes) const {
    const size_t begin = at & (data_.size() - 1);
    const size_t first = std::min(bytes, data_.size() - begin);
    std::memcpy(to, data_.data() + begin, first);
    std::memcpy(static_cast<std::byte*>(to) + first, data_.data(), bytes - first);
}

bool SwitchRing::next(uint64_t head, SwitchRecord& record) {
    perf_event_header header{};
    const uint64_t left = head - tail_;
    if (left < sizeof(header) || left > data_.size()) {
        ++lost_;
        tail_ = head;
        return false;
    }
    copy(tail_, &header, sizeof(header));
    if (header.size < sizeof(header) + sizeof(SampleId) || header.size > left) {
        ++lost_;
        tail_ = head;
        return false;
    }
    const uint64_t at = tail_;
    tail_ += header.size;
    SampleId id{};
    copy(tail_ - sizeof(id), &id, sizeof(id));
    record = {.kind = SwitchRecord::Kind::kIn,
              .pid = id.pid,
              .tid = id.tid,
              .time_ns = id.time_ns + static_cast<uint64_t>(ahead_ns_)};
    switch (header.type) {
        case PERF_RECORD_SWITCH:
            if ((header.misc & PERF_RECORD_MISC_SWITCH_OUT) != 0) {
                record.kind = SwitchRecord::Kind::kOut;
            }
            return true;
        case PERF_RECORD_EXIT:
            record.kind = SwitchRecord::Kind::kExit;
            return true;
        case PERF_RECORD_LOST: {
            uint64_t count = 0;
            if (header.size >= kLostCountOffset + sizeof(count) + sizeof(SampleId)) {
                copy(at + kLostCountOffset, &count, sizeof(count));
            }
            lost_ += std::max<uint64_t>(count, 1);
            return false;
        }
        default:
            return false;  // throttling and the like
    }
}

}  // namespace umbra::collector
