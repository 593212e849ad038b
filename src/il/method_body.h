// SPDX-License-Identifier: MIT
// The body of a method: header, code and exception clauses (ECMA-335 II.25.4).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "src/il/opcodes.h"

namespace umbra::il {

/// A region of code that is protected, and what handles it. Offsets into the code; ends are those
/// of the next instruction.
struct Clause {
    enum Kind : uint32_t { kCatch = 0, kFilter = 1, kFinally = 2, kFault = 4 };

    uint32_t kind = kCatch;
    uint32_t try_begin = 0;
    uint32_t try_end = 0;
    uint32_t handler_begin = 0;
    uint32_t handler_end = 0;
    uint32_t type_or_filter = 0;  ///< kCatch: token of the type; kFilter: where it begins

    bool operator==(const Clause&) const = default;
};

/// Points into the bytes it was read from.
struct MethodBody {
    uint16_t max_stack = 0;
    bool init_locals = false;
    uint32_t local_signature = 0;  ///< token (StandAloneSig); 0: no locals
    Bytes code;
    std::vector<Clause> clauses;  ///< inner ones before those around them

    /// Any bytes are allowed in; none: they are no body. What lies behind it is ignored.
    [[nodiscard]] static std::optional<MethodBody> parse(Bytes bytes);
    /// With a fat header and fat clauses, whatever it was read from. No more than 2^24 bytes of
    /// clauses (699,050) can be written: the others must not be there.
    [[nodiscard]] std::vector<uint8_t> encode() const;
};

/// As many clauses as a body can have.
inline constexpr size_t kMaxClauses = ((1U << 24) - 1 - 4) / 24;

}  // namespace umbra::il
