// SPDX-License-Identifier: MIT
// A small profile with something in every table, for tests of files and reports.
#pragma once

#include <cstdint>

#include "src/profile/derive.h"
#include "src/profile/profile.h"

namespace umbra::test {

/// The same at every call. All times are consistent: the tree, the edges and the functions agree.
inline profile::Profile sample_profile() {
    using profile::kNone;
    profile::Profile p;
    profile::Session& s = p.session;
    s.tool_version = "0.1.0";
    s.created_utc = "2026-01-02T03:04:05Z";
    s.host = "build-7";
    s.program = "shop.dll";
    s.command_line = "dotnet shop.dll --orders 5 --name J\xc3\xbcrgen";
    s.runtime = ".NET 10.0.1";
    s.pid = 4711;
    s.settings.mode = "selective";
    s.settings.include = "shop.dll!*;Acme.*";
    s.settings.exclude = "*Tests*";
    s.settings.inlining = true;
    s.settings.overflow = "wait";
    s.clock.source = "tsc";
    s.clock.ticks_hz = 2.496e9;
    s.clock.residual_ns = 41.5;
    s.cpu.collector_ns = 620'000'000;
    s.cpu.collector_delay_ns = 35'000'000;
    s.clock.resolution_ns = 0.4;
    s.cpu.source = "perf";
    s.cpu.on_ns = 2'281'200'000;
    s.cpu.off_ns = 518'800'000;
    s.cpu.process_ns = 2'410'000'000;
    s.probes.inside_ns = 9.6;
    s.probes.outside_ns = 9.1;
    s.probes.clamped_functions = 1;
    s.complete = true;
    s.ended = "exit 0";
    s.wall_ns = 2'500'000'000;
    s.counts.events = 1'272'104;
    s.counts.waits = 3;
    s.counts.wait_ns = 1'250'000;
    s.probes.missed_hooks = 1;

    p.runtimes = {{s.runtime}};
    p.modules = {
        {"shop.dll", "/srv/shop/shop.dll", false, 0, "", "no PDB"},
        {"Acme.Core.dll", "/srv/shop/Acme.Core.dll", false, 0, "/srv/shop/Acme.Core.pdb"},
        {"System.Private.CoreLib.dll", "/usr/share/dotnet/System.Private.CoreLib.dll", true, 0}};
    const auto function = [&](const char* name, const char* name_space, const char* type,
                              const char* method, const char* signature, const char* raw_name,
                              profile::Row module, uint32_t token) {
        profile::Function made;
        made.name = name;
        made.namespace_ = name_space;
        made.type = type;
        made.method = method;
        made.signature = signature;
        made.raw_name = raw_name;
        made.module = module;
        made.runtime = 0;
        made.token = token;
        made.instrumented = module != 2;
        p.functions.push_back(made);
    };
    function("Shop.Program.Main(string[])", "Shop", "Program", "Main", "(string[])",
             "Shop.Program.Main", 0, 0x06000001);
    function("Acme.Cart<Item>.Add(Item, int)", "Acme", "Cart<Item>", "Add", "(Item, int)",
             "Acme.Cart`1.Add", 1, 0x06000002);
    function("Acme.Pricing.Fib(int)", "Acme", "Pricing", "Fib", "(int)", "Acme.Pricing.Fib", 1,
             0x06000003);
    function("Acme.Cart<Item>.<AddAsync>(Item)", "Acme", "Cart<Item>", "AddAsync", "(Item)",
             "Acme.Cart`1/<AddAsync>d__3.MoveNext", 1, 0x06000004);
    function("System.String.Concat(string, string)", "System", "String", "Concat",
             "(string, string)", "System.String.Concat", 2, 0x06000a11);
    function("Acme.Orders.Receive()", "Acme", "Orders", "Receive", "()", "Acme.Orders.Receive", 1,
             0x06000005);
    p.functions[1].file = "/src/Acme.Core/Cart.cs";
    p.functions[1].line = 31;
    p.functions[2].file = "/src/Acme.Core/Pricing.cs";
    p.functions[2].line = 7;
    p.functions[3].file = "/src/Acme.Core/Cart.cs";
    p.functions[3].line = 52;

    const auto thread = [&](const char* name, uint32_t os_tid, uint64_t start_ns, uint64_t end_ns,
                            uint64_t events) -> profile::Thread& {
        profile::Thread made;
        made.runtime = 0;
        made.name = name;
        made.os_tid = os_tid;
        made.start_ns = start_ns;
        made.end_ns = end_ns;
        made.events = events;
        return p.threads.emplace_back(made);
    };
    profile::Thread& main = thread("Main", 4711, 1'000, 2'400'001'000, 1'262'040);
    main.waits = 2;
    main.wait_ns = 1'000'000;
    main.cpu_ns = 1'885'200'000;
    main.kernel_cpu_ns = 1'950'000'000;
    main.paused_ns = 32'400'000;
    profile::Thread& worker = thread(".NET TP Worker", 4720, 5'000'000, 600'000'000, 10'060);
    worker.waits = 1;
    worker.wait_ns = 250'000;
    worker.repairs = 2;
    worker.unmatched_leaves = 1;
    worker.cpu_ns = 396'000'000;
    worker.kernel_cpu_ns = 400'100'000;
    worker.paused_ns = 2'000'000;
    worker.compilations = 1;
    worker.compiling_ns = 310'000;
    profile::Thread& compiler =
        thread(".NET Tiered Compilation Worker", 4721, 100'000'000, 130'000'000, 4);
    compiler.compilations = 1;
    compiler.compiling_ns = 2'400'000;

    using profile::Span;
    const auto node = [&](profile::Row parent, profile::Row of, profile::Row on, uint64_t calls,
                          uint64_t unfinished, Span wall, uint64_t shortest, uint64_t longest,
                          Span raw, Span cpu, Span paused) {
        p.calltree.push_back({.parent = parent,
                              .function = of,
                              .thread = on,
                              .times = {calls, unfinished, wall.total_ns, wall.self_ns, shortest,
                                        longest, raw, cpu, paused}});
    };
    node(kNone, 0, 0, 1, 0, {2'400'000'000, 100'000'000}, 2'400'000'000, 2'400'000'000,
         {2'402'400'000, 100'003'000}, {1'885'200'000, 96'000'000}, {32'400'000, 400'000});
    node(0, 1, 0, 5'000, 1, {1'800'000'000, 1'300'000'000}, 120'000, 9'000'000,
         {1'802'390'000, 1'300'090'000}, {1'788'000'000, 1'290'000'000}, {32'000'000, 28'000'000});
    node(1, 2, 0, 625'619, 0, {500'000'000, 500'000'000}, 85, 500'000'000,
         {502'300'000, 502'300'000}, {498'000'000, 498'000'000}, {4'000'000, 4'000'000});
    node(kNone, 2, 1, 10'002, 0, {400'000'000, 400'000'000}, 90, 300'000'000,
         {400'040'000, 400'040'000}, {396'000'000, 396'000'000}, {2'000'000, 2'000'000});
    // Waits for its turn: as long as a burning one, and hardly on a processor.
    node(0, 5, 0, 400, 0, {500'000'000, 500'000'000}, 1'050'000, 3'100'000,
         {500'007'000, 500'007'000}, {1'200'000, 1'200'000}, {});
    profile::derive(p);
    p.histograms = {{2, 64, 128, 600'000}, {2, 128, 256, 35'621}, {1, 65'536, 131'072, 4'999}};
    p.compilations = {{1, 1, 900'000, 310'000, 1},
                      {4, kNone, 1'900'000, 95'000, 0},
                      {2, 2, 101'000'000, 2'400'000, 2}};
    p.pauses = {{"gc", 0b1, 0, 4711, 50'000'000, 9'800'000, 300'000, 2},
                {"gc", 0b11, 1, 4720, 90'000'000, 22'200'000, 450'000, 2},
                {"rejit", 0, kNone, 4713, 140'000'000, 400'000, 40'000, 1}};
    p.compilation_sums = {
        {1, 1, 310'000, 310'000}, {2, 1, 2'400'000, 2'400'000}, {4, 1, 95'000, 95'000}};
    p.pause_sums = {{"gc", 0b11, 1, 22'200'000, 450'000, 22'200'000},
                    {"gc", 0b1, 1, 9'800'000, 300'000, 9'800'000},
                    {"rejit", 0, 1, 400'000, 40'000, 400'000}};
    p.time_slices = {{0, 100'000'000, 2, 32'000'000, 22'200'000, 2, 405'000},
                     {100'000'000, 100'000'000, 1, 400'000, 400'000, 1, 2'400'000}};
    p.exceptions = {{"System.InvalidOperationException", 1, 0, 3},
                    {"System.OperationCanceledException", kNone, kNone, 1}};
    p.arguments = {{2, "n", "int", "", 3, 100'004},
                   {1, "item.Name", "string", "", 2, 5},
                   {1, "item", "Item", "its type is a class", 0, 0},
                   {kNone, "Acme.Nowhere(x)", "", "no method fits", 0, 0}};
    p.argument_values = {
        {0, "30", false, 2, 1, 1'300'000'000, 1'300'000'100, 1'300'000'100, 1'300'000'100,
         1'300'000'100},
        {0, "-1", false, 1, 0, 400'000'000, 400'000'090, 400'000'090, 400'000'090, 400'000'090},
        {0, "", true, 100'001, 0, 1'000'000, 85, 2'600, 90, 2'100},
        {1, "\"J\xc3\xbcrgen's \\\"tea\\\"\"", false, 4, 0, 2'400'000, 85, 1'900'000, 90,
         1'900'000},
        {1, "null", false, 1, 1, 0, 0, 0, 0, 0}};
    return p;
}

/// The slowest calls of Add: one waits and has merged calls in it, one is paused and goes on; and a
/// request that no method met.
inline void add_slow_calls(profile::Profile& p) {
    using profile::kNone;
    using profile::SlowSlice;
    p.session.settings.slowest_by = "wall";
    p.slow_methods = {{1, "Acme.Cart.Add=2", 5'000, 2, 0}, {kNone, "Acme.Nowhere=3", 0, 0, 0}};
    p.slow_calls = {{0, 0, 0, false, 20'000'000, 31'000'000, 90'000, 10'000, 30'900'000, 25'000'000,
                     5'910'000, 0, 0, 100'001, 100'000},
                    {0, 1, kNone, true, 88'000'000, 25'000'000, 0, 0, 25'000'000, 0, 25'000'000,
                     22'200'000, 310'000, 0, 0}};
    const auto slice = [&p](profile::Row call, profile::Row parent, profile::Row function,
                            std::string_view kind, uint64_t start_us, uint64_t duration_us,
                            uint64_t calls) {
        p.slow_slices.push_back({call, parent, function, std::string(kind), start_us * 1'000,
                                 duration_us * 1'000, calls});
    };
    slice(0, kNone, 1, SlowSlice::kCall, 20'000, 31'000, 1);
    slice(0, 0, 2, SlowSlice::kCall, 21'000, 3'000, 100'000);
    slice(0, 0, 2, SlowSlice::kCall, 24'500, 25'500, 1);
    slice(0, 2, kNone, SlowSlice::kOffCpu, 24'900, 25'000, 1);
    slice(0, 0, kNone, SlowSlice::kWaited, 50'900, 10, 1);
    slice(1, kNone, 1, SlowSlice::kCall, 88'000, 25'000, 1);
    slice(1, 5, kNone, SlowSlice::kPaused, 90'000, 22'200, 1);
    slice(1, 5, 4, SlowSlice::kCompiling, 112'500, 310, 1);
}

/// The slowest call of an async method: it asks for two things at once and for a third behind them,
/// runs something in its first stretch, and ends with an exception.
inline void add_slow_async_call(profile::Profile& p) {
    using profile::kNone;
    using profile::SlowSlice;
    constexpr uint64_t kMs = 1'000'000;
    p.session.settings.slowest_by = "wall";
    p.slow_methods = {{3, "Acme.Orders.FetchAsync", 10, 1, 0}};
    p.slow_calls = {{.method = 0,
                     .thread = 0,
                     .caller = 0,
                     .start_ns = 100 * kMs,
                     .duration_ns = 900 * kMs,
                     .wall_ns = 900 * kMs,
                     .calls = 5,
                     .outcome = "exception",
                     .running_ns = 60 * kMs,
                     .awaiting_ns = 830 * kMs,
                     .queued_ns = 10 * kMs}};
    const auto slice = [&p](profile::Row parent, profile::Row function, std::string_view kind,
                            uint64_t start_ms, uint64_t duration_ms, profile::Row thread = kNone,
                            const char* awaited = "") {
        p.slow_slices.push_back({.call = 0,
                                 .parent = parent,
                                 .function = function,
                                 .kind = std::string(kind),
                                 .start_ns = start_ms * kMs,
                                 .duration_ns = duration_ms * kMs,
                                 .thread = thread,
                                 .awaited = awaited});
        return static_cast<profile::Row>(p.slow_slices.size() - 1);
    };
    slice(kNone, 3, SlowSlice::kCall, 100, 900);
    const profile::Row first = slice(0, kNone, SlowSlice::kRunning, 100, 40, 0);
    slice(first, 2, SlowSlice::kCall, 105, 30);
    const profile::Row one = slice(0, 1, SlowSlice::kCall, 140, 300);
    slice(one, kNone, SlowSlice::kRunning, 140, 10, 0);
    slice(one, kNone, SlowSlice::kAwaiting, 150, 285, kNone, "Task.Delay");
    slice(one, kNone, SlowSlice::kRunning, 435, 5, 1);
    const profile::Row other = slice(0, 2, SlowSlice::kCall, 150, 550);
    slice(other, kNone, SlowSlice::kRunning, 150, 10, 0);
    slice(other, 3, SlowSlice::kAwaiting, 160, 540);
    slice(0, kNone, SlowSlice::kQueued, 700, 10);
    slice(0, kNone, SlowSlice::kRunning, 710, 20, 1);
    slice(0, 1, SlowSlice::kCall, 730, 270);
    slice(0, kNone, SlowSlice::kPaused, 500, 20);
}

}  // namespace umbra::test
