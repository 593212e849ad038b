// SPDX-License-Identifier: MIT
// Does what programs do that are no service of one process: world MODE [ARGUMENTS]
//   plain      calls, allocates, collects
//   crash      SIGSEGV in a native library          handler   a SIGSEGV handler of its own
//   fork       fork without exec: the child calls, collects, throws, and ends in its own time
//   daemon FILE [MILLISECONDS]  double fork; what is left sleeps, calls, writes into FILE, and ends
//   closeall   closes every descriptor it did not open, then opens files of its own under those numbers
//   wait       until its input ends
//   full       allocates until there is no memory
// The native parts are libworld.so, beside this program or in LD_LIBRARY_PATH.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using Umbra.Testing;

namespace World;

static class Work
{
    const int Steps = 5_000;

    static long calls;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Step(int i)
    {
        calls++;
        return i & 7;
    }

    /// Answers the same sum each time.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static long Run()
    {
        long sum = 0;
        for (int i = 0; i < Steps; i++)
        {
            sum += Step(i);
        }
        return sum;
    }

    public static void Print(int runs)
    {
        Expect.Equal(calls, (long)runs * Steps, "calls");
        Expect.Calls("Work.Step", calls);
        Expect.Calls("Work.Run", runs);
        Expect.Print();
    }
}

static class Native
{
    [DllImport("libworld.so")]
    public static extern void world_crash();

    [DllImport("libworld.so")]
    public static extern int world_faults_handled(int faults);

    [DllImport("libworld.so")]
    public static extern void world_daemonise(int milliseconds);

    [DllImport("libc")]
    public static extern int fork();

    [DllImport("libc")]
    public static extern int waitpid(int pid, out int status, int options);

    [DllImport("libc")]
    public static extern void exit(int status);

    [DllImport("libc")]
    public static extern int close_range(uint first, uint last, uint flags);

    [DllImport("libc")]
    public static extern int eventfd(uint count, int flags);

    [DllImport("libc")]
    public static extern int dup2(int from, int to);
}

static class Program
{
    const int Garbage = 200;

    static readonly string? nothing = Environment.GetEnvironmentVariable("NOTHING_OF_THE_KIND");

    static int Main(string[] args)
    {
        switch (args[0])
        {
            case "plain":
                Plain();
                break;
            case "crash":
                Crash();
                break;
            case "handler":
                Handler();
                break;
            case "fork":
                Fork();
                break;
            case "daemon":
                Daemon(args[1], args.Length > 2 ? int.Parse(args[2]) : 0);
                break;
            case "closeall":
                CloseAll();
                break;
            case "wait":
                Console.WriteLine("waiting");
                Console.In.ReadToEnd();
                break;
            case "full":
                Full();
                break;
            default:
                return 2;
        }
        return 0;
    }

    static void Plain()
    {
        Console.WriteLine(Work.Run());
        var kept = new List<byte[]>();
        for (int i = 0; i < Garbage; i++)
        {
            kept.Add(new byte[100_000]);
            if (i % 50 == 0)
            {
                kept.Clear();
                GC.Collect();
            }
        }
        Console.WriteLine(Work.Run());
        Work.Print(2);
    }

    static void Crash()
    {
        Work.Run();
        Work.Print(1);
        Console.Out.Flush();
        Native.world_crash();
    }

    static void Handler()
    {
        Work.Run();
        for (int turn = 0; turn < 3; turn++)
        {
            Console.WriteLine($"faults handled {Native.world_faults_handled(5)}");
            try
            {
                Console.WriteLine(nothing!.Length);
            }
            catch (NullReferenceException)
            {
                Console.WriteLine("caught");
            }
            Work.Run();
        }
        Work.Print(4);
    }

    static void Fork()
    {
        Work.Run();
        Console.Out.Flush();
        int child = Native.fork();
        if (child == 0)
        {
            Native.exit(InTheChild());
        }
        Work.Run();
        Native.waitpid(child, out int status, 0);
        Console.WriteLine($"the child has answered {status >> 8}");
        Work.Run();
        Work.Print(3);
    }

    static int InTheChild()
    {
        long sum = Work.Run();
        GC.Collect();
        try
        {
            throw new InvalidOperationException("asked for");
        }
        catch (InvalidOperationException)
        {
            sum += Work.Run();
        }
        return (int)(sum % 100) + 7;
    }

    static void Daemon(string file, int milliseconds)
    {
        Work.Run();
        Work.Print(1);
        Console.Out.Flush();
        Native.world_daemonise(milliseconds);
        File.WriteAllText(file, $"daemon {Work.Run()}\n");
        Native.exit(0);
    }

    /// The runtime's threads go on reading these numbers: from a file of the program's they would take its
    /// bytes for commands, and one of the commands closes the next number (docs/runtime_contract.md).
    static List<int> PipesOfTheRuntime()
    {
        var pipes = new List<int>();
        foreach (string link in Directory.GetFileSystemEntries("/proc/self/fd"))
        {
            int descriptor = int.Parse(Path.GetFileName(link));
            if (descriptor > 2 && new FileInfo(link).LinkTarget?.StartsWith("pipe:") == true)
            {
                pipes.Add(descriptor);
            }
        }
        return pipes;
    }

    /// Behind each of these numbers there is then something that never becomes readable.
    static void KeepSilent(List<int> descriptors)
    {
        int silent = Native.eventfd(0, 0);
        foreach (int descriptor in descriptors)
        {
            Expect.Equal(Native.dup2(silent, descriptor), descriptor, "a number of the runtime's");
        }
    }

    static void CloseAll()
    {
        Work.Run();
        List<int> pipes = PipesOfTheRuntime();
        Native.close_range(3, uint.MaxValue, 0);
        KeepSilent(pipes);
        var files = new List<FileStream>();
        for (int i = 0; i < Garbage; i++)
        {
            files.Add(new FileStream(Path.GetTempFileName(), FileMode.Open));
            files[i].WriteByte((byte)i);
            Work.Run();
        }
        for (int i = 0; i < Garbage; i++)
        {
            files[i].Flush();
            files[i].Position = 0;
            Expect.Equal(files[i].Length, 1, "length of a file of its own");
            Expect.Equal(files[i].ReadByte(), i, "byte in a file of its own");
            files[i].Dispose();
            File.Delete(files[i].Name);
        }
        Work.Print(1 + Garbage);
    }

    static void Full()
    {
        Work.Run();
        var kept = new List<byte[]>();
        try
        {
            for (;;)
            {
                kept.Add(new byte[1_000_000]);
            }
        }
        catch (OutOfMemoryException)
        {
            kept.Clear();
            Console.WriteLine("no memory");
        }
        Work.Run();
        Work.Print(2);
    }
}
