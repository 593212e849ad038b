// SPDX-License-Identifier: MIT
// Parallel's loops: whoever begins one has spawned what its bodies call.
using System.Linq;
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Loops
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Loops.Run");
        await me.On(For(me), "child Loops.For");
        await me.On(ForEach(me), "child Loops.ForEach");
        me.Ends();
    }

    static async Task For(By by)
    {
        Call me = by.Calls("Loops.For");
        await me.Yield();
        Parallel.For(0, 8, _ => Body(me.Spawns).Wait());
        Parallel.ForEach(Enumerable.Range(0, 8), _ => Body(me.Spawns).Wait());
        Parallel.Invoke(() => Body(me.Spawns).Wait(), () => Body(me.Spawns).Wait());
        me.Ends();
    }

    static async Task Body(By by)
    {
        Call me = by.Calls("Loops.Body");
        me.Runs(20);
        await me.Yield();
        me.Ends();
    }

    static async Task ForEach(By by)
    {
        Call me = by.Calls("Loops.ForEach");
        var options = new ParallelOptions { MaxDegreeOfParallelism = 4 };
        await me.On(Parallel.ForEachAsync(Enumerable.Range(0, 60), options, async (i, cancel) =>
        {
            Call one = me.Spawns.Calls("Loops.ForEach.lambda");
            if (i % 3 != 0)
            {
                await one.On(Task.Delay(i % 3, cancel), "outside Task.Delay");
            }
            await one.On(Body(one), "child Loops.Body");
            one.Ends();
        }), "outside *");
        me.Ends();
    }
}
