// SPDX-License-Identifier: MIT
// Every class of argument and result through millions of probed calls: registers [ROUNDS].
// Whatever a probe leaves changed in a register shows as a wrong value here.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Registers;

static class Program
{
    static int Main(string[] args)
    {
        int rounds = args.Length > 0 ? int.Parse(args[0]) : 200_000;
        for (int i = 0; i < rounds; i++)
        {
            Scalars.Check(i);
            Structs.Check(i);
            Vectors.Check(i);
            References.Check(i);
        }
        Console.WriteLine("OK");
        Expect.Calls("Scalars.Check", rounds);
        Expect.Calls("Structs.Check", rounds);
        Expect.Calls("Vectors.Check", rounds);
        Expect.Calls("References.Check", rounds);
        Expect.Print();
        return 0;
    }

    /// Kept out of the way of the values under test: a comparison that fails ends the program.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Same(bool right, string what)
    {
        if (!right)
        {
            Fail(what);
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Fail(string what)
    {
        Console.WriteLine($"WRONG {what}");
        Environment.Exit(1);
    }
}
