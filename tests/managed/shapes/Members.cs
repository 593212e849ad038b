// SPDX-License-Identifier: MIT
// Properties, indexers, default arguments, by-reference arguments, explicit interface methods.
using System;
using System.Runtime.CompilerServices;
using Umbra.Testing;

namespace Shapes;

interface INamed
{
    string Name();
}

sealed class Shelf : INamed
{
    readonly int[] slots = new int[16];

    public int Count
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        get;
        [MethodImpl(MethodImplOptions.NoInlining)]
        set;
    }

    public int this[int index]
    {
        [MethodImpl(MethodImplOptions.NoInlining)]
        get => slots[index];
        [MethodImpl(MethodImplOptions.NoInlining)]
        set => slots[index] = value;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    string INamed.Name() => "shelf";
}

static class Members
{
    const int Rounds = 10_000;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Swap(ref int a, ref int b) => (a, b) = (b, a);

    [MethodImpl(MethodImplOptions.NoInlining)]
    static bool TryHalve(int value, out int half)
    {
        half = value / 2;
        return value % 2 == 0;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Many(int[] values, string? text = null, params object[] rest) =>
        values.Length + (text?.Length ?? 0) + rest.Length;

    public static void Run()
    {
        var shelf = new Shelf();
        INamed named = shelf;
        int[] two = { 1, 2 };
        int a = 1, b = 2, letters = 0, halved = 0, many = 0;
        for (int i = 0; i < Rounds; i++)
        {
            shelf.Count = shelf.Count + 1;
            shelf[i % 16] = shelf[(i + 1) % 16] + 1;
            letters += named.Name().Length;
            Swap(ref a, ref b);
            halved += TryHalve(i, out _) ? 1 : 0;
            many += Many(two, "x", i, i);
        }
        Expect.Equal((shelf.Count, a, letters, halved, many),
                     (Rounds, 1, 5 * Rounds, Rounds / 2, 5 * Rounds), "members");
        Expect.Calls("Shelf.Count.get", Rounds + 1);
        Expect.Calls("Shelf.Count.set", Rounds);
        Expect.Calls("Shelf.this[int].get", Rounds);
        Expect.Calls("Shelf.this[int].set", Rounds);
        Expect.Calls("Shelf.INamed.Name", Rounds);
        Expect.Calls("Members.Swap", Rounds);
        Expect.Calls("Members.TryHalve", Rounds);
        Expect.Calls("Members.Many", Rounds);
    }
}
