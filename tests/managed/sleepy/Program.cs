// SPDX-License-Identifier: MIT
// Waits of known length: Thread.Sleep, Join, Monitor.Wait and busy work, each in its own method.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using Umbra.Testing;

namespace Sleepy;

static class Waits
{
    public const int Milliseconds = 40;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Sleeps() => Thread.Sleep(Milliseconds);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Joins()
    {
        var thread = new Thread(Sleeps);
        thread.Start();
        thread.Join();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void WaitsForPulse()
    {
        object gate = new();
        lock (gate)
        {
            Monitor.Wait(gate, Milliseconds);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Spins()
    {
        long begin = Stopwatch.GetTimestamp();
        while (Stopwatch.GetElapsedTime(begin).TotalMilliseconds < Milliseconds)
        {
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void SleepsInACallee() => Sleeps();
}

static class Program
{
    static int Main()
    {
        const int Rounds = 5;
        for (int i = 0; i < Rounds; i++)
        {
            Waits.Sleeps();
            Waits.Joins();
            Waits.WaitsForPulse();
            Waits.Spins();
            Waits.SleepsInACallee();
        }
        Console.WriteLine("slept well");
        Expect.Calls("Waits.Sleeps", 3 * Rounds);
        Expect.Calls("Waits.Joins", Rounds);
        Expect.Calls("Waits.WaitsForPulse", Rounds);
        Expect.Calls("Waits.Spins", Rounds);
        Expect.Calls("Waits.SleepsInACallee", Rounds);
        Expect.Print();
        return 0;
    }
}
