// SPDX-License-Identifier: MIT
// A method called once that loops for long: the runtime replaces its code while it runs (OSR).
using System;
using System.Runtime.CompilerServices;
using System.Threading;
using Umbra.Testing;

namespace Stacks;

static class LongLoop
{
    public const string Tree = """
        LongLoop.Run 1
          LongLoop.Inner 40
            LongLoop.Body 2000000
              LongLoop.Leaf 2000000
          LongLoop.Guarded 1
            LongLoop.Leaf 100000
            LongLoop.Odd 50000
            LongLoop.Handle 50
            LongLoop.Clean 100000
        """;

    public static long Run()
    {
        long sum = 0;
        for (int i = 0; i < 40; i++)
        {
            sum += Inner();
        }
        return sum + Guarded();
    }

    static long Inner()
    {
        long sum = 0;
        for (int i = 0; i < 50_000; i++)
        {
            sum += Body(i);
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Body(int i) => Leaf(i) + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Leaf(int i) => i & 1;

    /// Handlers inside the loop that OSR replaces.
    static long Guarded()
    {
        long sum = 0;
        for (int i = 0; i < 100_000; i++)
        {
            try
            {
                if (Leaf(i) == 1)
                {
                    sum += Odd(i);
                }
            }
            catch (InvalidOperationException)
            {
                sum += Handle();
            }
            finally
            {
                sum += Clean();
            }
        }
        return sum;
    }

    static int Odd(int i) => i % 2000 == 1 ? throw new InvalidOperationException("rare") : 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Handle() => 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Clean() => 0;

    public static void RunAll()
    {
        // 40 times 50,000 bodies of 1 and every second leaf of 1; then 50,000 odd numbers.
        ThrowCases.Repeat(1, Run, 3_000_000 + 50_000, Tree);
    }
}

static class ExitInDepth
{
    public const string Tree = """
        ExitInDepth.Start 1
          ExitInDepth.Down 1
            ExitInDepth.Down 1
              ExitInDepth.Down 1
                ExitInDepth.Leaf 1
                ExitInDepth.Leave 1
        """;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Start(int status) => Down(3, status);

    static void Down(int levels, int status)
    {
        try
        {
            if (levels > 1)
            {
                Down(levels - 1, status);
            }
            else
            {
                Leaf();
                Leave(status);
            }
        }
        finally
        {
            Never();
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Leaf() => Thread.MemoryBarrier();

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Leave(int status) => Environment.Exit(status);

    public static void RunAndExit(int status)
    {
        Expect.Tree(Tree);
        Expect.Print();
        Start(status);
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Never() => Console.WriteLine("WRONG: a finally block ran after Environment.Exit");
}
