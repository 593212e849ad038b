// SPDX-License-Identifier: MIT
// Fuzzes the decoder of ring records and the replay. First byte of an input: settings of the
// session; then steps: records that go into a chunk, slots of any value, chunks that are replayed
// whole, in part, with the end of what is written known, or of a thread that stands; threads,
// pauses, time off the processors, names, arguments, async calls, snapshots. Covers what becomes of
// them up to the profile, with limits that are reached soon. Does not cover: the rings
// (segment_fuzz.cpp), the kernel's context switches (src/collector/cpu).
#include <algorithm>
#include <cstring>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hotpath/record.h"
#include "src/base/utf8.h"
#include "src/collector/state/session_state.h"
#include "src/collector/tables/profile_builder.h"
#include "src/replay/linear_clock.h"
#include "tests/collector/random_program.h"
#include "tests/fuzz/async_thread.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/fuzz/records.h"
#include "tests/fuzz/sound_profile.h"

namespace umbra::fuzz {
namespace {

using collector::ProfiledThread;
using collector::SessionState;

/// Behind kFirstStep.
enum Step : uint8_t {
    kSlot,   // of any value
    kWhole,  // the chunk is complete
    kPart,   // it is not
    kFill,   // a slot that was 0 is skipped
    kNewThread,
    kOlderThread,
    kOtherThread,
    kEnd,
    kLostCount,
    kPause,
    kOffCpu,
    kCpuReading,
    kFunctionName,
    kThreadName,
    kHooksRemoved,
    kSnapshot,
    kProbeCosts,
    kTickTo,  // sets the time that records count from
    kArgumentName,
    kMergeAsync,
    kAsyncType,
    kSteps,
};

// Bits of the first byte.
constexpr uint32_t kFullTree = 2;
constexpr uint32_t kLog = 4;  // of a full tree
constexpr uint32_t kWindows = 8;
constexpr uint32_t kFewArcs = 16;
constexpr uint32_t kTame = 32;  // no moment is so late that a sum of times could exceed 64 bits

constexpr uint32_t kSlowest = 64;
constexpr uint32_t kAsync = 128;

constexpr uint64_t kTameTicks = uint64_t{1} << 32;

constexpr size_t kMaxArcs = 500;
constexpr size_t kMaxRows = 10;
constexpr size_t kMaxPauses = 20;
constexpr uint32_t kMaxValues = 12;
constexpr size_t kMaxSlices = 100;
constexpr uint32_t kMaxSlowCalls = 5;

/// Of each four functions one is watched for either request, one for a request that nobody made.
std::span<const uint8_t> marks() {
    static const std::vector<uint8_t> made = [] {
        std::vector<uint8_t> bytes;
        for (uint8_t function = 0; function < 60; ++function) {
            bytes.push_back(function % 4);
        }
        return bytes;
    }();
    return made;
}

/// Of each eight functions two are bodies of state machines, one of an async iterator, and one is
/// suspended by the runtime.
std::span<const uint8_t> traits() {
    static const std::vector<uint8_t> made = [] {
        std::vector<uint8_t> bytes(64);
        for (size_t function = 0; function < bytes.size(); function += 8) {
            bytes[function + 1] = hotpath::kStateMachine;
            bytes[function + 2] = hotpath::kStateMachine;
            bytes[function + 3] = hotpath::kStateMachine | hotpath::kAsyncIterator;
            bytes[function + 4] = hotpath::kRuntimeAsync;
        }
        return bytes;
    }();
    return made;
}

replay::SlowestLimits slowest_of(uint32_t settings) {
    if ((settings & kSlowest) == 0) {
        return {};
    }
    return {.keep = {2, 1},
            .by = (settings & kWindows) == 0 ? SlowestBy::kCpu : SlowestBy::kWall,
            .call_slices = 70,
            .open_slices = 10,
            .kept_slices = kMaxSlices,
            .kept_calls = kMaxSlowCalls};
}

replay::Limits limits_of(uint32_t settings) {
    return {
        .max_functions = 64,
        .max_arcs = kMaxArcs,
        .max_depth = 40,
        .max_threads = 4,
        .longest_compilations = kMaxRows,
        .max_exception_rows = kMaxRows,
        .max_arguments = 6,
        .max_argument_values = kMaxValues,
        .max_logged_calls = (settings & (kLog | kFullTree)) == (kLog | kFullTree) ? 100U : 0U,
        .slowest = slowest_of(settings),
        .pauses = {.latest = 5, .longest = kMaxPauses},
        .max_name_bytes = 10'000,
        .tree = (settings & kFullTree) != 0 ? replay::TreeShape::kFull : replay::TreeShape::kFolded,
        .folded_arcs = (settings & kFewArcs) != 0 ? 4U : 100U,
        .least_share = 0.01};
}

class Session {
  public:
    explicit Session(uint32_t settings) : settings_(settings), state_(limits_of(settings)) {
        state_.watch(marks());
        if ((settings & kAsync) != 0) {
            state_.follow_async({.traits = traits(), .methods = {}});
        }
        add_thread(false);
    }

