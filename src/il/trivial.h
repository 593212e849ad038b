// SPDX-License-Identifier: MIT
// Whether a body of IL is trivial: short, and nothing in it can take time.
//
// What counts is the way from its begin to a return. What leads to a method that never returns (a
// throw helper) lies beside it: that method tells of itself.
#pragma once

#include <cstdint>
#include <functional>

#include "src/clr/types.h"
#include "src/il/method_body.h"
#include "src/il/opcodes.h"

namespace umbra::il {

/// Bytes of IL: of a trivial method; of it and all that it calls; of an accessor that passes on.
inline constexpr uint32_t kMostTrivialBytes = 32;
inline constexpr uint32_t kMostBytesTogether = 64;
inline constexpr uint32_t kMostAccessorBytes = 16;

/// What the rule says of a body.
enum class Finding : uint8_t {
    kTrivial,
    kPassesOn,      ///< all it calls is trivial or timed
    kMalformed,     ///< no body, or code that cannot be read
    kTooLong,       ///< more than kMostTrivialBytes
    kTooMuch,       ///< more than kMostBytesTogether with what it calls
    kLoop,          ///< a branch backwards
    kHandler,       ///< an exception handler
    kThrows,        ///< an exception takes time wherever it goes
    kNeverReturns,  ///< all it does ends in a method that never returns
    kAllocates,     ///< an object, a box, an array: may wait for a garbage collection
    kTakesTime,     ///< instructions that work on memory of any length
    kCalls,         ///< what may take time, or is not known
};
/// "it allocates"
[[nodiscard]] const char* reason(Finding finding);

/// What a body calls.
struct Callee {
    enum Kind : uint8_t {
        kOther,         ///< may take time, or is not known
        kTrivial,       ///< with `bytes`
        kNeverReturns,  ///< ends in an exception
        kAllocates,     ///< makes an object
        kTimed,         ///< whatever is called has probes, or passes on to what has
    };
    Kind kind = kOther;
    uint32_t bytes = 0;  ///< kTrivial: of IL, of it and all it calls
};
/// Is asked for the token of a call, callvirt or newobj.
using CalleeOf = std::function<Callee(clr::mdToken method, Opcode call)>;

struct Judgement {
    Finding finding = Finding::kMalformed;
    uint32_t bytes = 0;  ///< kTrivial: of IL, of it and all it calls
};
/// Callees are asked for only if nothing else speaks against it. kPassesOn is answered for bodies
/// of kMostAccessorBytes at most, whatever kind of method they are of.
[[nodiscard]] Judgement judge(const MethodBody& body, const CalleeOf& callee_of);

/// It ends in an exception whatever happens: throws, has no return and no loop.
[[nodiscard]] bool never_returns(const MethodBody& body);

}  // namespace umbra::il
