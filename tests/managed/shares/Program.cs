// SPDX-License-Identifier: MIT
// Known shares, for samplers: one thread spends its time 1:2:4 in three loops, one sleeps, one is in
// native code all the time. Runs until its input ends: shares [gc] [short-lived].
//
//   gc           another thread makes garbage and collects it, again and again
//   short-lived  other threads run code that is unloaded soon: dynamic methods, a collectible
//                assembly, threads that live for a moment
using System;
using System.Linq;
using System.Reflection;
using System.Reflection.Emit;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Runtime.Loader;
using System.Threading;

public static class Plugin
{
    public static int Work(int rounds)
    {
        int value = 1;
        for (int i = 0; i < rounds; i++)
            value = value * 31 + i;
        return value;
    }
}

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

    static void Collect()
    {
        for (int number = 1; !over; number++)
        {
            for (int i = 0; i < 1000; i++)
                sink = (uint)new byte[1000].Length;
            GC.Collect();
            // Else the main thread, which returns from a read, may wait a minute for its turn.
            if (number % 10 == 0)
                Thread.Sleep(1);
        }
    }

    static void MakeDynamic()
    {
        for (int number = 0; !over; number++)
        {
            var method = new DynamicMethod("made_" + number % 10, typeof(int), new[] { typeof(int) });
            ILGenerator il = method.GetILGenerator();
            il.Emit(OpCodes.Ldarg_0);
            il.Emit(OpCodes.Call, typeof(Plugin).GetMethod(nameof(Plugin.Work))!);
            il.Emit(OpCodes.Ret);
            method.CreateDelegate<Func<int, int>>()(1_000_000);
            if (number % 50 == 0)
                GC.Collect();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void RunPlugin()
    {
        var context = new AssemblyLoadContext("plugin", isCollectible: true);
        Assembly assembly = context.LoadFromAssemblyPath(typeof(Program).Assembly.Location);
        assembly.GetType(nameof(Plugin))!.GetMethod(nameof(Plugin.Work))!.Invoke(null, new object[] { 3_000_000 });
        context.Unload();
    }

    static void LoadPlugins()
    {
        while (!over)
        {
            RunPlugin();
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }
    }

    static void MakeThreads()
    {
        while (!over)
            Start("brief", () => Spin(Unit)).Join();
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
        if (arguments.Contains("gc"))
            Start("collector", Collect);
        if (arguments.Contains("short-lived"))
        {
            Start("dynamic", MakeDynamic);
            Start("plugins", LoadPlugins);
            Start("threads", MakeThreads);
        }
        Console.In.ReadToEnd();
        over = true;
        foreach (Thread thread in threads)
            thread.Join();
    }
}
