// SPDX-License-Identifier: MIT
// Known shares, for samplers: one thread spends its time 1:2:4 in three loops, one sleeps, one is in
// native code all the time. Runs for the seconds given, or until its input ends.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

static class Program
{
    static volatile bool over;
    static volatile uint sink;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Spin(int rounds)
    {
        uint value = 1;
        for (int i = 0; i < rounds; i++)
            value = value * 1664525 + 1013904223;
        sink = value;
    }

    const int Unit = 200_000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void One()
    {
        for (int i = 0; i < 1; i++)
            Spin(Unit);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Two()
    {
        for (int i = 0; i < 2; i++)
            Spin(Unit);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Four()
    {
        for (int i = 0; i < 4; i++)
            Spin(Unit);
    }

    static void Busy()
    {
        while (!over)
        {
            One();
            Two();
            Four();
        }
    }

    static void Sleeper()
    {
        while (!over)
            Thread.Sleep(50);
    }

    [DllImport("libc")]
    static extern IntPtr memset(IntPtr memory, int value, nint bytes);

    static void Native()
    {
        const int bytes = 1 << 24;
        IntPtr memory = Marshal.AllocHGlobal(bytes);
        while (!over)
            memset(memory, 1, bytes);
        Marshal.FreeHGlobal(memory);
    }

    static Thread Start(string name, ThreadStart body)
    {
        var thread = new Thread(body) { Name = name };
        thread.Start();
        return thread;
    }

    static void Main(string[] arguments)
    {
        Thread[] threads = { Start("busy", Busy), Start("sleeper", Sleeper), Start("native", Native) };
        Console.WriteLine(Environment.ProcessId);
        Console.Out.Flush();
        if (arguments.Length > 0)
            Thread.Sleep(TimeSpan.FromSeconds(double.Parse(arguments[0])));
        else
            Console.In.ReadToEnd();
        over = true;
        foreach (Thread thread in threads)
            thread.Join();
    }
}
