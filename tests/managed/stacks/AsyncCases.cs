// SPDX-License-Identifier: MIT
// Exceptions across awaits. Continuations run when Pump takes them, so the trees are certain.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;
using Umbra.Testing;

namespace Stacks;

/// Always suspends.
readonly struct Pause : ICriticalNotifyCompletion
{
    static readonly Queue<Action> waiting = new();

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public Pause GetAwaiter() => this;

    public bool IsCompleted
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => false;
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public void GetResult() { }

    public void OnCompleted(Action continuation) => waiting.Enqueue(continuation);

    public void UnsafeOnCompleted(Action continuation) => waiting.Enqueue(continuation);

    public static void Pump()
    {
        while (waiting.TryDequeue(out Action? next))
        {
            next();
        }
    }
}

static class AsyncThrow
{
    /// Calls of the methods below, wherever in the tree they stand: the plumbing between them is
    /// the library's.
    public static void Run()
    {
        for (int i = 0; i < 50; i++)
        {
            Task<int> task = Top();
            Pause.Pump();
            Expect.Equal(task.Result, 11, "async exceptions");
        }
        Expect.Calls("AsyncThrow.Top", 50 + 50 * 2);
        Expect.Calls("AsyncThrow.Leaf", 50 + 50 * 2);
        Expect.Calls("AsyncThrow.Throws", 50);
        Expect.Calls("AsyncThrow.Clean", 50);
        Expect.Calls("AsyncThrow.Handle", 50);
    }

    static async Task<int> Top()
    {
        int result = 0;
        try
        {
            result += await Leaf(() => result += Clean());
        }
        catch (InvalidOperationException)
        {
            result += Handle();
        }
        return result;
    }

    static async Task<int> Leaf(Action clean)
    {
        try
        {
            await default(Pause);
            return Throws();
        }
        finally
        {
            clean();
        }
    }

    static int Throws() => throw new InvalidOperationException("after a suspension");

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Clean() => 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Handle() => 10;
}

static class AsyncCases
{
    public static void RunAll() => AsyncThrow.Run();
}
