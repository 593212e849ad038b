// SPDX-License-Identifier: MIT
// The event record: what a stub writes and the collector reads, two or more 8-byte slots.
#pragma once

#include <cstddef>
#include <cstdint>

namespace umbra::hotpath {

// Slot 0, little endian; while its low half is 0 it has not been written (indexes and control types
// start at 1):
//
//   bit 63                    32 31                      3   2     1   0
//       [ caller SP or operand ] [ function index / type ] [ 0 ] [ kind ]
//
// Slot 1: clock ticks. Control records append a payload whose length is a constant of their type.
// Payload and high half are stored before the low half, which publishes the record.

inline constexpr size_t kSlotBytes = 8;
inline constexpr size_t kRecordBytes = 2 * kSlotBytes;  ///< without a payload
inline constexpr uint32_t kKindMask = 3;
inline constexpr uint32_t kSpareBit = 4;  ///< no probe sets it, no reader looks at it
inline constexpr uint32_t kIndexShift = 3;
inline constexpr uint32_t kMaxIndex = (1U << 29) - 1;

enum class Kind : uint32_t {
    kEnter = 0,     ///< operand: low half of the caller SP
    kLeave = 1,     ///< operand: low half of the caller SP
    kTailcall = 2,  ///< operand: low half of the caller SP; the frame is gone
    kControl = 3,   ///< index: ControlType; operand by type
};

/// What a control record says. Numbers are part of the format: append, never renumber.
enum class ControlType : uint32_t {
    kUnwindFunctionEnter = 1,  ///< operand: function index, 0 = a function umbra does not know
    kUnwindFunctionLeave = 2,  ///< operand: 0
    kUnwindFinallyEnter = 3,   ///< operand: function index; payload: the stack pointer of its frame
    kUnwindFinallyLeave = 4,   ///< operand: low half of that stack pointer
    kCatcherEnter = 5,         ///< operand: function index; payload: the stack pointer of its frame
    kCatcherLeave = 6,         ///< operand: 0
    kFilterEnter = 7,          ///< operand: function index; payload: the stack pointer of its frame
    kFilterLeave = 8,          ///< operand: low half of that stack pointer
    kExceptionThrown = 9,      ///< operand: type index (protocol::TypeNamed), 0 = unknown
    kCompileStarted = 10,      ///< operand: function index
    kCompileFinished = 11,     ///< operand: function index; failed compilations too
    kLost = 12,                ///< operand: events dropped since the last record (saturates)
    kWaited = 13,              ///< the ring was full; payload: ticks when the wait began
    kSuspendStarted = 15,      ///< this thread suspends the runtime; operand: the reason
    kResumeFinished = 16,      ///< ... and has let it go on; operand: the reason
    kArgumentNumber = 17,      ///< operand: argument (protocol::ArgumentNamed); payload: its bits
    kArgumentText = 18,        ///< operand: argument; payload: see make_text_length()
    kArgumentNull = 19,        ///< operand: argument: a reference to nothing
    kArgumentsEnd = 20,        ///< operand: function index; behind the last argument of its call

