// SPDX-License-Identifier: MIT
// Writes the sample profile to a file, or variants of it that tests of the report need.
#include <cstdint>
#include <cstring>
#include <iostream>
#include <string>
#include <string_view>

#include "export/hdf5/writer.h"
#include "export/schema.h"
#include "src/profile/derive.h"
#include "src/profile/names/tell_apart.h"
#include "src/profile/report.h"
#include "tests/export/sample_profile.h"

namespace {

using umbra::profile::CallTimes;
using umbra::profile::Profile;

void clear_compilations(Profile& profile) {
    profile.compilations.clear();
    profile.compilation_sums.clear();
    for (umbra::profile::Thread& thread : profile.threads) {
        thread.compilations = thread.compiling_ns = 0;
    }
}

void clear_runtime_work(Profile& profile) {
    clear_compilations(profile);
    profile.pauses.clear();
    profile.pause_sums.clear();
    profile.time_slices.clear();
}

CallTimes times(uint64_t calls, uint64_t total_ms, uint64_t self_ms) {
    const uint64_t total_ns = total_ms * 1'000'000;
    const uint64_t self_ns = self_ms * 1'000'000;
    return {calls,
            0,
            total_ns,
            self_ns,
            total_ns / calls / 2,
            total_ns / calls * 2,
            {total_ns, self_ns},
            {total_ns, self_ns},
            {}};
}

/// Ten calls of the method that the state machine in row 3 is of.
void add_async_calls(Profile& profile) {
    using umbra::profile::AsyncWait;
    using umbra::profile::kNone;
    constexpr uint64_t kMs = 1'000'000;
    profile.session.async = {.followed = true, .lost_calls = 0, .lost_facts = 0, .clashes = 1};
    umbra::profile::AsyncCounts counts = {.calls = 10,
                                          .results = 6,
                                          .faults = 1,
                                          .cancelled = 1,
                                          .open = 1,
                                          .unknown = 1,
                                          .never_suspended = 2,
                                          .before = 1,
                                          .suspensions = 30,
                                          .times = {}};
    counts.times = {.wall_ns = 4'000 * kMs,
                    .running_ns = 345 * kMs,
                    .children_ns = 800 * kMs,
                    .others_ns = 55 * kMs,
                    .outside_ns = 2'700 * kMs,
                    .queued_ns = 100 * kMs};
    profile.async_methods = {{.function = 3,
                              .counts = counts,
                              .min_ns = 9 * kMs,
                              .max_ns = 900 * kMs,
                              .p50_ns = 380 * kMs,
                              .p90_ns = 800 * kMs,
                              .p99_ns = 890 * kMs}};
    umbra::profile::AsyncCounts half = {.calls = 5,
                                        .results = 5,
                                        .faults = 0,
                                        .cancelled = 0,
                                        .open = 0,
                                        .unknown = 0,
                                        .never_suspended = 5,
                                        .before = 0,
                                        .suspensions = 0,
                                        .times = {}};
    profile.async_tree = {{kNone, 3, "root", 0, counts}, {0, 3, "spawned", kNone, half}};
    profile.async_waits = {
        {3, std::string(AsyncWait::kOutside), kNone, "Task.Delay", 20, 2'700 * kMs},
        {3, std::string(AsyncWait::kChild), 3, "", 8, 800 * kMs},
        {3, std::string(AsyncWait::kOther), 3, "", 1, 55 * kMs},
        {3, std::string(AsyncWait::kOutside), kNone, "", 1, 1},
        {kNone, std::string(AsyncWait::kRest), kNone, "", 4, 7 * kMs}};
    profile.blocked_waits = {
        {.function = 1, .awaited_function = 3, .awaited = "", .times = 12, .total_ns = 140 * kMs},
        {.function = 3,
         .awaited_function = kNone,
         .awaited = "Task",
         .times = 1,
         .total_ns = 3 * kMs}};
}

/// Main calls an async method ten times; what comes after its awaits runs on the thread pool.
void await_something(Profile& profile) {
    using umbra::profile::kNone;
    profile.functions.resize(3);
    umbra::profile::Function& starts = profile.functions[1];
    starts.name = "Acme.Client.FetchAsync(string)";
    starts.type = "Client";
    starts.method = "FetchAsync";
    starts.signature = "(string)";
    starts.raw_name = "Acme.Client.FetchAsync";
    profile.functions.push_back(starts);
    profile.functions[3].raw_name = "Acme.Client/<FetchAsync>d__3.MoveNext";
    profile.calltree = {{kNone, 0, 0, times(1, 100, 50)},   {0, 1, 0, times(10, 50, 5)},
                        {1, 3, 0, times(10, 45, 40)},       {2, 2, 0, times(10, 5, 5)},
                        {kNone, 3, 1, times(30, 300, 295)}, {4, 2, 1, times(30, 5, 5)}};
    profile.histograms = {{1, 4'000'000, 5'000'000, 10}, {3, 9'000'000, 11'000'000, 40}};
    clear_compilations(profile);
    profile.exceptions.clear();
    profile.arguments.clear();
    profile.argument_values.clear();
    umbra::profile::derive(profile);
    add_async_calls(profile);
}

/// Add takes 20 % longer, Fib 2 %, which is less than its more probes leave in doubt, and Receive
/// has another name.
void slow_down(Profile& profile) {
    profile.session.pid = 4800;
    profile.functions[5].name = "Acme.Orders.Fetch()";
    const auto take_longer = [&](umbra::profile::Row row, uint64_t more_ns, uint64_t probes_ns) {
        CallTimes& own = profile.calltree[row].times;
        own.self_ns += more_ns;
        own.raw.self_ns += more_ns + probes_ns;
        own.cpu.self_ns += more_ns;
        for (; row != umbra::profile::kNone; row = profile.calltree[row].parent) {
            CallTimes& whole = profile.calltree[row].times;
            whole.total_ns += more_ns;
            whole.raw.total_ns += more_ns + probes_ns;
            whole.cpu.total_ns += more_ns;
        }
    };
    take_longer(1, 260'000'000, 0);
    take_longer(2, 18'000'000, 100'000'000);
    umbra::profile::derive(profile);
}

/// Acme.Core.dll was loaded once more, for what calls Fib from outside, which has an overload that
/// returns something else there.
void load_twice(Profile& profile) {
    using umbra::profile::kNone;
    profile.modules.push_back(profile.modules[1]);
    umbra::profile::Function fib = profile.functions[2];
    fib.module = 3;
    fib.return_type = "int";
    profile.functions.push_back(fib);
    fib.token += 0x100;
    fib.return_type = "long";
    profile.functions.push_back(fib);
    const auto second = static_cast<umbra::profile::Row>(profile.functions.size() - 2);
    for (umbra::profile::CallNode& node : profile.calltree) {
        if (node.function == 2 && node.parent == kNone) {
            node.function = second;
        }
    }
    profile.calltree.push_back({kNone, second + 1, 1, times(1'000, 10, 10)});
    umbra::profile::derive(profile);
    umbra::profile::settle_names(profile);
}

/// The same paths as `umbra attach` sees them, a hundred times a second: no call is counted or
/// timed, and a method that only calls others has no sample of its own.
void sample_it(Profile& profile) {
    constexpr uint64_t kPeriodNs = 10'000'000;
    umbra::profile::Session& s = profile.session;
    s.settings.mode = "sampled";
    s.settings.include.clear();
    s.settings.exclude.clear();
    s.settings.overflow.clear();
    s.clock = {.source = "os", .ticks_hz = 1e9, .residual_ns = 0};
    s.cpu.source = "thread clocks";
    s.probes = {};
    s.ended = "detached";
    s.counts = {};
    s.sampling = {.rate_hz = 100,
                  .rounds = 240,
                  .outside = 310,
                  .missed_rounds = 2,
                  .suspended_ns = 14'000'000,
                  .median_suspension_ns = 52'000,
                  .worst_suspension_ns = 1'400'000,
                  .sampler_cpu_ns = 31'000'000,
                  .unattributed_cpu_ns = 4'000'000,
                  .threads_without_frames = 3};
    for (umbra::profile::CallNode& node : profile.calltree) {
        CallTimes& times = node.times;
        times.calls = times.self_ns / kPeriodNs;
        times.unfinished = times.min_ns = times.max_ns = 0;
        times.raw = {times.total_ns, times.self_ns};
        times.paused = {};
        s.counts.events += times.calls;
    }
    profile.histograms.clear();
    clear_runtime_work(profile);
    profile.exceptions.clear();
    profile.arguments.clear();
    profile.argument_values.clear();
    umbra::profile::derive(profile);
}

Profile variant(std::string_view name) {
    Profile profile = umbra::test::sample_profile();
    if (name == "empty") {
        Profile empty;
        empty.session = profile.session;
        empty.session.counts.events = 0;
        empty.session.wall_ns = 0;
        return empty;
    }
    if (name == "losses") {
        umbra::profile::Session& s = profile.session;
        s.losses = {120, 0, 3, 7, 0, 1};
        s.cpu.collector_delay_ns = 410'000'000;
        s.settings.overflow = "drop";
        s.complete = false;
        s.ended = "signal 9 (SIGKILL)";
        s.settings.inlining = false;
        s.settings.mode = "whole";
        s.settings.include.clear();
        s.settings.exclude.clear();
        s.settings.max_overhead_percent = 5;
        s.probes.deinstrumented_functions = 1;
        s.probes.runtime_async_methods = 2;
        profile.functions[2].deinstrumented = true;
    }
    if (name == "timeline") {  // as they ended: callees first, two of the same time among them
        profile.timeline = {{2, 2'000'000, 85},  {2, 2'000'085, 0},     {2, 2'000'085, 90},
                            {3, 6'000'000, 90},  {1, 2'000'000, 2'000}, {4, 2'005'000, 700},
                            {1, 2'010'000, 500}, {3, 6'000'090, 10},    {0, 1'000'000, 3'000'000}};
    }
    if (name == "slow") {
        umbra::test::add_slow_calls(profile);
    }
    if (name == "shared" || name == "truncated") {  // paths of all threads together
        profile.session.settings.tree = "folded";
        for (umbra::profile::CallNode& node : profile.calltree) {
            node.thread = umbra::profile::kNone;
        }
    }
    if (name == "truncated") {  // those that call nothing have no rows
        std::vector<bool> calls(profile.calltree.size());
        for (const umbra::profile::CallNode& node : profile.calltree) {
            calls[std::min<size_t>(node.parent, calls.size() - 1)] = true;
        }
        for (size_t row = 0; row + 1 < calls.size(); ++row) {
            umbra::profile::CallNode& node = profile.calltree[row];
            if (!calls[row] && node.parent != umbra::profile::kNone) {
                node.function = static_cast<umbra::profile::Row>(profile.functions.size());
                node.truncated = true;
                profile.session.truncated_ns += node.times.self_ns;
            }
        }
        profile.functions.push_back(umbra::profile::truncated_paths());
    }
    if (name == "running" || name == "later") {  // checkpoints, one second between them
        profile.session.complete = false;
        profile.session.ended = "running";
    }
    if (name == "later") {
        profile.session.wall_ns += 1'000'000'000;
        profile.calltree.push_back({umbra::profile::kNone, 2, 0, times(2'000, 1'000, 1'000)});
        umbra::profile::derive(profile);
    }
    if (name == "wall") {  // by the system's clock, nothing else to be had
        umbra::profile::Session& s = profile.session;
        s.clock.source = "os";
        s.clock.ticks_hz = 1e9;
        s.clock.residual_ns = 0;
        s.cpu.source = "none";
        s.cpu.refusal = "the kernel tells no context switches: Operation not permitted";
        s.cpu.on_ns = s.cpu.off_ns = s.cpu.process_ns = 0;
        s.probes.inside_ns = s.probes.outside_ns = 0;
        s.probes.clamped_functions = 0;
        clear_runtime_work(profile);
        for (umbra::profile::CallNode& node : profile.calltree) {
            node.times.raw = {node.times.total_ns, node.times.self_ns};
            node.times.cpu = node.times.paused = {};
        }
        umbra::profile::derive(profile);
    }
    if (name == "async" || name == "tests" || name == "slow_async") {
        await_something(profile);
    }
    if (name == "slow_async") {
        umbra::test::add_slow_async_call(profile);
    }
    if (name == "tests") {
        profile.functions[1].test = "xUnit";
        profile.functions[2].test = "NUnit";
        profile.functions[1].endpoint = "GET /items/{id}";
    }
    if (name == "copies") {
        load_twice(profile);
    }
    if (name == "dear") {  // the probes of Fib took a third of what the program did
        constexpr uint64_t kCostNs = 900'000'000;
        profile.calltree[2].times.raw.self_ns += kCostNs;
        for (umbra::profile::Row row = 2; row != umbra::profile::kNone;
             row = profile.calltree[row].parent) {
            profile.calltree[row].times.raw.total_ns += kCostNs;
        }
        umbra::profile::derive(profile);
    }
    if (name == "sampled") {
        sample_it(profile);
    }
    if (name == "slower") {
        slow_down(profile);
    }
    if (name == "long") {
        profile.functions[1].name = "Acme." + std::string(300, 'x') + "\xe2\x82\xac.Add(Item, int)";
        profile.functions[1].raw_name = "bad \xff bytes \x1b[31m and " + std::string(1000, 'y');
        profile.session.command_line = std::string(100'000, 'c');
    }
    if (name == "wide" || name == "wider") {  // what takes two columns, or none
        profile.functions[0].name = "\xe5\xba\x97\xe8\x88\x97.\xe7\xa8\x8b\xe5\xba\x8f.Main()";
        profile.functions[1].name =
            "\xe5\xba\x97\xe8\x88\x97.\xe6\xb3\xa8\xe6\x96\x87.\xe8\xbf\xbd\xe5\x8a\xa0("
            "\xe5\x95\x86\xe5\x93\x81 item, int quantity)";
        profile.functions[2].name =
            "Cafe\xcc\x81.Re\xcc\x81sume\xcc\x81.Sti\xcc\x82le\xcc\x81(int)";
        profile.functions[5].name =
            "\xed\x95\x9c\xea\xb5\xad\xec\x96\xb4.\xf0\x9f\x9a\x80.Receive()";
        profile.modules[0].name = "\xe5\xba\x97\xe8\x88\x97.dll";
        profile.modules[1].name = "Cafe\xcc\x81.dll";
        profile.threads[0].name = "\xe4\xb8\xbb";
    }
    if (name == "wider") {
        slow_down(profile);
        profile.functions[1].name =  // another method took its place
            "\xe5\xba\x97\xe8\x88\x97.\xe6\xb3\xa8\xe6\x96\x87.\xe5\x89\x8a\xe9\x99\xa4("
            "\xe5\x95\x86\xe5\x93\x81 item)";
    }
    if (name == "hostile") {  // names that would be markup, code or a trick of writing elsewhere
        umbra::profile::Session& s = profile.session;
        const std::string markup = "</script><script>window.broken=1</script>";
        s.program = markup + "<img src=x onerror='window.broken=2'>";
        s.command_line = "-->\"'<!--" + markup + "@SCRIPT@ $& $1";
        s.ended = "<b>exit</b>";
        profile.functions[1].name = "Acme." + markup + ".Add(\"a\", 'b')";
        profile.functions[2].name = "Acme.<img src=x onerror=\"window.broken=3\">&lt;&amp;";
        profile.functions[3].name = std::string("Acme.line\nbreak\ttab\x1b[31m\0nul", 28);
        profile.functions[5].name =
            "Acme.\xe2\x80\xae"
            "gnp.exe\xe2\x80\xac bad \xff byte";
        profile.modules[0].name = "<svg onload='window.broken=4'>.dll";
        profile.threads[0].name = "<script>window.broken=5</script>";
        profile.pauses[0].reason = "<i onclick='1'>gc</i>";
        profile.exceptions[0].type = "Acme.<u>Exception</u>";
        profile.arguments[0].name = "n\n\x1b[31m" + markup;
        profile.arguments[0].type = "bad \xff type";
        profile.argument_values[0].value = "\x1b[2J\n" + markup;
        umbra::test::add_slow_calls(profile);
        profile.slow_methods[1].request = "\x1b[2J\n" + markup;
    }
    return profile;
}

}  // namespace

/// write_sample FILE [plain|empty|losses|long|wall|async|hostile|dear|sampled|slower|slow|
/// timeline|running|later|wide|wider|tests], or write_sample --listing
int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--listing") {
        std::cout << umbra::schema::listing();
        return 0;
    }
    if (argc < 2) {
        std::cerr << "write_sample: name a file, or --listing\n";
        return 2;
    }
    umbra::profile::Profile sample = variant(argc > 2 ? argv[2] : "plain");
    sample.methods = umbra::profile::method_rows(sample);
    const auto written = umbra::hdf5::write_profile(sample, argv[1]);
    if (!written) {
        std::cerr << written.error().context << '\n';
        return 1;
    }
    return 0;
}
