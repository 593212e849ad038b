// SPDX-License-Identifier: MIT
#include "hotpath/calibration.h"

#include <algorithm>
#include <cstddef>

#include <sys/mman.h>

#include "hotpath/clock.h"
#include "hotpath/record.h"
#include "hotpath/recorder.h"

namespace umbra::hotpath {
namespace {

constexpr size_t kPeriodBytes = kBurstPeriodSlots * kSlotBytes;
constexpr size_t kBurstBytes = kBurstSlots * kSlotBytes;
// A batch without clock readings lies between two burst windows.
constexpr size_t kPairs = (kPeriodBytes - kBurstBytes) / (2 * kSlotBytes);
constexpr size_t kBatchBytes = kPairs * 2 * kTimedRecordBytes;
constexpr size_t kBatches = 65;

/// A tight loop says what probes cost in a tight loop; between other code they overlap more, or
/// less, or miss a cache. fib(35) differs by 2 %; methods that wait for all instructions before
/// them to end (benchmarks/truth reads the clock) by 40 to 80 % of a pair. Two standard errors are
/// to cover that.
constexpr float kContextError = 0.5F;

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
        umbra_cursor.limit = begin_ + kBatchBytes / kSlotBytes;
        umbra_cursor.end = umbra_cursor.limit;
    }

  private:
    const ThreadCursor kept_ = umbra_cursor;
    uint64_t* begin_;
};

/// Mean ticks between the events of a batch of timed pairs: within pairs, and between them.
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

ProbeCosts calibrate(SegmentHeader& header) noexcept {
    constexpr size_t kBytes = 2 * kPeriodBytes + kBatchBytes;
    void* area = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (area == MAP_FAILED) {
        return {};
    }
    const auto address = reinterpret_cast<uintptr_t>(area);
    const uintptr_t period = (address + kPeriodBytes - 1) / kPeriodBytes * kPeriodBytes;
    auto* const records = reinterpret_cast<uint64_t*>(period + kBurstBytes);
    auto& control = *reinterpret_cast<ClockControl*>(client_id(&header, 0));
    const HookFunctions hooks = hook_functions(header.clock);

    Samples inside{};
    Samples outside{};
    Samples untimed{};
    {
        const PrivateCursor cursor(records);
        for (size_t batch = 0; batch < kBatches; ++batch) {
            cursor.rewind();
            control = ClockControl::kAlways;
            umbra_call_pairs(hooks.enter, hooks.leave, client_id(&header, 0), kPairs);
            measure_gaps(records, inside.values[batch], outside.values[batch]);

            cursor.rewind();
            control = ClockControl::kBursts;
            const uint64_t begin = read_clock(header.clock);
            umbra_call_pairs(hooks.enter, hooks.leave, client_id(&header, 0), kPairs);
            const uint64_t end = read_clock(header.clock);
            const uint64_t reading = read_clock(header.clock) - end;
            const uint64_t calls = end - begin - std::min(reading, end - begin);
            untimed.values[batch] = static_cast<float>(calls) / kPairs;
        }
    }
    control = ClockControl::kAlways;
    munmap(area, kBytes);

    ProbeCosts costs;
    costs.timed_inside = inside.median();
    costs.timed_outside = outside.median();
    costs.untimed = untimed.median();
    costs.timed_error = (costs.timed_inside + costs.timed_outside) * kContextError;
    costs.untimed_error = costs.untimed * kContextError;
    return costs;
}

}  // namespace umbra::hotpath
