// SPDX-License-Identifier: MIT
// Random programs on the stand-in runtime, under the real agent and a real session: what each says
// it did is what the profile says, and what a full and a folded tree of its records say. 400
// programs, 10,000 with UMBRA_FULL=1; UMBRA_SEED=N plays that one alone.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "src/collector/state/event_sink.h"
#include "src/profile/profile.h"
#include "tests/collector/record_stream.h"
#include "tests/support/full.h"
#include "tests/support/live_collector.h"
#include "tests/support/same_sums.h"
#include "tests/support/stream_feed.h"
#include "tests/support/target.h"

namespace umbra::testing {
namespace {

using profile::Profile;
using profile::Row;

constexpr uint64_t kBatch = 200;    // programs of one process
constexpr double kTicksHz = 2.6e9;  // of the replays: rows are rounded
constexpr const char* kOutside = "-";

/// Calls by "THREAD PATH", by function, by "CALLER CALLEE" and by "THREAD FUNCTION". Threads are
/// named "SEED.NUMBER".
struct Calls {
    std::map<std::string, uint64_t> paths;
    std::map<std::string, uint64_t> functions;
    std::map<std::string, uint64_t> edges;
    std::map<std::string, uint64_t> threads;
};

std::string last_of(const std::string& path) {
    return path.substr(path.find_last_of(';') + 1);
}

/// Adds "A;B;C" and all that follows of it.
void add_path(const std::string& thread, const std::string& path, uint64_t calls, Calls& sums) {
    const size_t end = path.find_last_of(';');
    const std::string function = last_of(path);
    const std::string caller = end == std::string::npos ? kOutside : last_of(path.substr(0, end));
    sums.paths[thread + ' ' + path] += calls;
    sums.functions[function] += calls;
    sums.edges[caller + ' ' + function] += calls;
    sums.threads[thread + ' ' + function] += calls;
}

std::string name_of(const Profile& p, Row row) {
    if (row == profile::kNone) {
        return kOutside;
    }
    const profile::Function& function = p.functions[row];
    return function.namespace_ + '.' + function.type + '.' + function.method;
}

void add(std::map<std::string, uint64_t>& sums, const std::string& key, uint64_t calls) {
    if (calls != 0) {
        sums[key] += calls;
    }
}

/// Of a profile; paths of one with a full tree.
Calls calls_of(const Profile& p, const std::vector<std::string>& thread_names) {
    Calls sums;
    for (Row row = 0; row < p.functions.size(); ++row) {
        add(sums.functions, name_of(p, row), p.functions[row].times.calls);
    }
    for (const profile::Edge& edge : p.edges) {
        add(sums.edges, name_of(p, edge.caller) + ' ' + name_of(p, edge.callee), edge.times.calls);
    }
    for (const profile::ThreadFunction& row : p.thread_functions) {
        add(sums.threads, thread_names[row.thread] + ' ' + name_of(p, row.function),
            row.times.calls);
    }
    std::vector<std::string> paths(p.calltree.size());
    for (Row row = 0; row < p.calltree.size() && !profile::is_folded(p.session); ++row) {
        const profile::CallNode& node = p.calltree[row];
        const std::string name = name_of(p, node.function);
        paths[row] = node.parent == profile::kNone ? name : paths[node.parent] + ';' + name;
        add(sums.paths, thread_names[node.thread] + ' ' + paths[row], node.times.calls);
    }
    return sums;
}

/// The first key whose numbers differ; empty: none.
std::string first_difference(const std::map<std::string, uint64_t>& expected,
                             const std::map<std::string, uint64_t>& found) {
    const auto text = [](const auto& at, const auto& end) {
        return at == end ? "nothing more" : at->first + ' ' + std::to_string(at->second);
    };
    auto [one, other] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
    return one == expected.end() && other == found.end()
               ? ""
               : text(one, expected.end()) + " expected, not " + text(other, found.end());
}

bool has_recursion(const Profile& p) {
    for (const profile::CallNode& node : p.calltree) {
        for (Row row = node.parent; row != profile::kNone; row = p.calltree[row].parent) {
            if (p.calltree[row].function == node.function) {
                return true;
            }
        }
    }
    return false;
}

void expect_calls(const Calls& expected, const Calls& found) {
    EXPECT_EQ(first_difference(expected.functions, found.functions), "");
    EXPECT_EQ(first_difference(expected.edges, found.edges), "");
    EXPECT_EQ(first_difference(expected.threads, found.threads), "");
}

void expect_sound(const Profile& p) {
    EXPECT_EQ(p.session.losses.events(), 0U);
    EXPECT_EQ(p.session.losses.rows, 0U);
    for (const profile::Thread& thread : p.threads) {
        EXPECT_EQ(thread.repairs, 0U) << thread.name;
        EXPECT_EQ(thread.unmatched_leaves, 0U) << thread.name;
        EXPECT_EQ(thread.decode_errors, 0U) << thread.name;
    }
    EXPECT_LE(uncovered_ns(p), p.thread_functions.size()) << "1 ns a row";
}

/// What one session heard, in order, thread by thread of ours.
class Recording : public collector::EventSink {
  public:
    struct Item {
        enum class Kind : uint8_t { kBegin, kRecords, kOffCpu, kEnd } kind;
        uint32_t thread;
        uint64_t one = 0;  ///< OS thread, begin or end in ticks
        uint64_t two = 0;
        std::vector<uint64_t> slots{};
    };
    using Kind = Item::Kind;

