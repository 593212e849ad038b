// SPDX-License-Identifier: MIT
// As many calls alive at once as are asked for.
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Many
{
    public static async Task All(By by, int alive)
    {
        Call me = by.Calls("Many.All");
        var gate = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var calls = new Task[alive];
        for (int i = 0; i < alive; i++)
        {
            calls[i] = i % 2 == 0 ? Waits(me, gate.Task) : Sleeps(me, 100 + i % 200);
        }
        gate.SetResult();
        await me.On(Task.WhenAll(calls), "outside Task.WhenAll");
        me.Ends();
    }

    static async Task Waits(By by, Task gate)
    {
        Call me = by.Calls("Many.Waits");
        me.Awaits("outside Task");
        await gate;
        await me.Yield();
        me.Ends();
    }

    static async Task Sleeps(By by, int ms)
    {
        Call me = by.Calls("Many.Sleeps");
        await me.On(Task.Delay(ms), "outside Task.Delay");
        me.Ends();
    }
}
