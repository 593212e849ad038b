// SPDX-License-Identifier: MIT
// Known numbers of calls through every way C# has to call a method. NoInlining stands on what
// might be trivial.
using System;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Shapes;

static class Program
{
    static int Main()
    {
        Dispatch.Run();
        Generics.Run();
        Delegates.Run();
        Members.Run();
        Iterators.Run();
        Awaits.Run();
        Threads.Run();
        Inlined.Run();
        Console.WriteLine("shapes are right");
        Expect.Print();
        return 0;
    }
}
