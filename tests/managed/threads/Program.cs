// SPDX-License-Identifier: MIT
// Threads by name and by number: threads named | idle COUNT | short COUNT | busy COUNT
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using Umbra.Testing;

namespace ManyThreads;

static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Touch(int i) => Volatile.Write(ref last, i);

    static int last;

    static int Main(string[] args)
    {
        string mode = args.Length > 0 ? args[0] : "named";
        int count = args.Length > 1 ? int.Parse(args[1]) : 10;
        switch (mode)
        {
            case "named":
                Named(count);
                break;
            case "idle":
                Idle(count);
                break;
            case "short":
                Short(count);
                break;
            case "busy":
                Busy(count);
                break;
            default:
                Console.WriteLine($"WRONG mode {mode}");
                return 2;
        }
        Console.WriteLine("threads are right");
        Expect.Print();
        return 0;
    }

    /// Named before the start, while running, and never.
    static void Named(int count)
    {
        var threads = new List<Thread>();
        for (int i = 0; i < count; i++)
        {
            int number = i;
            threads.Add(new Thread(() => Touch(number)) { Name = $"early {i}" });
            threads.Add(new Thread(() =>
            {
                Touch(number);
                Thread.CurrentThread.Name = $"late {number}";
                Touch(number);
            }));
            threads.Add(new Thread(() => Touch(number)));
        }
        StartAndJoin(threads);
        Expect.Calls("Program.Touch", 4 * count);
    }

    /// All alive at once, each with a call, then waiting for the rest, then calling all at once.
    static void Idle(int count)
    {
        const int CallsTogether = 500;
        using var touched = new CountdownEvent(count);
        using var end = new ManualResetEventSlim();
        var threads = new List<Thread>();
        for (int i = 0; i < count; i++)
        {
            threads.Add(new Thread(() =>
            {
                Touch(1);
                touched.Signal();
                end.Wait();
                for (int k = 0; k < CallsTogether; k++)
                {
                    Touch(k);
                }
            }, 128 * 1024));
        }
        threads.ForEach(t => t.Start());
        touched.Wait();
        Console.WriteLine("all alive");
        Console.Out.Flush();
        Thread.Sleep(500);
        end.Set();
        threads.ForEach(t => t.Join());
        Expect.Calls("Program.Touch", (1 + CallsTogether) * count);
    }

    /// One after the other, a few at a time: what a thread leaves behind must be used again.
    static void Short(int count)
    {
        const int AtOnce = 4;
        for (int begun = 0; begun < count; begun += AtOnce)
        {
            var threads = new List<Thread>();
            for (int i = 0; i < Math.Min(AtOnce, count - begun); i++)
            {
                threads.Add(new Thread(() =>
                {
                    for (int k = 0; k < 100; k++)
                    {
                        Touch(k);
                    }
                }));
            }
            StartAndJoin(threads);
        }
        Expect.Calls("Program.Touch", 100 * count);
    }

    /// All at once, each with nothing but short calls: more than any collector can keep up with.
    static void Busy(int count)
    {
        const int CallsEach = 1_000_000;
        var threads = new List<Thread>();
        for (int i = 0; i < count; i++)
        {
            threads.Add(new Thread(() =>
            {
                for (int k = 0; k < CallsEach; k++)
                {
                    Touch(k);
                }
            }));
        }
        StartAndJoin(threads);
        Expect.Calls("Program.Touch", (long)CallsEach * count);
    }

    static void StartAndJoin(List<Thread> threads)
    {
        threads.ForEach(t => t.Start());
        threads.ForEach(t => t.Join());
    }
}
