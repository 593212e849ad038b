// SPDX-License-Identifier: MIT
// An object begins with the pointer to its method table (64 bits, .NET 8 to 11), in whose lowest
// bits a collection may keep marks. docs/runtime_contract.md names where that is promised.
#include "hotpath/async_calls.h"

#include <cstring>

#include "hotpath/record.h"
#include "hotpath/recorder.h"
#include "hotpath/seen_types.h"

namespace umbra::hotpath {
namespace {

constexpr uint64_t kMarks = 7;

constinit SeenTypes g_types;

/// What a probe is handed.
struct Handed {
    uint32_t first;
    const void* first_object;
    uint32_t second;
    const void* second_object;
    uint64_t frame;
    uint32_t runtime;
};

uint64_t type_of(const void* object) noexcept {
    if (object == nullptr) {
        return 0;
    }
    uint64_t word = 0;
    std::memcpy(&word, object, sizeof word);
    return word & ~kMarks;
}

/// Runtimes of a process count their tasks each for itself. Ids below 2^27 and hashes, which have
/// 26 bits, are told apart; those of the first runtime stay as they are.
uint32_t key_of(uint32_t key, const void* object, uint32_t runtime) noexcept {
    constexpr uint32_t kRuntimes = 16;
    constexpr uint32_t kIdBits = 27;
    return object == nullptr ? 0 : key ^ ((runtime - 1) % kRuntimes) << kIdBits;
}

void record_keys(ControlType record, uint32_t operand, uint64_t keys, const void* typed,
                 uint32_t runtime) noexcept {
    const uint64_t type = type_of(typed);
    const uint64_t payload[] = {keys, type};
    record_control(record, operand, payload);
    if (type != 0 && recording()) {
        g_types.note(SeenTypes::pack(type, runtime));
    }
}

void record_objects(ControlType record, const Handed& handed) noexcept {
    const void* const typed =
        handed.second_object != nullptr ? handed.second_object : handed.first_object;
    record_keys(record, static_cast<uint32_t>(handed.frame),
                make_async_keys(key_of(handed.first, handed.first_object, handed.runtime),
                                key_of(handed.second, handed.second_object, handed.runtime)),
                typed, handed.runtime);
}

void record_fault(const Handed& handed) noexcept {
    const uint32_t key = key_of(handed.first, handed.first_object, handed.runtime);
    record_keys(ControlType::kAsyncFaulted,
                key != 0 ? static_cast<uint32_t>(handed.frame) : handed.second,
                make_async_keys(key, 0), handed.second_object, handed.runtime);
}

void record_frame(ControlType record, uint64_t frame) noexcept {
    record_control(record, static_cast<uint32_t>(frame));
}

}  // namespace

SeenTypes& seen_types() noexcept {
    return g_types;
}

}  // namespace umbra::hotpath

using umbra::hotpath::ControlType;
namespace hotpath = umbra::hotpath;

extern "C" {

#define UMBRA_ASYNC_PROBE(name, record)                                                        \
    void umbra_##name(uint32_t first, const void* first_object, uint32_t second,               \
                      const void* second_object, uint64_t frame, uint32_t runtime) noexcept {  \
        hotpath::record_objects(record,                                                        \
                                {first, first_object, second, second_object, frame, runtime}); \
    }
UMBRA_ASYNC_PROBE(async_suspended, ControlType::kAsyncSuspended)
UMBRA_ASYNC_PROBE(async_awaits, ControlType::kAsyncAwaits)
UMBRA_ASYNC_PROBE(async_resumed, ControlType::kAsyncResumed)
UMBRA_ASYNC_PROBE(async_completed, ControlType::kAsyncCompleted)
UMBRA_ASYNC_PROBE(async_stack_suspended, ControlType::kAsyncStackSuspended)
UMBRA_ASYNC_PROBE(work_queued, ControlType::kWorkQueued)
UMBRA_ASYNC_PROBE(work_runs, ControlType::kWorkRuns)
UMBRA_ASYNC_PROBE(task_made, ControlType::kTaskMade)
UMBRA_ASYNC_PROBE(task_runs, ControlType::kTaskRuns)
UMBRA_ASYNC_PROBE(task_combines, ControlType::kTaskCombines)
UMBRA_ASYNC_PROBE(task_waits, ControlType::kTaskWaits)
#undef UMBRA_ASYNC_PROBE

void umbra_async_faulted(uint32_t first, const void* first_object, uint32_t second,
                         const void* second_object, uint64_t frame, uint32_t runtime) noexcept {
    hotpath::record_fault({first, first_object, second, second_object, frame, runtime});
}

void umbra_async_signalled(uint32_t /*first*/, const void* /*first_object*/, uint32_t /*second*/,
                           const void* /*second_object*/, uint64_t frame,
                           uint32_t /*runtime*/) noexcept {
    hotpath::record_frame(ControlType::kAsyncSignalled, frame);
}

void umbra_async_resume_ends(uint64_t /*unused*/, uint64_t frame) noexcept {
    hotpath::record_frame(ControlType::kAsyncResumeEnds, frame);
}

void umbra_work_ends(uint64_t /*unused*/, uint64_t frame) noexcept {
    hotpath::record_frame(ControlType::kWorkEnds, frame);
}

void umbra_task_ends(uint64_t /*unused*/, uint64_t frame) noexcept {
    hotpath::record_frame(ControlType::kTaskEnds, frame);
}

void umbra_task_wait_ends(uint64_t /*unused*/, uint64_t frame) noexcept {
    hotpath::record_frame(ControlType::kTaskWaitEnds, frame);
}

}  // extern "C"
