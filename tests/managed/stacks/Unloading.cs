// SPDX-License-Identifier: MIT
// An assembly loaded, called and unloaded again and again: its functions come and go.
using System;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.Loader;
using Umbra.Testing;

namespace Stacks;

static class Guest
{
    public static int Visit(int calls)
    {
        int sum = 0;
        for (int i = 0; i < calls; i++)
        {
            sum += Greet(i);
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Greet(int i) => i & 1;
}

static class Unloading
{
    const int CallsALoad = 100;

    /// Loads this very program once more into a context of its own and calls Guest there. Inlined, it
    /// might leave the context alive on the stack of its caller.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static WeakReference LoadAndCall()
    {
        var context = new AssemblyLoadContext("guest", isCollectible: true);
        Assembly copy = context.LoadFromAssemblyPath(typeof(Unloading).Assembly.Location);
        MethodInfo visit = copy.GetType("Stacks.Guest")!.GetMethod("Visit")!;
        Expect.Equal((int)visit.Invoke(null, new object[] { CallsALoad })!, CallsALoad / 2, "guest");
        context.Unload();
        return new WeakReference(context);
    }

    public static void RunAll(int loads)
    {
        int unloaded = 0;
        for (int i = 0; i < loads; i++)
        {
            WeakReference context = LoadAndCall();
            for (int attempt = 0; context.IsAlive && attempt < 10; attempt++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
            unloaded += context.IsAlive ? 0 : 1;
        }
        Expect.Equal(unloaded > 0, true, "unloaded contexts");
        Expect.Calls("Guest.Visit", loads);
        Expect.Calls("Guest.Greet", loads * CallsALoad);
        Expect.Calls("Unloading.LoadAndCall", loads);
    }
}
