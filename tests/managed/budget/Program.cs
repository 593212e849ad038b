// SPDX-License-Identifier: MIT
// Nearly all of its time goes through calls of a few nanoseconds: budget [SECONDS] [SETTLE]. With a
// third argument, "throw", each turn throws and catches as well.
// Two callers take turns, for SECONDS. Printed at the end: how long each took by the program's own
// clock, and how many turns a second there were after the first SETTLE seconds.
using System;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Budget;

/// Calls of a few nanoseconds.
static class Tiny
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Mix(ulong value) => value * 0x9e3779b97f4a7c15UL + 1;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Fold(ulong value) => value * 0xd6e8feb86659fd93UL + 3;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static T Same<T>(T value) => value;
}

/// One that calls itself.
static class Tree
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Count(int depth) => depth == 0 ? 1 : Count(depth - 1) + Count(depth - 1);
}

/// Frames that exceptions remove, one of them with a finally block.
static class Fall
{
    static int blocks;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Down(int depth)
    {
        if (depth == 0)
        {
            throw new InvalidOperationException();
        }
        return Through(depth) + 1;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Through(int depth)
    {
        try
        {
            return Down(depth - 1);
        }
        finally
        {
            blocks = (int)Tiny.Same((uint)blocks) + 1;
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Caught(int depth)
    {
        int before = blocks;
        try
        {
            return Down(depth);
        }
        catch (InvalidOperationException)
        {
            return Tiny.Same(blocks) - before;
        }
    }
}

/// Their callers, a fifth of a millisecond a turn.
static class Turn
{
    public const int MixCalls = 40_000;
    public const int Depth = 15;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static ulong Mixes(ulong value)
    {
        for (int i = 0; i < MixCalls; i++)
        {
            value = Tiny.Fold(Tiny.Mix(value));
        }
        return Tiny.Same(value) + (ulong)Tiny.Same("").Length;
    }

    /// The same without calls: f(x) = a x + b, as often as the turns make it, by squaring.
    public static ulong Expected(long turns)
    {
        ulong a = unchecked(0x9e3779b97f4a7c15UL * 0xd6e8feb86659fd93UL);
        ulong b = 0xd6e8feb86659fd93UL + 3;
        ulong value = 0;
        for (long left = turns * MixCalls; left != 0; left >>= 1)
        {
            value = (left & 1) != 0 ? a * value + b : value;
            b += a * b;
            a *= a;
        }
        return value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Counts() => Tree.Count(Depth);

    public const int Throws = 20;

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static int Falls()
    {
        int blocks = 0;
        for (int i = 0; i < Throws; i++)
        {
            blocks += Fall.Caught(i % 4);
        }
        return blocks;
    }
}

static class Program
{
    static int Main(string[] args)
    {
        double seconds = args.Length > 0 ? double.Parse(args[0], CultureInfo.InvariantCulture) : 3;
        double settle = args.Length > 1 ? double.Parse(args[1], CultureInfo.InvariantCulture) : 2;
        bool throws = args.Length > 2 && args[2] == "throw";
        Outcome outcome = Run(seconds, settle, throws);
        Expect.Equal(outcome.Value, Turn.Expected(outcome.Turns), "value");
        Expect.Equal(outcome.Counts, outcome.Turns << Turn.Depth, "number of leaves");
        Expect.Equal(outcome.Blocks, throws ? outcome.Turns * Turn.Throws * 3 / 2 : 0, "finally blocks");
        Expect.Calls("Turn.Falls", throws ? outcome.Turns : 0);
        Expect.Calls("Turn.Mixes", outcome.Turns);
        Expect.Calls("Turn.Counts", outcome.Turns);
        Console.WriteLine(FormattableString.Invariant(
            $"turns {outcome.Turns} settled {outcome.SettledRate:F3} mixes {outcome.MixesSeconds:F6} counts {outcome.CountsSeconds:F6}"));
        Expect.Print();
        return 0;
    }

    struct Outcome
    {
        public ulong Value;
        public long Counts;
        public long Blocks;
        public long Turns;
        public double MixesSeconds;
        public double CountsSeconds;
        public double SettledRate;
    }

    static Outcome Run(double seconds, double settle, bool throws)
    {
        var outcome = new Outcome();
        long begin = Stopwatch.GetTimestamp();
        long settledAt = 0, settledTurns = 0;
        long mixes = 0, counts = 0;
        long now = begin;
        while (Stopwatch.GetElapsedTime(begin, now).TotalSeconds < seconds)
        {
            outcome.Value = Turn.Mixes(outcome.Value);
            long between = Stopwatch.GetTimestamp();
            outcome.Counts += Turn.Counts();
            long after = Stopwatch.GetTimestamp();
            mixes += between - now;
            counts += after - between;
            now = after;
            outcome.Turns++;
            if (throws)
            {
                outcome.Blocks += Turn.Falls();
                now = Stopwatch.GetTimestamp();
            }
            if (settledAt == 0 && Stopwatch.GetElapsedTime(begin, now).TotalSeconds >= settle)
            {
                settledAt = now;
                settledTurns = outcome.Turns;
            }
        }
        outcome.MixesSeconds = Stopwatch.GetElapsedTime(0, mixes).TotalSeconds;
        outcome.CountsSeconds = Stopwatch.GetElapsedTime(0, counts).TotalSeconds;
        outcome.SettledRate = (outcome.Turns - settledTurns) /
                              Stopwatch.GetElapsedTime(settledAt, now).TotalSeconds;
        return outcome;
    }
}