    void step(Input& in) {
        const uint32_t code = in.byte();
        if (code < kFirstStep) {
            take_record(code, in, ticks_, slots_, most_ticks());
            return;
        }
        switch (static_cast<Step>((code - kFirstStep) % kSteps)) {
            case kSlot:
                slots_.push_back((settings_ & kTame) != 0 ? 0 : in.number());
                break;
            case kWhole:
                require(consume(true) == slots_.size(), "a complete chunk is used up");
                slots_.clear();
                break;
            case kPart:
                consume(false);
                break;
            case kFill:
                used(slots_.empty() ? 0 : 1);
                break;
            case kNewThread:
                add_thread(false);
                break;
            case kOlderThread:
                add_thread(true);
                break;
            case kOtherThread:
                if (!state_.threads().empty()) {
                    thread_ = &state_.threads().at(in.byte() %
                                                   static_cast<uint32_t>(state_.threads().size()));
                }
                break;
            case kEnd:
                if (thread_ != nullptr) {
                    thread_->end(moment(in));
                }
                break;
            case kLostCount:
                if (thread_ != nullptr) {
                    thread_->replay().note_lost(in.number());
                }
                break;
            case kPause:
                pause(in);
                break;
            case kOffCpu:
                off_cpu(in);
                break;
            case kCpuReading:
                cpu_reading(in);
                break;
            case kFunctionName:
                name_function(in);
                break;
            case kThreadName:
                state_.note(protocol::ThreadNamed{in.byte(), in.text()});
                break;
            case kHooksRemoved:
                state_.note(protocol::HooksRemoved{in.number32()});
                break;
            case kSnapshot:
                check(moment(in));
                break;
            case kProbeCosts:
                probe_costs(in);
                break;
            case kTickTo:
                ticks_ = moment(in);
                break;
            case kArgumentName:
                name_argument(in);
                break;
            case kMergeAsync:
                state_.merge_async(moment(in), in.number());
                break;
            case kAsyncType:
                name_async_type(in);
                break;
            case kSteps:
                break;
        }
    }

    void all_told() { state_.merge_async(UINT64_MAX, 0); }

    void check(uint64_t now) const {
        require(state_.tree().arcs().size() <= kMaxArcs + 1, "the tree stays within its limit");
        const profile::Profile profile =
            build(state_.copy_out(now, true), replay::LinearClock(0, 1e9), {});
        if ((settings_ & kTame) != 0) {
            require_sound_times(profile);
        } else {
            require_sound(profile);
        }
        require(profile.compilations.size() <= kMaxRows, "compilations stay within their limit");
        require(profile.pauses.size() <= kMaxPauses, "pauses stay within theirs");
        require(profile.time_slices.size() <= replay::TimeSlices<int>::kMost, "and slices of time");
        require(profile.exceptions.size() <= kMaxRows + 1, "exceptions stay within their limit");
        for (const profile::CallNode& node : profile.calltree) {
            require(node.times.calls > 0, "a path was called");
        }
        // Calls that go on have as much room again.
        require(profile.slow_calls.size() <= kMaxSlowCalls + 64, "slow calls stay within theirs");
        require(profile.slow_slices.size() <=
                    kMaxSlices +
                        profile.slow_calls.size() * (1 + 2 * replay::SlowestLimits::kMostIntervals),
                "slices stay within theirs, those of pauses and compilations within the lists");
        // A rest for each argument by number and function.
        require(profile.argument_values.size() <= kMaxValues + 12, "values stay within theirs");
    }

