// SPDX-License-Identifier: MIT
// Call sequences that several tests replay, and what has to be true of every replay.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "tests/collector/record_stream.h"

namespace umbra::collector::testing {

/// A, from 0 to 70, calls B, which calls C, which throws at 25; A catches, calls D in the catch
/// body and B once more behind it.
inline RecordStream thrown_through_two_frames() {
    RecordStream stream;
    stream.enter('A', 100, 0)
        .enter('B', 90, 10)
        .enter('C', 80, 20)
        .thrown(1, 25)
        .unwound('C', 30)
        .unwound('B', 40)
        .caught('A', 100, 45)
        .enter('D', 50, 50)  // the catch body, deeper than the dead
        .leave('D', 50, 55)
        .catcher_leave(57)
        .enter('B', 90, 60)
        .leave('B', 90, 65)
        .leave('A', 100, 70);
    return stream;
}

/// Frames of the only thread that ended without a record, and leaves that ended none.
inline void expect_mended(const Replayed& replayed, uint64_t repairs, uint64_t unmatched_leaves) {
    const profile::Thread thread = replayed.profile().threads[0];
    EXPECT_EQ(thread.repairs, repairs);
    EXPECT_EQ(thread.unmatched_leaves, unmatched_leaves);
    EXPECT_EQ(thread.decode_errors, 0U);
}

/// Nothing had to be mended; self times sum to the covered time.
inline void expect_sound(const Replayed& replayed) {
    const profile::Profile p = replayed.profile();
    uint64_t self_ns = 0;
    for (const profile::CallNode& node : p.calltree) {
        self_ns += node.times.self_ns;
    }
    EXPECT_EQ(self_ns, p.threads[0].covered_ns);
    expect_mended(replayed, 0, 0);
}

/// Nothing has to be mended, the tree is `tree`, and if they are told, those were the exceptions.
inline void expect_replay(const RecordStream& records, const std::string& tree,
                          const std::optional<std::string>& exceptions = std::nullopt) {
    const Replayed replayed(records);
    EXPECT_EQ(replayed.tree(), tree);
    if (exceptions) {
        EXPECT_EQ(replayed.exceptions(), *exceptions);
    }
    expect_sound(replayed);
}

}  // namespace umbra::collector::testing
