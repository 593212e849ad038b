// SPDX-License-Identifier: MIT
// What the core library does by itself: the thread pool, tasks, timers, locks, text, streams, collections.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

static class Pool
{
    static readonly ConcurrentDictionary<int, string> Seen = new();

    public static void Round(int round)
    {
        Reflect.Check(Many(round).GetAwaiter().GetResult() == 45);
        Seen[round % 100] = $"{round:x8} {DateTime.UtcNow:O} {TimeSpan.FromSeconds(round)} {round * 1.5:F3} {(decimal)round / 3}";
        Reflect.Check(Seen.Values.Order().First().Length > 20);
        using var stream = new MemoryStream();
        using (var writer = new BinaryWriter(stream, System.Text.Encoding.UTF8, true)) writer.Write(string.Join(',', Seen.Keys));
        var values = Enumerable.Range(0, 200).Select(n => n * 7919 % 200).ToArray();
        Array.Sort(values);
        Array.Sort(values, (a, b) => b - a);
        Reflect.Check(Array.BinarySearch(values.Reverse().ToArray(), 100) == 100);
        var strings = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach (int value in values) strings[value.ToString()] = value;
        Reflect.Check(strings["150"] == 150 && new string('x', 50).AsSpan().IndexOf('y') == -1);
        if (round % 16 == 0)
        {
            var short_lived = new Thread(() => { lock (Seen) Monitor.Wait(Seen, 1); });
            short_lived.Start();
            short_lived.Join();
            GC.Collect(round / 16 % 3);
            GC.WaitForPendingFinalizers();
        }
    }

    static async Task<int> Many(int round)
    {
        using var limit = new SemaphoreSlim(2);
        using var end = new CancellationTokenSource(10_000);
        int[] all = await Task.WhenAll(Enumerable.Range(0, 10).Select(async n =>
        {
            await limit.WaitAsync(end.Token);
            try { await Task.Yield(); return n; }
            finally { limit.Release(); }
        }));
        if (round % 8 == 0) await Task.Delay(1, end.Token);
        return all.Sum();
    }
}
