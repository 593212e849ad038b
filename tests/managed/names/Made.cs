// SPDX-License-Identifier: MIT
// Methods that nobody wrote: compilers add them for what the source says.
using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Threading.Tasks;

namespace Names;

static class Made
{
    static bool ready;

    public static void Run()
    {
        Anonymous();
        Unmatched(2);
        new Derived().Later().Wait();
        Collected([1, Environment.ProcessorCount]);
        if (!ready)
        {
            throw new InvalidOperationException("the module was not initialized");
        }
    }

    //= module initializer
    //: 1 Names.Made.Prepare()
    //: 1 <Module>..cctor()
    [ModuleInitializer]
    internal static void Prepare() => ready = true;

    //= anonymous type
    //: 1 AnonymousType0<int, double>.AnonymousType0(int, double)
    //: 1 AnonymousType0<int, double>.Count.get
    //= anonymous type of a class, which has the name of its property
    //: 1 AnonymousType1<Name>.Name.get
    static int Anonymous()
    {
        var values = new { Count = 1, Size = 2.0 };
        var text = new { Name = "a" };
        return values.Count + text.Name.Length;
    }

    //= switch expression that nothing matches
    //: 1 <PrivateImplementationDetails>.ThrowSwitchExpressionException(object)
    static int Unmatched(int n)
    {
        try
        {
#pragma warning disable CS8509
            return n switch { 1 => 1 };
#pragma warning restore CS8509
        }
        catch (SwitchExpressionException)
        {
            return 0;
        }
    }

    //= collection expression for a read-only list
    //: 1 ReadOnlyArray<int>.ReadOnlyArray(int[])
    static void Collected(IReadOnlyList<int> numbers) { }
}

class Base
{
    protected virtual Task Wait(int n) => Task.CompletedTask;
}

class Derived : Base
{
    //= call of base from an async method: a helper whose name cannot tell the method
    //: 1 Names.Derived.<>n__0(int)
    public async Task Later() => await base.Wait(1);
    protected override Task Wait(int n) => Task.CompletedTask;
}
