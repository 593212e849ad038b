// SPDX-License-Identifier: MIT
// Twelve methods that burn the same number of steps each, of which one may take more of them:
// slower [PERCENT] [ROUNDS]. They take turns, so that a busy machine is as busy for each.
using System;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Slower;

static class Steps
{
    const int Usual = 60_000;

    /// Optimised at once: how soon the runtime optimises a method is another thing in every run.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    static uint Take(uint value, int percent = 0)
    {
        int steps = Usual + Usual / 100 * percent;
        for (int i = 0; i < steps; i++)
        {
            value = value * 1_664_525 + 1_013_904_223;
        }
        return value;
    }

    const MethodImplOptions AsItStands =
        MethodImplOptions.NoInlining | MethodImplOptions.AggressiveOptimization;

    [MethodImpl(AsItStands)] public static uint One(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Two(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Three(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Four(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Five(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Six(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Seven(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Eight(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Nine(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Ten(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Eleven(uint value) => Take(value);
    [MethodImpl(AsItStands)] public static uint Changed(uint value, int percent) => Take(value, percent);
}

static class Program
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static uint Round(uint value, int percent)
    {
        value = Steps.One(Steps.Two(Steps.Three(Steps.Four(value))));
        value = Steps.Five(Steps.Six(Steps.Changed(value, percent)));
        value = Steps.Seven(Steps.Eight(Steps.Nine(value)));
        return Steps.Ten(Steps.Eleven(value));
    }

    static int Main(string[] args)
    {
        int percent = args.Length > 0 ? int.Parse(args[0]) : 0;
        int rounds = args.Length > 1 ? int.Parse(args[1]) : 2_000;
        uint value = 1;
        for (int i = 0; i < rounds; i++)
        {
            value = Round(value, percent);
        }
        Console.WriteLine($"value {value}");
        Expect.Calls("Steps.Changed", rounds);
        Expect.Calls("Program.Round", rounds);
        Expect.Print();
        return 0;
    }
}
