// SPDX-License-Identifier: MIT
// Made-up programs, and the slowest of their calls as a plain list of all calls has them: whoever
// replays them, with whatever clock readings, in however little room.
#include <algorithm>
#include <cstdint>
#include <map>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/collector/random_program.h"
#include "tests/collector/slow_calls.h"
#include "tests/support/full.h"

namespace umbra::collector {
namespace {

using testing::add_workers;
using testing::keeping;
using testing::Marks;
using testing::RecordStream;
using testing::replay_by;
using testing::Replayed;
using testing::slices_text;
using testing::whole_records;

constexpr uint32_t kThreads = 4;
constexpr uint32_t kKept = 5;

/// A call as the program made it.
struct MadeCall {
    char function = 0;
    uint64_t begin = 0;
    uint64_t end = 0;
    bool unfinished = false;
    std::vector<MadeCall> inner{};

    [[nodiscard]] std::string text() const {
        std::string out =
            function + (' ' + std::to_string(begin)) + '+' + std::to_string(end - begin);
        std::string in;
        for (const MadeCall& call : inner) {
            in += (in.empty() ? "" : " ") + call.text();
        }
        return out + (in.empty() ? "" : " [" + in + ']');
    }
    [[nodiscard]] uint64_t calls() const {
        uint64_t sum = inner.size();
        for (const MadeCall& call : inner) {
            sum += call.calls();
        }
        return sum;
    }
};

/// One thread: calls, recursion, exceptions that pass some calls, tail calls, and in the end a few
/// calls that go on. Functions A to F.
class SlowProgram {
  public:
    SlowProgram(uint64_t seed, uint64_t begin) : now(begin), random_(seed) {}

    void run(int calls) {
        while (calls-- > 0) {
            MadeCall call;
            if (run_call(kStackTop, 0, call)) {
                // Caught by something without probes.
                stream.caught(0, kStackTop + 8, tick());
            }
            made.push_back(std::move(call));
        }
        MadeCall last = open(kStackTop);
        last.inner.push_back(open(kStackTop - 100));
        made.push_back(std::move(last));
    }
    /// Open calls last until `end`.
    void cut(uint64_t end) { made.back().end = made.back().inner.back().end = end; }

    RecordStream stream;
    std::vector<MadeCall> made;
    uint64_t now;

  private:
    static constexpr uint32_t kStackTop = 0x1000'0000;

    uint64_t below(uint64_t bound) { return random_() % bound; }
    uint64_t tick() { return now += 1 + below(40) + (below(50) == 0 ? 500 : 0); }

    MadeCall open(uint32_t sp) {
        MadeCall call{.function = static_cast<char>('A' + below(6)), .begin = tick()};
        call.unfinished = true;
        stream.enter(call.function, sp, call.begin);
        return call;
    }

    /// True: an exception has removed it.
    bool run_call(uint32_t sp, int depth, MadeCall& call) {
        call.function = static_cast<char>('A' + below(6));
        call.begin = tick();
        stream.enter(call.function, sp, call.begin);
        const bool catches = below(3) == 0;
        for (uint64_t inner = below(depth > 8 ? 1 : 4); inner-- > 0;) {
            MadeCall& callee = call.inner.emplace_back();
            if (!run_call(sp - 100, depth + 1, callee)) {
                continue;
            }
            if (catches) {
                stream.caught(call.function, sp, tick()).catcher_leave(tick());
                continue;
            }
            call.end = tick();
            stream.unwound(call.function, call.end);
            return true;
        }
        if (below(20) == 0) {
            stream.thrown(1, tick());
            call.end = tick();
            stream.unwound(call.function, call.end);
            return true;
        }
        call.end = tick();
        below(6) == 0 ? stream.tailcall(call.function, sp, call.end)
                      : stream.leave(call.function, sp, call.end);
        return false;
    }

