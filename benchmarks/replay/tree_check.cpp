// SPDX-License-Identifier: MIT
// A folded tree of a recorded stream beside a full one: bench_replay_tree_check FILE...
// Calls by function, by caller and callee and by thread must be equal, times within 1 ns, and own
// times must sum to the time covered within 1 ns a row. No path with 1/10,000 of the time or more
// may be missing, and none may have another inclusive time, by more than 0.1 %, than the full
// tree's paths folded in the same way. Three lines for each file; status 1 if anything differs.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "benchmarks/replay/stream_file.h"
#include "src/collector/state/session_state.h"
#include "src/profile/profile.h"
#include "tests/support/folded_paths.h"
#include "tests/support/same_sums.h"
#include "tests/support/stream_feed.h"

namespace umbra::bench {
namespace {

constexpr uint64_t kToleranceNs = 1;
constexpr double kWorthShare = 1e-4;     ///< of the time, that a path has to have a row for
constexpr double kPathTolerance = 1e-3;  ///< of its inclusive time

profile::Profile replay(const StreamFile& file, replay::TreeShape shape) {
    replay::Limits limits;
    limits.tree = shape;
    testing::StreamFeed feed(limits);
    for (const Block& block : file.blocks()) {
        switch (block.kind) {
            case BlockKind::kThread:
                feed.begin_thread(static_cast<uint32_t>(block.words[0]), block.words[1]);
                break;
            case BlockKind::kRecords:
                feed.records(block.thread, block.words);
                break;
            case BlockKind::kEnd:
                feed.end_thread(block.thread, block.words[0]);
                break;
            case BlockKind::kOffCpu:
                feed.off_cpu(block.thread, block.words[0], block.words[1]);
                break;
            case BlockKind::kName: {
                protocol::FunctionNamed message;
                message.index = block.thread;
                message.method = reinterpret_cast<const char*>(block.words.data());
                feed.state().note(message);
                break;
            }
        }
    }
    return feed.profile(file.ticks_hz());
}

uint64_t repairs(const profile::Profile& p) {
    uint64_t sum = 0;
    for (const profile::Thread& thread : p.threads) {
        sum += thread.repairs + thread.unmatched_leaves + thread.decode_errors;
    }
    return sum;
}

/// By the replay; what the recording itself has dropped is the same for both.
uint64_t lost(const profile::Profile& p) {
    return p.session.losses.events() - p.session.losses.ring_full;
}

unsigned long long shown(uint64_t number) {
    return number;
}

/// True: the two trees say the same.
bool check(const char* path) {
    const std::optional<StreamFile> file = StreamFile::open(path);
    if (!file || std::ranges::none_of(file->blocks(), [](const Block& block) {
            return block.kind == BlockKind::kThread;
        })) {
        std::printf("%s: no stream with its threads\n", path);
        return false;
    }
    const profile::Profile full = replay(*file, replay::TreeShape::kFull);
    const profile::Profile folded = replay(*file, replay::TreeShape::kFolded);
    const testing::SumsCompared compared = testing::compare_sums(full, folded, kToleranceNs);
    uint64_t calls = 0;
    uint64_t covered_ns = 0;
    for (const profile::Thread& thread : full.threads) {
        calls += thread.calls;
        covered_ns += thread.covered_ns;
    }
    const uint64_t uncovered = std::max(testing::uncovered_ns(full), testing::uncovered_ns(folded));
    const uint64_t both_lost = lost(full) + lost(folded);
    std::printf(
        "%s%s: %llu calls, %zu threads, %zu functions, %zu edges; paths %zu full, %zu "
        "folded, %.2f %% of the time on paths without a row\n",
        path, file->complete() ? "" : " (cut off)", shown(calls), full.threads.size(),
        full.functions.size(), full.edges.size(), full.calltree.size(), folded.calltree.size(),
        100.0 * static_cast<double>(folded.session.truncated_ns) /
            static_cast<double>(std::max(covered_ns, uint64_t{1})));
    std::printf(
        "  %llu rows compared: %llu missing, %llu with other calls, %llu with other times; "
        "farthest %llu ns; self times %llu ns off %.3f s covered, lost %llu, not recorded "
        "%llu, repaired %llu and %llu\n",
        shown(compared.rows), shown(compared.missing), shown(compared.different_calls),
        shown(compared.different_times), shown(compared.farthest_ns), shown(uncovered),
        static_cast<double>(covered_ns) * 1e-9, shown(both_lost),
        shown(full.session.losses.ring_full), shown(repairs(full)), shown(repairs(folded)));
    const testing::PathsCompared paths =
        testing::compare_paths(full, folded, kWorthShare, kPathTolerance);
    std::printf(
        "  %llu paths of 1/10,000 or more: %llu without a row, %llu with another inclusive time; "
        "farthest %.3f %%; %llu of any size too long\n",
        shown(paths.worth), shown(paths.missing), shown(paths.apart), 100 * paths.farthest,
        shown(paths.too_long));
    if (!compared.same()) {
        std::printf("  first: %s\n", compared.first.c_str());
    }
    std::fflush(stdout);
    return compared.same() && paths.missing + paths.apart + paths.too_long == 0 && calls != 0 &&
           uncovered <= full.thread_functions.size() * kToleranceNs && both_lost == 0 &&
           repairs(full) == repairs(folded);
}

}  // namespace
}  // namespace umbra::bench

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    bool same = true;
    for (int at = 1; at < argc; ++at) {
        same = umbra::bench::check(argv[at]) && same;
    }
    return same ? 0 : 1;
}
