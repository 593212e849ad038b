// SPDX-License-Identifier: MIT
// One call for each thing that a call's time can be spent in, measured around it.
using System.Diagnostics;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Parts
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Parts.Run");
        for (int i = 0; i < 3; i++)
        {
            Task shared = Sleeps(me);
            await me.On(OfOthers(me, shared), "child Parts.OfOthers");
            Task[] two = { Sleeps(me), Sleeps(me) };
            await me.On(OfOthersTogether(me, two), "child Parts.OfOthersTogether");
            await me.On(OfChildren(me), "child Parts.OfChildren");
            await me.On(Outside(me), "child Parts.Outside");
            await me.On(Running(me), "child Parts.Running");
        }
        me.Ends();
    }

    static async Task Sleeps(By by)
    {
        Call me = by.Calls("Parts.Sleeps");
        await me.On(Task.Delay(10), "outside Task.Delay");
        me.Ends();
    }

    static async Task OfOthers(By by, Task shared)
    {
        Call me = by.Calls("Parts.OfOthers");
        long since = Stopwatch.GetTimestamp();
        await me.On(shared, "other Parts.Sleeps");
        me.Spent("others_ns", since);
        me.Ends();
    }

    static async Task OfOthersTogether(By by, Task[] shared)
    {
        Call me = by.Calls("Parts.OfOthersTogether");
        long since = Stopwatch.GetTimestamp();
        await me.On(Task.WhenAll(shared), "outside Task.WhenAll");
        me.Spent("others_ns", since);
        me.Ends();
    }

    static async Task OfChildren(By by)
    {
        Call me = by.Calls("Parts.OfChildren");
        Task own = Sleeps(me);
        long since = Stopwatch.GetTimestamp();
        await me.On(own, "child Parts.Sleeps");
        me.Spent("children_ns", since);
        Task[] two = { Sleeps(me), Sleeps(me) };
        since = Stopwatch.GetTimestamp();
        await me.On(Task.WhenAll(two), "outside Task.WhenAll");
        me.Spent("children_ns", since);
        // Beside a child of its own it waits for something else.
        own = Sleeps(me);
        since = Stopwatch.GetTimestamp();
        await me.On(Task.Delay(2), "outside Task.Delay");
        me.Spent("outside_ns", since);
        since = Stopwatch.GetTimestamp();
        await me.On(own, "child Parts.Sleeps");
        me.Spent("children_ns", since);
        me.Ends();
    }

    static async Task Outside(By by)
    {
        Call me = by.Calls("Parts.Outside");
        long since = Stopwatch.GetTimestamp();
        await me.On(Task.Delay(5), "outside Task.Delay");
        me.Spent("outside_ns", since);
        since = Stopwatch.GetTimestamp();
        await me.On(Task.WhenAll(Task.Delay(4), Task.Delay(5)), "outside Task.WhenAll");
        me.Spent("outside_ns", since);
        me.Ends();
    }

    static async Task Running(By by)
    {
        Call me = by.Calls("Parts.Running");
        await me.On(Task.Delay(1), "outside Task.Delay");
        long since = Stopwatch.GetTimestamp();
        me.Runs(2000);
        me.Spent("running_ns", since);
        await me.On(Ready(me, me), "child Parts.Ready");
        me.Ends();
    }

    /// Above its caller on the same thread.
    static async Task Ready(By by, Call caller)
    {
        Call me = by.Calls("Parts.Ready");
        long since = Stopwatch.GetTimestamp();
        me.Runs(3000);
        me.Spent("running_ns", since);
        caller.Spent("children_ns", since);
        await me.On(Task.CompletedTask, "outside Task");
        me.Ends();
    }
}