    std::mt19937_64 random_;
};

/// Calls of one function that are in no other of it, by thread and begin.
using Outermost = std::vector<std::pair<uint32_t, const MadeCall*>>;

void find_outermost(const std::vector<MadeCall>& calls, uint32_t thread, char function,
                    Outermost& out) {
    for (const MadeCall& call : calls) {
        if (call.function == function) {
            out.emplace_back(thread, &call);
        } else {
            find_outermost(call.inner, thread, function, out);
        }
    }
}

/// What is compared of a kept call.
struct Kept {
    uint32_t thread;
    uint64_t begin;
    uint64_t ticks;
    uint64_t calls;
    bool unfinished;
    std::string slices;
    bool operator==(const Kept&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Kept& kept) {
    return out << kept.thread << " @" << kept.begin << '+' << kept.ticks << ' ' << kept.calls << ' '
               << kept.slices;
}

struct Found {
    std::vector<Kept> kept;
    uint64_t compared = 0;
};

class RandomSlowCalls : public ::testing::TestWithParam<uint64_t> {
  protected:
    RandomSlowCalls() {
        for (uint32_t thread = 0; thread < kThreads; ++thread) {
            programs_.emplace_back(GetParam() * kThreads + thread, 1);
            programs_.back().run(60);
            end_ = std::max(end_, programs_.back().now);
            streams_.push_back(programs_.back().stream.slots());
        }
        for (SlowProgram& program : programs_) {
            program.cut(end_);
        }
    }

    [[nodiscard]] Found expected(char function) const {
        Outermost all;
        for (uint32_t thread = 0; thread < kThreads; ++thread) {
            find_outermost(programs_[thread].made, thread, function, all);
        }
        std::ranges::sort(all, {}, [](const auto& call) {
            return std::tuple(~(call.second->end - call.second->begin), call.second->begin,
                              call.first);
        });
        Found found{.kept = {}, .compared = all.size()};
        for (size_t at = 0; at < std::min<size_t>(kKept, all.size()); ++at) {
            const auto& [thread, call] = all[at];
            found.kept.push_back({thread, call->begin, call->end - call->begin, call->calls(),
                                  call->unfinished, call->text()});
        }
        return found;
    }

    static Found found(const profile::Profile& p, char function) {
        Found found;
        for (profile::Row method = 0; method < p.slow_methods.size(); ++method) {
            if (Replayed::name(p, p.slow_methods[method].function) != std::string(1, function)) {
                continue;
            }
            found.compared = p.slow_methods[method].calls;
            for (profile::Row row = 0; row < p.slow_calls.size(); ++row) {
                const profile::SlowCall& call = p.slow_calls[row];
                if (call.method == method) {
                    found.kept.push_back({call.thread, call.start_ns, call.duration_ns, call.calls,
                                          call.unfinished, slices_text(p, row)});
                }
            }
        }
        return found;
    }

    /// `workers` of them, in any order; now and then a thread changes its worker, now and then
    /// somebody looks.
    profile::Profile replayed_by(size_t workers, const replay::Limits& limits) {
        Replayed replayed(limits, workers == 1);
        SessionState& state = replayed.state();
        state.watch(marks_.bytes());
        std::mt19937_64 random(GetParam());
        add_workers(state, workers, kThreads);
        const auto next_piece = [&](ProfiledThread&, std::span<const uint64_t> rest) {
            if (random() % 16 == 0) {
                [[maybe_unused]] const Snapshot looked_at = state.copy_out(0);
            }
            return whole_records(rest, 16 + random() % 300);
        };
        replay_by(workers, streams_, state, random, next_piece, [] {});
        return replayed.profile(end_);
    }

