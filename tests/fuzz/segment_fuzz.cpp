// SPDX-License-Identifier: MIT
// Fuzzes what a collector reads from a segment: its file, header, directory of threads, counters
// and chunks of the rings, pauses, and the names told beside it. First byte of an input: how it is
// read; then steps of the two sides: the target writes anything anywhere, the collector opens the
// segment and drains it as a session does, up to the profile. With kLoop a whole session reads it
// once, at its end. Does not cover: writes while the collector reads
// (tests/agent/hostile_process_test.cpp), the order in which a processor shows them
// (tests/hotpath/ring_order.cpp), the kernel's context switches.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hotpath/segment.h"
#include "src/collector/replay_workers.h"
#include "src/collector/session_loop.h"
#include "src/collector/shared_segment.h"
#include "src/collector/tables/profile_builder.h"
#include "src/collector/tables/unnamed_functions.h"
#include "src/replay/linear_clock.h"
#include "tests/collector/random_program.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/records.h"
#include "tests/fuzz/sound_profile.h"

namespace umbra::fuzz {
namespace {

using collector::SharedSegment;
using hotpath::PauseEntry;
using hotpath::SegmentHeader;
using hotpath::ThreadBlock;

/// Behind kFirstStep.
enum Step : uint8_t {
    kHeader,      // a word of the header
    kThread,      // begins a thread as the agent does
    kThreadWord,  // a word of a thread's block
    kOther,       // of which thread the next steps are
    kEndThread,
    kTake,       // the thread takes its next chunk
    kPublish,    // the records so far go into its chunk
    kFill,       // ... again and again, until it is full
    kRingWord,   // a word of its ring
    kPauseWord,  // a word of the pause ring
    kPause,
    kTakeChunks,
    kReadTails,
    kTurn,
    kReclaim,
    kReadOut,
    kFunctionName,
    kThreadName,
    kMethod,  // registers a method
    kModuleWord,
    kNameWord,  // of what a thread is called
    kSteps,
};

// Bits of the first byte.
constexpr uint32_t kLoop = 1;
constexpr uint32_t kFullTree = 4;
constexpr uint32_t kOwnFigures = 8;  // CPU times of this process's threads, as the kernel has them
constexpr uint32_t kUnsealed = 16;
constexpr uint32_t kOddSize = 32;

constexpr size_t kSlotsPerChunk = hotpath::kChunkBytes / hotpath::kSlotBytes;

/// The target's side: writes through the descriptor, so nothing that it does harms this process.
class Target {
  public:
    explicit Target(uint32_t settings)
        : fd_(memfd_create("segment", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
        const uint64_t bytes = hotpath::kSegmentBytes - ((settings & kOddSize) != 0 ? 4096 : 0);
        require(fd_ && ftruncate(fd_.get(), static_cast<off_t>(bytes)) == 0, "there is a memfd");
        if ((settings & kUnsealed) == 0) {
            fcntl(fd_.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW);
        }
        put(offsetof(SegmentHeader, magic), hotpath::kSegmentMagic);
        put(offsetof(SegmentHeader, version), hotpath::kSegmentVersion);
        put(offsetof(SegmentHeader, max_threads), hotpath::kMaxThreads);
        put(offsetof(SegmentHeader, chunks_per_ring), hotpath::kChunksPerRing);
        put(offsetof(SegmentHeader, chunk_bytes), static_cast<uint32_t>(hotpath::kChunkBytes));
        put(offsetof(SegmentHeader, clock), hotpath::ClockSource::kOs);
    }

    /// False: it is no step of the target.
    bool step(uint32_t code, Input& in) {
        if (code < kFirstStep) {
            take_record(code, in, ticks_, records_);
            return true;
        }
        switch (static_cast<Step>((code - kFirstStep) % kSteps)) {
            case kHeader: {
                const uint32_t word = in.byte();
                put(word % (sizeof(SegmentHeader) / 8) * 8, in.number());
                return true;
            }
            case kThread:
                begin_thread(in.byte());
                return true;
            case kThreadWord: {
                const uint32_t word = in.byte();
                put(block() + word % (sizeof(ThreadBlock) / 8) * 8, in.number());
                return true;
            }
            case kOther:
                slot_ = in.number32() % hotpath::kMaxThreads;
                return true;
            case kEndThread:
                put(block() + offsetof(ThreadBlock, end_ticks), in.number());
                put(block() + offsetof(ThreadBlock, state), hotpath::SlotState::kEnded);
                return true;
            case kTake:
                at_ = 0;
                put(block() + offsetof(ThreadBlock, ring), uint64_t{++taken_} << 32U);
                return true;
            case kPublish:
                publish();
                records_.clear();
                return true;
            case kFill:
                while (!records_.empty() && at_ < kSlotsPerChunk) {
                    publish();
                }
                records_.clear();
                return true;
            case kRingWord: {
                const uint64_t word = in.number() % (hotpath::kRingBytes / 8);
                put(hotpath::ring_offset(slot_) + word * 8, in.number());
                return true;
            }
            case kPauseWord: {
                const uint64_t word =
                    in.number() % (hotpath::kPauseEntries * sizeof(PauseEntry) / 8);
                put(hotpath::kPausesOffset + word * 8, in.number());
                return true;
            }
            case kPause:
                pause(in);
                return true;
            case kMethod: {
                const uint32_t function = in.byte();
                put(hotpath::kMethodsOffset + function * sizeof(hotpath::RegisteredMethod),
                    in.number());
                return true;
            }
            case kModuleWord: {
                const uint64_t word = in.number() % (8 * sizeof(hotpath::RegisteredModule) / 8);
                put(hotpath::kModulesOffset + word * 8, in.number());
                return true;
            }
            case kNameWord: {
                const uint64_t word = in.number() % (40 * sizeof(hotpath::RegisteredThread) / 8);
                put(hotpath::kNamesOffset + word * 8, in.number());
                return true;
            }
            default:
                return false;
        }
    }

    [[nodiscard]] UniqueFd descriptor() const {
        return UniqueFd(fcntl(fd_.get(), F_DUPFD_CLOEXEC, 0));
    }
    [[nodiscard]] uint64_t ticks() const { return ticks_; }

  private:
    template <typename T>
    void put(uint64_t offset, T value) {
        put_bytes(offset, &value, sizeof value);
    }
    void put_bytes(uint64_t offset, const void* bytes, size_t count) {
        require(pwrite(fd_.get(), bytes, count, static_cast<off_t>(offset)) ==
                    static_cast<ssize_t>(count),
                "the segment can be written");
    }
    [[nodiscard]] uint64_t block() const {
        return hotpath::kThreadsOffset + uint64_t{slot_} * sizeof(ThreadBlock);
    }

    void begin_thread(uint32_t os_tid) {
        put(block() + offsetof(ThreadBlock, os_tid), os_tid);
        put(block() + offsetof(ThreadBlock, start_ticks), ticks_);
        put(block() + offsetof(ThreadBlock, state), hotpath::SlotState::kLive);
        seen_ = std::max(seen_, slot_ + 1);
        put(offsetof(SegmentHeader, threads_seen), seen_);
        taken_ = 0;
    }

    /// As far as they fit into the chunk.
    void publish() {
        const std::span<const uint64_t> fitting =
            std::span(records_).first(std::min(records_.size(), kSlotsPerChunk - at_));
        const uint64_t chunk = (taken_ - 1) % hotpath::kChunksPerRing;
        put_bytes(hotpath::ring_offset(slot_) + chunk * hotpath::kChunkBytes + at_ * 8,
                  fitting.data(), fitting.size_bytes());
        at_ += fitting.size();
    }

    void pause(Input& in) {
        const uint64_t number = ++pauses_;
        const uint64_t entry =
            hotpath::kPausesOffset + number % hotpath::kPauseEntries * sizeof(PauseEntry);
        const uint64_t begin = in.number();
        const uint64_t suspended = begin + in.number();
        put(entry + offsetof(PauseEntry, suspend_ticks), begin);
        put(entry + offsetof(PauseEntry, suspended_ticks), suspended);
        put(entry + offsetof(PauseEntry, resume_ticks), suspended + in.number());
        put(entry + offsetof(PauseEntry, number), number);
        put(offsetof(SegmentHeader, pauses), number);
    }

    UniqueFd fd_;
    uint32_t slot_ = 0;
    uint32_t taken_ = 0;  // chunks, by the thread
    size_t at_ = 0;       // slots written of the chunk
    uint32_t seen_ = 0;
    uint64_t pauses_ = 0;
    uint64_t ticks_ = 0;
    std::vector<uint64_t> records_;
};

replay::Limits limits_of(uint32_t settings) {
    return {
        .max_functions = 64,
        .max_arcs = 500,
        .max_depth = 40,
        .max_threads = 4,
        .longest_compilations = 10,
        .max_exception_rows = 10,
        .max_logged_calls = (settings & kFullTree) != 0 ? 100U : 0U,
        .pauses = {.latest = 5, .longest = 20},
        .max_name_bytes = 10'000,
        .tree = (settings & kFullTree) != 0 ? replay::TreeShape::kFull : replay::TreeShape::kFolded,
        .folded_arcs = 50,
        .least_share = 0.01};
}

uint32_t own_pid(uint32_t settings) {
    return (settings & kOwnFigures) != 0 ? static_cast<uint32_t>(getpid()) : 0;
}

/// The collector's side, a step at a time.
class Reading {
  public:
    Reading(SharedSegment& segment, uint32_t settings)
        : segment_(segment),
          state_(limits_of(settings)),
          cpu_(own_pid(settings),
               (settings & kOwnFigures) != 0 ? collector::CpuSource::kSchedstat
                                             : collector::CpuSource::kNone,
               hotpath::ClockSource::kOs),
          ids_(own_pid(settings)),
          drain_(segment, state_, cpu_, ids_, [](collector::ProfiledThread&) {}) {
        state_.set_probe_costs(segment.header().probe_costs);
    }

