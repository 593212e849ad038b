// SPDX-License-Identifier: MIT
// Async iterators: each MoveNextAsync is a call.
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Iterators
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Iterators.Run");
        await me.On(Eats(me), "child Iterators.Eats");
        await me.On(EatsBroken(me), "child Iterators.EatsBroken");
        me.Ends();
    }

    /// One call an element, and one that finds the end; every second one suspends.
    static async IAsyncEnumerable<int> Items(By by, int n)
    {
        for (int i = 0; i < n; i++)
        {
            Call me = by.Calls("Iterators.Items");
            if (i % 2 == 0)
            {
                await me.Yield();
            }
            if (i % 3 == 0)
            {
                await me.On(Chains.Ready(me), "child Chains.Ready");
            }
            me.Ends();
            yield return i;
        }
        Call last = by.Calls("Iterators.Items");
        last.Ends();
    }

    static async Task Eats(By by)
    {
        Call me = by.Calls("Iterators.Eats");
        IAsyncEnumerator<int> items = Items(me, 60).GetAsyncEnumerator();
        while (await me.On(items.MoveNextAsync(), "child Iterators.Items"))
        {
            me.Runs(100);
        }
        await items.DisposeAsync();
        me.Ends();
    }

    static async IAsyncEnumerable<int> Broken(By by)
    {
        Call me = by.Calls("Iterators.Broken");
        await me.Yield();
        me.Ends();
        yield return 1;
        me = by.Calls("Iterators.Broken");
        await me.Yield();
        throw me.Fails(new InvalidOperationException("an iterator's"));
    }

    static async Task EatsBroken(By by)
    {
        Call me = by.Calls("Iterators.EatsBroken");
        IAsyncEnumerator<int> items = Broken(me).GetAsyncEnumerator();
        long since = Stopwatch.GetTimestamp();
        try
        {
            while (await me.On(items.MoveNextAsync(), "child Iterators.Broken"))
            {
                CallBook.Now.Saw("Iterators.Broken", since);
                since = Stopwatch.GetTimestamp();
            }
        }
        catch (InvalidOperationException)
        {
            CallBook.Now.Saw("Iterators.Broken", since);
        }
        me.Ends();
    }
}
