// SPDX-License-Identifier: MIT
// Arguments of the functions of record_stream.h, and their values as text.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <utility>

#include "tests/collector/record_stream.h"

namespace umbra::collector::testing {

inline constexpr uint64_t kEnd = 1'000'000;

inline protocol::ArgumentNamed named(uint32_t index, char function, uint8_t kind,
                                     std::string name) {
    return {.index = index,
            .function = RecordStream::index(function),
            .kind = kind,
            .name = std::move(name),
            .type = "",
            .reason = "",
            .constants = {}};
}

/// 1: A's id, 2: B's name, 3: what A returns.
inline void name_arguments(SessionState& state) {
    state.note(named(1, 'A', protocol::ArgumentNamed::kSigned, "id"));
    state.note(named(2, 'B', protocol::ArgumentNamed::kText, "name"));
    state.note(named(3, 'A', protocol::ArgumentNamed::kSigned, "return"));
}

/// "A.id 7 x3+1 90 20-70": four calls with 7, one of them unfinished, the others took 90 in sum, 20
/// the shortest and 70 the longest. "..." is the rest.
inline std::string values(const profile::Profile& p) {
    std::ostringstream out;
    for (const profile::ArgumentValue& row : p.argument_values) {
        const profile::Argument& argument = p.arguments[row.argument];
        out << Replayed::name(p, argument.function) << '.' << argument.name << ' '
            << (row.rest ? "..." : row.value) << " x" << row.calls - row.unfinished;
        if (row.unfinished != 0) {
            out << '+' << row.unfinished;
        }
        if (row.calls != row.unfinished) {
            out << ' ' << row.total_ns << ' ' << row.min_ns << '-' << row.max_ns;
        }
        out << '\n';
    }
    return out.str();
}

inline std::string values(const RecordStream& stream, const replay::Limits& limits = {}) {
    Replayed replayed(limits);
    name_arguments(replayed.state());
    replayed.thread();
    replayed.feed(stream);
    return values(replayed.profile(kEnd));
}

}  // namespace umbra::collector::testing
