// SPDX-License-Identifier: MIT
// Sleeps at random places among calls too short to be worth a clock reading: naps ROUNDS SEED.
// Prints what each method slept, as it measured it: "slept METHOD COUNT NANOSECONDS".
using System;
using System.Diagnostics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Naps;

static class Nap
{
    const int LongNaps = 40;
    const int ShortNaps = 1000;
    static long slept;
    static int naps;

    [DllImport("libc")]
    static extern int usleep(uint microseconds);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Before(int value) => value * 31 + 7;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int After(int value) => value ^ (value >> 3);

    // Twice the same: a method that both called would have the time.
    [MethodImpl(MethodImplOptions.NoInlining)]
    static int MayNapLong(int microseconds)
    {
        if (microseconds != 0)
        {
            long begin = Stopwatch.GetTimestamp();
            usleep((uint)microseconds);
            slept += Stopwatch.GetTimestamp() - begin;
            naps++;
        }
        return microseconds;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int MayNapShort(int microseconds)
    {
        if (microseconds != 0)
        {
            long begin = Stopwatch.GetTimestamp();
            usleep((uint)microseconds);
            slept += Stopwatch.GetTimestamp() - begin;
            naps++;
        }
        return microseconds;
    }

    static int Rounds(int rounds, int wanted, int least, int most, bool isLong, Random random)
    {
        int value = 1;
        for (int round = 0; round < rounds; round++)
        {
            bool nap = wanted != 0 && random.Next(rounds) < wanted;
            int microseconds = nap ? random.Next(least, most) : 0;
            value = Before(value);
            value += isLong ? MayNapLong(microseconds) : MayNapShort(microseconds);
            value = After(value);
        }
        return value;
    }

    static void Show(string method, int rounds, int wanted, int least, int most, bool isLong,
                     Random random)
    {
        // First without a nap, until nobody reads a clock there any more.
        Rounds(rounds, 0, 0, 0, isLong, random);
        slept = 0;
        naps = 0;
        int value = Rounds(rounds, wanted, least, most, isLong, random);
        double nanoseconds = slept * 1e9 / Stopwatch.Frequency;
        Console.WriteLine($"slept {method} {naps} {nanoseconds:F0} ({value})");
    }

    static int Main(string[] arguments)
    {
        int rounds = int.Parse(arguments[0]);
        var random = new Random(int.Parse(arguments[1]));
        Rounds(rounds, 0, 0, 0, true, random);
        Show("MayNapLong", rounds, LongNaps, 2000, 50_000, true, random);
        Show("MayNapShort", rounds, ShortNaps, 100, 2000, false, random);
        return 0;
    }
}