    Marks marks_{'A', 'B', 'D'};
    std::vector<SlowProgram> programs_;
    std::vector<std::vector<uint64_t>> streams_;
    uint64_t end_ = 0;
};

TEST_P(RandomSlowCalls, AreWhatAListOfAllCallsSays) {
    for (const size_t workers : {size_t{1}, size_t{3}}) {
        const profile::Profile p = replayed_by(workers, keeping({kKept, kKept, kKept}));
        for (const char function : {'A', 'B', 'D'}) {
            EXPECT_EQ(found(p, function).kept, expected(function).kept) << workers << " workers";
            EXPECT_EQ(found(p, function).compared, expected(function).compared);
        }
        EXPECT_TRUE(found(p, 'C').kept.empty());
    }
}

/// Slices lie in their parents, one behind the other; calls are all there, with slices or merged.
void expect_sound(const profile::Profile& p) {
    std::map<profile::Row, uint64_t> ends;  // of the last slice in each
    std::map<profile::Row, uint64_t> slices;
    for (profile::Row row = 0; row < p.slow_slices.size(); ++row) {
        const profile::SlowSlice& slice = p.slow_slices[row];
        if (slice.parent == profile::kNone) {
            EXPECT_EQ(slice.start_ns, p.slow_calls[slice.call].start_ns);
            EXPECT_EQ(slice.duration_ns, p.slow_calls[slice.call].duration_ns);
            continue;
        }
        ++slices[slice.call];
        const profile::SlowSlice& parent = p.slow_slices[slice.parent];
        EXPECT_EQ(parent.call, slice.call);
        EXPECT_GE(slice.start_ns, std::max(parent.start_ns, ends[slice.parent]));
        ends[slice.parent] = slice.start_ns + slice.duration_ns;
        EXPECT_LE(ends[slice.parent], parent.start_ns + parent.duration_ns);
    }
    for (profile::Row row = 0; row < p.slow_calls.size(); ++row) {
        EXPECT_EQ(slices[row] + p.slow_calls[row].merged_calls, p.slow_calls[row].calls);
    }
}

TEST_P(RandomSlowCalls, AreTheSameCallsInLittleRoomWithTheShortestMerged) {
    replay::Limits limits = keeping({kKept, kKept, kKept});
    limits.slowest.call_slices = 64;
    limits.slowest.open_slices = 100;
    limits.slowest.kept_slices = 150;
    for (const size_t workers : {size_t{1}, size_t{3}}) {
        const profile::Profile p = replayed_by(workers, limits);
        expect_sound(p);
        EXPECT_LE(p.slow_slices.size(), 150U);
        for (const char function : {'A', 'B', 'D'}) {
            std::vector<Kept> kept = found(p, function).kept;
            std::vector<Kept> wanted = expected(function).kept;
            for (std::vector<Kept>* calls : {&kept, &wanted}) {
                for (Kept& call : *calls) {
                    call.slices.clear();
                }
            }
            EXPECT_EQ(kept, wanted) << workers << " workers";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSlowCalls, ::testing::Range<uint64_t>(1, 31));

// Requests come and go, one in 5,000 much longer than the others; what is in use does not grow.
TEST(ManySlowCalls, TakeNoMoreRoomThanTheySay) {
    const uint64_t requests = umbra::testing::full() ? 10'000'000 : 200'000;
    replay::Limits limits = keeping({20});
    limits.slowest.call_slices = 1'000;
    limits.slowest.kept_slices = 5'000;
    const Marks marks{'A'};
    Replayed replayed(limits);
    replayed.state().watch(marks.bytes());
    ProfiledThread& thread = replayed.thread();
    const replay::SlowCallTable& table = replayed.state().tables().slowest;
    uint64_t now = 1;
    uint64_t slow = 0;
    for (uint64_t request = 1; request <= requests; ++request) {
        RecordStream stream;
        stream.enter('A', 100, ++now);
        const uint64_t steps = request % 5'000 == 0 ? 3'000 : 3;
        for (uint64_t step = 0; step < steps; ++step) {
            stream.enter('B', 90, now + 1).leave('B', 90, now + 3);
            now += 4;
        }
        stream.leave('A', 100, ++now);
        slow += steps > 3 ? 1U : 0U;
        thread.consume(stream.slots(), true);
        ASSERT_LE(table.kept_slices(), limits.slowest.kept_slices);
    }
    const profile::Profile p = replayed.profile(now);
    ASSERT_EQ(p.slow_methods.size(), 1U);
    EXPECT_EQ(p.slow_methods[0].calls, requests);
    EXPECT_EQ(p.slow_calls.size(), 20U);
    ASSERT_GE(slow, 20U);
    for (const profile::SlowCall& call : p.slow_calls) {
        EXPECT_EQ(call.calls, 3'000U);
    }
    EXPECT_LE(p.slow_slices.size(), limits.slowest.kept_slices);
}

}  // namespace
}  // namespace umbra::collector
