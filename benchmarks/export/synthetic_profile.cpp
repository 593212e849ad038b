// SPDX-License-Identifier: MIT
// A random walk up and down a stack of calls makes the tree; the tables follow from the tree.
#include "benchmarks/export/synthetic_profile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "src/profile/derive.h"

namespace umbra::benchmarks {
namespace {

using profile::CallNode;
using profile::CallTimes;
using profile::Function;
using profile::kNone;
using profile::Profile;
using profile::Row;
using Random = std::mt19937_64;

constexpr Row kThreads = 8;
constexpr Row kModules = 12;
constexpr std::size_t kUsualDepth = 40;
constexpr std::size_t kGreatestDepth = 90;
constexpr Row kMethodsPerType = 12;
constexpr Row kTypesPerNamespace = 20;
constexpr Row kAsyncEvery = 16;  ///< functions; with its state machine, one in eight

constexpr std::array<const char*, 10> kAreas = {"Orders",  "Billing", "Catalog", "Shipping",
                                                "Search",  "Parsing", "Storage", "Messaging",
                                                "Reports", "Identity"};
constexpr std::array<const char*, 10> kNouns = {"Cart",  "Invoice", "Token",   "Index", "Route",
                                                "Query", "Session", "Product", "Node",  "Buffer"};
constexpr std::array<const char*, 8> kRoles = {
    "Parser",    "Builder", "Service<Key, Value>", "Cache", "Handler",
    "Validator", "Visitor", "Repository<Entity>"};
constexpr std::array<const char*, 10> kVerbs = {"Parse", "Find",  "Load",    "Visit", "Apply",
                                                "Merge", "Write", "Resolve", "Check", "Map"};
constexpr std::array<const char*, 6> kSignatures = {"()",
                                                    "(int)",
                                                    "(string, bool)",
                                                    "(List<Item>, CancellationToken)",
                                                    "(ref Span<byte>)",
                                                    "(IReadOnlyDictionary<string, Entry>, int)"};

bool starts_async(Row row) {
    return row % kAsyncEvery == 2;
}

bool is_state_machine(Row row) {
    return row % kAsyncEvery == 3;
}

Function function(Row row) {
    const Row of_method = is_state_machine(row) ? row - 1 : row;
    const Row type = row / kMethodsPerType;
    const Row space = type / kTypesPerNamespace;
    Function made;
    made.namespace_ = fmt::format("Acme.{}.Area{}", kAreas[space % kAreas.size()], space);
    made.type = fmt::format("{}{}{}", kNouns[type % kNouns.size()], type,
                            kRoles[type / kNouns.size() % kRoles.size()]);
    made.method = fmt::format("{}{}{}", kVerbs[of_method % kVerbs.size()],
                              kNouns[of_method / kVerbs.size() % kNouns.size()],
                              starts_async(of_method) ? "Async" : "");
    made.method += of_method % 9 == 5 ? ".lambda" : "";
    made.signature = kSignatures[of_method % kSignatures.size()];
    made.name = fmt::format("{}.{}.{}{}", made.namespace_, made.type, made.method, made.signature);
    made.raw_name = is_state_machine(row)
                        ? fmt::format("{}.{}/<{}>d__{}.MoveNext", made.namespace_, made.type,
                                      made.method, row % kMethodsPerType)
                        : fmt::format("{}.{}.{}", made.namespace_, made.type, made.method);
    made.module = type % kModules;
    made.token = 0x06000001 + row;
    made.instrumented = true;
    return made;
}

/// What a path does itself; inclusive times come later. Most are called once or twice, some very
/// often, one in twenty waits, one in fifty is paused.
CallTimes own_times(Random& random) {
    CallTimes times;
    times.calls = uint64_t{1} << (std::countr_zero(random() | 0x800U) * 2);
    times.calls += random() % times.calls;
    times.self_ns = times.calls * (20 + random() % 2'000);
    times.raw.self_ns = times.self_ns + times.calls * 12;
    times.cpu.self_ns = random() % 20 == 0 ? times.self_ns / 3 : times.self_ns;
    times.paused.self_ns = random() % 50 == 0 ? times.self_ns / 4 : 0;
    times.min_ns = 10 + random() % 40;
    return times;
}

/// `ordinal`: calls the caller has made before; no two of them are to the same function.
Row callee(const Profile& profile, Row caller, Row ordinal) {
    const auto functions = static_cast<Row>(profile.functions.size());
    if (starts_async(caller) && ordinal == 0) {
        return caller + 1;
    }
    if (caller % 30 == 7 && ordinal == 1) {
        return caller;
    }
    return static_cast<Row>((uint64_t{caller} * 31 + 7 + uint64_t{ordinal} * 7919) % functions);
}

void make_tree(Profile& profile, Row nodes, Random& random) {
    struct Frame {
        Row row;
        Row calls_made;
    };
    std::vector<Frame> stack;
    profile.calltree.reserve(nodes);
    for (Row row = 0; row < nodes; ++row) {
        // A thread begins when the last has done its share.
        const auto thread = static_cast<Row>(uint64_t{row} * kThreads / nodes);
        if (!stack.empty() && profile.calltree[stack.back().row].thread != thread) {
            stack.clear();
        }
        CallNode node;
        node.thread = thread;
        node.function = thread % static_cast<Row>(profile.functions.size());
        if (!stack.empty()) {
            node.parent = stack.back().row;
            node.function =
                callee(profile, profile.calltree[node.parent].function, stack.back().calls_made++);
        }
        node.times = own_times(random);
        profile.calltree.push_back(node);
        stack.push_back({row, 0});
        const std::size_t returns =
            stack.size() >= kGreatestDepth
                ? 1 + random() % kUsualDepth
                : static_cast<std::size_t>(std::countr_zero(random() | 0x100U)) *
                      (stack.size() > kUsualDepth ? 2 : 1);
        stack.resize(stack.size() - std::min(returns, stack.size() - 1));
    }
}

/// From the last row upwards: every row is complete when its turn comes.
void add_up(std::vector<CallNode>& tree) {
    for (std::size_t row = tree.size(); row-- > 0;) {
        CallTimes& times = tree[row].times;
        times.total_ns += times.self_ns;
        times.raw.total_ns += times.raw.self_ns;
        times.cpu.total_ns += times.cpu.self_ns;
        times.paused.total_ns += times.paused.self_ns;
        const uint64_t mean_ns = times.raw.total_ns / times.calls;
        times.min_ns = std::min(times.min_ns, mean_ns);
        times.max_ns = times.calls == 1 ? mean_ns : mean_ns * (1 + row % 8);
        if (tree[row].parent != kNone) {
            CallTimes& caller = tree[tree[row].parent].times;
            caller.total_ns += times.total_ns;
            caller.raw.total_ns += times.raw.total_ns;
            caller.cpu.total_ns += times.cpu.total_ns;
            caller.paused.total_ns += times.paused.total_ns;
        }
    }
}

void fill_small_tables(Profile& profile) {
    for (Row row = 0; row < profile.functions.size(); ++row) {
        Function& function = profile.functions[row];
        const CallTimes& times = function.times;
        const Row thread = row % kThreads;
        const uint64_t compiling_ns = 150'000 + row % 100 * 3'000;
        profile.compilations.push_back({row, thread, uint64_t{row} * 20'000, compiling_ns, 1});
        profile.compilation_sums.push_back({row, 1, compiling_ns, compiling_ns});
        ++profile.threads[thread].compilations;
        profile.threads[thread].compiling_ns += compiling_ns;
        if (times.calls == 0) {
            continue;
        }
        // Half of the calls at the mean, a quarter one bucket below, the rest above.
        uint64_t lower_ns = std::bit_floor(std::max<uint64_t>(times.total_ns / times.calls, 16));
        const uint64_t half = times.calls / 2;
        for (const uint64_t calls : {times.calls / 4, half, times.calls - times.calls / 4 - half}) {
            if (calls > 0) {
                profile.histograms.push_back({row, lower_ns / 2, lower_ns, calls});
            }
            lower_ns *= 2;
        }
    }
    profile.pause_sums.resize(3);
    for (Row row = 0; row < 200; ++row) {
        const profile::Pause& pause = profile.pauses.emplace_back(profile::Pause{
            row % 3 == 0 ? "gc-prep" : "gc", 1U << (row % 3), row % kThreads, 4711 + row % kThreads,
            uint64_t{row} * 10'000'000, 400'000 + row * 1'000, 50'000, kThreads});
        profile::PauseSum& sum = profile.pause_sums[row % 3];
        sum = {pause.reason,
               pause.generations,
               sum.count + 1,
               sum.duration_ns + pause.duration_ns,
               sum.stopping_ns + pause.stopping_ns,
               pause.duration_ns};
    }
    profile.exceptions = {{"System.InvalidOperationException", 1, 0, 12}};
}

void fill_session(Profile& profile) {
    profile::Session& session = profile.session;
    session.tool_version = UMBRA_VERSION;
    session.created_utc = "2026-01-02T03:04:05Z";
    session.host = "synthetic";
    session.program = "synthetic.dll";
    session.command_line = "dotnet synthetic.dll";
    session.runtime = ".NET 10.0.0";
    session.pid = 4711;
    session.settings.mode = "selective";
    session.settings.overflow = "wait";
    session.clock.source = "tsc";
    session.clock.ticks_hz = 2.5e9;
    session.cpu.source = "perf";
    session.probes.inside_ns = 9;
    session.probes.outside_ns = 9;
    session.complete = true;
    session.ended = "exit 0";
    for (profile::Thread& thread : profile.threads) {
        thread.events = 2 * thread.calls;
        session.counts.events += thread.events;
        session.wall_ns = std::max(session.wall_ns, thread.covered_ns);
    }
    for (const CallNode& node : profile.calltree) {
        session.cpu.on_ns += node.times.cpu.self_ns;
        session.cpu.off_ns += node.times.self_ns - node.times.cpu.self_ns;
        profile.threads[node.thread].cpu_ns += node.times.cpu.self_ns;
        profile.threads[node.thread].paused_ns += node.times.paused.self_ns;
    }
    for (profile::Thread& thread : profile.threads) {
        thread.end_ns = session.wall_ns;
        thread.kernel_cpu_ns = thread.cpu_ns;
    }
    session.cpu.process_ns = session.cpu.on_ns;
}

}  // namespace

Profile synthetic_profile(Row nodes) {
    Random random(20260101);  // NOLINT(cert-msc51-cpp): the same at every run
    Profile profile;
    for (Row row = 0; row < kModules; ++row) {
        const std::string name = fmt::format("Acme.{}.dll", kAreas[row % kAreas.size()]);
        profile.modules.push_back({row < kAreas.size() ? name : fmt::format("Acme{}.dll", row),
                                   "/srv/acme/" + name, false});
    }
    for (Row row = 0; row < std::clamp<Row>(nodes / 100, 30, 40'000); ++row) {
        profile.functions.push_back(function(row));
    }
    for (Row row = 0; row < kThreads; ++row) {
        profile::Thread thread;
        thread.name = row == 0 ? "Main" : ".NET TP Worker";
        thread.os_tid = 4711 + row;
        profile.threads.push_back(thread);
    }
    make_tree(profile, nodes, random);
    add_up(profile.calltree);
    profile::derive(profile);
    fill_small_tables(profile);
    fill_session(profile);
    return profile;
}

}  // namespace umbra::benchmarks
