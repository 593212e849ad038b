// SPDX-License-Identifier: MIT
// Random programs with exceptions against a simple model, and hostile bytes against nothing.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/random_program.h"
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using hotpath::ControlType;
using testing::Expected;
using testing::Path;
using testing::RandomProgram;
using testing::RecordStream;
using testing::Replayed;

std::map<Path, Expected> replayed_paths(const profile::Profile& p) {
    std::vector<Path> paths(p.calltree.size());
    std::map<Path, Expected> result;
    for (profile::Row row = 0; row < p.calltree.size(); ++row) {
        const profile::CallNode& node = p.calltree[row];
        if (node.parent != profile::kNone) {
            paths[row] = paths[node.parent];
        }
        paths[row].push_back(p.functions[node.function].method[0]);
        result[paths[row]] = {.calls = node.times.calls, .total = node.times.total_ns};
    }
    return result;
}

TEST(RandomReplay, TheTreeIsWhatTheProgramDid) {
    uint64_t thrown = 0;
    for (uint64_t seed = 1; seed <= 150; ++seed) {
        SCOPED_TRACE(seed);
        RandomProgram program(seed);
        program.run(15);
        thrown += program.thrown;
        const Replayed replayed(program.stream);
        const profile::Profile p = replayed.profile(program.now);
        ASSERT_EQ(p.threads[0].repairs, 0U);
        ASSERT_EQ(p.threads[0].unmatched_leaves, 0U);
        const std::map<Path, Expected> paths = replayed_paths(p);
        ASSERT_EQ(paths.size(), program.expected.size());
        uint64_t self_ns = 0;
        for (const auto& [path, expected] : program.expected) {
            const auto found = paths.find(path);
            ASSERT_NE(found, paths.end()) << std::string(path.begin(), path.end());
            ASSERT_EQ(found->second.calls, expected.calls);
            ASSERT_EQ(found->second.total, expected.total);
        }
        for (const profile::CallNode& node : p.calltree) {
            self_ns += node.times.self_ns;
        }
        ASSERT_EQ(self_ns, p.threads[0].covered_ns);
        uint64_t counted = 0;
        for (const profile::ExceptionCount& row : p.exceptions) {
            counted += row.count;
        }
        ASSERT_EQ(counted, program.thrown);
    }
    EXPECT_GT(thrown, 1000U) << "the programs must throw, or nothing is tested";
}

/// Feeds one chunk as it grows, and looks at it now and then.
void feed_growing(ProfiledThread& thread, std::span<const uint64_t> slots,
                  std::mt19937_64& random) {
    size_t used = 0;
    for (size_t written = 0; written < slots.size();) {
        written += hotpath::record_slots(slots[written]);  // visible as a whole
        if (random() % 4 == 0) {
            used += thread.consume(slots.subspan(used, written - used), false);
            ASSERT_EQ(used, written);
        }
    }
    ASSERT_EQ(thread.consume(slots.subspan(used), true), slots.size() - used);
}

TEST(RandomReplay, AChunkThatIsReadAsItGrowsGivesTheSameTree) {
    for (uint64_t seed = 1; seed <= 50; ++seed) {
        SCOPED_TRACE(seed);
        RandomProgram program(seed);
        program.run(15);
        std::mt19937_64 random(seed);
        Replayed growing;
        growing.thread();
        ASSERT_NO_FATAL_FAILURE(feed_growing(growing.current(), program.stream.slots(), random));
        ASSERT_EQ(growing.tree(program.now), Replayed(program.stream).tree(program.now));
        ASSERT_EQ(growing.current().replay().counts().decode_errors, 0U);
    }
}

/// What must hold whatever came in.
void expect_consistent(const profile::Profile& p) {
    for (profile::Row row = 0; row < p.calltree.size(); ++row) {
        const profile::CallNode& node = p.calltree[row];
        ASSERT_TRUE(node.parent == profile::kNone || node.parent < row);
        ASSERT_LT(node.function, p.functions.size());
        ASSERT_TRUE(p.session.settings.tree == "full" ? node.thread < p.threads.size()
                                                      : node.thread == profile::kNone);
        ASSERT_GT(node.times.calls, 0U);
        ASSERT_LE(node.times.self_ns, node.times.total_ns);
        ASSERT_LE(node.times.min_ns, node.times.max_ns);
        if (p.session.settings.tree == "full") {
            ASSERT_LE(node.times.max_ns, node.times.raw.total_ns);
        }
    }
}

TEST(RandomReplay, HostileSlotsAreCountedAndMemoryStaysBounded) {
    const replay::Limits limits{.max_functions = 64,
                                .max_arcs = 500,
                                .max_depth = 20,
                                .max_threads = 4,
                                .longest_compilations = 10,
                                .max_exception_rows = 10,
                                .max_name_bytes = 100'000,
                                .folded_arcs = 50};
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        std::mt19937_64 random(seed);
        Replayed replayed(limits);
        replayed.thread();
        for (int chunk = 0; chunk < 5; ++chunk) {
            std::vector<uint64_t> slots(2000);
            for (uint64_t& slot : slots) {
                const auto kind = static_cast<hotpath::Kind>(random() % 4);
                // Small numbers, so that records often fit together, or just noise.
                slot = random() % 10 == 0
                           ? random() >> (random() % 64)
                           : hotpath::make_slot(kind, static_cast<uint32_t>(random() % 16),
                                                static_cast<uint32_t>(random() % 32)) |
                                 (random() % 2 == 0 ? hotpath::kSpareBit : 0U);
            }
            const bool complete = chunk % 2 == 0;
            for (size_t used = 0; used < slots.size();) {
                const auto rest = std::span(slots).subspan(used);
                const size_t step = replayed.current().consume(rest, complete);
                ASSERT_LE(step, slots.size() - used);
                used += step + (complete ? 0 : 1);  // over a 0 slot, as if it had been filled
            }
            ASSERT_LE(replayed.state().tree().arcs().size(), 501U);
        }
        const profile::Profile p = replayed.profile(random());
        expect_consistent(p);
        ASSERT_LE(p.compilations.size(), 10U);
        ASSERT_LE(p.exceptions.size(), 11U);
    }
}

TEST(RandomReplay, MutatedStreamsGiveAConsistentProfile) {
    for (uint64_t seed = 1; seed <= 100; ++seed) {
        SCOPED_TRACE(seed);
        RandomProgram program(seed);
        program.run(5);
        std::vector<uint64_t> slots = program.stream.slots();
        std::mt19937_64 random(seed);
        for (size_t change = 0; change < slots.size() / 50 + 1; ++change) {
            const size_t place = random() % slots.size();
            switch (random() % 4) {
                case 0:
                    slots[place] ^= uint64_t{1} << (random() % 64);
                    break;
                case 1:
                    slots[place] = random();
                    break;
                case 2:
                    std::swap(slots[place], slots[random() % slots.size()]);
                    break;
                default:
                    slots.erase(slots.begin() + static_cast<std::ptrdiff_t>(place));
                    slots.push_back(1);
            }
        }
        Replayed replayed;
        replayed.thread();
        replayed.current().consume(slots, true);
        expect_consistent(replayed.profile(program.now));
    }
}

}  // namespace
}  // namespace umbra::collector
