// SPDX-License-Identifier: MIT
// Runs for as long as its standard input is open, and does what each line of it says; counts its
// own calls. Methods that are to count exactly are never inlined.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text.Json;
using System.Threading;

Desk.Ticking = true;
var ticker = new Thread(Ticker.Run) { Name = "ticker", IsBackground = true };
ticker.Start();
using var worker = new Worker();
while (Console.ReadLine() is { } line)
{
    string[] words = line.Split(' ');
    int count = words.Length > 1 ? int.Parse(words[1]) : 0;
    switch (words[0])
    {
        case "serve":  // on a thread that was there before, in a frame that never returns
            worker.Do(() => Desk.ServeMany(count));
            break;
        case "here":
            Desk.ServeMany(count);
            break;
        case "thread":  // on one that begins now
            var thread = new Thread(() => Desk.ServeMany(count)) { Name = "short" };
            thread.Start();
            thread.Join();
            break;
        case "late":  // nobody has called these methods before
            for (int i = 0; i < count; ++i) Late.First(i);
            break;
        case "generic":
            for (int i = 0; i < count; ++i) { Box.Keep(i); Box.Keep("text"); }
            break;
        case "throw":
            for (int i = 0; i < count; ++i) Fall.Catch();
            break;
        case "lock":
            Lock.Ask(count);
            break;
        case "overflow":  // a stack of a megabyte: the end of the program
            var deep = new Thread(() => Deep.Down(0), 1 << 20) { Name = "deep" };
            deep.Start();
            deep.Join();
            break;
        case "killed":  // before the agent has sent anything of the thread
            new Thread(Last.Call) { Name = "the last one" }.Start();
            break;
        case "burn":
            worker.Do(() => Desk.Burn(count));
            break;
        case "nest":  // a call that is running when the capture opens, and ends in it
            worker.Begin(() => Desk.Hold());
            break;
        case "release":
            Desk.Gate.Set();
            worker.Wait();
            break;
        case "load":  // code of a module that comes now
            Assembly.LoadFrom(Path.Combine(AppContext.BaseDirectory, "guest.dll"))
                .GetType("Guest")!.GetMethod("Visit")!.CreateDelegate<Action<int>>()(count);
            Counts.Add("Guest.Visit", 1);
            Counts.Add("Guest.Greet", count);
            break;
        case "made":  // code of an assembly that has been made at run time, when it was first asked for
            for (int i = 0; i < count; ++i) Maker.Made();
            break;
        case "lines":  // where an exception came from, as its stack trace tells
            Console.WriteLine(JsonSerializer.Serialize(Fall.Lines(Fall.Loop)));
            continue;
        case "guest":  // the same in a module that comes now
            Console.WriteLine(JsonSerializer.Serialize(Fall.Lines(
                Assembly.LoadFrom(Path.Combine(AppContext.BaseDirectory, "guest.dll"))
                    .GetType("Guest")!.GetMethod("Fall")!.CreateDelegate<Func<int, int>>())));
            continue;
        case "storm":  // eight threads, and collections without end
            Storm.Begin(count);
            break;
        case "time":  // what a fixed piece of work takes, in nanoseconds
            Console.WriteLine(Desk.Measure(count));
            continue;
    }
    Console.WriteLine(Counts.Text());
}

static class Counts
{
    static readonly Dictionary<string, long> Values = new();

    public static void Add(string name, long by)
    {
        lock (Values) Values[name] = Values.GetValueOrDefault(name) + by;
    }

    public static string Text()
    {
        lock (Values) return JsonSerializer.Serialize(Values);
    }
}

/// A thread whose outermost method never returns.
sealed class Worker : IDisposable
{
    readonly AutoResetEvent go = new(false);
    readonly AutoResetEvent done = new(false);
    Action? action;

    public Worker()
    {
        new Thread(Loop) { Name = "worker", IsBackground = true }.Start();
    }

    void Loop()
    {
        while (true)
        {
            go.WaitOne();
            action!();
            done.Set();
        }
    }

    public void Do(Action what)
    {
        Begin(what);
        Wait();
    }

    public void Begin(Action what)
    {
        action = what;
        go.Set();
    }

    public void Wait() => done.WaitOne();

    public void Dispose() { }
}

