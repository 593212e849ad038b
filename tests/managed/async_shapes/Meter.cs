// SPDX-License-Identifier: MIT
// What calls of a method have taken, by the program's own stopwatch.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Threading;

namespace AsyncShapes;

/// A method that measures itself.
sealed class Meter
{
    static readonly SortedDictionary<string, Meter> all = new(StringComparer.Ordinal);

    long calls, ticks;

    Meter()
    {
    }

    /// `method` is "Type.Method", as the report shows it without namespace and parameters.
    public static Meter Of(string method)
    {
        lock (all)
        {
            return all[method] = new Meter();
        }
    }

    public void Add(long begin)
    {
        Interlocked.Add(ref ticks, Stopwatch.GetTimestamp() - begin);
        Interlocked.Increment(ref calls);
    }

    /// As if nothing had been called yet.
    public static void Clear()
    {
        lock (all)
        {
            foreach (Meter meter in all.Values)
            {
                (meter.calls, meter.ticks) = (0, 0);
            }
        }
    }

    /// All methods that have been called, as JSON in one line.
    public static string Told()
    {
        lock (all)
        {
            return "{" + string.Join(", ", all.Where(one => one.Value.calls > 0)
                                              .Select(one => $"\"{one.Key}\": {one.Value.Figures()}")) + "}";
        }
    }

    string Figures()
    {
        double total = ticks * (1e9 / Stopwatch.Frequency);
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{{\"calls\": {calls}, \"total_ns\": {total:F0}, \"mean_ns\": {total / calls:F0}}}");
    }
}

/// One call, to where it is let go. The first thing that a method does is to read the stopwatch for it: nothing
/// of this file may have to be compiled before.
readonly struct Timed(long begin, Meter meter) : IDisposable
{
    public void Dispose() => meter.Add(begin);
}
