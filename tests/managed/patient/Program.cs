// SPDX-License-Identifier: MIT
// Calls a method every few milliseconds, tells on request how often it has, and ends in order when
// its standard input does: what others must leave unharmed.
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Umbra.Testing;

namespace Patient;

static class Work
{
    const int PauseMilliseconds = 2;

    static long calls;
    static volatile bool over;

    public static long Calls => Interlocked.Read(ref calls);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Tick() => Interlocked.Increment(ref calls);

    public static void Run()
    {
        while (!over)
        {
            Tick();
            Thread.Sleep(PauseMilliseconds);
        }
    }

    public static void End() => over = true;
}

static class Program
{
    static int Main()
    {
        var worker = new Thread(Work.Run);
        worker.Start();
        Console.WriteLine($"ready {Environment.ProcessId}");
        while (Console.ReadLine() is not null)
        {
            Console.WriteLine($"calls {Work.Calls}");
        }
        Work.End();
        worker.Join();
        Expect.Calls("Work.Tick", Work.Calls);
        Expect.Print();
        return 0;
    }
}
