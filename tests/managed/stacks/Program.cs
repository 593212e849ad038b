// SPDX-License-Identifier: MIT
// Call stacks under exceptions, OSR, callbacks from native threads and unloading code. Each case
// states the tree of its calls: one method a line, two blanks deeper a level, and its calls.
using System;
using Umbra.Testing;

namespace Stacks;

static class Program
{
    static int Main(string[] args)
    {
        if (args.Length > 0 && args[0] == "exit")
        {
            ExitInDepth.RunAndExit(7);
        }
        ThrowCases.RunAll();
        CatchCases.RunAll();
        FilterCases.RunAll();
        AsyncCases.RunAll();
        LongLoop.RunAll();
        NativeCallback.RunAll();
        Unloading.RunAll();
        Console.WriteLine("stacks are right");
        Expect.Print();
        return 0;
    }
}
