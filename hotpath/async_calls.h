// SPDX-License-Identifier: MIT
// What probes in the core library call to tell what becomes of async calls.
#pragma once

#include <cstdint>

// Called as those of hotpath/arguments.h, with the same promises. Each appends the control record
// that its name says (record_control()); docs/async_calls.md names the methods that call it.
//
// A key is handed over as rewritten IL computes it, whether or not there is an object: see
// make_async_keys(). Objects are read where they lie and not kept. `frame`: address of a local of
// the probed method. `runtime`: number of the runtime it belongs to (Profiler::number()).
extern "C" {
#define UMBRA_ASYNC_PROBE(name)                                                  \
    void umbra_##name(uint32_t first, const void* first_object, uint32_t second, \
                      const void* second_object, uint64_t frame, uint32_t runtime) noexcept
UMBRA_ASYNC_PROBE(async_suspended);
UMBRA_ASYNC_PROBE(async_awaits);
UMBRA_ASYNC_PROBE(async_resumed);
UMBRA_ASYNC_PROBE(async_completed);
/// `second`: low half of the address where the task's field lies.
UMBRA_ASYNC_PROBE(async_faulted);
UMBRA_ASYNC_PROBE(async_signalled);
/// `frame`: an address in the frame that has called the outermost of the methods.
UMBRA_ASYNC_PROBE(async_stack_suspended);
UMBRA_ASYNC_PROBE(work_queued);
UMBRA_ASYNC_PROBE(work_runs);
UMBRA_ASYNC_PROBE(task_made);
UMBRA_ASYNC_PROBE(task_runs);
UMBRA_ASYNC_PROBE(task_combines);
UMBRA_ASYNC_PROBE(task_waits);
#undef UMBRA_ASYNC_PROBE

void umbra_async_resume_ends(uint64_t unused, uint64_t frame) noexcept;
void umbra_work_ends(uint64_t unused, uint64_t frame) noexcept;
void umbra_task_ends(uint64_t unused, uint64_t frame) noexcept;
void umbra_task_wait_ends(uint64_t unused, uint64_t frame) noexcept;
}
