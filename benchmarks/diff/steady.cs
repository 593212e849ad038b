// SPDX-License-Identifier: MIT
// Seven methods that do the same work at every run; one of them can be made slower by a constant:
//   steady ROUNDS METHOD PERMILLE
// METHOD does its inner loop PERMILLE thousandths more often. Prints a checksum of what the
// methods came to, which the extra work is not part of. They are compiled once, optimised: when a
// method is compiled anew differs from run to run, and so would its time.
using System;
using System.Globalization;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Steady;

static class Program
{
    static string slower = "";
    static int permille;

    static int Main(string[] args)
    {
        int rounds = int.Parse(args[0], CultureInfo.InvariantCulture);
        slower = args[1];
        permille = int.Parse(args[2], CultureInfo.InvariantCulture);
        ulong sum = 0;
        for (int round = 0; round < rounds; ++round)
        {
            sum += Loops.Multiply(Size(nameof(Loops.Multiply), 1_100_000));
            sum += Loops.Divide(Size(nameof(Loops.Divide), 260_000));
            sum += Loops.Sieve(Size(nameof(Loops.Sieve), 1_000));
            sum += Loops.Collatz(Size(nameof(Loops.Collatz), 36_000));
            sum += Floats.Newton(Size(nameof(Floats.Newton), 120_000));
            sum += Arrays.Search(Size(nameof(Arrays.Search), 18_000));
            sum += Texts.Hash(Size(nameof(Texts.Hash), 900));
        }
        Console.WriteLine(sum);
        return 0;
    }

    /// How often a method does its inner loop, and from which turn on it is extra work.
    static Turns Size(string method, int turns) =>
        new(turns, method == slower ? (int)((long)turns * permille / 1000) : 0);
}

/// The loop of a method: `All` turns, the first `Counted` of which are in its result.
readonly struct Turns(int counted, int extra)
{
    public readonly int Counted = counted;
    public readonly int All = counted + extra;
}

static class Loops
{
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static ulong Multiply(Turns turns)
    {
        ulong x = 1, result = 0;
        for (int i = 0; i < turns.All; ++i)
        {
            x = x * 6364136223846793005UL + 1442695040888963407UL;
            if (i == turns.Counted - 1) result = x;
        }
        return result;
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static ulong Divide(Turns turns)
    {
        ulong x = ulong.MaxValue, result = 0;
        for (int i = 0; i < turns.All; ++i)
        {
            x = x / (ulong)(i % 7 + 3) + 0x9E3779B97F4A7C15UL;
            if (i == turns.Counted - 1) result = x;
        }
        return result;
    }

    static readonly bool[] composite = new bool[1_000];

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static ulong Sieve(Turns turns)
    {
        ulong primes = 0;
        for (int turn = 0; turn < turns.All; ++turn)
        {
            Array.Clear(composite);
            int found = 0;
            for (int i = 2; i < composite.Length; ++i)
            {
                if (composite[i]) continue;
                ++found;
                for (int j = i * 2; j < composite.Length; j += i) composite[j] = true;
            }
            if (turn < turns.Counted) primes += (ulong)found;
        }
        return primes;
    }

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static ulong Collatz(Turns turns)
    {
        ulong steps = 0;
        for (int turn = 0; turn < turns.All; ++turn)
        {
            ulong n = (ulong)(turn % 1_000 + 27);
            ulong taken = 0;
            while (n != 1)
            {
                n = n % 2 == 0 ? n / 2 : 3 * n + 1;
                ++taken;
            }
            if (turn < turns.Counted) steps += taken;
        }
        return steps;
    }
}

static class Floats
{
    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static ulong Newton(Turns turns)
    {
        double sum = 0;
        for (int turn = 0; turn < turns.All; ++turn)
        {
            double x = turn + 2.0, root = x;
            for (int i = 0; i < 8; ++i) root = (root + x / root) / 2;
            if (turn < turns.Counted) sum += root;
        }
        return (ulong)sum;
    }
}

static class Arrays
{
    static readonly int[] cells = new int[4_096];

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static ulong Search(Turns turns)
    {
        for (int i = 0; i < cells.Length; ++i) cells[i] = i * 3;
        ulong sum = 0;
        for (int turn = 0; turn < turns.All; ++turn)
        {
            int wanted = turn * 7919 % 12_288, low = 0, high = cells.Length;
            while (low < high)
            {
                int middle = (low + high) / 2;
                if (cells[middle] < wanted) low = middle + 1;
                else high = middle;
            }
            if (turn < turns.Counted) sum += (ulong)low;
        }
        return sum;
    }
}

static class Texts
{
    static readonly string text = string.Concat(Enumerable.Repeat("the quick brown fox ", 60));

    [MethodImpl(MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization)]
    public static ulong Hash(Turns turns)
    {
        ulong sum = 0;
        for (int turn = 0; turn < turns.All; ++turn)
        {
            uint hash = 2166136261;
            foreach (char c in text) hash = (hash ^ c) * 16777619;
            if (turn < turns.Counted) sum += hash;
        }
        return sum;
    }
}