    [[nodiscard]] uint64_t ticks() const { return ticks_; }

  private:
    [[nodiscard]] uint64_t most_ticks() const {
        return (settings_ & kTame) != 0 ? kTameTicks : UINT64_MAX;
    }
    [[nodiscard]] uint64_t moment(Input& in) const { return std::min(in.number(), most_ticks()); }

    size_t consume(bool complete) {
        const std::vector<uint64_t> chunk(slots_);  // has no room behind its end
        const size_t step = thread_ != nullptr ? thread_->consume(chunk, complete)
                                               : state_.shards().front().skip(chunk, complete);
        require(step <= slots_.size(), "no more is used than there is");
        if (!complete) {
            used(step);
        }
        return step;
    }

    void used(size_t step) {
        require(step <= slots_.size(), "no more is used than there is");
        slots_.erase(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(step));
    }

    void add_thread(bool older) {
        thread_ = state_.add_thread(++threads_, ticks_, older);
        slots_.clear();
        if (thread_ != nullptr && (settings_ & kWindows) != 0) {
            thread_->replay().use_cpu_windows({.ticks_per_ns = 0.001, .timer_ns = 4e3});
        }
    }

    void pause(Input& in) {
        replay::PauseTicks pause;
        pause.begin_ticks = moment(in);
        pause.suspended_ticks = pause.begin_ticks + moment(in);
        pause.end_ticks = pause.suspended_ticks + moment(in);
        pause.os_tid = in.byte();
        pause.reason = in.byte();
        pause.generations = in.byte();
        state_.note_pause(pause);
    }

    // These two come from the kernel, by way of CpuWatch: in order of time, and possible.
    void off_cpu(Input& in) {
        if (thread_ != nullptr) {
            const uint64_t begin = later(off_cpu_end_, moment(in));
            off_cpu_end_ = later(begin, moment(in));
            thread_->add_off_cpu(begin, off_cpu_end_);
        }
    }

    void cpu_reading(Input& in) {
        if (thread_ == nullptr || thread_->replay().windows() == nullptr) {
            return;
        }
        const uint64_t start = thread_->replay().start_ticks();
        reading_ = later(std::max(reading_, start), moment(in));
        if (reading_ > start) {
            const uint64_t off = in.number();
            thread_->replay().windows()->note(reading_, std::min(off, reading_ - start), in.flag());
        }
    }

    static uint64_t later(uint64_t ticks, uint64_t by) {
        return ticks + std::min(by, UINT64_MAX - ticks);
    }

    void name_function(Input& in) {
        protocol::FunctionNamed named;
        named.index = in.number32();
        named.module = in.byte();
        named.namespace_ = in.text();
        named.type = in.text();
        named.method = in.text();
        named.method_args = in.text();
        named.parameters = in.text();
        named.user_parameters = in.text();
        named.return_type = in.text();
        state_.note(named);
        state_.note(protocol::ModuleLoaded{named.module, named.namespace_, false});
        state_.note(protocol::TypeNamed{named.index, named.type});
    }

    void name_argument(Input& in) {
        protocol::ArgumentNamed named;
        named.index = in.byte() % 8;
        named.function = in.number32();
        named.kind = static_cast<uint8_t>(in.byte());
        named.name = printable_utf8(in.text());
        named.type = in.flag() ? "float" : "int";
        for (uint32_t constant = in.byte() % 4; constant > 0; --constant) {
            named.constants.push_back({in.number(), std::to_string(constant)});
        }
        state_.note(named);
    }

    void name_async_type(Input& in) {
        protocol::AsyncTypeNamed named;
        named.address = in.byte();
        named.method = in.byte();
        named.cancelled = in.flag();
        named.name = in.text();
        state_.note(named);
    }

    void probe_costs(Input& in) {
        const auto cost = [&in] {
            const uint32_t bits = in.number32();
            float value = 0;
            static_assert(sizeof bits == sizeof value);
            std::memcpy(&value, &bits, sizeof value);
            return value;
        };
        hotpath::ProbeCosts costs;
        costs.inside = cost();
        costs.outside = cost();
        if (state_.events() == 0) {
            state_.set_probe_costs(costs);
        }
    }

