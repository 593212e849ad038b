// SPDX-License-Identifier: MIT
// Call stacks under exceptions, OSR, callbacks from native threads and unloading code. Each case
// states the tree of its calls: one method a line, two blanks deeper a level, and its calls.
// NoInlining stands on what might be trivial, and on what ends with a call: it forbids tail calls too.
// stacks            every case
// stacks exit       Environment.Exit(7) in depth
// stacks deep N     N calls within each other, of one method, then of three in turn
// stacks unload N   loads and unloads an assembly N times
using System;
using Umbra.Testing;

namespace Stacks;

static class Program
{
    static int Main(string[] args)
    {
        switch (args.Length > 0 ? args[0] : "all")
        {
            case "exit":
                ExitInDepth.RunAndExit(7);
                break;
            case "deep":
                Descent.RunAll(int.Parse(args[1]));
                Expect.Print();
                return 0;
            case "unload":
                Unloading.RunAll(int.Parse(args[1]));
                Expect.Print();
                return 0;
        }
        ThrowCases.RunAll();
        CatchCases.RunAll();
        FilterCases.RunAll();
        AsyncCases.RunAll();
        LongLoop.RunAll();
        NativeCallback.RunAll();
        Unloading.RunAll(20);
        Console.WriteLine("stacks are right");
        Expect.Print();
        return 0;
    }
}
