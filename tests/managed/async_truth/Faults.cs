// SPDX-License-Identifier: MIT
// Calls that end with an exception: before and after a suspension, cancelled, caught or passed on. When the
// exception has left a method only its caller can tell, and does.
using System;
using System.Diagnostics;
using System.IO;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Faults
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Faults.Run");
        for (int i = 0; i < 5; i++)
        {
            await me.On(CatchesOwn(me), "child Faults.CatchesOwn");
            await me.On(CatchesAtOnce(me), "child Faults.CatchesAtOnce");
            await me.On(CatchesValues(me), "child Faults.CatchesValues");
            await me.On(CatchesCancelled(me), "child Faults.CatchesCancelled");
            await me.On(CatchesOthers(me), "child Faults.CatchesOthers");
            await me.On(Void.Fails(me), "outside Task");
        }
        me.Ends();
    }

    static async Task CatchesOwn(By by)
    {
        Call me = by.Calls("Faults.CatchesOwn");
        long since = Stopwatch.GetTimestamp();
        try
        {
            await me.On(Passes(me), "child Faults.Passes");
        }
        catch (InvalidOperationException)
        {
            CallBook.Now.Saw("Faults.Passes", since);
        }
        since = Stopwatch.GetTimestamp();
        try
        {
            await me.On(Late(me), "child Faults.Late");
        }
        catch (InvalidOperationException)
        {
            CallBook.Now.Saw("Faults.Late", since);
        }
        me.Ends();
    }

    /// Its own exception is caught before it has ever suspended.
    static async Task CatchesAtOnce(By by)
    {
        Call me = by.Calls("Faults.CatchesAtOnce");
        long since = Stopwatch.GetTimestamp();
        try
        {
            await me.On(Early(me), "child Faults.Early");
        }
        catch (InvalidOperationException)
        {
            CallBook.Now.Saw("Faults.Early", since);
        }
        me.Ends();
    }

    /// What its callees have failed with goes through it.
    static async Task Passes(By by)
    {
        Call me = by.Calls("Faults.Passes");
        long since = Stopwatch.GetTimestamp();
        try
        {
            await me.On(Late(me), "child Faults.Late");
        }
        catch (InvalidOperationException)
        {
            CallBook.Now.Saw("Faults.Late", since);
        }
        since = Stopwatch.GetTimestamp();
        try
        {
            await me.On(Early(me), "child Faults.Early");
        }
        catch (InvalidOperationException error) when (CallBook.Now.Saw("Faults.Early", since) && me.IsCaught(error))
        {
        }
    }

    static async Task Early(By by)
    {
        Call me = by.Calls("Faults.Early");
        await me.On(Task.CompletedTask, "outside Task");
        throw me.Fails(new InvalidOperationException("early"));
    }

    static async Task Late(By by)
    {
        Call me = by.Calls("Faults.Late");
        await me.Yield();
        throw me.Fails(new InvalidOperationException("late"));
    }

    static async Task CatchesValues(By by)
    {
        Call me = by.Calls("Faults.CatchesValues");
        foreach (bool late in new[] { false, true })
        {
            long since = Stopwatch.GetTimestamp();
            try
            {
                await me.On(Value(me, late), "child Faults.Value");
            }
            catch (InvalidOperationException)
            {
                CallBook.Now.Saw("Faults.Value", since);
            }
            since = Stopwatch.GetTimestamp();
            try
            {
                await me.On(Pooled(me, late), "child Faults.Pooled");
            }
            catch (InvalidOperationException)
            {
                CallBook.Now.Saw("Faults.Pooled", since);
            }
        }
        me.Ends();
    }

    static async ValueTask<int> Value(By by, bool late)
    {
        Call me = by.Calls("Faults.Value");
        if (late)
        {
            await me.Yield();
        }
        throw me.Fails(new InvalidOperationException("a value"));
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    static async ValueTask<int> Pooled(By by, bool late)
    {
        Call me = by.Calls("Faults.Pooled");
        if (late)
        {
            await me.Yield();
        }
        throw me.Fails(new InvalidOperationException("pooled"));
    }

    static async Task CatchesCancelled(By by)
    {
        Call me = by.Calls("Faults.CatchesCancelled");
        long since;
        using (var soon = new CancellationTokenSource(2))
        {
            since = Stopwatch.GetTimestamp();
            try
            {
                await me.On(Cancelled(me, soon.Token), "child Faults.Cancelled");
            }
            catch (OperationCanceledException)
            {
                CallBook.Now.Saw("Faults.Cancelled", since);
            }
        }
        since = Stopwatch.GetTimestamp();
        try
        {
            await me.On(CancelledEarly(me, new CancellationToken(true)), "child Faults.CancelledEarly");
        }
        catch (OperationCanceledException)
        {
            CallBook.Now.Saw("Faults.CancelledEarly", since);
        }
        me.Ends();
    }

    static async Task Cancelled(By by, CancellationToken token)
    {
        Call me = by.Calls("Faults.Cancelled");
        try
        {
            await me.On(Task.Delay(Timeout.Infinite, token), "outside Task.Delay");
        }
        catch (OperationCanceledException error) when (me.IsCaught(error))
        {
        }
    }

    static async Task<int> CancelledEarly(By by, CancellationToken token)
    {
        Call me = by.Calls("Faults.CancelledEarly");
        await me.On(Task.CompletedTask, "outside Task");
        if (token.IsCancellationRequested)
        {
            throw me.Fails(new OperationCanceledException(token));
        }
        return me.Ends(1);
    }

    /// A method of the framework's fails at once. What calls it does not.
    static async Task CatchesOthers(By by)
    {
        Call me = by.Calls("Faults.CatchesOthers");
        try
        {
            await me.On(File.ReadAllTextAsync("/no such folder/file"), "outside *");
        }
        catch (IOException)
        {
        }
        await me.Yield();
        try
        {
            await me.On(File.ReadAllTextAsync("/no such folder/file"), "outside *");
        }
        catch (IOException)
        {
        }
        me.Ends();
    }
}

/// The exception of an async void method goes to the context it was called in.
static class Void
{
    sealed class Caught : SynchronizationContext
    {
        public readonly TaskCompletionSource Task = new(TaskCreationOptions.RunContinuationsAsynchronously);
        bool ended, caught;

        public override void Post(SendOrPostCallback callback, object? state)
        {
            try
            {
                callback(state);
            }
            catch (InvalidOperationException)
            {
                caught = true;
                Check();
            }
        }

        public override void OperationCompleted()
        {
            ended = true;
            Check();
        }

        void Check()
        {
            if (ended && caught)
            {
                Task.TrySetResult();
            }
        }
    }

    public static Task Fails(By by)
    {
        SynchronizationContext? before = SynchronizationContext.Current;
        var context = new Caught();
        SynchronizationContext.SetSynchronizationContext(context);
        long since = Stopwatch.GetTimestamp();
        try
        {
            Throws(by);
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(before);
        }
        CallBook.Now.Saw("Void.Throws", since);
        return context.Task.Task;
    }

    static async void Throws(By by)
    {
        Call me = by.Calls("Void.Throws");
        await me.On(Task.CompletedTask, "outside Task");
        throw me.Fails(new InvalidOperationException("void"));
    }
}
