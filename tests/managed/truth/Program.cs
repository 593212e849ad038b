// SPDX-License-Identifier: MIT
// Methods that burn a known time each: what a profiler says of them can be checked.
//
//   truth [ROUNDS]
//
// Prints "truth NAME NS" for every method: the length of one call's own work, measured around many
// repetitions of the same loop outside of it, before and after the calls are made.
using System;
using System.Diagnostics;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Truth;

static class Spin
{
    /// Reads the clock until `ticks` have passed. Each reading waits for what stands before it, so
    /// nothing runs ahead into the caller, as a plain loop would by some tens of nanoseconds.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void For(long ticks)
    {
        long begin = Stopwatch.GetTimestamp();
        while (Stopwatch.GetTimestamp() - begin < ticks)
        {
        }
    }
}

/// Optimised at once, so that the spin stands in each method from its first call on.
static class Burn
{
    public const long Steps200Ns = 160, Steps1Us = 960, Steps10Us = 9_960, Steps1Ms = 999_960;

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For200Ns() => Spin.For(Steps200Ns);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For1Us() => Spin.For(Steps1Us);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For10Us() => Spin.For(Steps10Us);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For1Ms() => Spin.For(Steps1Ms);

    /// Own work of 1 us around three calls of 200 ns.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void Nested1Us()
    {
        For200NsInside();
        Spin.For(Steps1Us);
        For200NsInside();
        For200NsInside();
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For200NsInside() => Spin.For(Steps200Ns);

    /// Own work of 10 us around two nested calls.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void Nested10Us()
    {
        Nested1Us();
        Spin.For(Steps10Us);
        Nested1Us();
    }
}

static class Program
{
    /// Nanoseconds of one Spin.For(steps): the median of several takes.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static double Measure(long steps, int repeat)
    {
        var takes = new double[9];
        for (int take = 0; take < takes.Length; take++)
        {
            long begin = Stopwatch.GetTimestamp();
            for (int i = 0; i < repeat; i++)
            {
                Spin.For(steps);
            }
            long end = Stopwatch.GetTimestamp();
            takes[take] = (end - begin) * 1e9 / Stopwatch.Frequency / repeat;
        }
        Array.Sort(takes);
        return takes[takes.Length / 2];
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Loop(Action burn, int calls)
    {
        for (int i = 0; i < calls; i++)
        {
            burn();
        }
    }

    static void Main(string[] args)
    {
        int rounds = args.Length > 0 ? int.Parse(args[0]) : 20;
        double[] before = Truths();
        for (int round = 0; round < rounds; round++)
        {
            Loop(Burn.For200Ns, 20_000);
            Loop(Burn.For1Us, 4_000);
            Loop(Burn.For10Us, 400);
            Loop(Burn.For1Ms, 4);
            Loop(Burn.Nested10Us, 400);
        }
        double[] after = Truths();
        double[] truth = before.Zip(after, (a, b) => (a + b) / 2).ToArray();
        string[] names = ["For200Ns", "For1Us", "For10Us", "For1Ms"];
        for (int i = 0; i < names.Length; i++)
        {
            Console.WriteLine(FormattableString.Invariant($"truth {names[i]} {truth[i]:F2}"));
        }
        Console.WriteLine(FormattableString.Invariant($"truth For200NsInside {truth[0]:F2}"));
        Console.WriteLine(FormattableString.Invariant($"truth Nested1Us {truth[1]:F2}"));
        Console.WriteLine(FormattableString.Invariant($"truth Nested10Us {truth[2]:F2}"));
    }

    static double[] Truths() =>
    [
        Measure(Burn.Steps200Ns, 5_000), Measure(Burn.Steps1Us, 1_000),
        Measure(Burn.Steps10Us, 100), Measure(Burn.Steps1Ms, 3),
    ];
}
