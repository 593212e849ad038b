// SPDX-License-Identifier: MIT
// Sessions that keep the slowest calls of some functions, and their tables as text.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "src/profile/profile.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector::testing {

/// Marks of watched functions, by index; those of letters have the request of their place.
class Marks {
  public:
    Marks(std::initializer_list<char> functions) : bytes_(64, 0) {
        uint8_t request = 0;
        for (const char function : functions) {
            bytes_[RecordStream::index(function)] = ++request;
        }
    }
    void set(char function, uint8_t request) { bytes_[RecordStream::index(function)] = request; }
    [[nodiscard]] const std::vector<uint8_t>& bytes() const { return bytes_; }

  private:
    std::vector<uint8_t> bytes_;
};

/// So many calls are kept of each request.
inline replay::Limits keeping(std::vector<uint32_t> calls, replay::Limits limits = {}) {
    limits.slowest.keep = std::move(calls);
    return limits;
}

/// "A 10+90" is a call or an interval, begin and length in ns, "x3": three that share a slice; what
/// happened in it follows in brackets. Intervals: "off", "waited", "paused", "compiling C".
inline std::string slices_text(const profile::Profile& p, profile::Row call) {
    std::vector<std::vector<profile::Row>> inner(p.slow_slices.size());
    profile::Row first = profile::kNone;
    for (profile::Row row = 0; row < p.slow_slices.size(); ++row) {
        const profile::SlowSlice& slice = p.slow_slices[row];
        if (slice.call != call) {
            continue;
        }
        if (slice.parent == profile::kNone) {
            first = row;
        } else {
            inner[slice.parent].push_back(row);
        }
    }
    const auto print = [&](const auto& self, profile::Row row) -> std::string {
        const profile::SlowSlice& slice = p.slow_slices[row];
        std::string out = slice.kind == profile::SlowSlice::kOffCpu ? "off" : slice.kind;
        out = slice.kind == profile::SlowSlice::kCall ? "" : out;
        if (slice.function != profile::kNone) {
            out += (out.empty() ? "" : " ") + Replayed::name(p, slice.function);
        }
        out += ' ' + std::to_string(slice.start_ns) + '+' + std::to_string(slice.duration_ns);
        out += slice.calls == 1 ? "" : " x" + std::to_string(slice.calls);
        std::string in;
        for (const profile::Row child : inner[row]) {
            in += (in.empty() ? "" : " ") + self(self, child);
        }
        return out + (in.empty() ? "" : " [" + in + ']');
    };
    return first == profile::kNone ? "" : print(print, first);
}

/// One line for each kept call, methods in the order of their functions.
inline std::string slow_text(const profile::Profile& p) {
    std::vector<profile::Row> methods;
    for (profile::Row row = 0; row < p.slow_methods.size(); ++row) {
        methods.push_back(row);
    }
    std::ranges::sort(methods, {}, [&](profile::Row row) {
        return Replayed::name(p, p.slow_methods[row].function);
    });
    std::ostringstream out;
    for (const profile::Row method : methods) {
        for (profile::Row call = 0; call < p.slow_calls.size(); ++call) {
            if (p.slow_calls[call].method == method) {
                out << slices_text(p, call) << '\n';
            }
        }
    }
    return out.str();
}

}  // namespace umbra::collector::testing
