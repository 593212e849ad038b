// SPDX-License-Identifier: MIT
// Probes in methods of the core library that tell what becomes of async calls: bytes in, bytes out.
//
//     begin probe           first object, second object
//     body
//
// or, where the frame's end is told as well, the shape of wrap(). A probe hands over each object
// with its key, which only the runtime can compute:
//
//     load object; isinst Task; dup; brtrue TASK
//     pop; load object; call RuntimeHelpers.GetHashCode; ldc.i4 0x80000000; or; br END
//     TASK: call Task.get_Id
//     END:  load object
#pragma once

#include <cstdint>
#include <optional>

#include <tl/expected.hpp>

#include "src/il/instrument.h"

namespace umbra::il {

/// Fields that lead from argument 1 of what suspends runtime-async methods, a reference to a
/// struct, to what they await. 0: the core library has no such field.
struct StackFields {
    uint32_t state = 0;                ///< pointer into the frame that has called the outermost
    uint32_t task_continuation = 0;    ///< of what that points at: not null where a task is awaited
    uint32_t continuation_task = 0;    ///< of that: the task
    uint32_t source_continuation = 0;  ///< not null where an IValueTaskSource is awaited
    uint32_t continuation_source = 0;  ///< of that: the source

    [[nodiscard]] bool tell_awaited() const {
        return state != 0 && task_continuation != 0 && continuation_task != 0 &&
               source_continuation != 0 && continuation_source != 0;
    }
};

/// Tokens of the core library.
struct CoreTokens {
    uint32_t task = 0;           ///< System.Threading.Tasks.Task
    uint32_t get_id = 0;         ///< its get_Id
    uint32_t get_hash_code = 0;  ///< RuntimeHelpers.GetHashCode(object)
    /// Field of AsyncVoidMethodBuilder: the AsyncTaskMethodBuilder, whose only field is the task.
    /// That is private to it, so it is read by where it lies.
    uint32_t void_builder = 0;
    StackFields stack;
};

/// How a probed method comes by an object that is told.
enum class ObjectSource : uint8_t {
    kNone,       ///< there is none: a null reference with key 0
    kArgument0,  ///< an IL argument (`this` is 0)
    kArgument1,
    kArgument2,
    kReferenced1,  ///< what argument 1 refers to
    kVoidTask,     ///< the task of `this`, an AsyncVoidMethodBuilder
    /// What the awaiter `this` waits for: the method's first three instructions load it (`ldarg.0`,
    /// `ldfld` or `ldflda`, `ldfld`).
    kAwaited,
    kStackAwaited,  ///< what StackFields lead to; null: something else is awaited
};

/// What is handed over in the place of the second object's key.
enum class SecondKey : uint8_t {
    kOwn,
    kNone,  ///< 0
    /// Low half of the address that kReferenced1 or kVoidTask of the first object reads; without a
    /// first object that of `this`, a struct.
    kField,
};

struct AsyncProbe {
    ObjectSource first = ObjectSource::kNone;
    ObjectSource second = ObjectSource::kNone;
    SecondKey second_key = SecondKey::kOwn;
    NativeFunction begin;  ///< its signature: the token of kAsyncSignature
    NativeFunction end;    ///< of kProbeSignature; address 0: none
    uint32_t runtime = 0;  ///< handed over with each
    /// A field of what argument 1 refers to, which holds the address that is handed over instead of
    /// that of a local; 0: none.
    uint32_t frame_field = 0;
};

/// Whether a body begins as kAwaited wants it.
[[nodiscard]] bool begins_with_awaited(Bytes code);

/// `locals`: with a result where there is an end, else without one. `local_signature`: as for
/// instrument().
[[nodiscard]] tl::expected<Instrumented, Refusal> instrument(const MethodBody& body,
                                                             const AsyncProbe& probe,
                                                             const CoreTokens& tokens,
                                                             const ProbeLocals& locals,
                                                             uint32_t local_signature);

}  // namespace umbra::il
