// SPDX-License-Identifier: MIT
// What the error codes of runtime and profiler interface mean, and what to do about them.
#pragma once

#include <cstdint>
#include <string>

namespace umbra::diagnostics {

/// HRESULTs as corerror.h of dotnet/runtime numbers them.
constexpr int32_t hresult(uint32_t code) {
    return static_cast<int32_t>(code);
}
inline constexpr int32_t kNotYetAvailable = hresult(0x8013135b);
inline constexpr int32_t kProfilerDetaching = hresult(0x80131367);
inline constexpr int32_t kProfilerAlreadyActive = hresult(0x8013136a);
inline constexpr int32_t kRuntimeUninitialized = hresult(0x80131371);
inline constexpr int32_t kUnknownCommand = hresult(0x80131385);
inline constexpr int32_t kNotSupported = hresult(0x80131515);

/// One line without a full stop that says what the code means and what to do, with the code's name
/// and number; of an unknown code the number alone.
[[nodiscard]] std::string sentence_of(int32_t hresult);

}  // namespace umbra::diagnostics
