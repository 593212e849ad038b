// SPDX-License-Identifier: MIT
// What rewritten IL calls to tell the values of a call's arguments.
#pragma once

#include <cstdint>

// Called by a managed calli, in cooperative mode and without a frame that the runtime knows:
// nothing moves and nobody stops the thread before they return. They allocate and throw nothing,
// keep errno, and read what they are handed, never more. Each appends a control record
// (record_control()). `number`: protocol::ArgumentNamed::index.
extern "C" {
/// An integer, a bool, a char: its 64 bits.
void umbra_argument_number(uint64_t number, uint64_t bits) noexcept;
void umbra_argument_real(uint64_t number, double value) noexcept;
/// A string: its length, and its beginning in UTF-8 (make_text_length()). Null is told as such.
void umbra_argument_text(uint64_t number, const void* string) noexcept;
/// The length of an array (of all dimensions together) or a string; null is told as such.
void umbra_argument_length(uint64_t number, const void* object) noexcept;
/// Of the Span or ReadOnlySpan that lies at an address.
void umbra_argument_span_length(uint64_t number, const void* span) noexcept;
/// Of the Memory or ReadOnlyMemory that lies at an address.
void umbra_argument_memory_length(uint64_t number, const void* memory) noexcept;
/// A reference to nothing.
void umbra_argument_null(uint64_t number, uint64_t unused) noexcept;
/// The call ends, and has told arguments. `function`: its registry index.
void umbra_arguments_end(uint64_t function, uint64_t unused) noexcept;
}
