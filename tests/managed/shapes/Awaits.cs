// SPDX-License-Identifier: MIT
// async and await with real suspensions. A hand-made scheduler makes their number certain.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace Shapes;

/// Always suspends; the continuation runs when Pump takes it, or on the thread pool.
readonly struct Hop : ICriticalNotifyCompletion
{
    static readonly Queue<Action> waiting = new();
    readonly bool to_pool;

    Hop(bool to_pool) => this.to_pool = to_pool;

    public static Hop ToPump => new(false);
    public static Hop ToPool => new(true);

    public Hop GetAwaiter() => this;
    public bool IsCompleted => false;
    public void GetResult() { }
    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation)
    {
        if (to_pool)
        {
            ThreadPool.QueueUserWorkItem(_ => continuation());
        }
        else
        {
            waiting.Enqueue(continuation);
        }
    }

    public static void Pump()
    {
        while (waiting.TryDequeue(out Action? next))
        {
            next();
        }
    }
}

static class Awaits
{
    const int Rounds = 2_000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Half(int value) => value / 2;

    static async Task<int> Leaf(int value)
    {
        await Hop.ToPump;
        int half = Half(value);
        await Hop.ToPump;
        return half + Half(value);
    }

    /// Leaf has always suspended when this awaits it, so this suspends too: once a step.
    static async Task<long> Chain(int steps)
    {
        long sum = 0;
        for (int i = 0; i < steps; i++)
        {
            sum += await Leaf(2 * i);
        }
        return sum;
    }

    static async Task<int> Ready(int value)
    {
        await Task.CompletedTask;
        return value;
    }

    static async ValueTask<int> Pooled(int hops)
    {
        int done = 0;
        while (done < hops)
        {
            await Hop.ToPool;
            done++;
        }
        return done;
    }

    static async IAsyncEnumerable<int> Stream(int length)
    {
        for (int i = 0; i < length; i++)
        {
            await Hop.ToPump;
            yield return i;
        }
    }

    static async Task<long> Drain(int length)
    {
        long sum = 0;
        await foreach (int value in Stream(length))
        {
            sum += value;
        }
        return sum;
    }

    public static void Run()
    {
        Task<long> chain = Chain(Rounds);
        Hop.Pump();
        Expect.Equal(chain.Result, (long)Rounds * (Rounds - 1), "async chain");
        // Each counts the call that makes the task and every run of its state machine.
        Expect.Calls("Awaits.Chain", 1 + 1 + Rounds);
        Expect.Calls("Awaits.Leaf", (1 + 3) * Rounds);
        Expect.Calls("Awaits.Half", 2 * Rounds);

        int ready = 0;
        for (int i = 0; i < Rounds; i++)
        {
            ready += Ready(1).Result;
        }
        Expect.Equal(ready, Rounds, "completed tasks");
        Expect.Calls("Awaits.Ready", 2 * Rounds);

        Expect.Equal(Pooled(Rounds).AsTask().Result, Rounds, "pooled");
        Expect.Calls("Awaits.Pooled", 1 + 1 + Rounds);

        Task<long> drained = Drain(Rounds);
        Hop.Pump();
        Expect.Equal(drained.Result, (long)Rounds * (Rounds - 1) / 2, "async stream");
        // Every element suspends once, so its MoveNext runs twice and Drain's once; the last look
        // finds the end at once, without a suspension.
        Expect.Calls("Awaits.Drain", 1 + 1 + Rounds);
        Expect.Calls("Awaits.Stream", 1 + 2 * Rounds + 1);
    }
}
