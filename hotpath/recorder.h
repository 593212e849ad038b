// SPDX-License-Identifier: MIT
// The recorder: this process's side of the segment, and everything that is not the stub itself.
#pragma once

#include <cstddef>
#include <cstdint>

#include "hotpath/record.h"
#include "hotpath/segment.h"
#include "hotpath/thread_cursor.h"
#include "hotpath/tls_model.h"

namespace umbra::hotpath {

struct RecorderOptions {
    SegmentHeader* header = nullptr;  ///< begin of a mapping of the whole segment, there for good
    bool drop_when_full = false;      ///< false: wait for the collector
    bool discard = false;             ///< every record, counted as lost. For measurements
};

/// Makes probes record from now on. Once in a process, or again after end_recording() and with
/// threads_left_behind() at 0, with a new segment. False: the process
/// is out of thread-specific keys.
[[nodiscard]] bool start_recording(const RecorderOptions& options) noexcept;

/// The hooks to give to the runtime; called with the contract at the head of hotpath/stubs.S in the
/// ABI's folder (arch/README.md), never from C++.
struct HookFunctions {
    void (*enter)();
    void (*leave)();
    void (*tailcall)();
};
[[nodiscard]] HookFunctions hook_functions(ClockSource clock) noexcept;

/// The probes that rewritten IL calls, with the contract beside them in that file.
struct IlProbeFunctions {
    void (*enter)();
    void (*leave)();
};
[[nodiscard]] IlProbeFunctions il_probe_functions(ClockSource clock) noexcept;

/// Probes that record nothing.
[[nodiscard]] HookFunctions empty_hook_functions() noexcept;
[[nodiscard]] IlProbeFunctions empty_il_probe_functions() noexcept;

/// Switches every probe off: from its next chunk on, a thread's probes return early; control
/// records are dropped at once. Wakes threads that wait for the collector. Any thread, any number
/// of times.
void stop_recording() noexcept;

/// Calls stop_recording() where the collector cannot be told of it: the segment says that the
/// recording was cut off. Nothing if none was under way. Any thread, any number of times.
void cut_off_recording() noexcept;

/// Calls stop_recording(), then ends every thread's part in the recording, all at the present
/// moment, so that nothing is written into the segment any more. Only while no thread can be in a
/// stub: the runtime is suspended, or there never was one. Waits for threads that are writing a
/// control record, kDetachWaitNs at most. Answers how many had to be left behind: see
/// thread_registration.h.
uint32_t end_recording() noexcept;

[[nodiscard]] bool recording() noexcept;

/// Appends a control record with the present time to the calling thread's ring, claiming a slot for
/// the thread if it has none. Never while a stub of the same thread runs (callbacks never do).
/// `payload`: control_payload_slots(type) slots, which are copied; null: zeros.
void record_control(ControlType type, uint32_t operand, const uint64_t* payload = nullptr) noexcept;

/// Appends a control record with the present time, its payload zeros, to the calling thread's ring,
/// but only if the thread has had an event: the runtime's own threads get no ring. Never while a
/// stub of the same thread runs (callbacks never do).
void record_control_if_known(ControlType type, uint32_t operand) noexcept;

/// The present time on the clock of the records.
[[nodiscard]] uint64_t recorder_ticks() noexcept;

}  // namespace umbra::hotpath

extern "C" {
/// See hook_functions().
void umbra_enter();
void umbra_leave();
void umbra_tailcall();
void umbra_enter_os();
void umbra_leave_os();
void umbra_tailcall_os();
void umbra_no_probe();
/// See il_probe_functions().
void umbra_il_enter();
void umbra_il_leave();
void umbra_il_enter_os();
void umbra_il_leave_os();
/// Calls two hooks in turn, `count` times, as compiled code does.
void umbra_call_pairs(void (*enter)(), void (*leave)(), uintptr_t client_id, uint64_t count);

/// What a stub calls when the chunk is full: finds room for a record. False: drop the event.
/// The stub has saved every register the caller could miss.
bool umbra_slow_path() noexcept;

extern thread_local constinit umbra::hotpath::ThreadCursor umbra_cursor UMBRA_TLS_MODEL;
}
