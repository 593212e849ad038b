// SPDX-License-Identifier: MIT
// Threads that wait for tasks instead of awaiting them, and async calls that are slow. Each measures
// how long it waited; the sums are what is expected: {"waits": {METHOD: [LEAST, MOST]}, "slowest": MS,
// "slowestPart": MS}, all in milliseconds. A timer may end early by what its clock does not resolve,
// and a thread may be taken off before it waits, so nothing is expected from the length asked for.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Sync;

static class Program
{
    const int Rounds = 5;
    const int Milliseconds = 20;

    static readonly Dictionary<string, double[]> Waits = new();

    static void Main()
    {
        Store.Load(1).Wait();  // what is done for the first time takes long
        for (int round = 0; round < Rounds; ++round) {
            Measure("ByResult", () => Over.ByResult(Milliseconds));
            Measure("ByWait", () => Over.ByWait(Milliseconds));
            Measure("ByAwaiter", () => Over.ByAwaiter(Milliseconds));
            Measure("Impatient", () => Over.Impatient(Milliseconds));
            Over.InAsync(Milliseconds).Wait();
        }
        double slowest = Enumerable.Range(1, 8).Select(Slow.Measured).Max();
        Console.WriteLine("UMBRA-EXPECT " + JsonSerializer.Serialize(new { waits = Waits, slowest, slowestPart = Slow.SlowestPart }));
    }

    public static void Measure(string name, Action wait)
    {
        double loadedBefore = Store.Loading;
        long begun = Stopwatch.GetTimestamp();
        wait();
        double most = Stopwatch.GetElapsedTime(begun).TotalMilliseconds;
        double[] sum = Waits.GetValueOrDefault(name, [0, 0]);
        Waits[name] = [sum[0] + Store.Loading - loadedBefore, sum[1] + most];
    }
}

static class Store
{
    /// All that was loaded took, in milliseconds.
    public static double Loading;

    /// Begins to load when its caller waits for it.
    public static async Task<int> Load(int milliseconds)
    {
        Thread waiter = Thread.CurrentThread;
        while (!waiter.ThreadState.HasFlag(System.Threading.ThreadState.WaitSleepJoin)) await Task.Yield();
        long begun = Stopwatch.GetTimestamp();
        await Task.Delay(milliseconds);
        Loading += Stopwatch.GetElapsedTime(begun).TotalMilliseconds;
        return milliseconds;
    }
}

static class Over
{
    public static int ByResult(int milliseconds)
    {
        Task<int> loads = Store.Load(milliseconds);
        return loads.Result;
    }

    public static void ByWait(int milliseconds)
    {
        Task loads = Store.Load(milliseconds);
        loads.Wait();
    }

    public static int ByAwaiter(int milliseconds)
    {
        Task<int> loads = Store.Load(milliseconds);
        return loads.GetAwaiter().GetResult();
    }

    public static bool Impatient(int milliseconds)
    {
        var never = new TaskCompletionSource();
        return never.Task.Wait(milliseconds);
    }

    public static async Task<int> InAsync(int milliseconds)
    {
        await Task.Yield();
        int loaded = 0;
        Program.Measure("Load", () => loaded = Load(milliseconds));
        return loaded;
    }

    static int Load(int milliseconds)
    {
        Task<int> loads = Store.Load(milliseconds);
        return loads.Result;
    }
}

/// Of eight requests the sixth has a slow part beside a fast one.
static class Slow
{
    public static double SlowestPart;

    public static double Measured(int number)
    {
        long begun = Stopwatch.GetTimestamp();
        Request(number).Wait();
        return Stopwatch.GetElapsedTime(begun).TotalMilliseconds;
    }

    static async Task<int> Request(int number)
    {
        Task<int> fast = Part(5);
        Task<int> slow = Part(number == 6 ? 150 : 5);
        int sum = await fast + await slow;
        return sum + Burn(number == 6 ? 2_000_000 : 1_000);
    }

    static async Task<int> Part(int milliseconds)
    {
        long begun = Stopwatch.GetTimestamp();
        await Task.Delay(milliseconds);
        if (milliseconds > 5) SlowestPart = Stopwatch.GetElapsedTime(begun).TotalMilliseconds;
        return milliseconds;
    }

    static int Burn(int rounds)
    {
        int sum = rounds;
        for (int round = 0; round < rounds; ++round) sum = sum * 31 + round;
        return sum == 0 ? 1 : 0;
    }
}
