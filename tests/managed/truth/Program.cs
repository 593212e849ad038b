// SPDX-License-Identifier: MIT
// Methods that burn a known time each: what a profiler says of them can be checked.
//
//   truth [ROUNDS]
//
// Prints "truth NAME NS CALLS" for every method: the mean length of one call's own work. Each spin
// adds up what it burned between its first and its last clock reading, so a preemption in between
// is part of the truth. What a call takes beside that (half a reading at either end) is measured on
// twins of the methods, in class Twin, which are not to be profiled: a loop of calls, less what
// they burned, less a loop of calls that do nothing.
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Truth;

static class Spin
{
    /// Reads the clock until `ticks` have passed, and adds them to `burned`. Each reading waits for
    /// what stands before it, so nothing runs ahead into the caller, as a plain loop would by some
    /// tens of nanoseconds.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void For(long ticks, ref long burned)
    {
        long begin = Stopwatch.GetTimestamp();
        long passed;
        do
        {
            passed = Stopwatch.GetTimestamp() - begin;
        }
        while (passed < ticks);
        burned += passed;
    }
}

static class Length
{
    public const long Ns200 = 160, Us1 = 960, Us10 = 9_960, Ms1 = 999_960;
}

/// What each method has burned, in ticks of Stopwatch.
static class Burned
{
    public static long For200Ns, For1Us, For10Us, For1Ms, For200NsInside, Nested1Us, Nested10Us, Twin;
}

/// Optimised at once, so that the spin stands in each method from its first call on.
static class Burn
{
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For200Ns() => Spin.For(Length.Ns200, ref Burned.For200Ns);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For1Us() => Spin.For(Length.Us1, ref Burned.For1Us);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For10Us() => Spin.For(Length.Us10, ref Burned.For10Us);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For1Ms() => Spin.For(Length.Ms1, ref Burned.For1Ms);

    /// Own work of 1 us around three calls of 200 ns.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void Nested1Us()
    {
        For200NsInside();
        Spin.For(Length.Us1, ref Burned.Nested1Us);
        For200NsInside();
        For200NsInside();
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void For200NsInside() => Spin.For(Length.Ns200, ref Burned.For200NsInside);

    /// Own work of 10 us around two nested calls.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static void Nested10Us()
    {
        Nested1Us();
        Spin.For(Length.Us10, ref Burned.Nested10Us);
        Nested1Us();
    }
}

/// Not to be profiled.
static class Twin
{
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static void Nothing()
    {
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static void For200Ns() => Spin.For(Length.Ns200, ref Burned.Twin);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static void For1Us() => Spin.For(Length.Us1, ref Burned.Twin);

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static void For10Us() => Spin.For(Length.Us10, ref Burned.Twin);

    /// The calls of a nested method are its own work, what is in them is not.
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static void Nested1Us()
    {
        Nothing();
        Spin.For(Length.Us1, ref Burned.Twin);
        Nothing();
        Nothing();
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static void Nested10Us()
    {
        Nothing();
        Spin.For(Length.Us10, ref Burned.Twin);
        Nothing();
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    static double TicksACall(Action method, int calls)
    {
        Burned.Twin = 0;
        long begin = Stopwatch.GetTimestamp();
        for (int i = 0; i < calls; i++)
        {
            method();
        }
        return (double)(Stopwatch.GetTimestamp() - begin - Burned.Twin) / calls;
    }

    /// What a call takes beside the ticks it burned: the median of several takes. Of methods of 200
    /// ns, 1 us and 10 us, as the end of a long loop is not foreseen and costs more, and of both
    /// nested ones.
    public static double[] TicksBeside() =>
        [TicksBeside(For200Ns, 2_000), TicksBeside(For1Us, 1_000), TicksBeside(For10Us, 200),
         TicksBeside(Nested1Us, 1_000), TicksBeside(Nested10Us, 200)];

    static double TicksBeside(Action method, int calls)
    {
        var takes = new double[25];
        for (int take = 0; take < takes.Length; take++)
        {
            takes[take] = TicksACall(method, calls) - TicksACall(Nothing, calls);
        }
        Array.Sort(takes);
        return takes[takes.Length / 2];
    }
}

static class Program
{
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
        double[] before = Twin.TicksBeside();
        for (int round = 0; round < rounds; round++)
        {
            Loop(Burn.For200Ns, 20_000);
            Loop(Burn.For1Us, 4_000);
            Loop(Burn.For10Us, 400);
            Loop(Burn.For1Ms, 4);
            Loop(Burn.Nested10Us, 400);
        }
        double[] after = Twin.TicksBeside();
        void Tell(string name, long burned, int calls, int length)
        {
            double beside = (before[length] + after[length]) / 2;
            double ns = ((double)burned / (calls * rounds) + beside) * 1e9 / Stopwatch.Frequency;
            Console.WriteLine(FormattableString.Invariant($"truth {name} {ns:F2} {calls * rounds}"));
        }
        Tell("For200Ns", Burned.For200Ns, 20_000, 0);
        Tell("For1Us", Burned.For1Us, 4_000, 1);
        Tell("For10Us", Burned.For10Us, 400, 2);
        Tell("For1Ms", Burned.For1Ms, 4, 2);
        Tell("For200NsInside", Burned.For200NsInside, 400 * 2 * 3, 0);
        Tell("Nested1Us", Burned.Nested1Us, 400 * 2, 3);
        Tell("Nested10Us", Burned.Nested10Us, 400, 4);
    }
}
