// SPDX-License-Identifier: MIT
// CPU and wall time that are known: burn MILLISECONDS [PROCESSOR]. Each case runs on a thread of its
// own and asks the kernel, first and last thing it does, for the thread's CPU time and for the time:
// "UMBRA-CPU method cpu_ns wall_ns". Last comes the CPU time of the process: "UMBRA-PROCESS cpu_ns".
//
//   Sleeps     waits in many short sleeps
//   Waits      waits for a lock that Holds holds and burns
//   Fights     burns on PROCESSOR, while another process burns there too (without one: alone)
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;
using Umbra.Testing;

namespace Burn;

/// What the kernel says of the calling thread since Start.
readonly record struct Measured(long Cpu, long Wall)
{
    static readonly List<(string Name, Measured Taken)> All = new();

    public static Measured Start()
    {
        long cpu = Kernel.CpuNs();
        return new Measured(cpu, Kernel.WallNs());
    }

    public void Stop(string name)
    {
        long wall = Kernel.WallNs() - Wall;
        long cpu = Kernel.CpuNs() - Cpu;
        lock (All)
        {
            All.Add((name, new Measured(cpu, wall)));
        }
    }

    /// Compiles what is above.
    public static void WarmUp()
    {
        Start().Stop("");
        All.Clear();
    }

    public static void Print()
    {
        foreach ((string name, Measured taken) in All)
        {
            Console.WriteLine($"UMBRA-CPU {name} {taken.Cpu} {taken.Wall}");
        }
        Console.WriteLine($"UMBRA-PROCESS {Kernel.ProcessCpuNs()}");
    }
}

static unsafe class Kernel
{
    const int ProcessCpuTime = 2;
    const int ThreadCpuTime = 3;
    const int MonotonicRaw = 4;

    [DllImport("libc")]
    static extern int clock_gettime(int clock, long* time);

    [DllImport("libc")]
    static extern int sched_setaffinity(int tid, nint size, ulong* mask);

    static long Read(int clock)
    {
        long* time = stackalloc long[2];
        _ = clock_gettime(clock, time);
        return time[0] * 1_000_000_000 + time[1];
    }

    public static long ProcessCpuNs() => Read(ProcessCpuTime);
    public static long CpuNs() => Read(ThreadCpuTime);
    public static long WallNs() => Read(MonotonicRaw);

    /// Binds the calling thread, and what it starts, to one processor.
    public static void Bind(int processor)
    {
        ulong* mask = stackalloc ulong[16];
        mask[processor / 64] = 1UL << (processor % 64);
        _ = sched_setaffinity(0, 128, mask);
    }
}

static class Cases
{
    static readonly object Gate = new();
    static readonly ManualResetEventSlim Held = new();
    static volatile uint sink;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Sleeps(int milliseconds)
    {
        Measured measured = Measured.Start();
        for (int i = 0; i < milliseconds / 5; i++)
        {
            Thread.Sleep(5);
        }
        measured.Stop("Cases.Sleeps");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Holds(int milliseconds)
    {
        Measured measured = Measured.Start();
        lock (Gate)
        {
            Held.Set();
            Spin(milliseconds);
        }
        measured.Stop("Cases.Holds");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Waits()
    {
        Measured measured = Measured.Start();
        lock (Gate)
        {
        }
        measured.Stop("Cases.Waits");
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Fights(int milliseconds)
    {
        Measured measured = Measured.Start();
        Spin(milliseconds);
        measured.Stop("Cases.Fights");
    }

    /// Burns for that long, in steps of some microseconds: calls that are shorter than a switch.
    static void Spin(int milliseconds)
    {
        long end = Kernel.WallNs() + milliseconds * 1_000_000L;
        while (Kernel.WallNs() < end)
        {
            sink = Step(sink);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static uint Step(uint value)
    {
        for (int i = 0; i < 2000; i++)
        {
            value = value * 1664525 + 1013904223;
        }
        return value;
    }

    public static void AwaitHolder() => Held.Wait();
}

static class Program
{
    static Thread Start(Action run)
    {
        var thread = new Thread(() => run());
        thread.Start();
        return thread;
    }

    static Process? StartRival(int milliseconds)
    {
        string script = $"end=$(($(date +%s%N) + {milliseconds}000000)); " +
                        "while [ $(date +%s%N) -lt $end ]; do " +
                        "i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; done";
        return Process.Start(new ProcessStartInfo("/bin/sh", new[] { "-c", script }));
    }

    static int Main(string[] args)
    {
        int milliseconds = args.Length > 0 ? int.Parse(args[0]) : 200;
        int processor = args.Length > 1 ? int.Parse(args[1]) : -1;
        Measured.WarmUp();

        Start(() => Cases.Sleeps(milliseconds)).Join();

        Thread holder = Start(() => Cases.Holds(milliseconds));
        Cases.AwaitHolder();
        Start(Cases.Waits).Join();
        holder.Join();

        Process? rival = null;
        using var ready = new ManualResetEventSlim();
        Thread fighter = new(() =>
        {
            if (processor >= 0)
            {
                Kernel.Bind(processor);
                rival = StartRival(3 * milliseconds);
                Thread.Sleep(100);
            }
            Start(() => Cases.Fights(milliseconds)).Join();
            ready.Set();
        });
        fighter.Start();
        ready.Wait();
        rival?.Kill();
        rival?.WaitForExit();

        Measured.Print();
        Expect.Calls("Cases.Sleeps", 1);
        Expect.Calls("Cases.Holds", 1);
        Expect.Calls("Cases.Waits", 1);
        Expect.Calls("Cases.Fights", 1);
        Expect.Print();
        return 0;
    }
}
