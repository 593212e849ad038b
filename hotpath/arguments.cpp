// SPDX-License-Identifier: MIT
// Where the runtime keeps what is read here (64 bits, .NET 8 to 10): an object begins with the
// pointer to its method table; a string has its length in UTF-16 code units behind it and the code
// units behind that; an array has its number of elements there. A span is a reference and a length,
// a memory an object, an index and a length. docs/runtime_contract.md names where that is promised.
#include "hotpath/arguments.h"

#include <bit>
#include <cstddef>
#include <cstring>

#include "hotpath/record.h"
#include "hotpath/recorder.h"

namespace umbra::hotpath {
namespace {

constexpr size_t kLengthOffset = 8;  // of a string, an array, a span
constexpr size_t kMemoryLengthOffset = 12;
constexpr size_t kCharsOffset = 12;

int32_t int_at(const void* place, size_t offset) noexcept {
    int32_t value = 0;
    std::memcpy(&value, static_cast<const std::byte*>(place) + offset, sizeof value);
    return value;
}

void record(ControlType type, uint64_t number, const uint64_t* payload) noexcept {
    record_control(type, static_cast<uint32_t>(number), payload);
}

void record_number(uint64_t number, uint64_t bits) noexcept {
    record(ControlType::kArgumentNumber, number, &bits);
}

void record_null(uint64_t number) noexcept {
    record(ControlType::kArgumentNull, number, nullptr);
}

bool is_high_surrogate(char16_t unit) noexcept {
    return (unit & 0xfc00U) == 0xd800;
}
bool is_low_surrogate(char16_t unit) noexcept {
    return (unit & 0xfc00U) == 0xdc00;
}

// Bytes of a character in UTF-8, written to `out`; a surrogate without its partner has three.
size_t encode(char32_t c, unsigned char* out) noexcept {
    const auto tail = [c](unsigned shift) {
        return static_cast<unsigned char>(0x80U | (c >> shift & 0x3fU));
    };
    if (c < 0x80) {
        out[0] = static_cast<unsigned char>(c);
        return 1;
    }
    if (c < 0x800) {
        out[0] = static_cast<unsigned char>(0xc0U | c >> 6);
        out[1] = tail(0);
        return 2;
    }
    if (c < 0x10000) {
        out[0] = static_cast<unsigned char>(0xe0U | c >> 12);
        out[1] = tail(6);
        out[2] = tail(0);
        return 3;
    }
    out[0] = static_cast<unsigned char>(0xf0U | c >> 18);
    out[1] = tail(12);
    out[2] = tail(6);
    out[3] = tail(0);
    return 4;
}

// Four characters at once, if they are ASCII: nearly all are.
bool copy_ascii(const std::byte* units, unsigned char* out) noexcept {
    uint64_t four = 0;
    std::memcpy(&four, units, sizeof four);
    if ((four & 0xff80'ff80'ff80'ff80) != 0) {
        return false;
    }
    four = (four | four >> 8) & 0x0000'ffff'0000'ffff;
    const auto packed = static_cast<uint32_t>(four | four >> 16);
    std::memcpy(out, &packed, sizeof packed);
    return true;
}

// As many whole characters of a text as fit into kMaxTextBytes. Answers how many bytes they take.
uint32_t encode_beginning(const std::byte* units, size_t count, unsigned char* out) noexcept {
    const auto unit = [units](size_t at) {
        char16_t value = 0;
        std::memcpy(&value, units + at * sizeof value, sizeof value);
        return value;
    };
    size_t bytes = 0;
    for (size_t at = 0; at < count;) {
        if (count - at >= 4 && bytes + 4 <= kMaxTextBytes &&
            copy_ascii(units + 2 * at, out + bytes)) {
            at += 4;
            bytes += 4;
            continue;
        }
        char32_t c = unit(at++);
        if (is_high_surrogate(static_cast<char16_t>(c)) && at < count &&
            is_low_surrogate(unit(at))) {
            c = 0x10000U + ((c & 0x3ffU) << 10 | (unit(at++) & 0x3ffU));
        }
        unsigned char encoded[4];
        const size_t more = encode(c, encoded);
        if (bytes + more > kMaxTextBytes) {
            break;
        }
        std::memcpy(out + bytes, encoded, more);
        bytes += more;
    }
    return static_cast<uint32_t>(bytes);
}

void record_text(uint64_t number, const void* string) noexcept {
    const auto units = static_cast<uint32_t>(int_at(string, kLengthOffset));
    uint64_t payload[control_payload_slots(ControlType::kArgumentText)] = {};
    const uint32_t bytes = encode_beginning(static_cast<const std::byte*>(string) + kCharsOffset,
                                            units, reinterpret_cast<unsigned char*>(payload + 1));
    payload[0] = make_text_length(units, bytes);
    record(ControlType::kArgumentText, number, payload);
}

void record_length(uint64_t number, const void* place, size_t offset) noexcept {
    record_number(number, static_cast<uint32_t>(int_at(place, offset)));
}

}  // namespace
}  // namespace umbra::hotpath

namespace hotpath = umbra::hotpath;

extern "C" {

void umbra_argument_number(uint64_t number, uint64_t bits) noexcept {
    hotpath::record_number(number, bits);
}

void umbra_argument_real(uint64_t number, double value) noexcept {
    hotpath::record_number(number, std::bit_cast<uint64_t>(value));
}

void umbra_argument_text(uint64_t number, const void* string) noexcept {
    string == nullptr ? hotpath::record_null(number) : hotpath::record_text(number, string);
}

void umbra_argument_length(uint64_t number, const void* object) noexcept {
    object == nullptr ? hotpath::record_null(number)
                      : hotpath::record_length(number, object, hotpath::kLengthOffset);
}

void umbra_argument_span_length(uint64_t number, const void* span) noexcept {
    hotpath::record_length(number, span, hotpath::kLengthOffset);
}

void umbra_argument_memory_length(uint64_t number, const void* memory) noexcept {
    hotpath::record_length(number, memory, hotpath::kMemoryLengthOffset);
}

void umbra_argument_null(uint64_t number, uint64_t /*unused*/) noexcept {
    hotpath::record_null(number);
}

void umbra_arguments_end(uint64_t function, uint64_t /*unused*/) noexcept {
    hotpath::record(hotpath::ControlType::kArgumentsEnd, function, nullptr);
}

}  // extern "C"
