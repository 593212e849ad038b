// SPDX-License-Identifier: MIT
// SlowestRequest: of which methods the slowest calls are kept, as --slowest takes it.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>

#include "src/base/pattern.h"
#include "src/base/result.h"
#include "src/base/utf8.h"

namespace umbra {

/// What slow calls take long by.
enum class SlowestBy : uint8_t { kWall, kCpu };

/// "Acme.Orders.Handle=20"
struct SlowestRequest {
    static constexpr uint32_t kUsualCalls = 10;
    static constexpr uint32_t kMostCalls = 1'000;

    std::string text;     ///< as it was asked for
    std::string methods;  ///< the pattern, as Pattern takes it
    uint32_t calls = kUsualCalls;
};

/// More requests are refused: a function's request is a byte.
inline constexpr size_t kMaxSlowestRequests = 64;

/// kInvalid: `text` is no such thing; the error says what to write. No '=': the usual number.
[[nodiscard]] inline Result<SlowestRequest> parse_slowest_request(std::string_view text) {
    const size_t equals = text.rfind('=');
    SlowestRequest request;
    request.text = text;
    request.methods = read_code_points(text.substr(0, equals));
    if (equals != std::string_view::npos) {
        const std::string_view number = text.substr(equals + 1);
        const char* end = number.data() + number.size();
        const auto [rest, error] = std::from_chars(number.data(), end, request.calls);
        if (error != std::errc() || rest != end || request.calls == 0 ||
            request.calls > SlowestRequest::kMostCalls) {
            request.methods.clear();
        }
    }
    if (request.methods.empty()) {
        return fail(ErrorCode::kInvalid,
                    "'" + request.text +
                        "' names no calls: write PATTERN=NUMBER, as in 'Acme.Orders.Handle=20', "
                        "with a number from 1 to " +
                        std::to_string(SlowestRequest::kMostCalls));
    }
    return request;
}

}  // namespace umbra
