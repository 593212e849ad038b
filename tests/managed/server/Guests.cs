// SPDX-License-Identifier: MIT
// Code that comes and goes while the server runs.
using System;
using System.IO;
using System.Reflection;
using System.Runtime.Loader;
using System.Threading;

namespace Server;

static class Guests
{
    const int CollectEvery = 16;

    static int visits;

    /// How many there have been. Every few ones are collected.
    public static string Visit()
    {
        var context = new AssemblyLoadContext("guest", isCollectible: true);
        Assembly copy = context.LoadFromAssemblyPath(Path.Combine(AppContext.BaseDirectory, "guest.dll"));
        copy.GetType("Guest")!.GetMethod("Visit")!.CreateDelegate<Action<int>>()(10);
        context.Unload();
        int visit = Interlocked.Increment(ref visits);
        if (visit % CollectEvery == 0)
        {
            GC.Collect();
        }
        return visit.ToString();
    }
}
