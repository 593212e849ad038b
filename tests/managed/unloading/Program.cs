// SPDX-License-Identifier: MIT
// Loads libraries into collectible contexts, calls them and lets them go again, until its input
// ends. Answers each line with the number of contexts that have gone.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using System.Threading;
using Umbra.Testing;

var loaders = new Thread[2];
for (int i = 0; i < loaders.Length; ++i)
{
    loaders[i] = new Thread(Loader.Run) { Name = "loader" };
    loaders[i].Start();
}
while (Console.ReadLine() is not null) Console.WriteLine(Volatile.Read(ref Loader.Gone));
Loader.Ending = true;
foreach (Thread loader in loaders) loader.Join();

static class Loader
{
    // A library with a method to call, and a program with many methods to choose from.
    static readonly string[] Files = { "guest.dll", "shapes.dll", "names.dll" };
    const int ContextsAtOnce = 4;

    public static volatile bool Ending;
    public static long Gone;

    public static void Run()
    {
        var contexts = new WeakReference[ContextsAtOnce];
        while (!Ending)
        {
            for (int i = 0; i < contexts.Length; ++i) contexts[i] = LoadAndCall();
            for (int attempt = 0; attempt < 3; ++attempt)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            foreach (WeakReference context in contexts)
            {
                if (!context.IsAlive) Interlocked.Increment(ref Gone);
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference LoadAndCall()
    {
        var context = new AssemblyLoadContext("guests", isCollectible: true);
        foreach (string file in Files)
        {
            Assembly copy = context.LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, file));
            if (copy.GetType("Guest") is { } guest)
            {
                var visit = guest.GetMethod("Visit")!.CreateDelegate<Action<int>>();
                for (int i = 0; i < 10; ++i) visit(10);
                Expect.Equal(Greetings(guest), 450, "what the guest has added up");
            }
        }
        context.Unload();
        return new WeakReference(context);
    }

    static int Greetings(Type guest) =>
        (int)guest.GetField("sum", BindingFlags.NonPublic | BindingFlags.Static)!.GetValue(null)!;
}
