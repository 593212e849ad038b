// SPDX-License-Identifier: MIT
// Made-up programs whose arguments are told: the tables say what a simple count of the calls says,
// whoever replays them, with whatever clock readings.
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
#include "tests/collector/record_stream.h"

namespace umbra::collector {
namespace {

using protocol::ArgumentNamed;
using testing::add_workers;
using testing::RecordStream;
using testing::replay_by;
using testing::Replayed;
using testing::whole_records;

/// The calls with one value.
struct Tally {
    uint64_t calls = 0;
    uint64_t unfinished = 0;
    uint64_t total = 0;
    uint64_t min = 0;
    uint64_t max = 0;

    void add(uint64_t ticks) {
        min = calls == unfinished ? ticks : std::min(min, ticks);
        max = std::max(max, ticks);
        total += ticks;
        ++calls;
    }
    void add(const Tally& more) {
        if (more.calls != more.unfinished) {
            min = calls == unfinished ? more.min : std::min(min, more.min);
            max = std::max(max, more.max);
        }
        total += more.total;
        calls += more.calls;
        unfinished += more.unfinished;
    }
    bool operator==(const Tally&) const = default;
};
using Tallies = std::map<std::pair<std::string, std::string>, Tally>;  ///< by argument and value

std::ostream& operator<<(std::ostream& out, const Tally& tally) {
    return out << tally.calls << '+' << tally.unfinished << ' ' << tally.total << ' ' << tally.min
               << '-' << tally.max;
}

/// One thread of a program: A(id) returns a number, B(name) may be given null, C has two arguments,
/// D none.
class ArgumentProgram {
  public:
    explicit ArgumentProgram(uint64_t seed) : random_(seed) {}

    void run(int calls) {
        while (calls-- > 0) {
            if (call(kStackTop, 0)) {
                now += 3;  // whatever caught it has no probes
            }
        }
        // The thread is inside of these when all ends.
        open('A', kStackTop);
        open('D', kStackTop - 100);
        open('B', kStackTop - 200);
    }

    RecordStream stream;
    Tallies expected;
    uint64_t now = 1;

  private:
    static constexpr uint32_t kStackTop = 0x1000'0000;
    using Told = std::vector<std::pair<std::string, std::string>>;

    uint64_t below(uint64_t bound) { return random_() % bound; }
    uint64_t tick() { return now += 1 + below(50); }

    Told tell(char function) {
        Told told;
        first_told_ = tick();
        if (function == 'A' || function == 'C') {
            const uint64_t id = below(6);
            stream.argument(function == 'A' ? 1 : 4, id, first_told_);
            told.emplace_back(function == 'A' ? "A.id" : "C.first", std::to_string(id));
        }
        if (function == 'C') {
            const bool flag = below(2) != 0;
            stream.argument(5, flag ? 1 : 0, tick());
            told.emplace_back("C.second", flag ? "true" : "false");
        }
        if (function == 'B' && below(4) == 0) {
            stream.null_argument(2, first_told_);
            told.emplace_back("B.name", "null");
        } else if (function == 'B') {
            const std::string name(below(64), static_cast<char>('a' + below(2)));
            stream.text(2, name, first_told_);
            told.emplace_back("B.name", '"' + name + '"');
        }
        return told;
    }

    void count(const Told& told, uint64_t ticks) {
        for (const auto& value : told) {
            expected[value].add(ticks);
        }
    }
    void count_unfinished(const Told& told) {
        for (const auto& value : told) {
            ++expected[value].calls;
            ++expected[value].unfinished;
        }
    }

    void open(char function, uint32_t sp) {
        stream.enter(function, sp, tick());
        count_unfinished(tell(function));
    }

    /// True: an exception leaves it.
    bool call(uint32_t sp, int depth) {
        const char function = static_cast<char>('A' + below(4));
        const bool ends_by_leave = below(4) != 0;  // else an exception passes it untold
        stream.enter(function, sp, tick());
        Told told = tell(function);
        const uint64_t begun = first_told_;
        bool thrown = false;
        for (uint64_t calls = below(depth > 10 ? 1 : 4); calls-- > 0 && !thrown;) {
            thrown = (call(sp - 100, depth + 1) || below(12) == 0) && below(3) != 0;
        }
        tick();
        if (thrown && !ends_by_leave) {
            count_unfinished(told);
            return true;
        }
        if (function == 'A' && !thrown) {
            const uint64_t result = below(3);
            stream.argument(3, result, tick());
            told.emplace_back("A.return", std::to_string(result));
        }
        if (!told.empty()) {
            stream.arguments_end(function, tick());
            count(told, now - begun);
        }
        stream.leave(function, sp, tick());
        return thrown;
    }