    void thread_began(uint32_t thread, uint32_t os_tid, uint64_t start_ticks) override {
        items.push_back(
            {.kind = Kind::kBegin, .thread = thread, .one = os_tid, .two = start_ticks});
    }
    void records(uint32_t thread, std::span<const uint64_t> slots) override {
        items.push_back(
            {.kind = Kind::kRecords, .thread = thread, .slots = {slots.begin(), slots.end()}});
    }
    void off_cpu(uint32_t thread, uint64_t begin, uint64_t end) override {
        items.push_back({.kind = Kind::kOffCpu, .thread = thread, .one = begin, .two = end});
    }
    void thread_ended(uint32_t thread, uint64_t ticks) override {
        items.push_back({.kind = Kind::kEnd, .thread = thread, .one = ticks});
    }
    void function_named(const protocol::FunctionNamed& message) override {
        names[message.type].push_back(message);
    }

    std::vector<Item> items;
    std::map<std::string, std::vector<protocol::FunctionNamed>> names;  ///< by type
};

/// One program's part of a recording.
struct Program {
    std::vector<const Recording::Item*> items;
    std::vector<std::string> threads;      ///< in the order they began
    std::map<uint32_t, uint32_t> numbers;  ///< of the session's, in `threads`
    Calls expected;
};

Profile replay(const Program& program, const Recording& recording, const std::string& seed,
               const replay::Limits& limits) {
    StreamFeed feed(limits);
    if (const auto names = recording.names.find("P" + seed); names != recording.names.end()) {
        for (const protocol::FunctionNamed& message : names->second) {
            feed.state().note(message);
        }
    }
    for (const Recording::Item* item : program.items) {
        const uint32_t thread = program.numbers.at(item->thread);
        switch (item->kind) {
            case Recording::Kind::kBegin:
                feed.begin_thread(static_cast<uint32_t>(item->one), item->two);
                break;
            case Recording::Kind::kRecords:
                feed.records(thread, item->slots);
                break;
            case Recording::Kind::kOffCpu:
                feed.off_cpu(thread, item->one, item->two);
                break;
            case Recording::Kind::kEnd:
                feed.end_thread(thread, item->one);
                break;
        }
    }
    return feed.profile(kTicksHz);
}

class RandomPrograms : public ::testing::Test {
  protected:
    /// Programs `first` ... in a process of their own.
    void play(uint64_t first, uint64_t count) {
        const auto recording = std::make_shared<Recording>();
        protocol::Welcome welcome;
        welcome.exclude = {"*.Hidden*"};
        LiveCollector collector(std::move(welcome),
                                {.tree = replay::TreeShape::kFolded, .sink = recording});
        Target target(UMBRA_TEST_TARGET,
                      "programs " + std::to_string(first) + ' ' + std::to_string(count),
                      UMBRA_TEST_AGENT, collector.socket_path());
        programs_.clear();
        const Calls expected = read_expected(target);
        ASSERT_EQ(target.wait(), 0);
        ASSERT_EQ(programs_.size(), count);
        const std::optional<Profile> live = collector.wait_for_profile();
        ASSERT_TRUE(live.has_value());
        ASSERT_TRUE(profile::is_folded(live->session));
        std::vector<std::string> names;
        for (const profile::Thread& thread : live->threads) {
            names.push_back(thread.name);
        }
        divide(*recording, names);
        for (auto& [seed, program] : programs_) {
            SCOPED_TRACE("UMBRA_SEED=" + seed);
            check(program, *recording, seed);
        }
        expect_sound(*live);
        expect_calls(expected, calls_of(*live, names));
    }

