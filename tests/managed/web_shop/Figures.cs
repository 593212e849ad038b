// SPDX-License-Identifier: MIT
// What the requests of each handler have taken, by the server's own stopwatch.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading.Tasks;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace WebShop;

static class Figures
{
    static readonly ConcurrentDictionary<string, ConcurrentBag<long>> ticks = new();

    /// Around all that is done for a request.
    public static async Task Measure(HttpContext context, RequestDelegate next)
    {
        long begin = Stopwatch.GetTimestamp();
        await next(context);
        string path = (context.GetEndpoint() as RouteEndpoint)?.RoutePattern.RawText ?? "";
        ticks.GetOrAdd(path, _ => []).Add(Stopwatch.GetTimestamp() - begin);
    }

    public static string Clear()
    {
        ticks.Clear();
        return "cleared";
    }

    /// By path, as JSON.
    public static string Told() =>
        "{" + string.Join(", ", ticks.Select(one => $"\"{one.Key}\": {Of(one.Value.Order().ToArray())}")) + "}";

    static string Of(IReadOnlyList<long> sorted)
    {
        double ns = 1e9 / Stopwatch.Frequency;
        double mean = sorted.Average() * ns, p99 = sorted[(sorted.Count - 1) * 99 / 100] * ns;
        return string.Create(CultureInfo.InvariantCulture,
                             $"{{\"calls\": {sorted.Count}, \"mean_ns\": {mean:F0}, \"p99_ns\": {p99:F0}}}");
    }
}
