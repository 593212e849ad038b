// SPDX-License-Identifier: MIT
// A small profile with something in every table, for tests of files and reports.
#pragma once

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
    s.mode = "selective";
    s.include = "shop.dll!*;Acme.*";
    s.exclude = "*Tests*";
    s.inlining = true;
    s.overflow = "wait";
    s.clock = "tsc";
    s.ticks_hz = 2.496e9;
    s.clock_residual_ns = 41.5;
    s.complete = true;
    s.ended = "exit 0";
    s.wall_ns = 2'500'000'000;
    s.events = 1'271'300;
    s.waits = 3;
    s.wait_ns = 1'250'000;
    s.missed_hooks = 1;

    p.modules = {
        {"shop.dll", "/srv/shop/shop.dll", false},
        {"Acme.Core.dll", "/srv/shop/Acme.Core.dll", false},
        {"System.Private.CoreLib.dll", "/usr/share/dotnet/System.Private.CoreLib.dll", true}};
    p.functions = {{"Shop.Program.Main(string[])",
                    "Shop",
                    "Program",
                    "Main",
                    "(string[])",
                    "Shop.Program.Main",
                    0,
                    0x06000001,
                    true,
                    {1, 0, 2'400'000'000, 100'000'000, 2'400'000'000, 2'400'000'000}},
                   {"Acme.Cart<Item>.Add(Item, int)",
                    "Acme",
                    "Cart<Item>",
                    "Add",
                    "(Item, int)",
                    "Acme.Cart`1.Add",
                    1,
                    0x06000002,
                    true,
                    {5'000, 1, 1'800'000'000, 1'300'000'000, 120'000, 9'000'000}},
                   {"Acme.Pricing.Fib(int)",
                    "Acme",
                    "Pricing",
                    "Fib",
                    "(int)",
                    "Acme.Pricing.Fib",
                    1,
                    0x06000003,
                    true,
                    {635'621, 0, 900'000'000, 900'000'000, 85, 500'000'000}},
                   {"Acme.Cart<Item>.<AddAsync>(Item)",
                    "Acme",
                    "Cart<Item>",
                    "AddAsync",
                    "(Item)",
                    "Acme.Cart`1/<AddAsync>d__3.MoveNext",
                    1,
                    0x06000004,
                    true,
                    {}},
                   {"System.String.Concat(string, string)",
                    "System",
                    "String",
                    "Concat",
                    "(string, string)",
                    "System.String.Concat",
                    2,
                    0x06000a11,
                    false,
                    {}}};
    p.threads = {{"Main", 4711, 1'000, 2'400'001'000, 2'400'000'000, 1'261'240, 630'620, 0, 2,
                  1'000'000, 0, 0, 0},
                 {".NET TP Worker", 4720, 5'000'000, 600'000'000, 500'000'000, 10'060, 10'002, 0, 1,
                  250'000, 2, 1, 0}};
    p.calltree = {{kNone, 0, 0, {1, 0, 2'400'000'000, 100'000'000, 2'400'000'000, 2'400'000'000}},
                  {0, 1, 0, {5'000, 1, 1'800'000'000, 1'300'000'000, 120'000, 9'000'000}},
                  {1, 2, 0, {625'619, 0, 500'000'000, 500'000'000, 85, 500'000'000}},
                  {kNone, 2, 1, {10'002, 0, 400'000'000, 400'000'000, 90, 300'000'000}}};
    p.edges = {{kNone, 0, {1, 0, 2'400'000'000, 100'000'000, 2'400'000'000, 2'400'000'000}},
               {0, 1, {5'000, 1, 1'800'000'000, 1'300'000'000, 120'000, 9'000'000}},
               {1, 2, {625'619, 0, 500'000'000, 500'000'000, 85, 500'000'000}},
               {kNone, 2, {10'002, 0, 400'000'000, 400'000'000, 90, 300'000'000}}};
    p.thread_functions = {{0, 0, {1, 0, 2'400'000'000, 100'000'000, 2'400'000'000, 2'400'000'000}},
                          {0, 1, {5'000, 1, 1'800'000'000, 1'300'000'000, 120'000, 9'000'000}},
                          {0, 2, {625'619, 0, 500'000'000, 500'000'000, 85, 500'000'000}},
                          {1, 2, {10'002, 0, 400'000'000, 400'000'000, 90, 300'000'000}}};
    p.histograms = {{2, 64, 128, 600'000}, {2, 128, 256, 35'621}, {1, 65'536, 131'072, 4'999}};
    p.compilations = {{1, 1, 900'000, 310'000}, {4, kNone, 1'900'000, 95'000}};
    p.exceptions = {{"System.InvalidOperationException", 1, 0, 3},
                    {"System.OperationCanceledException", kNone, kNone, 1}};
    return p;
}

}  // namespace umbra::test
