// SPDX-License-Identifier: MIT
// What holds of every profile that umbra builds, whatever the program did.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "export/schema.h"
#include "src/base/utf8.h"
#include "src/profile/profile.h"
#include "tests/fuzz/fuzz_target.h"

namespace umbra::fuzz {

inline void require_sound(const profile::Profile& profile) {
    require(schema::check_rows(profile).has_value(), "rows refer to rows that are there");
    for (const profile::CallNode& node : profile.calltree) {
        require(node.times.min_ns <= node.times.max_ns, "no call is shorter than the shortest");
    }
    std::vector<uint64_t> calls(profile.arguments.size());
    for (const profile::ArgumentValue& value : profile.argument_values) {
        calls[value.argument] += value.calls;
        require(value.unfinished <= value.calls, "no more calls are unfinished than there are");
        require(value.min_ns <= value.p50_ns && value.p50_ns <= value.p99_ns &&
                    value.p99_ns <= value.max_ns,
                "percentiles lie between the shortest and the longest call");
        require(printable_utf8(value.value) == value.value && value.rest == value.value.empty(),
                "a value can be shown");
    }
    for (size_t row = 0; row < calls.size(); ++row) {
        require(profile.arguments[row].calls == calls[row], "each call has its value");
    }
}

/// The same where no sum of times exceeds 64 bits.
inline void require_sound_times(const profile::Profile& profile) {
    require_sound(profile);
    std::vector<profile::SlowSlice> whole(profile.slow_calls.size());
    for (const profile::SlowSlice& slice : profile.slow_slices) {
        if (slice.parent == profile::kNone) {
            whole[slice.call] = slice;
        }
    }
    for (const profile::SlowSlice& slice : profile.slow_slices) {
        if (slice.parent != profile::kNone) {
            const profile::SlowSlice& parent = profile.slow_slices[slice.parent];
            require(parent.call == slice.call, "a slice and its parent are of one call");
            const profile::SlowSlice& bounds =
                profile.slow_calls[slice.call].is_async() ? whole[slice.call] : parent;
            require(slice.start_ns >= bounds.start_ns &&
                        slice.start_ns + slice.duration_ns <= bounds.start_ns + bounds.duration_ns,
                    "a slice lies in its parent, or, of an async call, in that");
        }
    }
    for (const profile::CallNode& node : profile.calltree) {
        const profile::CallTimes& times = node.times;
        require(times.self_ns <= times.total_ns, "a call lasts as long as its own part");
        require(times.raw.self_ns <= times.raw.total_ns, "likewise as measured");
        require(times.cpu.self_ns <= times.cpu.total_ns, "likewise on a processor");
        require(times.paused.self_ns <= times.paused.total_ns, "likewise paused");
        require(times.self_ns <= times.raw.self_ns, "nothing is added to what was measured");
        require(times.cpu.self_ns <= times.self_ns, "no call is longer on a processor than it is");
        require(times.paused.self_ns <= times.self_ns, "likewise paused");
    }
}

}  // namespace umbra::fuzz