static class Ticker
{
    public static void Run()
    {
        while (Desk.Ticking)
        {
            Tick();
            Thread.Sleep(1);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Tick() => Counts.Add("Ticker.Tick", 1);
}

static class Desk
{
    public static volatile bool Ticking;
    public static readonly ManualResetEvent Gate = new(false);
    static long sum;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void ServeMany(int count)
    {
        for (int i = 0; i < count; ++i) Serve(i);
        Counts.Add("Desk.ServeMany", 1);
        Counts.Add("Desk.Serve", count);
        Counts.Add("Desk.Cook", 3L * count);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Serve(int guest)
    {
        for (int course = 0; course < 3; ++course) Cook(guest, course);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Cook(int guest, int course) => sum += guest ^ course;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Burn(int milliseconds)
    {
        long end = Stopwatch.GetTimestamp() + milliseconds * Stopwatch.Frequency / 1000;
        while (Stopwatch.GetTimestamp() < end) { }
        Counts.Add("Desk.Burn", 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Hold()
    {
        Gate.WaitOne();
        Gate.Reset();
        Inside();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Inside()
    {
        ++sum;
        Counts.Add("Desk.Inside", 1);
    }

    public static long Measure(int turns)
    {
        long begin = Stopwatch.GetTimestamp();
        for (int i = 0; i < turns; ++i) Serve(i);
        Counts.Add("Desk.Serve", turns);
        Counts.Add("Desk.Cook", 3L * turns);
        return (Stopwatch.GetTimestamp() - begin) * 1_000_000_000 / Stopwatch.Frequency;
    }
}

static class Late
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void First(int i)
    {
        Second(i);
        Counts.Add("Late.First", 1);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Second(int i) => Counts.Add("Late.Second", 1);
}

static class Box
{
    static object? kept;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Keep<T>(T value)
    {
        kept = value;
        Counts.Add("Box.Keep", 1);
    }
}

static class Lock
{
    static volatile bool held, asking;

    /// Calls a method that then waits so long for its lock, which another thread holds.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Ask(int milliseconds)
    {
        Thread asker = Thread.CurrentThread;
        held = asking = false;
        var holder = new Thread(() => Hold(asker, milliseconds));
        holder.Start();
        while (!held) Thread.Sleep(1);
        asking = true;
        Waits();
        holder.Join();
        Counts.Add("Lock.Waits", 1);
    }

    static void Hold(Thread asker, int milliseconds)
    {
        lock (typeof(Lock))
        {
            held = true;
            while (!asking || (asker.ThreadState & System.Threading.ThreadState.WaitSleepJoin) == 0) Thread.Sleep(1);
            Thread.Sleep(milliseconds);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.Synchronized)]
    static void Waits() => asking = false;
}

static class Deep
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Down(int depth) => Down(depth + 1) + 1;
}

static class Last
{
    [DllImport("libc")]
    static extern int kill(int process, int signal);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Call() => kill(Environment.ProcessId, 9);
}

static class Storm
{
    public static void Begin(int count)
    {
        bool done = false;
        var collector = new Thread(() => { while (!Volatile.Read(ref done)) GC.Collect(); });
        collector.Start();
        var threads = new Thread[8];
        for (int i = 0; i < threads.Length; ++i)
        {
            threads[i] = new Thread(() => Desk.ServeMany(count));
            threads[i].Start();
        }
        foreach (Thread thread in threads) thread.Join();
        Volatile.Write(ref done, true);
        collector.Join();
    }
}

static class Fall
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Catch()
    {
        Counts.Add("Fall.Catch", 1);
        try { Through(); }
        catch (InvalidOperationException) { Counts.Add("Fall.Caught", 1); }
    }

    /// "Method:line" of each frame, from the throw outwards.
    public static string[] Lines(Func<int, int> fails)
    {
        try { fails(3); }
        catch (InvalidOperationException failure)
        {
            return Array.ConvertAll(new StackTrace(failure, true).GetFrames(),
                                    frame => $"{frame.GetMethod()!.Name}:{frame.GetFileLineNumber()}");
        }
        return [];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Early(int count) => Loop(count + 1);

    /// Short branches, calls at an end, a loop and a protected region before the call that throws.
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Loop(int count)
    {
        if (count < 0) return Early(count);
        int sum = 0;
        for (int i = 0; i < count; ++i)
        {
            sum += i % 2 == 0 ? i : -i;
        }
        try
        {
            sum += sum == 1
                ? 1
                : 2;
            Through();
        }
        finally
        {
            sum += 3;
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Through()
    {
        Counts.Add("Fall.Through", 1);
        Down();
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Down()
    {
        Counts.Add("Fall.Down", 1);
        throw new InvalidOperationException();
    }
}
