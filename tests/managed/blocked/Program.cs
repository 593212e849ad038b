// SPDX-License-Identifier: MIT
// Threads that wait for tasks instead of awaiting them, and async calls that are slow. Each measures
// how long it waited; the sums are what is expected: {"waits": {METHOD: MS}, "slowest": MS}.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text.Json;
using System.Threading.Tasks;

namespace Sync;

static class Program
{
    const int Rounds = 5;
    const int Milliseconds = 20;

    static readonly Dictionary<string, double> Waits = new();

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
        Console.WriteLine("UMBRA-EXPECT " + JsonSerializer.Serialize(new { waits = Waits, slowest }));
    }

    public static void Measure(string name, Action wait)
    {
        long begun = Stopwatch.GetTimestamp();
        wait();
        Waits[name] = Waits.GetValueOrDefault(name) + Stopwatch.GetElapsedTime(begun).TotalMilliseconds;
    }
}

static class Store
{
    public static async Task<int> Load(int milliseconds)
    {
        await Task.Delay(milliseconds);
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
        await Task.Delay(milliseconds);
        return milliseconds;
    }

    static int Burn(int rounds)
    {
        int sum = rounds;
        for (int round = 0; round < rounds; ++round) sum = sum * 31 + round;
        return sum == 0 ? 1 : 0;
    }
}
