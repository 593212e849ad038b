// SPDX-License-Identifier: MIT
// Four chains of calls that the runtime suspends without end, so that each goes on on another thread every few
// microseconds: more than is read at once. "program ROUNDS"
using System;
using System.Threading.Tasks;

int rounds = int.Parse(args[0]);
await Task.WhenAll(Hops.All(rounds), Hops.All(rounds), Hops.All(rounds), Hops.All(rounds));

static class Hops
{
    public static async Task All(int rounds)
    {
        for (int i = 0; i < rounds; i++)
        {
            await Outer(i);
        }
    }

    static async Task<int> Outer(int i)
    {
        int result = await Inner(i);
        if (i % 1000 == 0)
        {
            try { await Throws(); }
            catch (InvalidOperationException) { ++result; }
        }
        return result;
    }

    static async Task<int> Inner(int i)
    {
        await Task.Yield();
        return i;
    }

    static async Task Throws()
    {
        await Task.Yield();
        throw new InvalidOperationException();
    }
}
