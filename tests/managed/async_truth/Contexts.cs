// SPDX-License-Identifier: MIT
// Where a call goes on: threads of awaiters, contexts, forced yields.
using System;
using System.Collections.Concurrent;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

/// Goes on on a thread that is made for it.
readonly struct NewThread : INotifyCompletion
{
    public NewThread GetAwaiter() => this;
    public bool IsCompleted => false;
    public void GetResult() { }
    public void OnCompleted(Action continuation) => new Thread(() => continuation()).Start();
}

/// Goes on by an item of the thread pool that somebody else has made.
sealed class Handed : ICriticalNotifyCompletion
{
    public Handed GetAwaiter() => this;
    public bool IsCompleted => false;
    public void GetResult() { }
    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);
    public void UnsafeOnCompleted(Action continuation) => ThreadPool.UnsafeQueueUserWorkItem(_ => continuation(), null);
}

/// Runs what is posted to it on one thread, one after the other.
sealed class Pump : SynchronizationContext
{
    readonly BlockingCollection<(SendOrPostCallback, object?)> posted = new();

    public override void Post(SendOrPostCallback callback, object? state) => posted.Add((callback, state));

    public void Run(Func<Task> begin)
    {
        SetSynchronizationContext(this);
        Task task = begin();
        task.ContinueWith(_ => posted.CompleteAdding(), TaskScheduler.Default);
        foreach (var (callback, state) in posted.GetConsumingEnumerable())
        {
            callback(state);
        }
        SetSynchronizationContext(null);
        task.GetAwaiter().GetResult();
    }
}

static class Contexts
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Contexts.Run");
        await me.On(Awaiters(me), "child Contexts.Awaiters");
        await me.On(Forces(me), "child Contexts.Forces");
        await me.On(Flows(me), "child Contexts.Flows");
        await me.On(Suppresses(me), "child Contexts.Suppresses");
        me.Ends();
    }

    static async Task Awaiters(By by)
    {
        Call me = by.Calls("Contexts.Awaiters");
        for (int i = 0; i < 5; i++)
        {
            me.Awaits("outside ");
            await new NewThread();
            await me.On(Inner(me), "child Contexts.Inner");
            me.Awaits("outside ");
            await new Handed();
            await me.On(Inner(me), "child Contexts.Inner");
        }
        me.Ends();
    }

    static async Task Inner(By by)
    {
        Call me = by.Calls("Contexts.Inner");
        await me.Yield();
        me.Ends();
    }

    static async Task<int> Ready(By by)
    {
        Call me = by.Calls("Contexts.Ready");
        await me.On(Task.CompletedTask, "outside Task");
        return me.Ends(1);
    }

    /// What is there is waited for all the same.
    static async Task Forces(By by)
    {
        Call me = by.Calls("Contexts.Forces");
        me.Awaits("outside *");
        await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        Task<int> ready = Ready(me);
        me.Awaits("outside *");
        await ready.ConfigureAwait(ConfigureAwaitOptions.ForceYielding |
                                   ConfigureAwaitOptions.ContinueOnCapturedContext);
        me.Ends();
    }

    static async Task Flows(By by)
    {
        Call me = by.Calls("Contexts.Flows");
        var local = new AsyncLocal<int> { Value = 1 };
        await me.Yield();
        local.Value++;
        await me.On(Inner(me), "child Contexts.Inner");
        Task runs;
        using (ExecutionContext.SuppressFlow())
        {
            runs = Task.Run(() => Inner(me.Spawns));
        }
        await me.On(runs, "outside Task.Run");
        me.Ends();
    }

#if RUNTIME_ASYNC
    const string SuppressedChild = "outside ";  // its awaiter takes a delegate, which does not tell whose it is
#else
    const string SuppressedChild = "child Contexts.Inner";
#endif

    static async Task Suppresses(By by)
    {
        Call me = by.Calls("Contexts.Suppresses");
        Task failed = Task.FromException(new InvalidOperationException("nobody hears it"));
        await me.On(failed, "outside Task")
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        await me.On(Inner(me), SuppressedChild).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        me.Ends();
    }

    public static async Task Posted(By by)
    {
        Call me = by.Calls("Contexts.Posted");
        await me.On(Task.Delay(1), "outside Task.Delay");
        await me.On(Inner(me), "child Contexts.Inner");
        await me.Yield();
        me.Ends();
    }
}
