// SPDX-License-Identifier: MIT
// Writes probes into the body of a method: bytes in, bytes out.
//
//     enter probe
//     .try {
//         body             ret becomes: stloc result; leave END
//     } fault {
//         leave probe      an exception passes: its frame leaves
//     }
// END:
//     leave probe
//     ldloc result
//     ret
//
// A tail call must not stand in a protected region. A method that has one gets no region, but a
// leave probe in front of each tail call and of each ret; an exception that passes its frame is
// seen by what happens next in the frames around it.
//
// A probe is a managed calli of a native function with the function's client id and the address of
// a local, which tells the frame: the same at enter and leave, lower in callees.
//
// A method that the runtime suspends ("runtime async") gives back what the task of its signature
// holds. Its frame goes without a word and comes again inside of an await, at another address: so
// it has enter probes behind each await and at the begin of each handler, the fault handler's
// before its leave probe. Where nothing was suspended they say what is known. A fault handler does
// not know the exception; a filter within it does, which lets each pass:
//
//     .try { .try { body } filter { failed probe; not mine } { never runs } }
//     fault { enter probe; leave probe }
//
// The values of arguments are told behind the enter probe, what is given back in front of the leave
// probe of a return; each leave probe of a method that tells any has their end in front of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include <tl/expected.hpp>

#include "src/base/argument_request.h"
#include "src/il/method_body.h"
#include "src/il/signature.h"

namespace umbra::il {

/// A native function and its signature's token (StandAloneSig).
struct NativeFunction {
    uint64_t address = 0;
    uint32_t signature = 0;
};

/// Tells one value of each call: calls `function` with `number` and the value.
struct ArgumentProbe {
    static constexpr uint16_t kResult = UINT16_MAX;
    /// What becomes of the value before it is handed over.
    enum class Form : uint8_t { kAsItIs, kSigned, kUnsigned, kReal, kAddress };

    uint64_t number = 0;
    uint16_t source = kResult;  ///< number of the IL argument (`this` is 0), or what is given back
    Form form = Form::kAsItIs;
    NativeFunction function;
    /// Token of a method without parameters of the value's class: its answer is handed over, or
    /// `null_function` called where there is no object, with `number` and 0. 0: none.
    uint32_t getter = 0;
    NativeFunction null_function;
};

/// Of a method that the runtime suspends.
struct SuspensionProbes {
    /// Tokens of calls in which it may be suspended, ascending.
    std::vector<uint32_t> awaits;
    /// Told of an exception that leaves it; its signature: the token of kAsyncSignature.
    NativeFunction failed;
    uint32_t runtime = 0;  ///< handed to that
};

/// What the probes of one method call.
struct Probes {
    uint64_t client_id = 0;
    uint64_t enter = 0;                    ///< address: void(client id, frame)
    uint64_t leave = 0;                    ///< address: void(client id, frame)
    uint32_t signature = 0;                ///< token (StandAloneSig) of kProbeSignature
    std::vector<ArgumentProbe> arguments;  ///< kMaxArguments at most
    NativeFunction arguments_end;          ///< void(`function`, 0); where there are arguments
    uint64_t function = 0;
    std::optional<SuspensionProbes> suspension{};  ///< none: an ordinary method
};
inline constexpr size_t kMaxArguments = kMaxArgumentsOfMethod;

/// Managed, no `this`: void(int32 key, object, int32 key, object, native uint frame, int32
/// runtime).
inline constexpr uint8_t kAsyncSignature[] = {0x00, 0x06, 0x01, 0x08, 0x1c, 0x08, 0x1c, 0x19, 0x08};
/// Managed, no `this`: void(uint64, native uint); and uint64, double, object in its place.
inline constexpr uint8_t kProbeSignature[] = {0x00, 0x02, 0x01, 0x0b, 0x19};
inline constexpr uint8_t kNumberSignature[] = {0x00, 0x02, 0x01, 0x0b, 0x0b};
inline constexpr uint8_t kRealSignature[] = {0x00, 0x02, 0x01, 0x0b, 0x0d};
inline constexpr uint8_t kObjectSignature[] = {0x00, 0x02, 0x01, 0x0b, 0x1c};

/// Where the code of an instruction has gone.
struct MovedOffset {
    uint32_t from;
    uint32_t to;
};

struct Instrumented {
    std::vector<uint8_t> body;       ///< with its header
    std::vector<MovedOffset> moved;  ///< of each instruction, ascending
    bool has_tail_calls = false;     ///< so no fault handler
};

/// Why a body stays as it is.
enum class Refusal : uint8_t {
    kMalformed,  ///< no body, an unknown instruction, a branch or clause that ends inside of one
    kJump,       ///< jmp: hands the caller's arguments on, no probe can stand behind it
    kFallsOff,   ///< its last instruction goes on beyond the end
    kTooLarge,   ///< would have more than 2^31 bytes, 2^16 slots of stack or 699,050 clauses
    kTailCall,   ///< a tail call in a method that the runtime suspends
};
/// "its code is malformed"
[[nodiscard]] const char* reason(Refusal refusal);

/// The instructions of a method's probes: what stands in front, what an end has, and in front of
/// that, where a value is given back, what tells it. Any of them may be empty.
struct ProbeCode {
    std::vector<uint8_t> enter{};
    std::vector<uint8_t> leave{};  ///< uses three slots of the stack, as what follows
    std::vector<uint8_t> result{};
    uint16_t enter_stack = 0;  ///< slots that `enter` or `failed` uses, if more than the others
    /// Of a method that the runtime suspends: behind its awaits and in front of its handlers, and
    /// in a filter around all, which finds the exception in its local. Empty: of others.
    std::vector<uint8_t> again{};
    std::vector<uint8_t> failed{};
    std::span<const uint32_t> awaits{};  ///< tokens, ascending
};

/// The shape above. `local_signature`: token of `locals.signature`, which was made from the body's
/// own.
[[nodiscard]] tl::expected<Instrumented, Refusal> wrap(const MethodBody& body,
                                                       const ProbeCode& probes,
                                                       const ProbeLocals& locals,
                                                       uint32_t local_signature);

/// `probe.enter` in front of a body that stays as it is: nothing tells of the frame's end.
[[nodiscard]] tl::expected<Instrumented, Refusal> put_in_front(const MethodBody& body,
                                                               const ProbeCode& probe,
                                                               uint32_t local_signature);

/// wrap() with probes that tell of calls. `local_signature`: token of `locals.signature`, which was
/// made from the body's own.
[[nodiscard]] tl::expected<Instrumented, Refusal> instrument(const MethodBody& body,
                                                             const Probes& probes,
                                                             const ProbeLocals& locals,
                                                             uint32_t local_signature);

/// Whether a call stands right before a return somewhere in the code. May say so where none does.
[[nodiscard]] bool may_end_in_call(Bytes code);

/// A nop between each such call and the return, for which optimised code makes no tail call of it:
/// the method's frame stays until what it calls has ended. Left alone are calls of which `is_own`
/// says that they call the method itself, so that these take no stack, and those with the prefix
/// `tail.`. None: there is nothing to do, or the body stays as it is for one of the refusals.
[[nodiscard]] std::optional<Instrumented> keep_frame(
    const MethodBody& body, const std::function<bool(uint32_t token)>& is_own);

}  // namespace umbra::il
