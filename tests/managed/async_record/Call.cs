// SPDX-License-Identifier: MIT
// What an async method knows of its own logical call, for the tests to compare.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Threading;
using System.Threading.Tasks;

namespace Umbra.Testing;

/// Who makes a call. A caller hands it to the async method that it calls, as a parameter like any other.
public readonly struct By
{
    readonly CallPath? path;
    readonly string how;

    internal By(CallPath? path, string how) => (this.path, this.how) = (path, how);

    public static By Nobody => new(null, "root");

    /// Of a call that had begun before anybody looked, and has just been taken up again.
    public static By Before => new(null, "before");

    /// The first thing that an async method does. `method` is "Type.Method", as the report shows it.
    public Call Calls(string method) => new(CallBook.Now.Below(path, how, method), how == "before");
}

/// One call, from the begin of its method's body to what it does last.
public sealed class Call
{
    readonly CallPath path;
    readonly bool before;
    readonly long begin = Stopwatch.GetTimestamp();
    // Suspensions: whether an await has to wait is often decided between this program's look and the
    // await's own.
    int least, most;
    CallWait? unsure;
    int unsure_thread;

    internal Call(CallPath path, bool before)
    {
        this.path = path;
        this.before = before;
        path.Begin(before);
    }

    /// Whoever is called from here.
    public static implicit operator By(Call call) => new(call.path, "called");

    /// Whoever is called by work that this hands to the thread pool or to a scheduler.
    public By Spawns => new(path, "spawned");

    /// In front of an await that suspends between `fewest` and `highest` times. `what` is a row of
    /// async_waits: "child Type.Method", "other Type.Method", "outside Task.Delay", "outside " (not told).
    public void Awaits(string what, int fewest = 1, int highest = 1)
    {
        Decide();
        CallWait wait = path.Method.WaitFor(what);
        wait.Add(fewest, highest);
        least += fewest;
        most += highest;
        if (fewest == 0 && highest == 1)
        {
            (unsure, unsure_thread) = (wait, Environment.CurrentManagedThreadId);
        }
    }

    /// Around what is awaited: await me.On(Load(me), "child Orders.Load").
    public Task On(Task task, string what) { Awaits(what, task.IsCompleted); return task; }
    public Task<T> On<T>(Task<T> task, string what) { Awaits(what, task.IsCompleted); return task; }
    public ValueTask On(ValueTask task, string what) { Awaits(what, task.IsCompleted); return task; }
    public ValueTask<T> On<T>(ValueTask<T> task, string what) { Awaits(what, task.IsCompleted); return task; }

    void Awaits(string what, bool completed) => Awaits(what, 0, completed ? 0 : 1);

    public YieldAwaitable Yield()
    {
        Awaits("outside ");
        return Task.Yield();
    }

    /// On this thread for so long, in no other call.
    public void Runs(int microseconds)
    {
        Decide();
        long start = Stopwatch.GetTimestamp(), end = start + microseconds * (Stopwatch.Frequency / 1_000_000);
        long now;
        do
        {
            now = Stopwatch.GetTimestamp();
        } while (now < end);
        Interlocked.Add(ref path.Method.Ran, now - start);
    }

    /// The first thing after an await: what was awaited was there between two times of the stopwatch, and
    /// since then no thread of the pool was free.
    public void Queued(long from, long to)
    {
        long now = Stopwatch.GetTimestamp();
        Interlocked.Add(ref path.Method.QueuedLeast, now - to);
        Interlocked.Add(ref path.Method.QueuedMost, now - from);
    }

    /// Since a time of the stopwatch it has done what a column of async_methods tells of.
    public void Spent(string column, long since)
    {
        Decide();
        path.Method.Spent(column, Stopwatch.GetTimestamp() - since);
    }

    /// The last thing before the result.
    public void Ends() => End(ref path.Results);
    public T Ends<T>(T value) { End(ref path.Results); return value; }
    /// The last thing before an exception, made by `new`: throw me.Fails(new Exception()).
    public T Fails<T>(T error) where T : Exception
    {
        End(ref error is OperationCanceledException ? ref path.Cancelled : ref path.Faults);
        return error;
    }
    /// As the filter of a catch: the exception goes through to the caller.
    public bool IsCaught(Exception error)
    {
        Fails(error);
        return false;
    }

    /// Whoever went on on another thread has waited.
    void Decide()
    {
        if (unsure != null && unsure_thread != Environment.CurrentManagedThreadId)
        {
            unsure.Add(1, 0);
            least++;
        }
        unsure = null;
    }

    void End(ref long outcome)
    {
        long ticks = Stopwatch.GetTimestamp() - begin;
        Decide();
        Interlocked.Add(ref path.Least, least);
        Interlocked.Add(ref path.Most, most);
        Interlocked.Add(ref path.NeverLeast, most == 0 ? 1 : 0);
        Interlocked.Add(ref path.NeverMost, least == 0 ? 1 : 0);
        if (!before)
        {
            path.Method.Took(ticks);
        }
        Interlocked.Increment(ref outcome);
    }

    /// Instead of an end: this call goes on for ever. Said before it waits.
    public void NeverEnds()
    {
        Interlocked.Add(ref path.Least, least);
        Interlocked.Add(ref path.Most, most);
    }
}
