// SPDX-License-Identifier: MIT
// References, by-reference arguments and results, spans, generics by value, nullables.
using System;
using System.Runtime.CompilerServices;

namespace Registers;

sealed class Cell
{
    public long Value;
}

static class References
{
    [MethodImpl(MethodImplOptions.NoInlining)]
    static Cell Made(long value) => new() { Value = value };

    [MethodImpl(MethodImplOptions.NoInlining)]
    static ref long Inside(Cell cell) => ref cell.Value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static void Add(ref long target, in Big by, out long before)
    {
        before = target;
        target += by.A;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Span<int> Tail(Span<int> values) => values[1..];

    [MethodImpl(MethodImplOptions.NoInlining)]
    static int Total(ReadOnlySpan<int> values, int start)
    {
        int sum = start;
        foreach (int value in values)
        {
            sum += value;
        }
        return sum;
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    static T Echo<T>(int before, T value, int after) => before == after ? value : default!;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static long? Maybe(long value) => value % 2 == 0 ? value : null;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static Guid Identity(Guid value) => value;

    [MethodImpl(MethodImplOptions.NoInlining)]
    static (string, long, Cell) Many(string text, Cell cell) => (text, cell.Value, cell);

    [MethodImpl(MethodImplOptions.NoInlining)]
    public static void Check(int i)
    {
        Cell cell = Made(i);
        Add(ref Inside(cell), new Big(5, 0, 0, ""), out long before);
        Program.Same(before == i && cell.Value == i + 5, "by reference");

        Span<int> values = stackalloc int[4] { i, 1, 2, 3 };
        Program.Same(Total(Tail(values), i) == i + 6, "spans");
        Program.Same(Echo(i, i + 1L, i) == i + 1L, "generic long");
        Program.Same(Echo(i, 0.5, i) == 0.5, "generic double");
        Program.Same(Echo(i, new Big(1, 2, i, "t"), i) == new Big(1, 2, i, "t"), "generic struct");
        Program.Same(ReferenceEquals(Echo(i, cell, i), cell), "generic reference");
        Program.Same(Maybe(i) == (i % 2 == 0 ? i : null), "nullable");
        var guid = new Guid(i, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10);
        Program.Same(Identity(guid) == guid, "Guid");
        (string text, long value, Cell same) = Many("text", cell);
        Program.Same(text == "text" && value == i + 5 && ReferenceEquals(same, cell), "tuple");
    }
}
