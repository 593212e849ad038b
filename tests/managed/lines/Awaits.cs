// SPDX-License-Identifier: MIT
// Async methods, whose code compilers move into state machines.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Lines;

static class Awaits
{
    public static void Run()
    {
        Leaf(1).Wait();
        Expression().Wait();
        Value(1).AsTask().Wait();
        Generic("a").Wait();
        All().Wait();
        Lambda().Wait();
        WithLocal().Wait();
        ((ILoader)new Loader()).Load(1).Wait();
    }

    static async Task<int> Leaf(int n)
    {
        await Task.Yield();  //@{ async method: Lines.Awaits.Leaf(int)
        return n;
    }

    static async Task Expression() =>
        await Task.Yield();  //@ async method with an expression body: Lines.Awaits.Expression()

    static async ValueTask<int> Value(int n)
    {
        int twice = 2 * n;  //@{ async method that does something first: Lines.Awaits.Value(int)
        await Task.Yield();
        return twice;
    }

    static async Task<T> Generic<T>(T value)
    {
        await Task.Yield();  //@{ generic async method: Lines.Awaits.Generic<T>(T)
        return value;
    }

    static async IAsyncEnumerable<int> Stream(int n)
    {
        for (int i = 0; i < n; ++i)  //@{ async iterator: Lines.Awaits.Stream(int)
        {
            await Task.Yield();
            yield return i;
        }
    }

    static async Task All()
    {
        await foreach (int _ in Stream(2)) { }  //@{ await foreach: Lines.Awaits.All()
    }

    static async Task Lambda()
    {
        Func<int, Task<int>> wait = async n =>
        {
            await Task.Yield();  //@{ async lambda: Lines.Awaits.Lambda.lambda(int)
            return n;
        };
        await wait(1);
    }

    static Task WithLocal()
    {
        return Inner(1);
        static async Task Inner(int n) => await Task.Delay(n);  //@ async local function: Lines.Awaits.WithLocal.Inner(int)
    }
}

interface ILoader
{
    Task Load(int n);
}

class Loader : ILoader
{
    async Task ILoader.Load(int n)
    {
        await Task.Yield();  //@{ async method of an interface: Lines.Loader.ILoader.Load(int)
    }
}
