// SPDX-License-Identifier: MIT
// Builders other than Task's: ValueTask, pooled ones, async void, one that wraps another.
using System;
using System.Linq;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Values
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Values.Run");
        for (int i = 0; i < 20; i++)
        {
            await me.On(Value(me), "child Values.Value");
            await me.On(Pooled(me), "child Values.Pooled");
            await me.On(Plain(me), "child Values.Plain");
        }
        await me.On(Task.WhenAll(Enumerable.Range(0, 50).Select(i => Countdown(me, 1 + i % 4).AsTask())),
                    "outside Task.WhenAll");
        await me.On(Wrapped(me), "child Values.Wrapped");
        await me.On(Tails(me), "child Values.Tails");
        for (int i = 0; i < 10; i++)
        {
            await me.On(Ended(me), "outside Task");
        }
        me.Ends();
    }

    static async ValueTask<int> Value(By by)
    {
        Call me = by.Calls("Values.Value");
        await me.Yield();
        await me.Yield();
        return me.Ends(1);
    }

    static async ValueTask Plain(By by)
    {
        Call me = by.Calls("Values.Plain");
        await me.On(Value(me), "child Values.Value").ConfigureAwait(false);
        me.Ends();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    static async ValueTask Pooled(By by)
    {
        Call me = by.Calls("Values.Pooled");
        await me.Yield();
        me.Ends();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    static async ValueTask<int> Countdown(By by, int n)
    {
        Call me = by.Calls("Values.Countdown");
        for (int i = 0; i < n; i++)
        {
            await me.Yield();
        }
        if (n > 1)
        {
            await me.On(Countdown(me, n - 1), "child Values.Countdown");
        }
        return me.Ends(n);
    }

    /// What goes on inside the callee's MoveNext is none of the callee's time.
    static async Task Tails(By by)
    {
        Call me = by.Calls("Values.Tails");
        for (int i = 0; i < 10; i++)
        {
            await me.On(Brief(me), "child Values.Brief");
            me.Runs(1000);
            await me.On(BriefPooled(me), "child Values.BriefPooled");
            // The next one may get the same box while the frame of this one is still there.
            await me.On(BriefPooled(me), "child Values.BriefPooled");
            me.Runs(1000);
            await me.On(BriefPooledInt(me), "child Values.BriefPooledInt");
            me.Runs(1000);
        }
        me.Ends();
    }

    static async ValueTask Brief(By by)
    {
        Call me = by.Calls("Values.Brief");
        await me.Yield();
        me.Ends();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder))]
    static async ValueTask BriefPooled(By by)
    {
        Call me = by.Calls("Values.BriefPooled");
        await me.Yield();
        me.Ends();
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    static async ValueTask<int> BriefPooledInt(By by)
    {
        Call me = by.Calls("Values.BriefPooledInt");
        await me.Yield();
        return me.Ends(1);
    }

    [AsyncMethodBuilder(typeof(WrappingBuilder))]
    static async Task Wrapped(By by)
    {
        Call me = by.Calls("Values.Wrapped");
        await me.On(Value(me), "child Values.Value");
        await me.Yield();
        me.Ends();
    }

    /// A task that ends when the call of an async void method has: that is told to the context.
    static Task Ended(By by)
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        var context = new Ends();
        SynchronizationContext.SetSynchronizationContext(context);
        try
        {
            Void(by);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }
        return context.Ended.Task;
    }

    sealed class Ends : SynchronizationContext
    {
        public readonly TaskCompletionSource Ended = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public override void OperationCompleted() => Ended.SetResult();
    }

    static async void Void(By by)
    {
        Call me = by.Calls("Values.Void");
        me.Awaits("outside ");
        await Task.Yield();
        me.Ends();
    }
}

/// As libraries make them that add something to the framework's.
struct WrappingBuilder
{
    AsyncTaskMethodBuilder inner;

    public static WrappingBuilder Create() => new() { inner = AsyncTaskMethodBuilder.Create() };
    public Task Task => inner.Task;
    public void SetResult() => inner.SetResult();
    public void SetException(Exception error) => inner.SetException(error);
    public void SetStateMachine(IAsyncStateMachine machine) => inner.SetStateMachine(machine);

    public void Start<TMachine>(ref TMachine machine) where TMachine : IAsyncStateMachine => inner.Start(ref machine);

    public void AwaitOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : INotifyCompletion where TMachine : IAsyncStateMachine =>
        inner.AwaitOnCompleted(ref awaiter, ref machine);

    public void AwaitUnsafeOnCompleted<TAwaiter, TMachine>(ref TAwaiter awaiter, ref TMachine machine)
        where TAwaiter : ICriticalNotifyCompletion where TMachine : IAsyncStateMachine =>
        inner.AwaitUnsafeOnCompleted(ref awaiter, ref machine);
}