    // What becomes of async calls, told by probes in the core library (docs/async_calls.md).
    // Operand: low half of the address of a local in the probed frame. Payload where not said
    // otherwise: the keys (make_async_keys()), and the type, a MethodTable's address, of the second
    // object if there is one, else of the first. 0: no such object.
    kAsyncSuspended = 21,   ///< first key: the state machine's box, which is about to be suspended
    kAsyncAwaits = 22,      ///< ... by the box of the first key; second: what it awaits
    kAsyncResumed = 23,     ///< the box of the first key goes on in this frame, until
    kAsyncResumeEnds = 24,  ///< ... this; no payload
    kAsyncCompleted = 25,   ///< first key: a box that has suspended before and has its result now
    kAsyncFaulted = 26,     ///< first key: a box that has suspended before and has ended with an
                         ///< exception, whose type it is; 0: a call that has never suspended, the
                         ///< operand: where its task's field lies
    kAsyncSignalled = 27,  ///< the innermost async iterator has a result; no payload
    kWorkQueued = 28,      ///< first key: what the thread pool was handed
    kWorkRuns = 29,        ///< a thread of the pool runs it in this frame, until
    kWorkEnds = 30,        ///< ... this; no payload
    kTaskMade = 31,        ///< first key: a task with a delegate
    kTaskRuns = 32,        ///< its delegate runs in this frame, until
    kTaskEnds = 33,        ///< ... this; no payload
    kTaskCombines = 34,  ///< first key: a task; second: what waits for it besides others (WhenAll)
    kTaskWaits = 35,     ///< first key: a task until whose end this thread is blocked, or until ...
    kTaskWaitEnds = 36,  ///< ... this; no payload
    kAsyncStackSuspended = 37,  ///< first key: the task of the methods that the runtime is about to
                                ///< suspend: those in frames deeper than the operand, an address
                                ///< in the frame that has called the outermost of them
};
inline constexpr uint32_t kControlTypes = 38;  ///< one more than the last type

/// Whether a record tells of async calls.
constexpr bool tells_of_async(ControlType type) {
    return type >= ControlType::kAsyncSuspended && type <= ControlType::kAsyncStackSuspended;
}

/// A key is Task.Id where the object is a task, and else its identity hash with the highest bit
/// set; 0: no object.
constexpr uint64_t make_async_keys(uint32_t first, uint32_t second) {
    return uint64_t{second} << 32 | first;
}
constexpr uint32_t first_key(uint64_t keys) {
    return static_cast<uint32_t>(keys);
}
constexpr uint32_t second_key(uint64_t keys) {
    return static_cast<uint32_t>(keys >> 32);
}

/// What is kept of a string, in bytes.
inline constexpr size_t kMaxTextBytes = 64;

/// Slots of payload behind slot 1, by control type.
constexpr size_t control_payload_slots(ControlType type) {
    switch (type) {
        case ControlType::kUnwindFinallyEnter:
        case ControlType::kCatcherEnter:
        case ControlType::kFilterEnter:
        case ControlType::kWaited:
        case ControlType::kArgumentNumber:
            return 1;
        case ControlType::kAsyncSuspended:
        case ControlType::kAsyncAwaits:
        case ControlType::kAsyncResumed:
        case ControlType::kAsyncCompleted:
        case ControlType::kAsyncFaulted:
        case ControlType::kWorkQueued:
        case ControlType::kWorkRuns:
        case ControlType::kTaskMade:
        case ControlType::kTaskRuns:
        case ControlType::kTaskCombines:
        case ControlType::kTaskWaits:
        case ControlType::kAsyncStackSuspended:
            return 2;
        case ControlType::kArgumentText:
            return 1 + kMaxTextBytes / kSlotBytes;
        default:
            return 0;
    }
}

/// First payload slot of a text: the length of the whole string in UTF-16 code units, and how many
/// bytes of the slots behind are its beginning in UTF-8, cut between characters; a surrogate
/// without its partner takes three bytes like any character of its range (WTF-8).
constexpr uint64_t make_text_length(uint32_t code_units, uint32_t bytes) {
    return uint64_t{bytes} << 32 | code_units;
}
constexpr uint32_t text_code_units(uint64_t length) {
    return static_cast<uint32_t>(length);
}
constexpr uint32_t text_bytes(uint64_t length) {
    return static_cast<uint32_t>(length >> 32);
}

/// Slot 0 of a record.
constexpr uint64_t make_slot(Kind kind, uint32_t index, uint32_t operand) {
    return (uint64_t{operand} << 32) | (uint64_t{index} << kIndexShift) |
           static_cast<uint32_t>(kind);
}
/// False: not published yet; what its high half says is not to be used.
constexpr bool slot_written(uint64_t slot) {
    return static_cast<uint32_t>(slot) != 0;
}
constexpr Kind slot_kind(uint64_t slot) {
    return static_cast<Kind>(slot & kKindMask);
}
constexpr uint32_t slot_index(uint64_t slot) {
    return static_cast<uint32_t>(slot) >> kIndexShift;
}
constexpr uint32_t slot_operand(uint64_t slot) {
    return static_cast<uint32_t>(slot >> 32);
}

/// The largest payload of a record, in slots.
inline constexpr size_t kMaxPayloadSlots = control_payload_slots(ControlType::kArgumentText);

/// Slots of the record that slot 0 begins, whatever that says.
constexpr size_t record_slots(uint64_t slot) {
    return kRecordBytes / kSlotBytes +
           (slot_kind(slot) == Kind::kControl
                ? control_payload_slots(static_cast<ControlType>(slot_index(slot)))
                : 0);
}

/// The client id the function mapper hands to the runtime, compiled into every hook call: the low
/// half of an enter's slot 0, so that a probe has nothing to compute.
constexpr uintptr_t client_id(uint32_t index) {
    return uintptr_t{index} << kIndexShift;
}

}  // namespace umbra::hotpath
