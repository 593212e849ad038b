// SPDX-License-Identifier: MIT
// All logical calls since the book was opened: by path, by method, by what they waited for.
using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.Diagnostics;
using System.Linq;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;

namespace Umbra.Testing;

/// Suspensions at awaits of one thing.
sealed class CallWait
{
    long least, most;

    public void Add(int fewest, int highest)
    {
        Interlocked.Add(ref least, fewest);
        Interlocked.Add(ref most, highest);
    }

    public long[] Told => new[] { least, most };
}

sealed class CallMethod
{
    readonly ConcurrentDictionary<string, CallWait> waits = new();
    readonly ConcurrentDictionary<string, long> spent = new();
    readonly List<long> lengths = new();
    public long Ran, QueuedLeast, QueuedMost;
    public long Seen;  ///< by callers, around their calls, where the method itself cannot see its end

    public CallWait WaitFor(string what) => waits.GetOrAdd(what, _ => new CallWait());

    public void Spent(string column, long ticks) => spent.AddOrUpdate(column, ticks, (_, sum) => sum + ticks);

    public void Took(long ticks)
    {
        lock (lengths)
        {
            lengths.Add(ticks);
        }
    }

    public object Told()
    {
        static long Nanoseconds(long ticks) => (long)(ticks * (1e9 / Stopwatch.Frequency));
        lock (lengths)
        {
            lengths.Sort();
            long[] ns = lengths.Select(Nanoseconds).ToArray();
            long At(double share) => ns.Length == 0 ? 0 : ns[(int)Math.Ceiling(share * ns.Length) - 1];
            return new
            {
                timed = ns.Length, sum = ns.Sum(), min = ns.FirstOrDefault(), max = ns.LastOrDefault(),
                p50 = At(0.5), p90 = At(0.9), p99 = At(0.99), ran = Nanoseconds(Ran),
                seen = Nanoseconds(Seen), queued = new[] { Nanoseconds(QueuedLeast), Nanoseconds(QueuedMost) },
                spent = spent.ToDictionary(row => row.Key, row => Nanoseconds(row.Value)),
                waits = waits.ToDictionary(row => row.Key, row => row.Value.Told),
            };
        }
    }
}

/// Who called whom. A call inside another one of its method is counted where that is.
sealed class CallPath
{
    readonly CallPath? parent;
    readonly string how;
    public readonly CallMethod Method;
    readonly string name;
    public long Results, Faults, Cancelled, Least, Most, NeverLeast, NeverMost;
    long calls, before;

    public CallPath(CallPath? parent, string how, string name, CallMethod method) =>
        (this.parent, this.how, this.name, Method) = (parent, how, name, method);

    public bool Is(string method) => name == method;
    public CallPath? Parent => parent;
    public override string ToString() => (parent == null ? "" : parent + "/") + how + " " + name;

    public void Begin(bool before)
    {
        Interlocked.Increment(ref calls);
        Interlocked.Add(ref this.before, before ? 1 : 0);
    }

    public long Open => calls - Results - Faults - Cancelled;

    public object Told() => new
    {
        calls, results = Results, faults = Faults, cancelled = Cancelled, open = Open, before,
        suspensions = new[] { Least, Most }, never_suspended = new[] { NeverLeast, NeverMost },
    };
}

public sealed class CallBook
{
    readonly ConcurrentDictionary<(CallPath?, string, string), CallPath> paths = new();
    readonly ConcurrentDictionary<string, CallMethod> methods = new();

    /// What calls are written into that begin now.
    public static CallBook Now { get; private set; } = new();

    /// Forgets all calls. Those that go on are not written down any more. What writes calls down is compiled
    /// here, and not between a call's begin and what it reads then.
    public static void Open()
    {
        for (int i = 0; i < 3; i++)
        {
            Now = new CallBook();
            Call outer = By.Nobody.Calls("Open.Outer"), inner = ((By)outer).Calls("Open.Inner");
            _ = outer.On(Task.CompletedTask, "outside *");
            _ = outer.On(Task.FromResult(i), "outside *");
            _ = outer.On(Task.FromResult(""), "outside *");
            _ = outer.On(default(ValueTask), "outside *");
            _ = outer.On(new ValueTask<int>(i), "outside *");
            _ = outer.On(new ValueTask<bool>(true), "outside *");
            _ = outer.Yield();
            outer.Awaits("child Open.Inner", 0, 1);
            inner.Runs(1);
            inner.Queued(0, 0);
            inner.Spent("running_ns", Stopwatch.GetTimestamp());
            inner.Spent("running_ns", Stopwatch.GetTimestamp());
            inner.Ends(i);
            inner.Ends("");
            inner.Fails(new InvalidOperationException());
            inner.Fails(new OperationCanceledException());
            inner.IsCaught(new InvalidOperationException());
            outer.Ends();
            Now.Saw("Open.Inner", 0);
        }
        Now = new CallBook();
    }

    CallMethod MethodOf(string name) => methods.GetOrAdd(name, _ => new CallMethod());

    internal CallPath Below(CallPath? parent, string how, string method)
    {
        for (CallPath? above = parent; above != null; above = above.Parent)
        {
            if (above.Is(method))
            {
                return above;
            }
        }
        return paths.GetOrAdd((parent, how, method),
                              key => new CallPath(key.Item1, key.Item2, key.Item3, MethodOf(key.Item3)));
    }

    /// A caller has seen a call of a method begin after `since` (of the stopwatch) and end by now. True,
    /// so that it can be part of a filter.
    public bool Saw(string method, long since)
    {
        Interlocked.Add(ref MethodOf(method).Seen, Stopwatch.GetTimestamp() - since);
        return true;
    }

    /// Calls that have not ended.
    public long Live => paths.Values.Sum(path => path.Open);

    /// One line of JSON.
    public string Told() => JsonSerializer.Serialize(new
    {
        paths = paths.Values.ToDictionary(path => path.ToString(), path => path.Told()),
        methods = methods.ToDictionary(row => row.Key, row => row.Value.Told()),
    });
}