    std::mt19937_64 random_;
    uint64_t first_told_ = 0;  ///< when the first of the arguments told last was
};

void name_arguments(SessionState& state) {
    const auto name = [&](uint32_t index, char function, uint8_t kind, const char* argument) {
        ArgumentNamed named;
        named.index = index;
        named.function = RecordStream::index(function);
        named.kind = kind;
        named.name = argument;
        state.note(named);
    };
    name(1, 'A', ArgumentNamed::kUnsigned, "id");
    name(2, 'B', ArgumentNamed::kText, "name");
    name(3, 'A', ArgumentNamed::kSigned, "return");
    name(4, 'C', ArgumentNamed::kSigned, "first");
    name(5, 'C', ArgumentNamed::kBoolean, "second");
}

/// What a profile says; the rest has the value "...".
Tallies found(const profile::Profile& p) {
    Tallies tallies;
    for (const profile::ArgumentValue& row : p.argument_values) {
        const profile::Argument& argument = p.arguments[row.argument];
        const std::string name = Replayed::name(p, argument.function) + '.' + argument.name;
        const bool added = tallies
                               .emplace(std::pair(name, row.rest ? "..." : row.value),
                                        Tally{.calls = row.calls,
                                              .unfinished = row.unfinished,
                                              .total = row.total_ns,
                                              .min = row.min_ns,
                                              .max = row.max_ns})
                               .second;
        EXPECT_TRUE(added) << "two rows of " << name << ' ' << row.value;
    }
    return tallies;
}

constexpr uint32_t kThreads = 5;

/// Slots of a piece of a stream. It does not end between the end of a call's arguments and its
/// leave, as where that lies in the next chunk some ends cannot be told for certain.
size_t piece_of(std::span<const uint64_t> stream, size_t slots) {
    size_t at = 0;
    bool tells = false;
    while (at < stream.size() && (at < slots || tells)) {
        const uint64_t slot = stream[at];
        tells = hotpath::slot_kind(slot) == hotpath::Kind::kControl;
        at += whole_records(stream.subspan(at), 1);
    }
    return at;
}

/// `workers` of them, in any order; now and then a thread changes its worker.
profile::Profile replayed_by(const std::vector<std::vector<uint64_t>>& streams, size_t workers,
                             const replay::Limits& limits, uint64_t seed) {
    Replayed replayed(limits, workers == 1);
    SessionState& state = replayed.state();
    std::mt19937_64 random(seed);
    add_workers(state, workers, kThreads);
    const auto next_piece = [&](ProfiledThread&, std::span<const uint64_t> rest) {
        return piece_of(rest, 16 + random() % 300);
    };
    replay_by(workers, streams, state, random, next_piece, [] {});
    name_arguments(state);  // may come late
    return replayed.profile(1'000'000'000);
}

class RandomArguments : public ::testing::TestWithParam<uint64_t> {
  protected:
    RandomArguments() {
        for (uint64_t thread = 0; thread < kThreads; ++thread) {
            ArgumentProgram program(kThreads * GetParam() + thread);
            program.run(60);
            for (const auto& [value, tally] : program.expected) {
                expected_[value].add(tally);
            }
            streams_.push_back(program.stream.slots());
        }
    }

    std::vector<std::vector<uint64_t>> streams_;
    Tallies expected_;
};

TEST_P(RandomArguments, AreWhatASimpleCountSays) {
    EXPECT_EQ(found(replayed_by(streams_, 1, {}, GetParam())), expected_);
}

TEST_P(RandomArguments, AreTheSameForSeveralWorkersThatHandThreadsOn) {
    EXPECT_EQ(found(replayed_by(streams_, 3, {}, GetParam())), expected_);
}

TEST_P(RandomArguments, AddUpToTheSameWhereMostValuesHaveNoRow) {
    const auto sums = [](const Tallies& tallies) {
        std::map<std::string, Tally> by_argument;
        for (const auto& [value, tally] : tallies) {
            by_argument[value.first].add(tally);
        }
        return by_argument;
    };
    replay::Limits limits;
    limits.max_argument_values = 12;
    for (const size_t workers : {size_t{1}, size_t{3}}) {
        const profile::Profile p = replayed_by(streams_, workers, limits, GetParam());
        EXPECT_EQ(sums(found(p)), sums(expected_));
        EXPECT_LE(p.argument_values.size(), workers * 12 + 5);
        EXPECT_TRUE(std::ranges::any_of(p.argument_values, &profile::ArgumentValue::rest));
        for (size_t row = 0; row < p.arguments.size(); ++row) {
            uint64_t calls = 0;
            for (const profile::ArgumentValue& value : p.argument_values) {
                calls += value.argument == row ? value.calls : 0;
            }
            EXPECT_EQ(p.arguments[row].calls, calls);
        }
    }
}

TEST_P(RandomArguments, CountEachValueToldOnceWhateverTheRecordsSay) {
    // Records vanish, numbers and functions change.
    std::mt19937_64 random(GetParam());
    uint64_t told = 0;
    for (std::vector<uint64_t>& stream : streams_) {
        std::vector<uint64_t> changed;
        for (size_t at = 0; at < stream.size();) {
            const size_t slots = hotpath::record_slots(stream[at]);
            const size_t begin = changed.size();
            if (random() % 10 != 0) {
                changed.insert(changed.end(), stream.begin() + static_cast<std::ptrdiff_t>(at),
                               stream.begin() + static_cast<std::ptrdiff_t>(at + slots));
                const bool control = hotpath::slot_kind(stream[at]) == hotpath::Kind::kControl;
                if (control && random() % 10 == 0) {
                    changed[begin] =
                        hotpath::make_slot(hotpath::Kind::kControl, hotpath::slot_index(stream[at]),
                                           1 + static_cast<uint32_t>(random() % 30));
                }
                const auto type =
                    static_cast<hotpath::ControlType>(hotpath::slot_index(stream[at]));
                told += control && type != hotpath::ControlType::kArgumentsEnd ? 1U : 0U;
            }
            at += slots;
        }
        stream = changed;
    }
    for (const size_t workers : {size_t{1}, size_t{3}}) {
        const profile::Profile p = replayed_by(streams_, workers, {}, GetParam());
        uint64_t calls = 0;
        for (const profile::ArgumentValue& value : p.argument_values) {
            calls += value.calls;
            EXPECT_LE(value.unfinished, value.calls);
        }
        EXPECT_EQ(calls, told);
    }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomArguments, ::testing::Range<uint64_t>(1, 21));

}  // namespace
}  // namespace umbra::collector
