// SPDX-License-Identifier: MIT
// Times of a recorded stream, every event timed, beside those of the same stream in a live adaptive
// session: bench_replay_score FILE [STRIPPED-FILE]
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "benchmarks/replay/live_replay.h"
#include "benchmarks/replay/stream_file.h"
#include "src/collector/build/profile_builder.h"
#include "src/collector/state/session_state.h"

namespace umbra::bench {
namespace {

/// What the stream itself says.
void replay_timed(const StreamFile& file, collector::SessionState& state) {
    std::vector<ThreadSource> threads;
    for (const Block& block : file.blocks()) {
        if (block.kind == BlockKind::kThread && block.words.size() == 2) {
            state.add_thread(static_cast<uint32_t>(block.words[0]), block.words[1]);
            threads.emplace_back();
        } else if (block.kind == BlockKind::kRecords && block.thread < threads.size()) {
            threads[block.thread].add(block.words);
        }
    }
    std::vector<uint64_t> chunk;
    for (uint32_t number = 0; number < threads.size(); ++number) {
        ThreadSource::Record record{};
        for (bool more = true; more;) {
            chunk.clear();
            while (chunk.size() < kChunkSlots && (more = threads[number].peek(record))) {
                chunk.insert(chunk.end(), {record.slot, record.ticks});
                threads[number].pop();
            }
            state.threads()[number].consume(chunk, true);
        }
    }
}

void name_functions(const StreamFile& file, collector::SessionState& state) {
    for (const Block& block : file.blocks()) {
        if (block.kind == BlockKind::kName) {
            protocol::FunctionNamed message;
            message.index = block.thread;
            message.method = reinterpret_cast<const char*>(block.words.data());
            state.note(message);
        }
    }
}

profile::Profile profile_of(const StreamFile& file, collector::SessionState& state,
                            uint64_t end_ticks) {
    name_functions(file, state);
    return build(state.copy_out(end_ticks), replay::LinearClock(0, file.ticks_hz()), {});
}

int score(const char* path, const char* stripped_path) {
    const std::optional<StreamFile> file = StreamFile::open(path);
    if (!file || !file->complete()) {
        std::fprintf(stderr, "%s is no complete stream\n", path);
        return 1;
    }
    LiveReplay live(*file, {}, std::getenv("UMBRA_REPLAY_NO_SWITCHES") == nullptr);
    std::optional<StreamFileWriter> stripped;
    if (stripped_path != nullptr) {
        stripped.emplace(stripped_path, uint64_t{4} << 30);
    }
    live.run(stripped ? &*stripped : nullptr);
    if (stripped && !stripped->finish(file->ticks_hz())) {
        std::fprintf(stderr, "%s was not written\n", stripped_path);
        return 1;
    }
    collector::SessionState timed;
    replay_timed(*file, timed);

    std::printf("events %llu\ntimed %llu\nfunctions_without_clock %u\n",
                static_cast<unsigned long long>(live.events()),
                static_cast<unsigned long long>(live.timed()), live.policy().left_out());
    std::printf("waited_ms %.0f\n", live.waited_ms());
    std::printf("kinds %zu\narcs %zu\n", live.state().intervals().kinds(),
                live.state().tree().arcs().size());
    const profile::Profile truth = profile_of(*file, timed, live.end_ticks());
    const profile::Profile estimate = profile_of(*file, live.state(), live.end_ticks());
    if (truth.functions.size() != estimate.functions.size()) {
        std::fprintf(stderr, "the functions differ\n");
        return 1;
    }
    for (size_t row = 0; row < truth.functions.size(); ++row) {
        const profile::Function& real = truth.functions[row];
        const profile::Function& seen = estimate.functions[row];
        if (real.method != seen.method || real.times.calls != seen.times.calls) {
            std::fprintf(stderr, "calls of %s differ\n", real.method.c_str());
            return 1;
        }
        std::printf("function %llu %llu %llu %llu %llu %.4f %.0f %.0f %s\n",
                    static_cast<unsigned long long>(real.times.calls),
                    static_cast<unsigned long long>(real.times.self_ns),
                    static_cast<unsigned long long>(seen.times.self_ns),
                    static_cast<unsigned long long>(real.times.total_ns),
                    static_cast<unsigned long long>(seen.times.total_ns), seen.clocked_share,
                    seen.self_error_ns, seen.total_error_ns, real.method.c_str());
    }
    return 0;
}

}  // namespace
}  // namespace umbra::bench

int main(int argc, char** argv) {
    if (argc < 2 || argc > 3) {
        std::fprintf(stderr, "usage: %s FILE [STRIPPED-FILE]\n", argv[0]);
        return 2;
    }
    return umbra::bench::score(argv[1], argc == 3 ? argv[2] : nullptr);
}