    uint64_t recursive = 0;  ///< programs with a path that holds a function twice
    uint64_t truncated = 0;  ///< ... whose folded tree has lost paths
    uint64_t exceptions = 0;
    uint64_t threads = 0;
    uint64_t calls = 0;

  private:
    /// All that the target says it has done; program by program as well.
    Calls read_expected(Target& target) {
        Calls all;
        std::string thread;
        Calls* program = nullptr;
        for (std::string line = target.read_line(); !line.empty(); line = target.read_line()) {
            std::istringstream words(line);
            std::string kind;
            words >> kind;
            if (kind == "named") {
                words >> thread;
                program = &programs_[thread.substr(0, thread.find('.'))].expected;
            } else if (kind == "calls" && program != nullptr) {
                uint64_t times = 0;
                std::string path;
                words >> times >> path;
                add_path(thread, path, times, all);
                add_path(thread, path, times, *program);
            }
        }
        return all;
    }

    void divide(const Recording& recording, const std::vector<std::string>& names) {
        for (const Recording::Item& item : recording.items) {
            const auto at =
                programs_.find(names[item.thread].substr(0, names[item.thread].find('.')));
            if (at == programs_.end()) {
                continue;  // a thread of the runtime's
            }
            Program& program = at->second;
            if (item.kind == Recording::Kind::kBegin) {
                program.numbers[item.thread] = static_cast<uint32_t>(program.threads.size());
                program.threads.push_back(names[item.thread]);
            }
            program.items.push_back(&item);
        }
    }

    void check(const Program& program, const Recording& recording, const std::string& seed) {
        replay::Limits limits;
        limits.tree = replay::TreeShape::kFull;
        const Profile full = replay(program, recording, seed, limits);
        expect_sound(full);
        const Calls of_full = calls_of(full, program.threads);
        expect_calls(program.expected, of_full);
        EXPECT_EQ(first_difference(program.expected.paths, of_full.paths), "");

        const Profile folded =
            replay(program, recording, seed, collector::testing::folded_tree(std::stoul(seed)));
        expect_sound(folded);
        expect_calls(program.expected, calls_of(folded, program.threads));
        const SumsCompared compared = compare_sums(full, folded, 1);
        EXPECT_TRUE(compared.same()) << compared.first;
        EXPECT_EQ(full.exceptions.size(), folded.exceptions.size());

        recursive += has_recursion(full) ? 1U : 0U;
        truncated += std::ranges::any_of(folded.calltree, &profile::CallNode::truncated) ? 1U : 0U;
        for (const profile::ExceptionCount& row : full.exceptions) {
            exceptions += row.count;
        }
        threads += program.threads.size();
        for (const auto& [function, count] : program.expected.functions) {
            calls += count;
        }
    }

    std::map<std::string, Program> programs_;  ///< by seed
};

uint64_t program_count() {
    return full() ? 10'000 : 400;
}

TEST_F(RandomPrograms, AreCountedAsTheyRunInEveryShapeOfTheTree) {
    const char* seed = std::getenv("UMBRA_SEED");  // NOLINT(concurrency-mt-unsafe): not set by us
    if (seed != nullptr) {
        play(std::stoul(seed), 1);
        return;
    }
    for (uint64_t first = 1; first <= program_count(); first += kBatch) {
        ASSERT_NO_FATAL_FAILURE(play(first, kBatch));
    }
    EXPECT_GT(calls, 100 * program_count());
    EXPECT_GT(threads, 2 * program_count());
    EXPECT_GT(recursive, program_count() / 2);
    EXPECT_GT(truncated, program_count() / 4);
    EXPECT_GT(exceptions, program_count());
}

}  // namespace
}  // namespace umbra::testing
