// SPDX-License-Identifier: MIT
// Async methods, lambdas and iterators; the calls are those of the method, not of its pieces.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;

namespace Names;

static class Awaits
{
    public static void Run()
    {
        Leaf(1).Wait();
        Leaf(2).Wait();
        Expression().Wait();
        Same("a").Wait();
        All().Wait();
        Value().AsTask().Wait();
        Forget();
        ((ILoader)new Loader()).Load(3).Wait();
        WithLocal().Wait();
        Lambda().Wait();
        Generic(1).Wait();
    }

    //= async method
    //: 2 Names.Awaits.Leaf(int)
    static async Task<int> Leaf(int n)
    {
        await Task.Yield();  //@{ async method: Names.Awaits.Leaf(int)
        return n;
    }

    static async Task Expression() =>
        await Task.Yield();  //@ async method with an expression body: Names.Awaits.Expression()

    //= generic async method
    //: 1 Names.Awaits.Same<T>(T)
    static async Task<T> Same<T>(T value)
    {
        await Task.Yield();  //@{ generic async method: Names.Awaits.Same<T>(T)
        return value;
    }

    //= async method that returns a ValueTask
    //: 1 Names.Awaits.Value()
    static async ValueTask<int> Value()
    {
        int one = 1;  //@{ async method that does something first: Names.Awaits.Value()
        await Task.Yield();
        return one;
    }

    //= async void method
    //: 1 Names.Awaits.Forget()
    static async void Forget() => await Task.CompletedTask;

    //= async iterator
    //: 1 Names.Awaits.Stream(int)
    static async IAsyncEnumerable<int> Stream(int n)
    {
        for (int i = 0; i < n; ++i)  //@{ async iterator: Names.Awaits.Stream(int)
        {
            await Task.Yield();
            yield return i;
        }
    }

    static async Task All()
    {
        await foreach (int _ in Stream(2)) { }  //@{ await foreach: Names.Awaits.All()
    }

    //= async local function
    //: 1 Names.Awaits.WithLocal.Inner(int)
    static Task WithLocal()
    {
        return Inner(1);
        static async Task Inner(int n) => await Task.Yield();  //@ async local function: Names.Awaits.WithLocal.Inner(int)
    }

    //= async lambda and async local function in a generic method
    //: 1 Names.Awaits.Generic<int>.lambda(int)
    //: 1 Names.Awaits.Generic<int>.Local<double>(double, int)
    //= async lambda in a generic method that captures a variable
    //: 1 Names.Awaits.Generic<int>.lambda#1(int)
    static async Task Generic<T>(T value)
    {
        Func<T, Task<T>> wait = async other =>
        {
            await Task.Yield();
            return other;
        };
        Func<T, Task<T>> either = async other =>
        {
            await Task.Yield();
            return value ?? other;
        };
        await either(await wait(value));
        await Local(1.0, value);
        static async Task Local<U>(U one, T two) => await Task.Yield();
    }

    //= async lambda
    //: 2 Names.Awaits.Lambda.lambda(int)
    static async Task Lambda()
    {
        Func<int, Task<int>> wait = async n =>
        {
            await Task.Yield();  //@{ async lambda: Names.Awaits.Lambda.lambda(int)
            return n;
        };
        await wait(await wait(1));
    }
}

interface ILoader
{
    Task Load(int n);
}

class Loader : ILoader
{
    //= async method that implements an interface explicitly
    //: 1 Names.Loader.ILoader.Load(int)
    async Task ILoader.Load(int n)
    {
        await Task.Yield();  //@{ async method of an interface: Names.Loader.ILoader.Load(int)
    }
}
