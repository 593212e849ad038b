// SPDX-License-Identifier: MIT
// Runs made-up programs (tests/integration/support/exception_programs.py), each on a thread of its own,
// and writes down what they called.
//
//   exceptions ASSEMBLY FIRST COUNT FILE
//
// ASSEMBLY has the made-up methods, programs are numbered from FIRST. FILE gets a line for each place of
// each program: program, number of the place, number of its caller's (0: the thread), method, calls.
using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Reflection;
using System.Threading;

namespace Umbra.Testing;

static class Program
{
    const int StackBytes = 8 << 20;
    const int Rounds = 8;
    const int CallsOfRound = 60;
    const int Depth = 7;

    static int Main(string[] arguments)
    {
        Func<int, int>[] pool = Assembly.LoadFrom(arguments[0]).GetTypes()
            .SelectMany(type => type.GetMethods(BindingFlags.Static | BindingFlags.Public))
            .Where(method => method.Name.StartsWith('M'))
            .OrderBy(method => int.Parse(method.Name.AsSpan(1)))
            .Select(method => method.CreateDelegate<Func<int, int>>())
            .ToArray();
        int first = int.Parse(arguments[1]);
        int count = int.Parse(arguments[2]);
        using var file = new StreamWriter(arguments[3]);
        for (int program = first; program < first + count; ++program)
        {
            Place root = new();
            var thread = new Thread(() => Run(pool, program, out root), StackBytes) { Name = $"p{program}" };
            thread.Start();
            thread.Join();
            int places = 0;
            Write(file, program, root, 0, ref places);
        }
        return 0;
    }

    /// A program is a few of the methods, which call each other by dice. Recursion comes of the small number.
    static void Run(Func<int, int>[] pool, int program, out Place root)
    {
        root = Truth.Begin((uint)program * 2654435761, CallsOfRound);
        var methods = new Func<int, int>[8];
        int different = 1 + Truth.Below(5);
        for (int i = 0; i < methods.Length; ++i)
        {
            methods[i] = i < different ? pool[Truth.Below(pool.Length)] : methods[i - different];
        }
        Truth.Methods = methods;
        for (int round = 0; round < Rounds; ++round)
        {
            Truth.Again(root, CallsOfRound);
            try
            {
                methods[round](Depth);
            }
            catch (Exception)
            {
                Truth.At(root);
            }
        }
    }

    static void Write(StreamWriter file, int program, Place place, int number, ref int places)
    {
        foreach ((int method, Place callee) in place.Callees)
        {
            int of = ++places;
            file.Write($"{program} {of} {number} {method} {callee.Calls}\n");
            Write(file, program, callee, of, ref places);
        }
    }
}
