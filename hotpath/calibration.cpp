// SPDX-License-Identifier: MIT
// Batches of pairs of probes, and what their clock readings say of them.
#include "hotpath/calibration.h"

#include <cstddef>
#include <cstdint>

#include "hotpath/record.h"
#include "hotpath/recorder.h"

namespace umbra::hotpath {
namespace {

constexpr size_t kPairs = 60;
constexpr size_t kBatchSlots = kPairs * 2 * kRecordBytes / kSlotBytes;
constexpr size_t kBatches = 65;

/// One figure of every batch.
struct Samples {
    float values[kBatches];

    float median() noexcept {
        for (size_t i = 1; i < kBatches; ++i) {  // insertion sort: nothing to allocate, 65 values
            const float value = values[i];
            size_t at = i;
            for (; at > 0 && values[at - 1] > value; --at) {
                values[at] = values[at - 1];
            }
            values[at] = value;
        }
        return values[kBatches / 2];
    }
};

/// Points the thread's cursor at a private buffer, and back again at the end.
class PrivateCursor {
  public:
    explicit PrivateCursor(uint64_t* begin) noexcept : begin_(begin) {}
    PrivateCursor(const PrivateCursor&) = delete;
    PrivateCursor& operator=(const PrivateCursor&) = delete;
    ~PrivateCursor() { umbra_cursor = kept_; }

    void rewind() const noexcept {
        umbra_cursor.next = begin_;
        umbra_cursor.limit = begin_ + kBatchSlots;
        umbra_cursor.end = umbra_cursor.limit;
    }

  private:
    const ThreadCursor kept_ = umbra_cursor;
    uint64_t* begin_;
};

/// Mean ticks between the events of a batch of pairs: within pairs, and between them.
void measure_gaps(const uint64_t* records, float& inside, float& outside) noexcept {
    uint64_t in_sum = 0;
    uint64_t out_sum = 0;
    for (size_t pair = 0; pair < kPairs; ++pair) {
        const uint64_t enter = records[pair * 4 + 1];
        const uint64_t leave = records[pair * 4 + 3];
        in_sum += leave - enter;
        out_sum += pair + 1 < kPairs ? records[pair * 4 + 5] - leave : 0;
    }
    inside = static_cast<float>(in_sum) / kPairs;
    outside = static_cast<float>(out_sum) / (kPairs - 1);
}

}  // namespace

ProbeCosts calibrate(ClockSource clock) noexcept {
    constexpr uint32_t kNobody = 1;  // the records are read by nobody else
    const HookFunctions hooks = hook_functions(clock);
    alignas(64) uint64_t records[kBatchSlots];
    Samples inside{};
    Samples outside{};
    const PrivateCursor cursor(records);
    for (size_t batch = 0; batch < kBatches; ++batch) {
        cursor.rewind();
        umbra_call_pairs(hooks.enter, hooks.leave, client_id(kNobody), kPairs);
        measure_gaps(records, inside.values[batch], outside.values[batch]);
    }
    return {.inside = inside.median(), .outside = outside.median()};
}

}  // namespace umbra::hotpath
