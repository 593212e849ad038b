// SPDX-License-Identifier: MIT
// Calls that nobody is known to have made: from threads, timers, and a program's own message loop; calls
// that had begun before anybody looked, and that never end.
using System.Collections.Generic;
using System.Threading;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Roots
{
    public static void Run()
    {
        var thread = new Thread(() => FromThread(By.Nobody).Wait());
        thread.Start();
        thread.Join();
        var pump = new Thread(() => new Pump().Run(() => Contexts.Posted(By.Nobody)));
        pump.Start();
        pump.Join();
        Timed();
    }

    static async Task FromThread(By by)
    {
        Call me = by.Calls("Roots.FromThread");
        await me.On(Chains.Leaf(me, 1), "child Chains.Leaf");
        me.Ends();
    }

    static void Timed()
    {
        Task? ticks = null;
        using var begun = new ManualResetEventSlim();
        using (new Timer(_ =>
        {
            ticks = FromTimer(By.Nobody);
            begun.Set();
        }, null, 1, Timeout.Infinite))
        {
            begun.Wait();
        }
        ticks!.Wait();
    }

    static async Task FromTimer(By by)
    {
        Call me = by.Calls("Roots.FromTimer");
        await me.On(Chains.Leaf(me, 1), "child Chains.Leaf");
        me.Ends();
    }
}

static class Late
{
    static readonly List<Task> kept = new();
    static TaskCompletionSource old = new();

    /// Their tasks are kept, so that they go on for as long as the program.
    public static void Never(By by)
    {
        kept.Add(Open(by, new TaskCompletionSource().Task));
        kept.Add(OpenUntold(by));
    }

    static async Task Open(By by, Task never)
    {
        Call me = by.Calls("Late.Open");
        await me.Yield();
        me.Awaits("outside Task");
        me.NeverEnds();
        await never;
        me.Ends();
    }

    sealed class Nothing : System.Runtime.CompilerServices.INotifyCompletion
    {
        System.Action? kept;
        public Nothing GetAwaiter() => this;
        public bool IsCompleted => false;
        public void GetResult() { }
        public void OnCompleted(System.Action continuation) => kept = continuation;
    }

    static readonly List<Nothing> nothings = new();

    /// Nothing tells what it waits for.
    static async Task OpenUntold(By by)
    {
        Call me = by.Calls("Late.OpenUntold");
        var nothing = new Nothing();
        nothings.Add(nothing);
        me.Awaits("outside ");
        me.NeverEnds();
        await nothing;
        me.Ends();
    }

    static readonly List<Task> olds = new();

    public static void Begin(int calls)
    {
        for (int i = 0; i < calls; i++)
        {
            olds.Add(Old(By.Nobody, old.Task));
        }
    }

    public static void End()
    {
        old.SetResult();
        Task.WaitAll(olds.ToArray());
        olds.Clear();
        old = new TaskCompletionSource();
    }

    /// What it did before it waited nobody has seen.
    static async Task Old(By by, Task gate)
    {
        Call me = by.Calls("Late.Old");
        await gate;
        me = By.Before.Calls("Late.Old");
        await me.Yield();
        await me.On(Chains.Leaf(me, 1), "child Chains.Leaf");
        me.Ends();
    }
}