    void step(uint32_t code, Input& in) {
        switch (static_cast<Step>((code - kFirstStep) % kSteps)) {
            case kTakeChunks:
                (void)drain_.take_chunks();
                break;
            case kReadTails:
                drain_.read_tails();
                break;
            case kTurn:
                (void)drain_.turn();
                break;
            case kReclaim:
                drain_.reclaim_from_quiet(collector::ReplayWorkers::Clock::now() +
                                          std::chrono::hours(1));
                break;
            case kReadOut:
                drain_.read_out();
                break;
            case kFunctionName: {
                protocol::FunctionNamed named;
                named.index = in.number32();
                named.type = in.text();
                named.method = in.text();
                state_.note(named);
                break;
            }
            case kThreadName:
                state_.note(protocol::ThreadNamed{in.byte(), in.text()});
                break;
            default:
                break;
        }
        require(drain_.live_threads() <= hotpath::kMaxThreads, "there are as many rings as slots");
    }

    void finish(uint64_t now) {
        drain_.read_out();
        collector::Snapshot snapshot = state_.copy_out(now, true);
        add_unnamed(segment_.methods(), segment_.modules(), snapshot);
        require_sound(build(snapshot, replay::LinearClock(0, 1e9), {}));
    }

  private:
    SharedSegment& segment_;
    collector::SessionState state_;
    collector::CpuWatch cpu_;
    collector::ThreadIds ids_;
    collector::ReplayWorkers drain_;
    collector::ReplayWorkers::Clock::time_point now_ = collector::ReplayWorkers::Clock::now();
};

/// Steps of the target, then a session that is told to end at once.
void run_loop(Target& target, Input& in, uint32_t settings) {
    while (!in.empty()) {
        target.step(in.byte(), in);
    }
    Result<SharedSegment> segment = SharedSegment::open(target.descriptor());
    if (!segment) {
        return;
    }
    collector::RecordingSpec spec;
    spec.cpu = collector::CpuSource::kNone;
    spec.max_overhead_percent = 5;
    spec.tree = limits_of(settings).tree;
    collector::SessionOptions options{.spec = spec};
    std::optional<collector::Checkpoint> last;
    options.deliver = [&last](collector::Checkpoint checkpoint) {
        last.emplace(std::move(checkpoint));
    };
    options.remove_hooks = [](const protocol::RemoveHooks&) {};
    options.watch = true;
    profile::Session facts;
    facts.clock.source = "os";
    collector::SessionExchange exchange;
    exchange.stop = true;
    collector::ProcessCpu cpu(0, false);
    collector::SessionLoop loop(*segment, options, facts, exchange, cpu);
    loop.run();
    loop.checkpoint(facts, true);
    require(last && last->final, "a session ends with a checkpoint");
    require_sound(build(last->snapshot, last->clock, last->facts));
}

}  // namespace

void run(std::string_view input) {
    Input in(input);
    const uint32_t settings = in.byte();
    Target target(settings);
    if ((settings & kLoop) != 0) {
        run_loop(target, in, settings);
        return;
    }
    std::optional<Result<SharedSegment>> segment;
    std::optional<Reading> reading;
    while (!in.empty()) {
        const uint32_t code = in.byte();
        if (target.step(code, in)) {
            continue;
        }
        if (!segment) {
            segment.emplace(SharedSegment::open(target.descriptor()));
            require((settings & (kUnsealed | kOddSize)) == 0 || !*segment,
                    "a file that may shrink is refused");
            if (!*segment) {
                return;
            }
            reading.emplace(**segment, settings);
        }
        reading->step(code, in);
    }
    if (reading) {
        reading->finish(target.ticks());
    }
}

std::vector<std::string> seeds() {
    std::vector<std::string> made;
    for (uint32_t seed = 0; seed < 16; ++seed) {
        collector::testing::RandomProgram program(seed);
        program.run(2);
        std::vector<uint64_t> slots = program.stream.slots();
        slots.resize(std::min<size_t>(slots.size(), 150));
        const auto step = [](Step kind) { return kFirstStep + uint32_t{kind}; };
        Output out;
        out.byte(seed);
        out.byte(step(kThread)).byte(7).byte(step(kTake));
        uint64_t ticks = put_records(slots, 0, out);
        out.byte(step(kPublish)).byte(step(kTakeChunks)).byte(step(kTurn));
        out.byte(step(kTurn)).byte(step(kReadTails)).number(ticks);
        out.byte(step(kFunctionName)).number(1).text("Cart").text("Add");
        out.byte(step(kThreadName)).byte(7).text("main");
        out.byte(step(kMethod)).byte(2).number(hotpath::RegisteredMethod::pack(1, 0x0600'0001));
        out.byte(step(kModuleWord)).number(sizeof(hotpath::RegisteredModule) / 8).number(7);
        out.byte(step(kNameWord)).number(7 * sizeof(hotpath::RegisteredThread) / 8).number(7);
        out.byte(step(kPause)).number(ticks).number(10).number(20);
        ticks = put_records(std::span(slots).first(slots.size() / 2), ticks, out);
        out.byte(step(kFill)).byte(step(kTake)).byte(step(kTakeChunks)).byte(step(kReclaim));
        out.byte(step(kOther)).number(3).byte(step(kThread)).byte(8).byte(step(kTake));
        ticks = put_records(std::span(slots).first(slots.size() / 3), ticks, out);
        out.byte(step(kPublish)).byte(step(kEndThread)).number(ticks);
        out.byte(step(kTakeChunks)).byte(step(kReadOut));
        made.push_back(out.bytes());
    }
    return made;
}

}  // namespace umbra::fuzz
