// SPDX-License-Identifier: MIT
// Calls of calls: awaited, combined, shared, recursive, blocked on.
using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Chains
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Chains.Run");
        await me.On(Top(me), "child Chains.Top");
        for (int i = 0; i < 20; i++)
        {
            await me.On(Ready(me), "child Chains.Ready");
        }
        await me.On(Wrapped(me), "child Chains.Inner");
        await me.On(Tree(me, 6), "child Chains.Tree");
        await me.On(Even(me, 9), "child Chains.Even");
        await me.On(Combines(me), "child Chains.Combines");
        await me.On(Shares(me), "child Chains.Shares");
        await me.On(Blocks(me), "child Chains.Blocks");
        me.Ends();
    }

    static async Task Top(By by)
    {
        Call me = by.Calls("Chains.Top");
        await me.On(Middle(me, 5), "child Chains.Middle");
        await me.On(Middle(me, 3), "child Chains.Middle");
        me.Ends();
    }

    static async Task<int> Middle(By by, int ms)
    {
        Call me = by.Calls("Chains.Middle");
        me.Runs(100);
        int sum = await me.On(Leaf(me, ms), "child Chains.Leaf");
        me.Runs(150);
        sum += await me.On(Leaf(me, ms), "child Chains.Leaf").ConfigureAwait(false);
        return me.Ends(sum);
    }

    public static async Task<int> Leaf(By by, int ms)
    {
        Call me = by.Calls("Chains.Leaf");
        me.Runs(200);
        await me.On(Task.Delay(ms), "outside Task.Delay");
        me.Runs(300);
        return me.Ends(ms);
    }

    /// Never suspends.
    public static async Task<int> Ready(By by)
    {
        Call me = by.Calls("Chains.Ready");
        int sum = await me.On(ReadyValue(me), "child Chains.ReadyValue");
        sum += await me.On(Task.FromResult(1), "outside Task");
        return me.Ends(sum);
    }

    static async ValueTask<int> ReadyValue(By by)
    {
        Call me = by.Calls("Chains.ReadyValue");
        await me.On(Task.CompletedTask, "outside Task");
        return me.Ends(1);
    }

    /// What is not async between two that are.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static Task Wrapped(By by) => Inner(by);

    static async Task Inner(By by)
    {
        Call me = by.Calls("Chains.Inner");
        await me.Yield();
        me.Ends();
    }

    /// 2^(depth + 1) - 1 calls.
    static async Task<int> Tree(By by, int depth)
    {
        Call me = by.Calls("Chains.Tree");
        if (depth == 0)
        {
            await me.Yield();
            return me.Ends(1);
        }
        Task<int> left = Tree(me, depth - 1);
        int right = await me.On(Tree(me, depth - 1), "child Chains.Tree");
        return me.Ends(right + await me.On(left, "child Chains.Tree"));
    }

    static async Task Even(By by, int n)
    {
        Call me = by.Calls("Chains.Even");
        await me.On(Odd(me, n - 1), "child Chains.Odd");
        me.Ends();
    }

    static async Task Odd(By by, int n)
    {
        Call me = by.Calls("Chains.Odd");
        if (n > 0)
        {
            await me.On(Even(me, n - 1), "child Chains.Even");
        }
        await me.Yield();
        me.Ends();
    }

    static async Task Combines(By by)
    {
        Call me = by.Calls("Chains.Combines");
        await me.On(Task.WhenAll(Enumerable.Range(0, 20).Select(i => Leaf(me, 1 + i % 3))), "outside Task.WhenAll");
        await me.On(Task.WhenAll(Enumerable.Range(0, 10).Select(async i =>
        {
            Call one = ((By)me).Calls("Chains.Combines.lambda#1");
            await one.On(Inner(one), "child Chains.Inner");
            one.Ends();
        })), "outside Task.WhenAll");
        Task first = Leaf(me, 1), second = Leaf(me, 40);
        await me.On(Task.WhenAny(first, second), "outside Task.WhenAny");
        await me.On(second, "child Chains.Leaf");
        await me.On(first, "child Chains.Leaf");
        Task[] three = { Leaf(me, 1), Leaf(me, 20), Leaf(me, 30) };
        await me.On(Task.WhenAny(three), "outside Task.WhenAny");
        await me.On(Task.WhenAll(three), "outside Task.WhenAll");
        me.Ends();
    }

    /// One makes it, all wait for it.
    static async Task Shares(By by)
    {
        Call me = by.Calls("Chains.Shares");
        var gate = new TaskCompletionSource();
        By maker = default;
        var shared = new Lazy<Task<int>>(() => Load(maker, gate.Task));
        var users = new Task[5];
        for (int i = 0; i < users.Length; i++)
        {
            users[i] = i == 0 ? Makes(me, shared, call => maker = call) : Uses(me, shared);
        }
        gate.SetResult();
        await me.On(Task.WhenAll(users), "outside Task.WhenAll");
        me.Ends();
    }

    static async Task Makes(By by, Lazy<Task<int>> shared, Action<By> becomes)
    {
        Call me = by.Calls("Chains.Makes");
        becomes(me);
        me.Awaits("child Chains.Load");
        await shared.Value;
        me.Ends();
    }

    static async Task Uses(By by, Lazy<Task<int>> shared)
    {
        Call me = by.Calls("Chains.Uses");
        me.Awaits("other Chains.Load");
        await shared.Value;
        me.Ends();
    }

    static async Task<int> Load(By by, Task gate)
    {
        Call me = by.Calls("Chains.Load");
        me.Awaits("outside Task");
        await gate;
        await me.On(Task.Delay(5), "outside Task.Delay");
        return me.Ends(1);
    }

    /// Sync over async.
    static async Task Blocks(By by)
    {
        Call me = by.Calls("Chains.Blocks");
        Leaf(me, 2).Wait();
        await me.Yield();
        int sum = Leaf(me, 1).Result + Leaf(me, 1).GetAwaiter().GetResult();
        me.Ends(sum);
    }
}
