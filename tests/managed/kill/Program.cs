// SPDX-License-Identifier: MIT
// Counts its own calls in a shared file and ends in a way that asks nobody: kill FILE MODE
//   spin       runs until a signal ends it
//   failfast   Environment.FailFast    unhandled  an exception nobody catches
//   overflow   the stack is full
//   _exit      libc's _exit(3)         exit       Environment.Exit(3)    return  Main returns 3
// The file holds one line of 64 bytes a thread: the calls of Busy.Step begun and ended, and the
// thread's number in the system.
using System;
using System.IO;
using System.IO.MemoryMappedFiles;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Kill;

unsafe struct Line
{
    public long Begun, Ended, Thread;
    fixed long unused[5];
}

static unsafe class Busy
{
    public const int ThreadCount = 4;

    [ThreadStatic]
    static Line* mine;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Step(int i)
    {
        mine->Begun++;
        int result = Leaf(i);
        mine->Ended++;
        return result;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Leaf(int i) => i & 7;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Spin(Line* line, long steps)
    {
        mine = line;
        line->Thread = gettid();
        long sum = 0;
        for (long i = 0; i < steps; i++)
        {
            sum += Step((int)i);
        }
        GC.KeepAlive(sum);
    }

    /// Until the stack is full.
    public static void Overflow(Line* line)
    {
        mine = line;
        line->Thread = gettid();
        GC.KeepAlive(Step(0, 1));
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long Step(int depth, long more)
    {
        mine->Begun++;
        long result = Step(depth + 1, more) + more;
        mine->Ended++;
        return result;
    }

    [DllImport("libc")]
    static extern int gettid();
}

static unsafe class Program
{
    [DllImport("libc", EntryPoint = "_exit")]
    static extern void ExitNow(int status);

    static int Main(string[] args)
    {
        using FileStream file = new(args[0], FileMode.OpenOrCreate, FileAccess.ReadWrite,
                                    FileShare.ReadWrite);
        using var map = MemoryMappedFile.CreateFromFile(
            file, null, sizeof(Line) * (Busy.ThreadCount + 1), MemoryMappedFileAccess.ReadWrite,
            HandleInheritability.None, leaveOpen: true);
        using MemoryMappedViewAccessor view = map.CreateViewAccessor();
        byte* start = null;
        view.SafeMemoryMappedViewHandle.AcquirePointer(ref start);
        var lines = (Line*)start;
        string mode = args[1];
        long steps = mode == "spin" ? long.MaxValue : 100_000;

        var threads = new Thread[Busy.ThreadCount];
        for (int t = 0; t < threads.Length; t++)
        {
            Line* line = lines + t;
            threads[t] = new Thread(() => Busy.Spin(line, steps)) { IsBackground = true };
            threads[t].Start();
        }
        Console.WriteLine("started");
        foreach (Thread thread in threads)
        {
            thread.Join();
        }
        Console.WriteLine("counted");
        Console.Out.Flush();
        switch (mode)
        {
            case "failfast":
                Environment.FailFast("asked for");
                break;
            case "unhandled":
                throw new InvalidOperationException("asked for");
            case "overflow":
                Busy.Overflow(lines + Busy.ThreadCount);
                break;
            case "_exit":
                ExitNow(3);
                break;
            case "exit":
                Environment.Exit(3);
                break;
        }
        return 3;
    }
}
