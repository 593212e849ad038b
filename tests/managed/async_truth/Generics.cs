// SPDX-License-Identifier: MIT
// Generic methods and types: the row of each of their instantiations is one of the method's.
using System.Threading.Tasks;
using Umbra.Testing;

namespace AsyncTruth;

static class Generics
{
    public static async Task Run(By by)
    {
        Call me = by.Calls("Generics.Run");
        for (int i = 0; i < 5; i++)
        {
            await me.On(Gives(me, 1), "child Generics.Gives");
            await me.On(Gives(me, "text"), "child Generics.Gives");
            await me.On(Gives<object>(me, "text"), "child Generics.Gives");
            await me.On(Gives(me, (1.0, "x")), "child Generics.Gives");
            await me.On(new Box<int>().Gives(me), "child Box.Gives");
            await me.On(new Box<string>().Gives(me), "child Box.Gives");
        }
        me.Ends();
    }

    static async Task<T> Gives<T>(By by, T value)
    {
        Call me = by.Calls("Generics.Gives");
        await me.Yield();
        return me.Ends(value);
    }
}

sealed class Box<T>
{
    readonly T? value = default;

    public async ValueTask<T?> Gives(By by)
    {
        Call me = by.Calls("Box.Gives");
        await me.On(Task.Delay(1), "outside Task.Delay");
        await me.Yield();
        return me.Ends(value);
    }
}