    uint32_t settings_;
    SessionState state_;
    ProfiledThread* thread_ = nullptr;
    uint32_t threads_ = 0;
    uint64_t ticks_ = 0;
    uint64_t off_cpu_end_ = 0;
    uint64_t reading_ = 0;
    std::vector<uint64_t> slots_;  // of the chunk being filled
};

std::string async_seed(uint32_t seed) {
    std::mt19937 random(seed);
    Output out;
    out.byte(kAsync | (seed % 2 == 0 ? kTame : 0) | (seed % 3 == 0 ? kFullTree : 0) |
             (seed % 5 == 0 ? kSlowest : 0));
    for (uint32_t address = 0; address < 4; ++address) {
        out.byte(kFirstStep + kAsyncType).byte(address).byte(address).byte(address % 2);
        out.text("System.Threading.Tasks.Task");
    }
    uint64_t ticks = 1;
    for (uint32_t thread = 0; thread < 4; ++thread) {
        uint64_t now = ticks;
        put_records(async_thread(random, now).slots(), ticks, out);
        ticks = now;
        out.byte(kFirstStep + kWhole).byte(kFirstStep + kMergeAsync).number(now).number(10);
        out.byte(kFirstStep + kNewThread);
    }
    out.byte(kFirstStep + kSnapshot).number(ticks);
    return out.bytes();
}

}  // namespace

void run(std::string_view input) {
    Input in(input);
    Session session(in.byte());
    while (!in.empty()) {
        session.step(in);
    }
    session.all_told();
    session.check(session.ticks());
}

std::vector<std::string> seeds() {
    std::vector<std::string> made;
    for (uint32_t settings = 0; settings < 128; settings += 7) {
        Output out;
        out.byte(settings);
        out.byte(kFirstStep + kArgumentName).byte(1).number(1).byte(1).text("id").byte(0).byte(1);
        out.number(7);
        out.byte(kFirstStep + kArgumentName).byte(2).number(2).byte(6).text("name").byte(0).byte(0);
        collector::testing::RecordStream stream;
        stream.enter('A', 1000, 10).argument(1, 7, 11).enter('B', 900, 20);
        stream.text(2, "J\xc3\xbcrgen", 6, 21).enter('A', 800, 30).argument(1, 9, 31);
        stream.argument(1, 5, 40).arguments_end('A', 41).leave('A', 800, 42);
        stream.null_argument(2, 50).arguments_end('A', 60).leave('A', 1000, 61);
        stream.enter('B', 1000, 70).text(2, "cut", 90, 71);
        put_records(stream.slots(), 0, out);
        out.byte(kFirstStep + kPart).byte(kFirstStep + kSnapshot).number(100);
        out.byte(kFirstStep + kWhole);
        made.push_back(out.bytes());
    }
    for (uint32_t seed = 0; seed < 64; ++seed) {
        collector::testing::RandomProgram program(seed);
        program.run(2);
        std::vector<uint64_t> slots = program.stream.slots();
        slots.resize(std::min<size_t>(slots.size(), 200));
        Output out;
        out.byte(seed % 3 == 0 ? seed : seed | kSlowest);
        out.byte(kFirstStep + kFunctionName).number(1).byte(1);
        for (const char* part : {"Acme", "Cart`1", "<Add>b__0", "<T>", "(T)", "", "int"}) {
            out.text(part);
        }
        out.byte(kFirstStep + kPause).number(20).number(5).number(30).byte(1).byte(1).byte(2);
        out.byte(kFirstStep + kOffCpu).number(60).number(20);
        out.byte(kFirstStep + kCpuReading).number(50).number(9).byte(1);
        uint64_t ticks = put_records(std::span(slots).first(slots.size() / 2), 0, out);
        out.byte(kFirstStep + kPart).byte(kFirstStep + kSnapshot).number(program.now);
        ticks = put_records(std::span(slots).subspan(slots.size() / 2), ticks, out);
        out.byte(kFirstStep + kWhole).byte(kFirstStep + kNewThread);
        put_records(std::span(slots).first(slots.size() / 3), ticks, out);
        out.byte(kFirstStep + kEnd).number(program.now);
        made.push_back(out.bytes());
    }
    for (uint32_t seed = 0; seed < 48; ++seed) {
        made.push_back(async_seed(seed));
    }
    return made;
}

}  // namespace umbra::fuzz
