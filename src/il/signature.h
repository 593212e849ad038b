// SPDX-License-Identifier: MIT
// Signatures in which a rewritten method's locals stand (ECMA-335 II.23.2).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/il/opcodes.h"

namespace umbra::il {

/// The type in front of `blob`, custom modifiers included, as bytes that may stand in another
/// signature of the same module. None: there is no type.
[[nodiscard]] std::optional<Bytes> leading_type(Bytes blob);

/// What a method takes and gives back.
struct MethodTypes {
    bool has_this = false;  ///< an IL argument of its own, in front of the parameters
    Bytes result;           ///< bytes of the blob it was read from, custom modifiers included
    std::vector<Bytes> parameters;  ///< bytes of the signature's blob, custom modifiers included
};
/// Of a method's signature. None: it is no such thing.
[[nodiscard]] std::optional<MethodTypes> method_types(Bytes method_signature);

/// `type` without the custom modifiers in front of it.
[[nodiscard]] Bytes without_modifiers(Bytes type);

/// What a method gives back.
struct ReturnType {
    bool is_void = false;
    Bytes type;  ///< bytes of the blob it was read from, custom modifiers included
};
/// Of a method's signature. None: it is no such thing.
[[nodiscard]] std::optional<ReturnType> return_type(Bytes method_signature);

/// What the code of a method that the runtime suspends gives back: what the task holds that its
/// signature declares (Task, Task<T>, ValueTask, ValueTask<T>). None: that is no such type.
[[nodiscard]] std::optional<ReturnType> result_in_task(const ReturnType& declared);

/// The locals that a rewritten method has behind its own.
struct ProbeLocals {
    std::vector<uint8_t> signature;  ///< of all locals
    uint16_t marker = 0;             ///< a native integer whose address tells the frame
    uint16_t result = 0;             ///< what is given back; `marker`, if nothing is
    uint16_t exception = 0;          ///< an object; `marker`: there is none
};
/// `own_locals`: the signature of the method's own locals; empty: it has none. None: that is no
/// such signature, or there are too many already.
[[nodiscard]] std::optional<ProbeLocals> probe_locals(Bytes own_locals, const ReturnType& result,
                                                      bool with_exception = false);

}  // namespace umbra::il
