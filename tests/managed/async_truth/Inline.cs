// SPDX-License-Identifier: MIT
// Calls that go on inside others: a task's continuation runs on the thread that ends the task, before that goes on.
using System;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Inline
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Inline.Run");
        for (int i = 0; i < 5; i++)
        {
            var gate = new TaskCompletionSource();
            Task waits = Waits(me, gate.Task), sets = Sets(me, gate);
            await me.On(Task.WhenAll(waits, sets), "outside Task.WhenAll");
            await me.On(LongTail(me), "child Inline.LongTail");
            Steps(me);
        }
        me.Ends();
    }

    static async Task Waits(By by, Task gate)
    {
        Call me = by.Calls("Inline.Waits");
        me.Awaits("outside Task");
        await gate;
        me.Runs(1000);
        await me.On(Chains.Ready(me), "child Chains.Ready");
        await me.Yield();
        me.Ends();
    }

    static async Task Sets(By by, TaskCompletionSource gate)
    {
        Call me = by.Calls("Inline.Sets");
        await me.On(Task.Delay(2), "outside Task.Delay");
        gate.SetResult();
        me.Runs(500);
        me.Ends();
    }

    /// Its caller goes on before its MoveNext returns: that is none of its time.
    static async Task Short(By by)
    {
        Call me = by.Calls("Inline.Short");
        await me.Yield();
        me.Ends();
    }

    static async Task LongTail(By by)
    {
        Call me = by.Calls("Inline.LongTail");
        await me.On(Short(me), "child Inline.Short");
        me.Runs(2000);
        me.Ends();
    }

    /// All of it on this thread: a step ends when everybody waits for the next one.
    static void Steps(By by)
    {
        var gates = new TaskCompletionSource[8];
        for (int i = 0; i < gates.Length; i++)
        {
            gates[i] = new TaskCompletionSource();
        }
        Task outer = Outer(by, gates);
        foreach (TaskCompletionSource gate in gates)
        {
            gate.SetResult();
        }
        outer.Wait();
    }

    static async Task Outer(By by, TaskCompletionSource[] gates)
    {
        Call me = by.Calls("Inline.Outer");
        for (int i = 0; i < gates.Length; i += 2)
        {
            me.Awaits("child Inline.Step");
            await Step(me, gates[i].Task, gates[i + 1].Task);
        }
        me.Ends();
    }

    static async Task<int> Step(By by, Task first, Task second)
    {
        Call me = by.Calls("Inline.Step");
        me.Awaits("outside Task");
        await first;
        me.Runs(50);
        me.Awaits("outside Task");
        await second;
        return me.Ends(1);
    }
}
